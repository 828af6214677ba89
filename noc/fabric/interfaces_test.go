package fabric

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// wire is the smallest engine: each packet is consumed by its destination a fixed time after it
// was offered.
type wire struct {
	Interfaces
	cycles []noc.Cycle // that were simulated
}

const wireDelay = 10

func newWire(everyCycle bool) *wire {
	n := &wire{Interfaces: NewInterfaces(Shape{Nodes: 3, Classes: 1, SourceQueue: 1, MaxPhits: 5})}
	n.Drive(Engine{Work: n.work, Cycle: n.cycle, Check: func() error { return nil }}, everyCycle)
	return n
}

func (n *wire) work() noc.Cycle {
	next := noc.Never
	for node := range noc.NodeID(3) {
		if n.Sources.Ready(node) != 0 {
			next = min(next, n.Packets.At(n.Sources.Head(node, 0)).Offered+wireDelay)
		}
	}
	return next
}

func (n *wire) cycle() {
	n.cycles = append(n.cycles, n.Clock)
	for node := range noc.NodeID(3) {
		if n.Sources.Ready(node) == 0 || n.Packets.At(n.Sources.Head(node, 0)).Offered+wireDelay > n.Clock {
			continue
		}
		id := n.Sources.Pop(node, 0)
		n.Packets.At(id).Inject(n.Clock)
		n.Injected++
		n.Sinks.Accept(n.Packets.At(id), 1, noc.NodeID(n.Packets.Only(id)), n.Clock)
		n.Packets.Free(id)
	}
}

// TestStepSkipsIdleCycles: the loop simulates the cycles with work, and returns for a delivery
// and for room in a queue that has refused a packet.
func TestStepSkipsIdleCycles(t *testing.T) {
	for _, everyCycle := range []bool{false, true} {
		n := newWire(everyCycle)
		p := noc.Packet{Src: 1, Dst: noc.One(2), Phits: 3}
		if !n.Offer(p) || n.Offer(p) {
			t.Fatal("a queue for one packet takes one packet")
		}
		var stops []noc.Cycle
		for n.Now() < 100 {
			stops = append(stops, n.Step(100))
			if n.Now() == 13 && n.InFlight() != 1 {
				t.Errorf("a delivery that nobody has taken: %d are in flight", n.InFlight())
			}
			n.Deliveries()
		}
		if want := []noc.Cycle{11, 13, 100}; !slices.Equal(stops, want) {
			t.Errorf("Step returned in cycles %d, want %d", stops, want)
		}
		if !everyCycle && !slices.Equal(n.cycles, []noc.Cycle{10}) || everyCycle && len(n.cycles) != 100 {
			t.Errorf("every cycle %v: cycles %d were simulated", everyCycle, n.cycles)
		}
		if tot := n.Totals(); n.InFlight() != 0 || tot.Delivered != 1 || tot.Injected != 1 || tot.Offered != 1 || tot.Phits != 3 {
			t.Errorf("%d in flight, totals %+v", n.InFlight(), tot)
		}
	}
}
