package fabric

import "github.com/carousel-sim/carousel/noc"

// Presence counts the cycles in which nothing is in a router, for engines that look at a router only
// when something comes or goes: a gap is counted when it ends.
type Presence struct {
	Here   uint32
	absent uint64
	end    noc.Cycle // first cycle after the last one in which something that has left was there
}

// Enter notes one more from a cycle on. Whether it ends a gap cannot be predicted, so there is no
// branch.
func (p *Presence) Enter(from noc.Cycle) {
	gap := max(from, p.end) - p.end
	if p.Here > 0 {
		gap = 0
	}
	p.absent += uint64(gap)
	p.Here++
}

// Exit notes that one is here until before a cycle.
func (p *Presence) Exit(end noc.Cycle) {
	p.end = max(p.end, end)
	p.Here--
}

// Idle returns the number of cycles before now with nothing here.
func (p *Presence) Idle(now noc.Cycle) uint64 {
	if p.Here > 0 {
		return p.absent
	}
	return p.absent + uint64(max(now, p.end)-p.end)
}

// Counters are what a router of worms has done, for engines in which a worm has a channel to
// itself: they are raised for all phits of a worm when its header does it. Presence counts the
// worms in the router: from the cycle after the header crossed into the buffer, or the one in
// which it came straight from the node, until the tail leaves.
type Counters struct {
	Asked, Granted      uint64 // requests to channels, when one is granted
	Crossbar            uint64 // phits
	Written, Read       uint64 // phits, in buffers
	Injected, Ejected   uint64 // phits, from nodes and to nodes
	Replicated, Decided uint64 // copies made and routes looked up, by headers
	Presence
	next noc.Cycle // from which on the first of those that are here is, if that is still to come
}

// EnterNext notes a worm that is in the router from the cycle after t on.
func (c *Counters) EnterNext(t noc.Cycle) {
	if c.Here == 0 {
		c.next = t + 1
	}
	c.Enter(t + 1)
}

// EnterNow notes a worm that is in the router from cycle t on: no gap even if others that come next
// have been noted.
func (c *Counters) EnterNow(t noc.Cycle) {
	if c.Here > 0 && c.next > t && c.end <= t {
		c.absent--
		c.next = t
	}
	c.Enter(t)
}

// Activity returns what the counters say before cycle now. What left on links is for the engine
// to add.
func (c *Counters) Activity(now noc.Cycle) noc.Activity {
	a := noc.Activity{InjectPhits: c.Injected, EjectPhits: c.Ejected, Crossbar: c.Crossbar, Replications: c.Replicated,
		RouteLookups: c.Decided, Cycles: uint64(now), IdleCycles: c.Idle(now)}
	a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = c.Written, c.Read
	a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = c.Asked, c.Granted
	return a
}
