package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc/wormhole"
)

// group is 64 routers, whose switches can be allocated together: the bit-sliced form of the switch
// allocator. Bit r of every uint64 is about router r of the group, so a set of routers is a word,
// and both stages of the allocation are a few operations on sets for each virtual channel, without
// branches that nobody could predict. What the words of routers say becomes sets by transposing
// them as a matrix of bits.
type group struct {
	*slicing
	small    *small // or nil
	first    int    // router
	words    []word
	robins   []robin
	channels []channel

	live   uint64 // routers with a packet that has a channel to go to; and some that had
	moved  int    // flits in the cycle before
	sliced bool   // the routers are allocated together: whose turn it is stands here, not in robins and turns
	// The round robins of all inputs and all outputs. For each lane, and for each output and input,
	// there is the set of routers in which it comes after the one that was granted last: so the set
	// of the first to be granted is found from the sets of those that ask in a few operations.
	input  []uint64 // by lane
	output []uint64 // by output times the number of ports plus input
	ways   []way    // by lane: where front packets leave that have a channel to go to
	losers counter  // nominees that an output did not take
	shared []uint64 // by output: where it leads to a node that takes flits of all inputs at the same time
}

// way is the number of an output in each router.
type way [4]uint64

// turn changes some bits of the number of a router.
func (x *way) turn(router uint32, difference uint8) {
	bit, differs := router&63, uint64(difference)
	x[0] ^= differs & 1 << bit
	x[1] ^= differs >> 1 & 1 << bit
	x[2] ^= differs >> 2 & 1 << bit
	if differs > 7 { // nowhere where routers are small
		x[3] ^= differs >> 3 & 1 << bit
	}
}

// slicing is what the groups of a network work on, one after the other.
type slicing struct {
	layout layout
	asks   [][64]uint64 // by lane: those that ask; then nominees
	// wants has, by output and input, nominees for the output; then those that it takes.
	wants [wormhole.MaxPorts][wormhole.MaxPorts]uint64
	won   []uint64 // by input: its nominee is taken
}

// The loops that run for every virtual channel of a group do one thing each, in functions that are
// not inlined: what they have at hand then fits into the registers of a processor, which takes up
// to half of the instructions away.

// makeGroups makes the groups of an allocator.
func makeGroups(s *switchAllocator, routers int, channels []channel) []group {
	l, all := s.layout, []uint64{^uint64(0)}
	shared := &slicing{layout: l, asks: make([][64]uint64, l.words), won: make([]uint64, l.ports)}
	groups := make([]group, (routers+63)/64)
	for i := range groups {
		words := 64 * l.words
		groups[i] = group{slicing: shared, first: 64 * i, words: s.words[i*words:][:words], robins: s.robins[64*i*l.robins:][:64*l.robins],
			channels: channels[i*words<<6:], input: slices.Repeat(all, l.words<<6),
			output: slices.Repeat(all, l.ports*l.ports), ways: make([]way, l.words<<6), shared: make([]uint64, l.ports)}
		if l.small() {
			groups[i].small = newSmall(s, 64*i)
		}
	}
	return groups
}

// change moves the round robins from one form to the other.
func (g *group) change() {
	l := &g.layout
	g.sliced = !g.sliced
	var turns [64]uint64
	for i := range l.words {
		if copy(turns[:], g.input[i<<6:]); g.sliced {
			for r := range turns {
				turns[r] = g.robins[r*l.robins+i].after
			}
		}
		transpose(&turns)
		if g.sliced {
			copy(g.input[i<<6:], turns[:])
			continue
		}
		for r := range turns {
			g.robins[r*l.robins+i].after = turns[r]
		}
	}
	for r := range 64 {
		for o := range l.ports {
			g.changeOutput(r, o)
		}
	}
	if g.sliced {
		for i, x := range g.words {
			for set := x.active; set != 0; set &= set - 1 {
				g.steer(&g.channels[i<<6|bits.TrailingZeros64(set)])
			}
		}
	}
}

// steer notes the output by which the front packet of a channel leaves.
func (g *group) steer(c *channel) {
	g.ways[c.lane].turn(c.router, c.steered^c.output)
	c.steered = c.output
}

// changeOutput moves the round robin of an output.
func (g *group) changeOutput(r, o int) {
	first := int(g.layout.code(uint8(o), 0))
	turns, first := &g.robins[r*g.layout.robins+first>>6].turns, first&63
	for p := range g.layout.ports {
		set, bit := &g.output[o*g.layout.ports+p], first+p
		if g.sliced {
			*set = *set&^(1<<r) | *turns>>bit&1<<r
		} else {
			*turns = *turns&^(1<<bit) | *set>>r&1<<bit
		}
	}
}

// allocate allocates the switches of all routers and lists the channels that get them.
func (g *group) allocate(granted []uint32) []uint32 {
	g.ask()
	if !g.nominate() {
		return granted
	}
	clear(g.won)
	for o := range g.layout.ports {
		g.take(o)
	}
	return g.settle(granted)
}

// ask finds the channels that can send a flit, by lane.
func (g *group) ask() {
	l := &g.layout
	if l.words == 1 && l.width*l.perWord <= 32 {
		askShort((*[64]word)(g.words), (*[32]uint64)(g.asks[0][:32]))
		return
	}
	for i := range l.words {
		asks := &g.asks[i]
		for r := range asks {
			asks[r] = g.words[r*l.words+i].requests()
		}
		transpose(asks)
	}
}

// askShort does it where a router has no more than 32 bits: two rows of bits become one.
func askShort(words *[64]word, asks *[32]uint64) {
	for r := range asks {
		asks[r] = words[r].requests() | words[r+32].requests()<<32
	}
	transposeHalf(asks)
}

// nominate chooses a channel for each input, and sorts them by output. It reports whether there are
// any.
func (g *group) nominate() bool {
	all := uint64(0)
	for p := range g.layout.ports {
		first := g.layout.firstLane(p)
		asks, ways := g.asks[first>>6][first&63:][:g.layout.channels], g.ways[first:][:g.layout.channels]
		any, twice := union(asks)
		all |= any
		if twice != 0 {
			choose(asks, g.input[first:][:g.layout.channels])
		}
		g.sort(p, any, asks, ways)
	}
	return all != 0
}

// choose leaves in a list of requests the first after the one that was granted last, for each
// router.
//
//go:noinline
func choose(requests, after []uint64) {
	after = after[:len(requests)]
	above, found := uint64(0), uint64(0)
	for i, asks := range requests {
		above |= asks & after[i]
	}
	for i, asks := range requests {
		asks &= after[i] | ^above
		requests[i] = asks &^ found
		found |= asks
	}
}

// sort puts an input's nominees with their outputs, of which the last bit is looked up if there is
// need.
func (g *group) sort(p int, any uint64, nominees []uint64, ways []way) {
	out0, out1, out2 := outputsOf(nominees, ways)
	if g.layout.ports <= 8 {
		spread((*[8][wormhole.MaxPorts]uint64)(g.wants[:8]), p, any, out0, out1, out2)
		return
	}
	out3 := uint64(0)
	for v, set := range nominees {
		out3 |= ways[v][3] & set
	}
	spread((*[8][wormhole.MaxPorts]uint64)(g.wants[:8]), p, any&^out3, out0, out1, out2)
	spread((*[8][wormhole.MaxPorts]uint64)(g.wants[8:]), p, any&out3, out0, out1, out2)
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

// take lets an output take one of the nominees. Exits take all of them, if every input has a way to
// the node.
func (g *group) take(o int) {
	wants := g.wants[o][:g.layout.ports]
	some, several := union(wants)
	if some == 0 {
		return
	}
	if shared := g.shared[o] & some; shared != 0 {
		takeAll(wants, g.won, shared)
		some &^= shared
		several &^= shared
	}
	after := g.output[o*g.layout.ports:][:g.layout.ports]
	if several != 0 {
		countOthers(wants, &g.losers)
		choose(wants, after)
	}
	award(wants, after, g.won, some)
}

// union returns the union of some sets, and what is in more than one.
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

// award gives an output to nominees, at most one in each router of a set, and makes them the last
// of the output.
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

// settle makes the nominees that have won the last of their inputs, and lists their channels.
func (g *group) settle(granted []uint32) []uint32 {
	l, at := &g.layout, len(granted)
	for p, won := range g.won {
		if won != 0 {
			first := l.firstLane(p)
			base := uint32(g.first*l.words<<6 + first)
			at = list(granted[:cap(granted)], at, g.asks[first>>6][first&63:][:l.channels], g.input[first:][:l.channels], won, base, uint32(l.words)<<6)
		}
	}
	return granted[:at]
}

// list lists, from some place on, the nominees of an input that have won and makes them its last;
// base is the index of its first channel in the first router, and so many are those of the next
// router apart.
//
//go:noinline
func list(granted []uint32, at int, nominees, after []uint64, won uint64, base, apart uint32) int {
	after = after[:len(nominees)]
	before := uint64(0)
	for v, set := range nominees {
		after[v] ^= (after[v] ^ before) & won
		before |= set
		set &= won
		// Overwritten if there is none: at light loads that is a coin toss, so a branch would cost more.
		granted[at] = base + uint32(bits.TrailingZeros64(set))*apart
		at += int(1 ^ isZero(set))
		for set &= set - 1; set != 0; set &= set - 1 {
			granted[at] = base + uint32(bits.TrailingZeros64(set))*apart
			at++
		}
		base++
	}
	return at
}
