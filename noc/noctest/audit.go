package noctest

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/audit"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// oneCycle and manyCycles are the longest steps that an audited network takes.
const (
	oneCycle   = 1
	manyCycles = 1 << 20
)

// checkEvery is the distance between audits of a network's own invariants in tests of something else.
const checkEvery = 16

// drainWithin is how long a network may take to deliver what it holds once the sources stop.
const drainWithin = 100_000

// audited is a network under audit in a test, with all its deliveries.
type audited struct {
	*audit.Auditor
	t   T
	log []delivery
}

// delivery also says when the receipt of the packet was listed.
type delivery struct {
	noc.Delivery
	sent noc.Cycle
}

func (s Subject) newAudit(t T, net noc.Network, g topology.Grid) *audited {
	t.Helper()
	distance := g.Distance
	if s.Wiring != nil {
		distance = s.Wiring.NodeDistances()
	}
	auditor, err := audit.New(net, distance)
	if err != nil {
		t.Fatal(err)
	}
	a := &audited{Auditor: auditor, t: t}
	a.CheckEvery = checkEvery
	a.Observe = func(d *noc.Delivery, sent noc.Cycle) { a.log = append(a.log, delivery{*d, sent}) }
	return a
}

func (a *audited) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// play offers a script, dropping what is refused, and then drains the network.
func (a *audited) play(script []offer, step noc.Cycle) {
	a.t.Helper()
	for _, o := range script {
		a.stepTo(o.at, step)
		a.Offer(o.packet)
	}
	a.must(a.Drain(drainWithin, step))
}

func (a *audited) stepTo(at, step noc.Cycle) {
	a.t.Helper()
	for a.Network.Now() < at {
		a.must(a.Step(min(at, a.Network.Now()+step)))
	}
}

// runTo brings a network to a cycle.
func (a *audited) runTo(at noc.Cycle) {
	a.t.Helper()
	a.stepTo(at, manyCycles)
}

// offer is one line of a script: a packet and the cycle in which its node offers it.
type offer struct {
	at     noc.Cycle
	packet noc.Packet
}

// script makes random traffic of all kinds. load is in phits handed to destinations per node and
// cycle, were they all taken.
func (s Subject) script(g topology.Grid, seed uint64, cycles noc.Cycle, load float64) (all []offer) {
	traffic := audit.Traffic{Nodes: g.Nodes(), Classes: s.Classes, Phits: s.Phits, Random: random.Stream(seed)}
	owed := 0.0
	for at := noc.Cycle(0); at < cycles; at++ {
		for owed += load * float64(g.Nodes()); owed > 0; {
			p := traffic.Packet()
			p.Tag = noc.Tag(len(all))
			owed -= float64(p.Dst.Count() * int(p.Phits))
			all = append(all, offer{at: at, packet: p})
		}
	}
	return all
}

// reversedNodes reorders the offers of each cycle so that the nodes take turns in the opposite
// order; each node's own offers keep theirs.
func reversedNodes(script []offer) []offer {
	out := slices.Clone(script)
	slices.SortStableFunc(out, func(a, b offer) int {
		if a.at != b.at {
			return int(a.at) - int(b.at)
		}
		return int(b.packet.Src) - int(a.packet.Src)
	})
	return out
}
