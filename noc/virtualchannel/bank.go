package virtualchannel

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// A bank is 64 routers, whose state that the switch's allocators read is kept as sets of routers: bit r of every
// uint64 below is about router 64*bank+r. So all 64 are decided at once, in a few operations per virtual channel,
// without branches that nobody could predict, and only flits that move cost something each.
type bank struct {
	switching, guessing arbiters
	lanes               [][]lane // by input
	extra, losers       tally    // requests to input arbiters beyond one each; nominees that an output did not take
	entries, exits      []uint64 // by port: where its input is a node's, where its output leads to one
	live                []uint64 // places where a packet has a channel to go to in any router, as bits
	near                []uint64 // banks that its links join, as bits
	moved               int      // flits in the cycle before
}

// lane is a virtual channel of an input in the routers of a bank.
type lane struct {
	active  uint64             // the front packet has a virtual channel
	some    uint64             // there are flits
	room    uint64             // where the front packet goes there is a free place
	waiting uint64             // the front packet's header waits for a virtual channel
	output  [outputBits]uint64 // by which the front packet leaves, bit by bit
}

// outputBits is what the number of a port needs.
const outputBits = 4

// arbiters are the round robins of all inputs and all outputs of a bank. For each input and virtual channel, and for
// each output and input, there is the set of routers in which it comes after the one that was granted last: so the
// set of the first to be granted is found from the sets of those that ask in a few operations.
type arbiters struct {
	input  [][]uint64 // by input and virtual channel
	output [][]uint64 // by output and input
}

// newArbiters makes round robins that have not granted anything.
func newArbiters(ports, channels int) (a arbiters) {
	for range ports {
		a.input = append(a.input, slices.Repeat([]uint64{^uint64(0)}, channels))
		a.output = append(a.output, slices.Repeat([]uint64{^uint64(0)}, ports))
	}
	return a
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

// remember makes those that have been granted, at most one for each router of a set, the last.
func remember(granted, after []uint64, routers uint64) {
	after = after[:len(granted)]
	found := uint64(0)
	for i, won := range granted {
		after[i] = after[i]&^routers | found&routers
		found |= won
	}
}

// portAt is the index of a router's port.
func (n *Network) portAt(router, port int) uint32 {
	return uint32((router>>6*n.ports+port)<<6 | router&63)
}

// channelAt is the index of a virtual channel of a router's input.
func (n *Network) channelAt(router, input, v int) uint32 {
	return uint32((router>>6*n.places+input*n.channels+v)<<6 | router&63)
}

// inputOf is the port index of a channel's input.
func (n *Network) inputOf(c *channel) uint32 { return c.base + uint32(c.input)<<6 }

// makeBanks makes the sets of routers.
func (n *Network) makeBanks() {
	n.banks = make([]bank, noc.SetWords(len(n.routers)))
	n.lanes = make([]lane, len(n.banks)*n.places+1) // the last is nowhere's
	n.due = make([]uint64, noc.SetWords(len(n.banks)))
	n.match = newMatching(n.ports, n.channels, len(n.banks))
	for b := range n.banks {
		x := &n.banks[b]
		*x = bank{switching: newArbiters(n.ports, n.channels), entries: make([]uint64, n.ports), exits: make([]uint64, n.ports),
			near: make([]uint64, len(n.due)), live: make([]uint64, noc.SetWords(n.places))}
		for p := range n.ports {
			x.lanes = append(x.lanes, n.lanes[b*n.places+p*n.channels:][:n.channels:n.channels])
		}
		if n.config.Speculative {
			x.guessing = newArbiters(n.ports, n.channels)
			n.lucky = make([]uint64, len(n.lanes))
		}
	}
}
