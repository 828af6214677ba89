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
	born   noc.Cycle
	source noc.NodeID
	to     noc.NodeSet
	kind   kind
	batch  int // below 0 for those of no batch
}

// generator makes the messages of a point in the order of their births.
type generator struct {
	config Config
	nodes  int
	stream *rand.PCG     // of everything but exponential arrivals
	born   noc.Cycle     // of the next message; Never while it waits for an empty network
	made   int           // messages
	warm   int           // batches before the first one that is measured, which only fill the network
	source noc.NodeID    // of Node
	births []birth       // of Exponential: the next message of every node; of Normalized one of each kind; in order
	means  [kinds]uint64 // intervals in 2^-16 cycles of the births of each kind
	chance uint64        // of 2^64: that a message is a multicast; 0 stands for always
	set    noc.NodeSet   // scratch
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
		g.warm = c.WarmBatches
		for k, interval := range c.intervals(l.Multistage) {
			g.start(kind(k), interval, seed)
		}
	case Exponential:
		if c.MulticastFraction < 1 {
			g.chance = uint64(c.MulticastFraction * (1 << 63) * 2)
		}
		g.start(0, float64(c.Flits)/c.Load, seed)
	default:
		if c.Arrivals == Network {
			g.warm = 1
		}
		g.born = g.firstBirth(0)
		return g
	}
	slices.SortFunc(g.births, compareBirths)
	g.born = noc.Cycle(g.births[0].at >> 16)
	return g
}

// start begins the births of a kind at every node, with the mean time between two; 0 stands for never.
func (g *generator) start(k kind, interval float64, seed uint64) {
	if interval == 0 {
		return
	}
	g.means[k] = uint64(interval * (1 << 16))
	for n := range g.nodes {
		b := birth{node: noc.NodeID(n), kind: k, stream: rand.NewPCG(seed, nodeStream+uint64(n+int(k)*g.nodes))}
		b.at = random.Exponential(b.stream, g.means[k])
		g.births = append(g.births, b)
	}
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
	m := message{born: g.born, kind: toMany, batch: g.made/g.config.BatchMessages - g.warm}
	stream := g.stream
	if len(g.births) > 0 {
		next := &g.births[0]
		stream, m.source, m.kind = next.stream, next.node, next.kind
		if g.config.Arrivals == Exponential {
			m.batch = int(m.born)/g.config.BatchCycles - 1
			if g.chance == 0 || stream.Uint64() < g.chance {
				m.kind = toMany
			}
		}
	} else {
		if g.config.Arrivals != Node || g.made%g.config.BatchMessages == 0 {
			g.source = noc.NodeID(random.Scale(stream.Uint64(), g.nodes))
		}
		m.source = g.source
		g.born += noc.Cycle(g.config.Interval)
		if g.config.Arrivals == Alone || g.config.Arrivals == Node && (g.made+1)%g.config.BatchMessages == 0 {
			g.born = noc.Never
		}
	}
	if m.batch >= g.config.Batches {
		m.batch = -1
	}
	g.made++
	m.to = g.address(stream, m.source, m.kind)
	if len(g.births) > 0 {
		later := g.births[0]
		later.at += random.Exponential(stream, g.means[later.kind])
		before, _ := slices.BinarySearchFunc(g.births[1:], later, compareBirths)
		copy(g.births, g.births[1:1+before])
		g.births[before] = later
		g.born = noc.Cycle(g.births[0].at >> 16)
	}
	return m
}

// address draws destinations uniformly, each once and never the source.
func (g *generator) address(stream *rand.PCG, source noc.NodeID, k kind) noc.NodeSet {
	g.set.Clear()
	left := 1
	if k == toMany {
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

// birth is the next message of a node, or the next of a kind.
type birth struct {
	at     uint64 // in 2^-16 cycles
	node   noc.NodeID
	kind   kind
	stream *rand.PCG
}

// compareBirths orders births: the earliest first, then the lowest node, then unicasts.
func compareBirths(a, b birth) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node), cmp.Compare(a.kind, b.kind))
}

// Arrivals by the load of a multistage network (Varavithya and Mohapatra, section 5.3). Every node
// sends unicasts and multicasts at exponential intervals with the means
//
//	unicasts    Bm N / (Bt Traffic (1-Mp))
//	multicasts  Bm N Mc / (Bt Traffic Mp)
//
// N being the nodes, Traffic the load, Mp the multicast fraction, and Mc = N/2 the mean number of
// destinations. Multicasts have N/2 destinations with a deviation of N/4, normally distributed,
// rounded, and 1 to N-1. By these formulas Mp is the share of copies that belong to multicasts, not
// that of messages, which the paper's text says it is: Mix chooses.
//
// Bt is the number of buffers, one per input of every switch, and Bm the buffer-time of a message,
// for which the paper has no number: here the length of the message times the switches on the route
// of a unicast, in a bidirectional network the mean over all pairs of nodes. Both only scale the
// load.

// The meanings of the multicast fraction.
const (
	Copies = "copies"   // of the copies that destinations get: the formulas
	Counts = "messages" // of the messages that nodes generate
)

// Mixes lists them.
var Mixes = []string{Copies, Counts}

// perCopy is the buffer-time of a copy over the number of buffers: the load of one copy per cycle.
func perCopy(m *topology.Multistage, flits int) float64 {
	buffers, switches := m.Stages*m.Nodes(), float64(m.Stages)
	if m.Bidirectional {
		buffers *= 2
		pairs, way := 0, 0 // of one source: destinations, switches to them
		for t, n := 0, m.Arity-1; t < m.Stages; t, n = t+1, n*m.Arity {
			pairs += n
			way += n * (2*t + 1)
		}
		switches = float64(way) / float64(pairs)
	}
	return float64(flits) * switches / float64(buffers)
}

// intervals are the mean times between two unicasts, and between two multicasts, of a node; 0 for
// never.
func (c Config) intervals(m *topology.Multistage) (of [kinds]float64) {
	each := perCopy(m, c.Flits) * float64(m.Nodes()) / c.Load // time of a copy of a node
	copies := float64(m.Nodes()) / 2
	if c.Mix == Counts {
		each *= 1 - c.MulticastFraction + c.MulticastFraction*copies
		copies = 1
	}
	if c.MulticastFraction < 1 {
		of[toOne] = each / (1 - c.MulticastFraction)
	}
	of[toMany] = each * copies / c.MulticastFraction
	return of
}

// batchMessages is the number of messages of a batch. Under the mix Counts most copies are those of
// multicasts, and a batch has as many copies as it would have under Copies: as many messages would
// take a hundred times as long.
func (c Config) batchMessages(nodes int) int {
	if c.Arrivals != Normalized || c.Mix != Counts {
		return c.BatchMessages
	}
	copies := float64(nodes) / 2
	shares, counts := 1/(1-c.MulticastFraction+c.MulticastFraction/copies), 1-c.MulticastFraction+c.MulticastFraction*copies
	return max(1, int(float64(c.BatchMessages)*shares/counts+0.5))
}

// spread draws the number of destinations of a multicast.
func (g *generator) spread(stream *rand.PCG) int {
	whole, fraction, negative := random.Normal(stream)
	deviation := int64(g.nodes) * (int64(whole)<<32 + int64(fraction>>32)) / 4
	if negative {
		deviation = -deviation
	}
	n := (int64(g.nodes)<<31 + deviation + 1<<31) >> 32
	return int(min(max(n, 1), int64(g.nodes-1)))
}
