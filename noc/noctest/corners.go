package noctest

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// at returns the node at a number of sixteenths of the nodes of a network.
func at(nodes, sixteenths int) noc.NodeID { return noc.NodeID(nodes * sixteenths / 16) }

// noStarvation: at moderate load every packet arrives in reasonable time.
func (s Subject) noStarvation(t T) {
	g := s.grid()
	a := s.newAudit(t, s.build(t, g, 1), g)
	script := s.script(g, 9, 3000, s.moderate(g))
	for i := range script { // a source that sends every copy alone should not be busy with few packets for long
		for dst := &script[i].packet.Dst; dst.Count() > 16; {
			first, _ := dst.Next(0)
			dst.Remove(first)
		}
	}
	a.play(script, manyCycles)
	const limit = 1500
	for _, d := range a.log {
		if d.Arrived-d.Offered > limit {
			t.Fatalf("%+v took %d cycles at moderate load, more than %d", d, d.Arrived-d.Offered, limit)
		}
	}
}

// everyClass: no class starves in a saturated network, not even where others have priority.
func (s Subject) everyClass(t T) {
	const half = 3000 // cycles; what filled the queues at the beginning is not counted
	g := s.grid()
	n, delivered, sum := s.build(t, g, 1), make([]int, s.Classes), 0
	for random := random.Stream(1); n.Now() < 2*half; n.Step(n.Now() + 1) {
		for i := range g.Nodes() * s.Classes {
			n.Offer(noc.Packet{Src: noc.NodeID(i / s.Classes), Class: noc.Class(i % s.Classes), Phits: uint16(s.Phits),
				Dst: noc.SetOf(g.Nodes(), noc.NodeID(random.Below(g.Nodes())))})
		}
		for _, d := range n.Deliveries() {
			if d.Injected >= half {
				delivered[d.Class]++
				sum++
			}
		}
	}
	if least := slices.Min(delivered); 10*s.Classes*least <= sum {
		t.Errorf("saturated, a class has less than a tenth of its share: %v", delivered)
	}
}

// noAllocation: a network that has seen its load allocates no more. Where every cycle is checked,
// the checks may allocate.
func (s Subject) noAllocation(t T) {
	if s.Program {
		t.Skip("optional: the memory of a program cannot be seen")
	}
	if fabric.Invariants {
		t.Skip("the network checks its invariants in every cycle")
	}
	g := s.grid()
	n := s.build(t, g, 1)
	const broadcasts = 0.1
	load := s.moderate(g) / (1 - broadcasts + broadcasts*float64(g.Nodes()-1))
	d := Drive(t, n, g, traffic.Config{Load: load, PacketPhits: s.Phits, Classes: s.Classes, MulticastFraction: broadcasts, Seed: 2})
	d.Run(20_000)
	// A rare burst may still fill a queue for the first time, and a large network has many queues. So
	// one quiet window is asked for; a network that allocates as long as it works has none.
	fewest := 1e9
	for i := 0; i < 50 && fewest > 0; i++ {
		fewest = min(fewest, must.Allocations(1, func() { d.Run(n.Now() + 200) }))
	}
	if fewest > 0 {
		t.Errorf("at least %v allocations in 200 cycles after warm-up", fewest)
	}
}

// refusedOffer: a queue that refused gets room again, and Step returns as soon as it does.
func (s Subject) refusedOffer(t T) {
	g := s.grid()
	p := noc.Packet{Src: at(g.Nodes(), 3), Dst: noc.SetOf(g.Nodes(), at(g.Nodes(), 9)), Phits: uint16(s.Phits)}
	one, two := s.newAudit(t, s.build(t, g, 1), g), s.newAudit(t, s.build(t, g, 1), g)
	for ; one.Offer(p) && two.Offer(p); p.Tag++ {
		if p.Tag == 10000 {
			t.Skip("this network refuses nothing")
		}
	}
	two.Offer(p)
	for !two.Offer(p) {
		two.must(two.Step(two.Network.Now() + 1))
	}
	for one.Network.Now() < two.Network.Now() {
		one.must(one.Step(one.Network.Now() + manyCycles))
	}
	if one.Network.Now() != two.Network.Now() {
		t.Fatalf("the queue has room at cycle %d, Step returned at %d", two.Network.Now(), one.Network.Now())
	}
	if !one.Offer(p) {
		t.Fatalf("no room at cycle %d", one.Network.Now())
	}
	one.play(nil, manyCycles)
}

// boundedSink: a full sink holds packets back, Explain tells so, and with virtual
// channels the other classes go on.
func (s Subject) boundedSink(t T) {
	g := s.grid()
	n := s.build(t, g, 1)
	a := s.newAudit(t, n, g)
	const places, packets = 2, 6
	sink, other := at(g.Nodes(), 5), at(g.Nodes(), 13)
	to := noc.SetOf(g.Nodes(), sink)
	class := noc.Class(s.Classes - 1)
	n.LimitSink(sink, class, places)
	for tag := range noc.Tag(packets) {
		a.Offer(noc.Packet{Src: noc.NodeID(int(tag) % g.Nodes()), Dst: to, Tag: tag, Phits: uint16(s.Phits), Class: class})
	}
	a.runTo(3000)
	if len(a.log) != places {
		t.Fatalf("a sink of %d places took %d packets", places, len(a.log))
	}
	found := false
	for end := n.Now() + 100; !found && n.Now() < end; a.runTo(n.Now() + 1) { // a rotary packet turns while it waits
		for _, k := range n.Explain() {
			found = found || (k.Class == class && k.Dst.Has(sink))
			if k.Holds == "" || k.Waits == "" {
				t.Errorf("%+v does not say what it holds and waits for", k)
			}
		}
	}
	if !found {
		t.Errorf("no packet that waits for the sink in %+v", n.Explain())
	}
	if n.Hardware().VirtualChannels > 1 {
		a.Offer(noc.Packet{Src: other, Dst: to, Tag: 100, Phits: 1, Class: 0})
		a.runTo(4000)
		if len(a.log) != places+1 {
			t.Fatal("a full sink of one class holds a packet of another back")
		}
	}
	for i := range packets - places {
		before := len(a.log)
		n.FreeSink(sink, class)
		a.runTo(noc.Cycle(5000 + 1000*i))
		if len(a.log) != before+1 {
			t.Fatalf("%d packets arrived for one freed place", len(a.log)-before)
		}
	}
	for range places {
		n.FreeSink(sink, class)
	}
	a.must(a.End())
}

// coupledSinks: a protocol whose queues are all finite and full goes on, in every class.
func (s Subject) coupledSinks(t T) {
	if s.SharedClasses {
		t.Skip("optional: the network does not keep classes apart, so a chip needs interfaces without limit")
	}
	g := s.grid()
	window := noc.Cycle(max(1500, 64_000/g.Nodes()))
	for _, multicast := range []float64{0, 0.1} {
		n := s.build(t, g, 1)
		c := NewCoupled(n, g, traffic.Config{PacketPhits: s.Phits, Classes: s.Classes, MulticastFraction: multicast,
			MulticastDestinations: min(5, g.Nodes()-1), Seed: 4}, 2)
		for range 2 {
			before := c.Delivered
			c.Run(window)
			for class := range s.Classes {
				if c.Delivered[class] == before[class] {
					t.Fatalf("%v multicast, cycle %d: nothing of class %d arrives any more; delivered %v, stuck are %d packets",
						multicast, n.Now(), class, c.Delivered[:s.Classes], len(n.Explain()))
				}
			}
		}
	}
}

// sinkReleasedAtOnce: a place freed in a cycle is used in that cycle by a waiting packet.
func (s Subject) sinkReleasedAtOnce(t T) {
	g := s.grid()
	sink := at(g.Nodes(), 5)
	times := [2]noc.Cycle{}
	for i, wait := range []noc.Cycle{1000, 1001} {
		n := s.build(t, g, 1)
		a := s.newAudit(t, n, g)
		n.LimitSink(sink, 0, 1)
		for tag := range noc.Tag(2) {
			a.Offer(noc.Packet{Src: at(g.Nodes(), 12), Dst: noc.SetOf(g.Nodes(), sink), Tag: tag, Phits: 1})
		}
		a.runTo(wait)
		if len(a.log) != 1 {
			t.Fatalf("a sink of one place took %d packets", len(a.log))
		}
		n.FreeSink(sink, 0)
		a.play(nil, manyCycles)
		times[i] = a.log[1].Arrived - wait
	}
	// A rotary packet may be on its way round when the place is freed; others leave in constant
	// time.
	if times[0] > 40 || times[1] > 40 {
		t.Errorf("the packet arrives %v cycles after its place was freed", times)
	}
}

// malformedPacket: programming errors panic.
func (s Subject) malformedPacket(t T) {
	g := s.grid()
	nodes := g.Nodes()
	beyond, far := noc.NodeID(nodes), noc.NodeID(nodes+64)
	good := noc.Packet{Src: 0, Dst: noc.SetOf(nodes, 1), Phits: 1}
	for name, spoil := range map[string]func(*noc.Packet){
		"no destination":            func(p *noc.Packet) { p.Dst = noc.NewNodeSet(nodes) },
		"destination beyond":        func(p *noc.Packet) { p.Dst = noc.One(beyond) },
		"destination in a far word": func(p *noc.Packet) { p.Dst = noc.One(far) },
		"source beyond":             func(p *noc.Packet) { p.Src = beyond },
		"no phits":                  func(p *noc.Packet) { p.Phits = 0 },
		"too many phits":            func(p *noc.Packet) { p.Phits = uint16(max(s.Phits, s.Longest) + 1) },
		"unknown class":             func(p *noc.Packet) { p.Class = noc.Class(s.Classes) },
	} {
		n := s.build(t, g, 1)
		p := good
		spoil(&p)
		mustPanic(t, name, func() { n.Offer(p) })
	}
}

// mustPanic reports a programming error that goes unnoticed.
func mustPanic(t T, what string, wrong func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	wrong()
}

// wirings: every link is listed once, by source and port, and the hardware fits.
func (s Subject) wirings(t T) {
	for _, g := range s.grids() {
		n, w := s.build(t, g, 1), s.wiring(g)
		h, links := n.Hardware(), n.Links(nil)
		if len(links) == 0 && h.Uncounted {
			t.Skip("optional: the network does not describe its links")
		}
		if err := checkLinks(w, links); err != nil {
			t.Fatal(err)
		}
		if h.Ports != w.Ports() || (h.DestinationBits != w.Nodes() && h.DestinationBits != 0) || h.PhitBits < 1 {
			t.Errorf("%s: hardware %+v", w.Name, h)
		}
		if got := len(n.Activity(make([]noc.Activity, 3))); got != 3+w.Routers {
			t.Errorf("%s: Activity appends %d counters", w.Name, got-3)
		}
	}
}

// checkLinks reports whether the links of a fresh network are those of its wiring.
func checkLinks(w *topology.Wiring, links []noc.Link) error {
	if len(links) != len(w.Channels) {
		return fmt.Errorf("%s: %d links, want %d", w.Name, len(links), len(w.Channels))
	}
	for i, c := range w.Channels {
		if want := (noc.Link{From: c.From, To: c.To, Port: uint8(c.Out)}); links[i] != want {
			return fmt.Errorf("%s: link %d is %v, want %v", w.Name, i, links[i], want)
		}
	}
	return nil
}

// idleNetwork: a network without packets goes where it is told, at once, and idles.
func (s Subject) idleNetwork(t T) {
	n := s.build(t, s.grid(), 1)
	if now := n.Step(5_000_000); s.EveryCycle == nil && now != 5_000_000 {
		t.Errorf("an idle network stopped at %d", now)
	}
	if now := n.Step(3); now != 5_000_000 {
		t.Errorf("Step backwards moved to %d", now)
	}
	for r, a := range n.Activity(nil) {
		if want := (noc.Activity{Cycles: 5_000_000, IdleCycles: 5_000_000}); a != want {
			t.Fatalf("idle router %d did %s", r, fmt.Sprintf("%+v", a))
		}
	}
	if n.Totals() != (noc.Totals{}) || len(n.Deliveries()) > 0 {
		t.Errorf("an idle network counts %+v", n.Totals())
	}
}

// raisedSink: packets that wait for a full sink see a higher limit at once, and places that are
// taken count towards it.
func (s Subject) raisedSink(t T) {
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
func (s Subject) sinkMisuse(t T) {
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
		mustPanic(t, name, func() { misuse(n) })
	}
}

// takeOne lets the bounded sink of node 0 take a packet.
func takeOne(t T, n noc.Network) {
	n.LimitSink(0, 0, 2)
	n.Offer(noc.Packet{Src: 1, Dst: noc.SetOf(n.Nodes(), 0), Phits: 1})
	if len(Drain(t, n)) != 1 {
		t.Fatal("the packet did not arrive")
	}
}

func (s Subject) multicastSinks(t T) {
	MulticastSinks(t, s.build(t, s.grid(), 1), s.Classes, s.Phits)
}

// MulticastSinks holds a fresh network to the limit of its sinks under multicasts and unicasts: no
// sink ever holds more packets than it has places. Some networks stop under this traffic, as worms
// keep places at their first stops while they wait for others; that is allowed.
func MulticastSinks(t T, n noc.Network, classes, phits int) {
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
