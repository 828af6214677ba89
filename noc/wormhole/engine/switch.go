package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc/wormhole"
)

// matching is what the separable allocators of one bank work on, all sets of routers: each input nominates one of its
// channels, each output takes one nominee.
type matching struct {
	asks  [][64]uint64                                 // by lane: those that ask; then nominees
	wants [wormhole.MaxPorts][wormhole.MaxPorts]uint64 // by output and input: nominees for the output; then those that it takes
	won   []uint64                                     // by input: its nominee is taken
}

// The loops of this package that run for every flit, or for every virtual channel of a bank, do one thing each, in
// functions that are not inlined: what they have at hand then fits into the registers of a processor, which takes up to
// half of the instructions away.

// allocateTogether allocates the switches of all routers of a bank.
func (n *Network) allocateTogether(b int) {
	x, m := &n.banks[b], &n.match
	n.ask(b)
	if !n.nominate(b) {
		return
	}
	clear(m.won)
	for o := range n.layout.ports {
		n.take(x, o)
	}
	n.settle(b)
}

// ask finds the channels that can send a flit, by lane.
func (n *Network) ask(b int) {
	l := &n.layout
	words := n.words[b<<6*l.words:][:l.words<<6]
	if l.words == 1 && l.width*l.perWord <= 32 {
		askShort((*[64]word)(words), (*[32]uint64)(n.match.asks[0][:32]))
		return
	}
	for i := range l.words {
		asks := &n.match.asks[i]
		for r := range asks {
			asks[r] = words[r*l.words+i].ask()
		}
		transpose(asks)
	}
}

// askShort does it where a router has no more than 32 bits: two rows of bits become one.
func askShort(words *[64]word, asks *[32]uint64) {
	for r := range asks {
		asks[r] = words[r].ask() | words[r+32].ask()<<32
	}
	transposeHalf(asks)
}

// ask is the channels of a word that can send a flit.
func (x *word) ask() uint64 {
	set := x.active & x.some & x.room
	x.asked += uint64(bits.OnesCount64(set))
	return set
}

// nominate chooses a channel for each input, and sorts them by output. It reports whether there are any.
func (n *Network) nominate(b int) bool {
	l, m, x := &n.layout, &n.match, &n.banks[b]
	all := uint64(0)
	for p := range l.ports {
		first := l.firstLane(p)
		asks, ways := m.asks[first>>6][first&63:][:l.channels], n.ways[b*l.words<<6+first:][:l.channels]
		any, twice := union(asks)
		all |= any
		if twice != 0 {
			choose(asks, x.input[first:][:l.channels])
		}
		out0, out1, out2 := outputsOf(asks, ways)
		m.sort(l.ports, p, any, out0, out1, out2, asks, ways)
	}
	return all != 0
}

// outputsOf finds the outputs of an input's nominees, bit by bit but for the last bit.
//
//go:noinline
func outputsOf(nominees []uint64, ways []way) (out0, out1, out2 uint64) {
	nominees = nominees[:len(ways)]
	for v := range ways {
		x, set := &ways[v], nominees[v]
		out0 |= x[0] & set
		out1 |= x[1] & set
		out2 |= x[2] & set
	}
	return out0, out1, out2
}

// sort puts an input's nominees with their outputs, of which the last bit is looked up if there is need.
func (m *matching) sort(ports, p int, any, out0, out1, out2 uint64, nominees []uint64, ways []way) {
	if ports <= 8 {
		spread((*[8][wormhole.MaxPorts]uint64)(m.wants[:8]), p, any, out0, out1, out2)
		return
	}
	out3 := uint64(0)
	for v, set := range nominees {
		out3 |= ways[v][3] & set
	}
	spread((*[8][wormhole.MaxPorts]uint64)(m.wants[:8]), p, any&^out3, out0, out1, out2)
	spread((*[8][wormhole.MaxPorts]uint64)(m.wants[8:]), p, any&out3, out0, out1, out2)
}

// spread puts an input's nominees with eight outputs.
//
//go:noinline
func spread(wants *[8][wormhole.MaxPorts]uint64, p int, any, out0, out1, out2 uint64) {
	p &= wormhole.MaxPorts - 1
	low, high := any&^out2, any&out2
	a, b, c, d := low&^out1, low&out1, high&^out1, high&out1
	wants[0][p], wants[1][p] = a&^out0, a&out0
	wants[2][p], wants[3][p] = b&^out0, b&out0
	wants[4][p], wants[5][p] = c&^out0, c&out0
	wants[6][p], wants[7][p] = d&^out0, d&out0
}

// take lets an output take one of the nominees. Exits take all of them, if every input has a way to the node.
func (n *Network) take(x *bank, o int) {
	m := &n.match
	wants := m.wants[o][:n.layout.ports]
	some, several := union(wants)
	if some == 0 {
		return
	}
	if shared := x.shared[o] & some; shared != 0 {
		takeAll(wants, m.won, shared)
		some &^= shared
		several &^= shared
	}
	after := x.output[o*n.layout.ports:][:n.layout.ports]
	if several != 0 {
		countOthers(wants, &x.losers)
		choose(wants, after)
	}
	award(wants, after, m.won, some)
}

// union is the union of some sets, and what is in more than one.
//
//go:noinline
func union(sets []uint64) (some, several uint64) {
	for _, set := range sets {
		several |= some & set
		some |= set
	}
	return some, several
}

// takeAll lets outputs that are shared take all nominees, which have a way each.
func takeAll(wants, won []uint64, shared uint64) {
	for p, set := range wants {
		won[p] |= set & shared
		wants[p] = set &^ shared
	}
}

// award gives an output to nominees, at most one in each router of a set, and makes them the last of the output.
//
//go:noinline
func award(wants, after, won []uint64, routers uint64) {
	after, won = after[:len(wants)], won[:len(wants)]
	before := uint64(0)
	for p, set := range wants {
		won[p] |= set
		after[p] ^= (after[p] ^ before) & routers
		before |= set
	}
}

// settle makes the nominees that have won the last of their inputs, and adds their channels to those of the flits that go.
func (n *Network) settle(b int) {
	l, m, x := &n.layout, &n.match, &n.banks[b]
	going, at := n.going[:cap(n.going)], len(n.going)
	for p, won := range m.won {
		if won != 0 {
			first := l.firstLane(p)
			base := uint32(b<<6*l.words<<6 + first)
			at = list(going, at, m.asks[first>>6][first&63:][:l.channels], x.input[first:][:l.channels], won, base, uint32(l.words)<<6)
		}
	}
	n.going = going[:at]
}

// list lists, from some place on, the nominees of an input that have won and makes them its last; base is the index of its
// first channel in the first router, and so many are those of the next router apart.
//
//go:noinline
func list(going []uint32, at int, nominees, after []uint64, won uint64, base, apart uint32) int {
	after = after[:len(nominees)]
	before := uint64(0)
	for v, set := range nominees {
		after[v] ^= (after[v] ^ before) & won
		before |= set
		set &= won
		going[at] = base + uint32(bits.TrailingZeros64(set))*apart // overwritten if there is none: at light loads that is a coin toss
		at += int(1 ^ isZero(set))
		for set &= set - 1; set != 0; set &= set - 1 {
			going[at] = base + uint32(bits.TrailingZeros64(set))*apart
			at++
		}
		base++
	}
	return at
}
