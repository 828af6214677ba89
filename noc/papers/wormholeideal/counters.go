package wormholeideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// counters are what a router has done. A worm has a channel to itself, so they are raised for all its
// phits when its header does it. Presence counts the worms in the router: from the cycle after the
// header crossed into the buffer, or the one in which it came straight from the node, until the tail
// leaves.
type counters struct {
	asked, granted      uint64 // requests to channels, when one is granted
	crossbar            uint64 // phits
	written, read       uint64 // phits, in buffers
	injected, ejected   uint64 // phits, from nodes and to nodes
	replicated, decided uint64 // copies made and routes looked up, by headers
	fabric.Presence
	first noc.Cycle // in which one of those that are here is here
}

// enter notes a worm that is in the router from a cycle on. If those noted before come later, the gap
// that was counted for them is shorter.
func (c *counters) enter(from noc.Cycle) {
	if c.Here == 0 {
		c.first = from
	} else if from < c.first && c.End <= from {
		c.Absent -= uint64(c.first - from)
		c.first = from
	}
	c.Enter(from)
}

// activity returns what the counters say before cycle now, but for what left on links.
func (c *counters) activity(now noc.Cycle) noc.Activity {
	a := noc.Activity{InjectPhits: c.injected, EjectPhits: c.ejected, Crossbar: c.crossbar, Replications: c.replicated,
		RouteLookups: c.decided, Cycles: uint64(now), IdleCycles: c.Idle(now)}
	a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = c.written, c.read
	a.ArbRequests[noc.SwitchOutput], a.ArbGrants[noc.SwitchOutput] = c.asked, c.granted
	return a
}
