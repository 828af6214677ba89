package virtualchannel

import "math/bits"

// matching is what the separable allocators of one bank work on, all sets of routers: each input nominates one of its
// channels, each output takes one nominee.
type matching struct {
	asks  [][]uint64                 // by input and virtual channel: those that ask; then nominees
	wants [maxPorts][maxPorts]uint64 // by output and input: nominees for the output; then those that it takes
	won   []uint64                   // by input: its nominee is taken
	used  []uint64                   // by output: it is given away
	moved []uint32                   // channels whose front flits go
	// For speculation: inputs that the allocator before has given away, and those whose nominee is lucky.
	busy, lucky []uint64
}

// newMatching makes room for the routers of a bank, and for the flits that move in all banks.
func newMatching(ports, channels, banks int) matching {
	sets := func() []uint64 { return make([]uint64, ports) }
	asks := make([][]uint64, ports)
	for p := range asks {
		asks[p] = make([]uint64, channels)
	}
	return matching{asks: asks, won: sets(), used: sets(), moved: make([]uint32, 0, banks*ports<<6+1), busy: sets(), lucky: sets()}
}

// The loops of this package that run for every flit, or for every virtual channel of a bank, do one thing each, in
// functions that are not inlined: what they have at hand then fits into the registers of a processor, which takes up to
// half of the instructions away.

// allocateSwitch gives the inputs and outputs of the switches of a bank to flits that can go, and appends their channels
// to the list of those that move. It tells whether there are any.
func (n *Network) allocateSwitch(b int) bool {
	x, m := &n.banks[b], &n.match
	some := n.nominate(x)
	clear(m.won)
	clear(m.used)
	if !some {
		return false
	}
	for o := range n.ports {
		n.take(x, o)
	}
	n.settle(b, &x.switching)
	return true
}

// nominate finds the channels that can send a flit, chooses one for each input, and sorts them by output. It tells
// whether there are any.
func (n *Network) nominate(x *bank) bool {
	m := &n.match
	all := uint64(0)
	for p, asks := range m.asks {
		lanes := x.lanes[p]
		any, twice, out0, out1, out2 := gather(asks, lanes)
		all |= any
		if twice != 0 {
			countOthers(asks, &x.extra)
			choose(asks, x.switching.input[p])
			out0, out1, out2 = outputsOf(asks, lanes)
		}
		m.sort(n.ports, p, any, out0, out1, out2, asks, lanes)
	}
	return all != 0
}

// gather finds the channels of an input that can send a flit, and the outputs by which they would, bit by bit but for the
// last bit; any of them do, twice tells where several do.
//
//go:noinline
func gather(asks []uint64, lanes []lane) (any, twice, out0, out1, out2 uint64) {
	asks = asks[:len(lanes)]
	for v := range lanes {
		x := &lanes[v]
		set := x.active & x.some & x.room
		asks[v] = set
		twice |= any & set
		any |= set
		out0 |= x.output[0] & set
		out1 |= x.output[1] & set
		out2 |= x.output[2] & set
	}
	return any, twice, out0, out1, out2
}

// outputsOf finds the outputs of an input's nominees, bit by bit but for the last bit.
//
//go:noinline
func outputsOf(nominees []uint64, lanes []lane) (out0, out1, out2 uint64) {
	nominees = nominees[:len(lanes)]
	for v := range lanes {
		x, set := &lanes[v], nominees[v]
		out0 |= x.output[0] & set
		out1 |= x.output[1] & set
		out2 |= x.output[2] & set
	}
	return out0, out1, out2
}

// sort puts an input's nominees with their outputs, of which the last bit is looked up if there is need.
func (m *matching) sort(ports, p int, any, out0, out1, out2 uint64, nominees []uint64, lanes []lane) {
	if ports <= 8 {
		spread((*[8][maxPorts]uint64)(m.wants[:8]), p, any, out0, out1, out2)
		return
	}
	out3 := uint64(0)
	for v, set := range nominees {
		out3 |= lanes[v].output[3] & set
	}
	spread((*[8][maxPorts]uint64)(m.wants[:8]), p, any&^out3, out0, out1, out2)
	spread((*[8][maxPorts]uint64)(m.wants[8:]), p, any&out3, out0, out1, out2)
}

// spread puts an input's nominees with eight outputs.
//
//go:noinline
func spread(wants *[8][maxPorts]uint64, p int, any, out0, out1, out2 uint64) {
	p &= maxPorts - 1
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
	wants := m.wants[o][:n.ports]
	some, several := union(wants)
	m.used[o] = some
	if some == 0 {
		return
	}
	if exits := x.exits[o] & some; exits != 0 {
		if n.config.EjectionPerInput {
			n.takeAll(wants, exits)
			some &^= exits
			several &^= exits
		} else {
			n.ejected += uint64(bits.OnesCount64(exits))
		}
	}
	after := x.switching.output[o]
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

// takeAll lets exits take all nominees, which have a way each.
func (n *Network) takeAll(wants []uint64, exits uint64) {
	for p, set := range wants {
		n.match.won[p] |= set & exits
		n.ejected += uint64(bits.OnesCount64(set & exits))
		wants[p] = set &^ exits
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

// settle makes the nominees that have won the last of their inputs, and appends their channels to those that move.
func (n *Network) settle(b int, a *arbiters) {
	x, m := &n.banks[b], &n.match
	moved, at := m.moved[:cap(m.moved)], len(m.moved)
	for p, won := range m.won {
		if won != 0 {
			n.entered += uint64(bits.OnesCount64(won & x.entries[p]))
			at = list(moved, at, m.asks[p], a.input[p], won, uint32((b*n.places+p*n.channels)<<6))
		}
	}
	m.moved = moved[:at]
}

// list lists, from some place on, the nominees of an input that have won and makes them its last; base is the index of its
// first channel.
//
//go:noinline
func list(moved []uint32, at int, nominees, after []uint64, won uint64, base uint32) int {
	after = after[:len(nominees)]
	before := uint64(0)
	for v, set := range nominees {
		after[v] ^= (after[v] ^ before) & won
		before |= set
		set &= won
		moved[at] = base + uint32(bits.TrailingZeros64(set)) // overwritten if there is none: at light loads that is a coin toss
		at += int(1 ^ isZero(set))
		for set &= set - 1; set != 0; set &= set - 1 {
			moved[at] = base + uint32(bits.TrailingZeros64(set))
			at++
		}
		base += 64
	}
	return at
}
