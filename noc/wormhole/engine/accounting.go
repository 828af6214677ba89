package engine

import (
	"github.com/carousel-sim/carousel/noc"
)

// accounting counts what happens. A packet's flits are counted when its header gets a virtual
// channel, and those from a node when it takes the packet from its memory; a report takes off what
// has not passed yet.
type accounting struct {
	net *Network
	// Scratch: flits that are counted already, but have not passed, by port index, and by router
	// those from its nodes and those of which a node takes a copy; and routes that are being
	// computed.
	sent, injected, copied, lookups []uint64
}

// countPending finds what has not passed.
func (a *accounting) countPending() {
	n := a.net
	if a.sent == nil {
		routers := len(n.routers)
		a.sent, a.injected, a.copied, a.lookups = make([]uint64, len(n.port)), make([]uint64, routers), make([]uint64, routers), make([]uint64, routers)
	}
	clear(a.sent)
	clear(a.injected)
	clear(a.copied)
	clear(a.lookups)
	for ch, c := range n.every {
		if c.own {
			a.injected[c.router] += uint64(n.front[ch].here())
		}
		if c.stage == unrouted {
			a.lookups[c.router]++
		}
		if c.stage != active {
			continue
		}
		left := uint64(n.front[ch].left())
		a.sent[c.out] += left
		if c.flags&copies != 0 {
			a.copied[c.router] += left
		}
	}
}

// sentBy returns the number of flits that have left by an output; countPending comes before.
func (a *accounting) sentBy(port uint32) uint64 { return a.net.port[port].phits - a.sent[port] }

// activity returns the counters of a router; countPending comes before.
func (a *accounting) activity(r int) noc.Activity {
	n, router := a.net, &a.net.routers[r]
	c := noc.Activity{InjectPhits: router.injected - a.injected[r], Replications: router.branched, RouteLookups: router.lookups - a.lookups[r],
		EjectPhits: router.copied - a.copied[r], Cycles: uint64(n.Clock), IdleCycles: router.Idle(n.Clock)}
	granted, written := uint64(0), uint64(0)
	for i := range n.layout.ports {
		at := n.layout.portAt(r, i)
		phits := a.sentBy(at)
		granted += phits
		if n.port[at].down == n.noChannel {
			c.EjectPhits += phits
		} else {
			c.LinkPhits += phits
		}
		if feeder := n.sources[at].feeder; feeder != none {
			written += a.sentBy(feeder) // what is on its way has no other place to go
		}
	}
	nominated := granted + n.switches.turns[r].losers
	c.ArbRequests[noc.SwitchInput], c.ArbGrants[noc.SwitchInput] = n.switches.words[r].asked, nominated
	c.ArbRequests[noc.SwitchOutput], c.ArbGrants[noc.SwitchOutput] = nominated, granted
	c.Crossbar = c.LinkPhits + c.EjectPhits
	c.BufferWrites[noc.VirtualChannel], c.BufferReads[noc.VirtualChannel] = written+c.InjectPhits, granted
	return c
}

// Totals are running sums over the whole network.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.Buffered = n.inside
	n.accounting.countPending()
	for p := range n.port {
		if n.port[p].down != n.noChannel {
			t.PhitHops += n.accounting.sentBy(uint32(p))
		}
	}
	return t
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	n.accounting.countPending()
	for r := range n.routers {
		into = append(into, n.accounting.activity(r))
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	n.accounting.countPending()
	for _, c := range n.Wiring.Channels {
		into = append(into, noc.Link{From: c.From, To: c.To, Port: uint8(c.Out), Phits: n.accounting.sentBy(n.layout.portAt(int(c.From), int(c.Out)))})
	}
	return into
}

// Hardware describes one router.
func (n *Network) Hardware() noc.Hardware {
	return n.config.Hardware(n.Nodes(), n.layout.ports, n.sets)
}
