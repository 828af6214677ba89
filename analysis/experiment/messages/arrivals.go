package messages

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// message is one that a node generates.
type message struct {
	born      noc.Cycle
	source    noc.NodeID
	to        noc.NodeSet
	multicast bool
	batch     int // unmeasured for those of no batch
}

// unmeasured is the batch of messages that only load the network.
const unmeasured = -1

// generator makes the messages of a point in the order of their births.
type generator struct {
	config Config
	nodes  int
	stream *rand.PCG   // of everything but exponential arrivals
	born   noc.Cycle   // of the next message; Never while it waits for an empty network
	made   int         // messages
	source noc.NodeID  // of Node
	births []birth     // of Exponential: the next message of every node; of Normalized one of each kind; in order
	means  [2]uint64   // intervals in 2^-16 cycles: of all messages, or of unicasts and multicasts
	chance uint64      // of 2^64: that a message is a multicast; 0 stands for always
	set    noc.NodeSet // scratch
}

// The purposes of random streams.
const (
	sharedStream = iota
	nodeStream
)

func newGenerator(c Config, l topology.Layout, seed uint64) *generator {
	nodes := l.Nodes()
	g := &generator{config: c, nodes: nodes, stream: rand.NewPCG(seed, sharedStream), set: noc.NewNodeSet(nodes)}
	switch c.Arrivals {
	case Normalized:
		g.normalized(l.Multistage, seed)
	case Exponential:
		g.means[0] = uint64(float64(c.Flits) / c.Load * (1 << 16))
		if c.MulticastFraction < 1 {
			g.chance = uint64(c.MulticastFraction * (1 << 63) * 2)
		}
		for n := range nodes {
			b := birth{node: noc.NodeID(n), stream: rand.NewPCG(seed, nodeStream+uint64(n))}
			b.at = random.Exponential(b.stream, g.means[0])
			g.births = append(g.births, b)
		}
	default:
		g.born = g.firstBirth(0)
		return g
	}
	slices.SortFunc(g.births, compareBirths)
	g.born = noc.Cycle(g.births[0].at >> 16)
	return g
}

// firstBirth is when the first message may arise after the network has been empty since a cycle:
// late enough for every channel and port to be free.
func (g *generator) firstBirth(now noc.Cycle) noc.Cycle {
	return now + noc.Cycle(g.config.Flits+g.config.Startup+64)
}

// empty says that nothing is under way.
func (g *generator) empty(now noc.Cycle) {
	if g.born == noc.Never {
		g.born = g.firstBirth(now)
	}
}

// take makes the next message, born in g.born. Its set is valid until the next one.
func (g *generator) take() message {
	m := message{born: g.born, multicast: true, batch: g.made / g.config.BatchMessages}
	stream := g.stream
	switch g.config.Arrivals {
	case Alone:
		m.source = noc.NodeID(random.Scale(stream.Uint64(), g.nodes))
		g.born = noc.Never
	case Network: // the first batch only fills the network
		m.source = noc.NodeID(random.Scale(stream.Uint64(), g.nodes))
		m.batch--
		g.born += noc.Cycle(g.config.Interval)
	case Node:
		if g.made%g.config.BatchMessages == 0 {
			g.source = noc.NodeID(random.Scale(stream.Uint64(), g.nodes))
		}
		m.source = g.source
		g.born += noc.Cycle(g.config.Interval)
		if (g.made+1)%g.config.BatchMessages == 0 {
			g.born = noc.Never
		}
	case Exponential:
		next := &g.births[0]
		stream, m.source = next.stream, next.node
		m.batch = int(m.born)/g.config.BatchCycles - 1
		m.multicast = g.chance == 0 || stream.Uint64() < g.chance
	case Normalized:
		next := &g.births[0]
		stream, m.source, m.multicast = next.stream, next.node, next.multicast
		m.batch -= g.config.WarmBatches
	}
	if m.batch >= g.config.Batches {
		m.batch = unmeasured
	}
	g.made++
	m.to = g.address(stream, m.source, m.multicast)
	if len(g.births) > 0 {
		next := &g.births[0]
		mean := g.means[0]
		if next.multicast {
			mean = g.means[1]
		}
		later := *next
		later.at += random.Exponential(stream, mean)
		before, _ := slices.BinarySearchFunc(g.births[1:], later, compareBirths)
		copy(g.births, g.births[1:1+before])
		g.births[before] = later
		g.born = noc.Cycle(g.births[0].at >> 16)
	}
	return m
}

// address draws destinations uniformly, each once and never the source.
func (g *generator) address(stream *rand.PCG, source noc.NodeID, multicast bool) noc.NodeSet {
	g.set.Clear()
	left := 1
	if multicast {
		left = g.config.destinations(g.nodes)
		if g.config.Arrivals == Normalized {
			left = g.spread(stream)
		}
	}
	for left > 0 {
		if n := noc.NodeID(random.Scale(stream.Uint64(), g.nodes)); n != source && !g.set.Has(n) {
			g.set.Add(n)
			left--
		}
	}
	return g.set
}

// birth is the next message of a node.
type birth struct {
	at     uint64 // in 2^-16 cycles
	node   noc.NodeID
	stream *rand.PCG
	// multicast tells the two streams of a node with normalized arrivals apart.
	multicast bool
}

// compareBirths orders births: the earliest first, then the lowest node, then unicasts.
func compareBirths(a, b birth) int {
	kind := 0
	switch {
	case a.multicast && !b.multicast:
		kind = 1
	case b.multicast && !a.multicast:
		kind = -1
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node), kind)
}
