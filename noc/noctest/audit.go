package noctest

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/audit"
	"github.com/carousel-sim/carousel/noc/topology"
)

// oneCycle and manyCycles are the longest steps that an audited network takes.
const (
	oneCycle   = 1
	manyCycles = 1 << 20
)

// drainWithin is how long a network may take to deliver what it holds once the sources stop.
const drainWithin = 100_000

// audited is a network under audit in a test, with all its deliveries.
type audited struct {
	*audit.Auditor
	t   *testing.T
	log []delivery
}

// delivery also says when the receipt of the packet was listed.
type delivery struct {
	noc.Delivery
	sent noc.Cycle
}

func (s Subject) newAudit(t *testing.T, net noc.Network, g topology.Grid) *audited {
	t.Helper()
	distance := g.Distance
	if s.Wiring != nil {
		distance = s.Wiring.Distance
	}
	auditor, err := audit.New(net, distance)
	if err != nil {
		t.Fatal(err)
	}
	a := &audited{Auditor: auditor, t: t}
	a.CheckEvery = noc.Cycle(max(1, g.Nodes()/16)) // the time that it takes grows with the nodes
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
