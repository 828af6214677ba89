package engine

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// A bank is 64 routers. While few flits move, the switches of its routers are allocated one by one (few.go, wide.go). When
// there are many, all 64 are decided together, in a few operations per virtual channel without branches that nobody could
// predict (switch.go): bit r of every uint64 below is about router 64*bank+r. Both ways give the same, to which the tests
// hold them. A lane is a virtual channel of an input in all routers of a bank: bit i of all words is lane i, so what the words
// say becomes sets by turning them as a matrix of bits.
type bank struct {
	narrow          // of narrow routers
	live     uint64 // routers with a packet that has a channel to go to; and some that had
	together bool   // its routers are allocated together, and whose turn it is stands here, not in words and ports
	// The round robins of all inputs and all outputs. For each lane, and for each output and input, there is the set of routers
	// in which it comes after the one that was granted last: so the set of the first to be granted is found from the sets of
	// those that ask in a few operations.
	input  []uint64 // by lane
	output []uint64 // by output times the number of ports plus input
	losers tally    // nominees that an output did not take
	shared []uint64 // by output: where it leads to a node that takes flits of all inputs at the same time
	moved  int      // flits in the cycle before
}

// way is the number of the output by which a lane's front packets leave that have a channel to go to, bit by bit, while the bank's
// routers are allocated together.
type way [outputBits]uint64

// outputBits is what the number of a port needs.
const outputBits = 4

// turn changes some bits of the number of a router.
func (x *way) turn(router uint32, difference uint8) {
	bit, differs := router&63, uint64(difference)
	x[0] ^= differs & 1 << bit
	x[1] ^= differs >> 1 & 1 << bit
	x[2] ^= differs >> 2 & 1 << bit
	if differs > 7 { // nowhere where routers are narrow
		x[3] ^= differs >> 3 & 1 << bit
	}
}

// steer notes the output by which the front packet of a channel leaves, for a bank whose routers are allocated together.
func (n *Network) steer(c *channel) {
	n.ways[c.lane].turn(c.router, c.steered^c.output)
	c.steered = c.output
}

// manyFlits is about where the two ways take the same time: at 47 flits (mesh 8x8 at 0.1) words take 0.77 of the instructions of sets.
const manyFlits = 80

// allocateSwitches gives the inputs and outputs of all switches to flits that can go: each input nominates one of its
// channels, each output takes one nominee, round robin. Routers in which no packet has a channel to go to are not looked at.
func (n *Network) allocateSwitches() {
	n.going = n.going[:0]
	for b := range n.banks {
		x, before := &n.banks[b], len(n.going)
		live := x.live
		if live == 0 {
			continue
		}
		if many := n.many; x.together && x.moved <= many/2 || !x.together && x.moved > many {
			n.change(b)
		}
		switch {
		case x.together:
			n.allocateTogether(b)
		case n.layout.narrow:
			n.allocateNarrow(x, uint32(b)<<6)
		default:
			n.allocateWide(b, live)
		}
		x.moved = len(n.going) - before
	}
}

// change lets a bank's routers be allocated together, or again one by one.
func (n *Network) change(b int) {
	x, l := &n.banks[b], &n.layout
	x.together = !x.together
	var turns [64]uint64
	for i := range l.words {
		if copy(turns[:], x.input[i<<6:]); x.together {
			for r := range turns {
				turns[r] = n.robins[(b<<6|r)*l.words+i].after
			}
		}
		transpose(&turns)
		if x.together {
			copy(x.input[i<<6:], turns[:])
			continue
		}
		for r := range n.routersOf(b) {
			n.robins[(b<<6|r)*l.words+i].after = turns[r]
		}
	}
	if x.together {
		n.steerAll(b)
	}
	for r := range n.routersOf(b) {
		for o := range l.ports {
			n.changeTurn(x, b<<6|r, o)
		}
	}
}

// steerAll notes where all front packets of a bank leave that have a channel to go to.
func (n *Network) steerAll(b int) {
	words := n.layout.words << 6
	for i, x := range n.words[b*words:][:words] {
		for set := x.active; set != 0; set &= set - 1 {
			n.steer(&n.channel[(b*words+i)<<6|bits.TrailingZeros64(set)])
		}
	}
}

// changeTurn moves whose turn it is at an output from where it stood to where it stands now.
func (n *Network) changeTurn(x *bank, router, o int) {
	bit, ports := router&63, n.layout.ports
	if x.together {
		turns := n.turnsAt(router, o)
		for p := range ports {
			y := &x.output[o*ports+p]
			*y = *y&^(1<<bit) | uint64(turns>>p&1)<<bit
		}
		return
	}
	turns := uint16(0)
	for p := range ports {
		turns |= uint16(x.output[o*ports+p]>>bit&1) << p
	}
	n.sides[n.layout.portAt(router, o)].turns = turns
	if n.layout.narrow {
		y := &n.robins[router].turns
		*y = *y&^(0xff<<(8*o)) | uint64(turns)<<(8*o)
	}
}

// turnsAt is the inputs after the one to which an output was granted last.
func (n *Network) turnsAt(router, o int) uint16 {
	if n.layout.narrow {
		return uint16(n.robins[router].turns >> (8 * o) & 0xff)
	}
	return n.sides[n.layout.portAt(router, o)].turns
}

// routersOf is how many routers a bank has.
func (n *Network) routersOf(b int) int { return min(64, len(n.routers)-b<<6) }

// rest notes that a router has nothing to do for its switch as long as no packet of it has a channel to go to.
func (n *Network) rest(b, r int, active uint64) {
	if active == 0 {
		n.banks[b].live &^= 1 << r
	}
}

// tally is a number for each router of a bank, bit by bit: bit r of word i is bit i of the number of router r.
type tally [48]uint64

// add adds numbers of three bits each.
func (t *tally) add(ones, twos, fours uint64) {
	carry := t[0] & ones
	t[0] ^= ones
	sum := t[1] ^ twos
	t[1], carry = sum^carry, t[1]&twos|sum&carry
	sum = t[2] ^ fours
	t[2], carry = sum^carry, t[2]&fours|sum&carry
	t.carry(3, carry)
}

// carry adds a bit from some position on. The first are done whether they must be or not, because a branch on it
// would be a coin toss.
func (t *tally) carry(from int, set uint64) {
	for i := from; i < 8; i++ {
		t[i], set = t[i]^set, t[i]&set
	}
	for i := 8; set != 0; i++ {
		t[i], set = t[i]^set, t[i]&set
	}
}

// of is the number of a router.
func (t *tally) of(r int) (number uint64) {
	for i := range t {
		number |= t[i] >> (r & 63) & 1 << i
	}
	return number
}

// choose leaves in a list of requests the first after the one that was granted last, for each router.
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

// countOthers counts the requests beyond one in each router, of seven at a time, for which three bits do.
//
//go:noinline
func countOthers(requests []uint64, others *tally) {
	found := uint64(0)
	for len(requests) > 0 {
		some := requests[:min(7, len(requests))]
		requests = requests[len(some):]
		var ones, twos, fours uint64
		for _, asks := range some {
			more := asks & found
			found |= asks
			carry := ones & more
			ones ^= more
			fours |= twos & carry
			twos ^= carry
		}
		others.add(ones, twos, fours)
	}
}

// makeBanks makes the sets of routers.
func (n *Network) makeBanks() {
	l, all := &n.layout, []uint64{^uint64(0)}
	n.banks = make([]bank, noc.SetWords(len(n.routers)))
	n.ways = make([]way, len(n.banks)*l.words<<6)
	n.match = matching{asks: make([][64]uint64, l.words), won: make([]uint64, l.ports)}
	for b := range n.banks {
		x := &n.banks[b]
		*x = bank{input: slices.Repeat(all, l.words<<6), output: slices.Repeat(all, l.ports*l.ports), shared: make([]uint64, l.ports)}
		if l.narrow {
			x.narrow = narrow{(*[64]word)(n.words[b<<6:]), (*[64]robin)(n.robins[b<<6:]), (*[64 << 6]uint8)(n.codes[b<<12:])}
		}
	}
}
