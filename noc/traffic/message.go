package traffic

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// message is one message of a node: everything about it follows from its key.
type message struct {
	born  noc.Cycle
	key   random.Stream
	class noc.Class
}

// reader makes the messages of one node in the order in which they are generated. A copy of it
// makes the same ones again.
type reader struct {
	stream random.Stream
	message
}

// generator is what all nodes' messages have in common.
type generator struct {
	nodes        int
	classes      int
	gaps         gaps
	multicast    uint64 // chance
	destinations int
	cast         Cast // of the multicasts
	targets      []noc.NodeID
	hot          noc.NodeID
	hotShare     uint64      // chance; 0 for patterns without a hot node
	rates        []nodeRates // per node; nil for patterns
	all, set     noc.NodeSet
}

func newGenerator(g topology.Grid, c *Config, targets []noc.NodeID) generator {
	n := g.Nodes()
	m := generator{nodes: n, classes: c.Classes, gaps: newGaps(c.Load / float64(c.PacketPhits)),
		multicast: probability(c.MulticastFraction), destinations: c.destinations(n), cast: Multicast,
		targets: targets, all: noc.NewNodeSet(n), set: noc.NewNodeSet(n)}
	if m.destinations == n-1 {
		m.cast = Broadcast
	}
	if c.Pattern == "hotspot" {
		m.hot, m.hotShare = hotNode(g), probability(c.HotspotShare)
	}
	if c.Rates != nil {
		m.rates, _ = c.ratesOf(g) // Targets has had its errors
	}
	for i := range n {
		m.all.Add(noc.NodeID(i))
	}
	return m
}

// first returns the reader at a node's first message; its born is noc.Never when the node sends
// none.
func (m *generator) first(seed uint64, node noc.NodeID) reader {
	r := reader{stream: random.Named(seed, messagePurpose, int(node))}
	if m.targets[node] == node && m.multicast == 0 {
		r.born = noc.Never
		return r
	}
	r.born-- // the first message may be born in cycle 0
	m.advance(node, &r)
	return r
}

// advance goes on to the node's next message. Unicast messages of a node that its pattern maps to
// itself are passed over.
func (m *generator) advance(node noc.NodeID, r *reader) {
	from := &m.gaps
	if m.rates != nil {
		from = &m.rates[node].gaps
	}
	for {
		r.born += 1 + noc.Cycle(from.draw(&r.stream))
		r.key = random.Stream(r.stream.Uint64())
		key := r.key
		r.class = noc.Class(key.Below(m.classes))
		if m.targets[node] != node || hit(&key, m.multicast) {
			return
		}
	}
}

// address is the set of destinations of a message. It is valid until release.
func (m *generator) address(node noc.NodeID, msg *message) (noc.NodeSet, Cast) {
	key := msg.key
	key.Uint64() // the class
	if hit(&key, m.multicast) {
		return m.several(node, &key), m.cast
	}
	to := m.targets[node]
	if to == Anywhere && m.rates != nil {
		to = m.rates[node].draw(&key)
	} else if to == Anywhere {
		if node != m.hot && hit(&key, m.hotShare) {
			to = m.hot
		} else if to = noc.NodeID(key.Below(m.nodes - 1)); to >= node {
			to++
		}
	}
	m.set.Add(to)
	return m.set, Unicast
}

// several draws the destinations of a multicast: the members or, when they are the majority, the
// others.
func (m *generator) several(node noc.NodeID, key *random.Stream) noc.NodeSet {
	if m.destinations <= m.nodes/2 {
		for left := m.destinations; left > 0; {
			if to := noc.NodeID(key.Below(m.nodes)); to != node && !m.set.Has(to) {
				m.set.Add(to)
				left--
			}
		}
		return m.set
	}
	m.set.Assign(m.all)
	m.set.Remove(node)
	for left := m.nodes - 1 - m.destinations; left > 0; {
		if to := noc.NodeID(key.Below(m.nodes)); m.set.Has(to) {
			m.set.Remove(to)
			left--
		}
	}
	return m.set
}

// release empties the set that address has filled.
func (m *generator) release() {
	m.set.Clear()
}

// The purposes of random streams.
const (
	messagePurpose     = "traffic.messages"
	permutationPurpose = "traffic.permutation"
)

// probability returns a chance as the number of 63-bit draws out of 2^63 that hit. The scaling is
// exact.
func probability(p float64) uint64 { return uint64(p * (1 << 63)) }

// hit reports whether a draw hits a chance.
func hit(s *random.Stream, chance uint64) bool { return s.Uint64()>>1 < chance }

// gaps draws the number of cycles that a node lets pass before its next message: a geometric
// number, which is what a coin toss in every cycle comes to, without the tosses.
//
// The binary digits of a geometric number are independent. With q the chance that a cycle brings
// no message, digit i is 1 with probability r/(1+r) for r = q^(2^i). The low digits are drawn one
// by one, and the rest of the number, again geometric, by tossing for one more block of 2^digits
// cycles. All of it is integer arithmetic, the same on every machine.
type gaps struct {
	one  []uint64 // of 2^64: chance that a digit is 1
	more uint64   // of 2^64: chance of one more block
}

// newGaps prepares gaps between messages that come with the given probability per cycle, above 0
// and up to 1.
func newGaps(perCycle float64) gaps {
	if perCycle >= 1 {
		return gaps{}
	}
	var g gaps
	// q as a fraction of 2^64: the distance of p to 1, of which the scaled p is exact.
	g.more = -uint64(perCycle * (1 << 63) * 2)
	for g.more > 1<<62 { // at most one block in four goes on
		r := g.more
		digit, _ := bits.Div64(r>>1, r<<63, 1<<63+r>>1)
		g.one = append(g.one, digit)
		g.more, _ = bits.Mul64(r, r)
	}
	return g
}

// draw returns the number of cycles without a message.
func (g *gaps) draw(r *random.Stream) uint64 {
	var n uint64
	for i, one := range g.one {
		_, less := bits.Sub64(r.Uint64(), one, 0) // 1 when the draw is below: a branch would be a coin toss too
		n |= less << i
	}
	for r.Uint64() < g.more {
		n += 1 << len(g.one)
	}
	return n
}
