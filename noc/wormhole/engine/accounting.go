package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
)

// accounting counts what happens. A packet's flits are counted when its header gets a virtual
// channel, and those from a node when it takes the packet from its memory; a report takes off what
// has not passed yet.
type accounting struct {
	net            *Network
	flits, ejected uint64 // that a switch let pass, and to nodes, see countEjected
	// Scratch: flits that are counted already, but have not passed, by port index, and by router
	// those from its nodes and those of which a node takes a copy; and routes that are being
	// computed.
	sent, injected, copied, lookups []uint64
}

// countEjected counts the flits that have gone to nodes since the last time: each took a place of
// the channel noChannel.
func (a *accounting) countEjected() {
	exit := &a.net.upstream[a.net.noChannel]
	a.ejected += uint64(math.MaxInt32 - exit.credits)
	exit.credits = math.MaxInt32
}

// toEnter returns how many flits of the front packet of a channel of a node have not left its
// memory.
func (a *accounting) toEnter(ch globalVC) uint64 {
	n := a.net
	switch c := &n.channel[ch]; c.stage {
	case idle:
		return 0
	case active:
		return uint64(n.front[ch].left())
	default:
		return uint64(n.headers.worms[c.worm].phits)
	}
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
			a.injected[c.router] += a.toEnter(ch)
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
	t, a := n.Interfaces.Totals(), &n.accounting
	a.countEjected()
	t.PhitHops, t.Buffered = a.flits-a.ejected, n.inside
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
