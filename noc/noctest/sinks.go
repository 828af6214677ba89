package noctest

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// raisedSink: packets that wait for a full sink see a higher limit at once, and places that are taken
// count towards it.
func (s Subject) raisedSink(t *testing.T) {
	g := s.grid()
	sink := at(g.Nodes(), 5)
	n := s.build(t, g, 1)
	a := s.newAudit(t, n, g)
	n.LimitSink(sink, 0, 0)
	const packets = 4
	for tag := range noc.Tag(packets) {
		a.Offer(noc.Packet{Src: at(g.Nodes(), 12), Dst: noc.SetOf(g.Nodes(), sink), Tag: tag, Phits: 1})
	}
	for i, step := range []struct{ limit, arrived int }{{0, 0}, {1, 1}, {3, 3}, {2, 3}, {3, 3}, {packets, packets}} {
		n.LimitSink(sink, 0, step.limit)
		a.runTo(noc.Cycle(1000 * (i + 1)))
		if len(a.log) != step.arrived {
			t.Fatalf("with the limit at %d, %d packets have arrived, want %d", step.limit, len(a.log), step.arrived)
		}
	}
	a.must(a.End())
}

// sinkMisuse: sinks that do not exist, negative limits and places that were not taken panic.
func (s Subject) sinkMisuse(t *testing.T) {
	g := s.grid()
	class := noc.Class(s.Classes)
	for name, misuse := range map[string]func(noc.Network){
		"limit of an unknown node":   func(n noc.Network) { n.LimitSink(noc.NodeID(g.Nodes()), 0, 1) },
		"limit of an unknown class":  func(n noc.Network) { n.LimitSink(0, class, 1) },
		"negative limit":             func(n noc.Network) { n.LimitSink(0, 0, -1) },
		"place of an unknown class":  func(n noc.Network) { n.FreeSink(0, class) },
		"place that was not taken":   func(n noc.Network) { n.LimitSink(0, 0, 1); n.FreeSink(0, 0) },
		"place that was given twice": func(n noc.Network) { takeOne(t, n); n.FreeSink(0, 0); n.FreeSink(0, 0) },
	} {
		n := s.build(t, g, 1)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse(n)
		}()
	}
}

// takeOne lets the bounded sink of node 0 take a packet.
func takeOne(t *testing.T, n noc.Network) {
	n.LimitSink(0, 0, 2)
	n.Offer(noc.Packet{Src: 1, Dst: noc.SetOf(n.Nodes(), 0), Phits: 1})
	if len(Drain(t, n)) != 1 {
		t.Fatal("the packet did not arrive")
	}
}

func (s Subject) multicastSinks(t *testing.T) {
	MulticastSinks(t, s.build(t, s.grid(), 1), s.Classes, s.Phits)
}

// MulticastSinks holds a fresh network to the limit of its sinks under multicasts and unicasts: no
// sink ever holds more packets than it has places. Some networks stop under this traffic, as worms
// keep places at their first stops while they wait for others; that is allowed.
func MulticastSinks(t *testing.T, n noc.Network, classes, phits int) {
	t.Helper()
	const places, cycles = 1, 1500
	nodes, r := n.Nodes(), random.Stream(1)
	held := make([]int, nodes*classes)
	for i := range held {
		n.LimitSink(noc.NodeID(i/classes), noc.Class(i%classes), places)
	}
	arrived, tag := 0, noc.Tag(0)
	for n.Now() < cycles {
		for src := range noc.NodeID(nodes) {
			if r.Below(8) > 0 {
				continue
			}
			p := noc.Packet{Src: src, Dst: noc.SetOf(nodes, noc.NodeID(r.Below(nodes))), Tag: tag, Phits: uint16(1 + r.Below(phits)),
				Class: noc.Class(r.Below(classes))}
			for r.Below(3) > 0 {
				p.Dst.Add(noc.NodeID(r.Below(nodes)))
			}
			n.Offer(p)
			tag++
		}
		n.Step(n.Now() + 1)
		for _, d := range n.Deliveries() {
			arrived++
			i := int(d.At)*classes + int(d.Class)
			if held[i]++; held[i] > places {
				t.Fatalf("cycle %d: the sink of node %d and class %d holds %d packets; its limit is %d", n.Now(), d.At, d.Class, held[i], places)
			}
		}
		for i := range held {
			if held[i] > 0 && r.Below(10) == 0 {
				held[i]--
				n.FreeSink(noc.NodeID(i/classes), noc.Class(i%classes))
			}
		}
	}
	if arrived < nodes {
		t.Errorf("only %d deliveries in %d cycles", arrived, cycles)
	}
}
