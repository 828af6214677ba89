package fabric

import "github.com/carousel-sim/carousel/noc"

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
}

// Activity returns what the counters say before cycle now. What left on links is for the engine
// to add.
func (c *Counters) Activity(now noc.Cycle) noc.Activity {
	a := noc.Activity{InjectPhits: c.Injected, EjectPhits: c.Ejected, Crossbar: c.Crossbar, Replications: c.Replicated,
		RouteLookups: c.Decided, Cycles: uint64(now), IdleCycles: uint64(now) - c.Busy(now)}
	a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = c.Written, c.Read
	a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = c.Asked, c.Granted
	return a
}
