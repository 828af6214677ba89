package stress

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
)

// traffic sends unicasts and broadcasts of six classes over a network for some time, with sinks of
// two places, and counts what comes. Nothing may be lost, come twice, or come out of its cycle.
func traffic(t *testing.T, n noc.Network, cycles noc.Cycle) (refused int, longest noc.Cycle) {
	t.Helper()
	const classes = 6
	for node := range n.Nodes() {
		for c := range classes {
			n.LimitSink(noc.NodeID(node), noc.Class(c), 2)
		}
	}
	r := random.Stream(7)
	var owed []int // by tag
	for last := noc.Cycle(0); n.Now() < cycles || n.InFlight() > 0; {
		for _, d := range n.Deliveries() {
			if owed[d.Tag]--; owed[d.Tag] < 0 || d.Arrived != n.Now() {
				t.Fatalf("in cycle %d comes %+v; %d are owed", n.Now(), d, owed[d.Tag]+1)
			}
			longest, last = max(longest, d.Arrived-d.Offered), n.Now()
			n.FreeSink(d.At, d.Class)
		}
		if n.Now() > last+100_000 {
			t.Fatalf("%d deliveries are owed since cycle %d: %+v", n.InFlight(), last, n.Explain())
		}
		p := noc.Packet{Src: noc.NodeID(r.Remainder(n.Nodes())), Class: noc.Class(r.Remainder(classes)), Phits: uint16(1 + 4*r.Remainder(2)), Tag: noc.Tag(len(owed))}
		p.Dst = noc.One(noc.NodeID(r.Remainder(n.Nodes())))
		if r.Remainder(20) == 0 {
			p.Dst = noc.NodeSet{Low: 1<<n.Nodes() - 1}
		}
		if n.Now() < cycles {
			if n.Offer(p) {
				owed = append(owed, p.Dst.Count())
			} else {
				refused++
			}
		}
		n.Step(n.Now() + 1)
	}
	for tag, left := range owed {
		if left != 0 {
			t.Errorf("packet %d still has %d destinations", tag, left)
		}
	}
	return refused, longest
}

// Every network with finite sinks goes on, and delivers everything once, while nodes and source
// queues stop at random and all but the highest classes are blocked.
func TestFaultyNetworksDeliverEverything(t *testing.T) {
	for _, n := range networks() {
		if !n.FiniteSinks {
			continue
		}
		t.Run(n.Name, func(t *testing.T) {
			below := must.Get(n.New(Shape{Columns: 4, Rows: 4, Tiny: true, Seed: 1}))
			h := NewFaultInjector(below, Faults{Eject: 300, Refuse: 50, Drills: true}, 3)
			refused, longest := traffic(t, h, 6_000)
			if refused < 100 || longest < 300 {
				t.Errorf("%d offers were refused and the longest wait is %d cycles: nothing was hindered", refused, longest)
			}
		})
	}
}

// shared is a network with one buffer of a few places at each node for packets of all classes.
type shared struct {
	noc.Network
	free []int
	held []noc.Delivery
	out  []noc.Delivery
}

func (s *shared) LimitSink(noc.NodeID, noc.Class, int) {}

func (s *shared) FreeSink(n noc.NodeID, _ noc.Class) { s.free[n]++ }

func (s *shared) Deliveries() []noc.Delivery {
	s.held = append(s.held, s.Network.Deliveries()...)
	kept := s.held[:0]
	s.out = s.out[:0]
	for _, d := range s.held {
		if s.free[d.At] == 0 {
			kept = append(kept, d)
			continue
		}
		s.free[d.At]--
		d.Arrived = s.Now()
		s.out = append(s.out, d)
	}
	s.held = kept
	return s.out
}

func (s *shared) InFlight() int { return s.Network.InFlight() + len(s.held) }

// A drill tells when low classes keep high ones from being delivered.
func TestDrillFindsSharedSinks(t *testing.T) {
	n := networks()[0]
	below := must.Get(n.New(Shape{Columns: 4, Rows: 4}))
	s := &shared{Network: below, free: make([]int, below.Nodes())}
	for i := range s.free {
		s.free[i] = 1
	}
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "do not come within") {
			t.Errorf("the drill ends with %q", p)
		}
	}()
	traffic(t, NewFaultInjector(s, Faults{Drills: true}, 3), 7_000)
	t.Error("the drill finds nothing")
}

// Every delivery of the network below comes exactly once, at most Delay cycles late, and some
// overtake others.
func TestDelayHandsEverythingOverOnce(t *testing.T) {
	const packets, most = 500, 40
	m := must.Get(models.Lookup("ideal"))
	soon := must.Get(m.Build(models.DefaultOptions()))
	below, _ := m.Build(models.DefaultOptions())
	late := NewFaultInjector(below, Faults{Delay: most}, 1)
	arrivals := func(n noc.Network) []noc.Delivery {
		all := make([]noc.Delivery, packets)
		seen := 0
		for sent := 0; sent < packets || n.InFlight() > 0; {
			for _, d := range n.Deliveries() {
				if all[d.Tag].Arrived != 0 || d.Arrived != n.Now() {
					t.Fatalf("in cycle %d comes %+v; before came %+v", n.Now(), d, all[d.Tag])
				}
				all[d.Tag] = d
				seen++
			}
			if sent < packets {
				n.Offer(noc.Packet{Src: 3, Dst: noc.One(noc.NodeID(sent % 3)), Tag: noc.Tag(sent), Phits: 1})
				sent++
			}
			n.Step(n.Now() + 1)
		}
		if seen+len(n.Deliveries()) != packets {
			t.Fatalf("%d of %d packets were delivered", seen, packets)
		}
		return all
	}
	a, b := arrivals(soon), arrivals(late)
	overtakes := 0
	for i := range a {
		if a[i].Arrived == 0 || b[i].Arrived == 0 {
			continue // the last ones, counted above
		}
		if by := b[i].Arrived - a[i].Arrived; by > most {
			t.Errorf("packet %d is due in cycle %d and comes in cycle %d", i, a[i].Arrived, b[i].Arrived)
		}
		if i >= 3 && b[i].Arrived < b[i-3].Arrived {
			overtakes++
		}
	}
	if overtakes < packets/10 {
		t.Errorf("only %d of %d packets overtake their predecessor", overtakes, packets)
	}
}
