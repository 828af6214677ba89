package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// nextWork is the next cycle in which a router, an interface, an event or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	if len(n.asking) > 0 || n.restless {
		return n.Clock
	}
	next := n.Dispatch.Next(n.Clock)
	if n.busy != 0 {
		i := uint(n.Clock) & n.mask
		turned := n.busy>>i | n.busy<<(n.mask+1-i)
		next = min(next, n.Clock+noc.Cycle(bits.TrailingZeros64(turned)))
	}
	return next
}

// at is the agenda of a cycle to come, less than its length away, to which something is added.
func (n *Network) at(c noc.Cycle) *slot {
	i := uint(c) & n.mask & (ahead - 1)
	n.busy |= 1 << i
	return &n.agenda[i]
}

// cycle simulates the current cycle: flits, credits and routes take effect, nodes start packets, flits get the switches,
// headers virtual channels, and what has been granted moves.
func (n *Network) cycle() {
	t := n.Clock
	if i := uint(t) & n.mask & (ahead - 1); n.busy>>i&1 != 0 {
		n.busy &^= 1 << i
		n.takeEffect(&n.agenda[i], t)
	}
	if n.Dispatch.Next(t) <= t {
		for _, id := range n.Dispatch.Serve(t) {
			n.launch(id, t)
		}
	}
	if n.config.EveryCycle {
		n.wakeAll()
	}
	n.allocateSwitches()
	n.restless = len(n.asking) > 0
	if n.restless {
		n.allocateChannels()
	}
	if n.guesses != nil {
		n.guess()
	}
	if len(n.going) > 0 {
		n.restless = true
		n.move(t)
	}
}

// wakeAll lets all headers that wait ask.
func (n *Network) wakeAll() {
	for i := range n.port {
		n.wakeSleepers(&n.port[i])
	}
}

// takeEffect carries out what is due in cycle t.
func (n *Network) takeEffect(s *slot, t noc.Cycle) {
	landing, freed := n.movesAt(t-noc.Cycle(n.flight)), n.movesAt(t-noc.Cycle(n.back))
	land(landing.to, n.front, n.words)
	giveBack(freed.from, n.upstream, n.words)
	if n.back > n.flight {
		landing = freed
	}
	landing.from, landing.to = landing.from[:0], landing.to[:0] // the later of the two
	if len(s.headers) > 0 {
		n.begin(s.headers, t)
		s.headers = s.headers[:0]
	}
	if len(s.heads) > 0 {
		n.request(s)
	}
	for _, ch := range s.ports {
		c := &n.channel[ch]
		n.Dispatch.FreePort(noc.NodeID(n.sides[n.inputOf(c)].node), int32(c.number))
	}
	s.ports = s.ports[:0]
}

// land puts flits into channels, those for nodes nowhere.
//
//go:noinline
func land(list []uint32, fronts []front, words []word) {
	for _, ch := range list {
		fronts[ch] += oneHere
		words[ch>>6].some |= 1 << (ch & 63)
	}
}

// giveBack gives places of channels back to whoever sends into them. Those of nodes belong to nobody and nowhere.
//
//go:noinline
func giveBack(list []uint32, upstream []upstream, words []word) {
	for _, ch := range list {
		x := &upstream[ch]
		x.credits++
		from := x.owner
		words[from>>6].room |= 1 << (from & 63)
	}
}
