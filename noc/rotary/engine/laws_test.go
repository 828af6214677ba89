package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestOrderIndependent runs the same traffic with sleeping routers, without, and with shuffled
// visits: deliveries, counters and links must agree, in the middle of the traffic too.
func TestOrderIndependent(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 7))
		g := grids[rng.IntN(len(grids))]
		c := randomConfig(rng)
		c.EveryCycle = false
		s := randomScript(rng, g.Nodes(), c, 400)
		plain := build(t, g, c)
		want := s.play(plain, 500)
		order := make([]noc.NodeID, g.Nodes())
		for i, r := range rng.Perm(g.Nodes()) {
			order[i] = noc.NodeID(r)
		}
		every := c
		every.EveryCycle = true
		for name, other := range map[string]*Network{"every cycle": build(t, g, every), "shuffled": build(t, g, c), "both": build(t, g, every)} {
			if name != "every cycle" {
				other.visit = order
			}
			if d := firstDifference(s.play(other, 500), want); d != "" {
				t.Errorf("seed %d on %s, %s: %s", seed, g, name, d)
			}
			if !slices.Equal(plain.Activity(nil), other.Activity(nil)) || !slices.Equal(plain.Links(nil), other.Links(nil)) ||
				plain.Totals() != other.Totals() {
				t.Errorf("seed %d on %s, %s: counters differ", seed, g, name)
			}
		}
	}
}

// TestBacklogMoves fills everything behind a closed sink, until all routers sleep, and frees one
// place at a time: each freed place wakes routers all the way back, as if none had ever slept.
func TestBacklogMoves(t *testing.T) {
	play := func(every bool) (all []noc.Delivery) {
		c := extended(rotary.DefaultMRR())
		c.EveryCycle = every
		n := build(t, topology.Mesh(5), c)
		n.LimitSink(4, 0, 0)
		for i := range noc.Tag(200) {
			n.Offer(noc.Packet{Src: noc.NodeID(i % 4), Dst: noc.One(4), Phits: 5, Tag: i})
			n.Step(n.Now() + 3)
		}
		n.Step(n.Now() + 2000)
		if len(n.Deliveries()) > 0 {
			t.Fatal("a closed sink took packets")
		}
		for range 40 {
			n.FreeSink(4, 0)
			for end := n.Now() + 300; n.Now() < end; {
				n.Step(end)
				all = append(all, n.Deliveries()...)
			}
		}
		return all
	}
	got, want := play(false), play(true)
	if len(want) != 40 {
		t.Errorf("40 places took %d packets", len(want))
	}
	if d := firstDifference(got, want); d != "" {
		t.Error(d)
	}
}

// TestSeeds: the seed decides ties and nothing else is random.
func TestSeeds(t *testing.T) {
	g := topology.Torus(8, 8)
	run := func(seed uint64) []noc.Delivery {
		c := extended(rotary.DefaultMRR())
		c.Seed = seed
		rng := rand.New(rand.NewPCG(1, 1))
		s := script{}
		for i := range 2000 {
			s.offers = append(s.offers, scripted{at: noc.Cycle(i / 4), packet: noc.Packet{Src: noc.NodeID(rng.IntN(64)), Dst: noc.One(noc.NodeID(rng.IntN(64))), Phits: 5, Tag: noc.Tag(i)}})
		}
		return s.play(build(t, g, c), 1000)
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("the same seed gave different runs")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("different seeds gave the same run")
	}
}

// TestOrdered sends ordered packets among much other traffic: those of one source, destination and
// class arrive in the order of their offers.
func TestOrdered(t *testing.T) {
	for _, c := range []Config{extended(rotary.DefaultRR()), extended(rotary.DefaultMRR())} {
		g := topology.Torus(4, 4)
		n := build(t, g, c)
		rng := rand.New(rand.NewPCG(3, 3))
		last := map[[3]int]noc.Tag{}
		ordered := map[noc.Tag]bool{}
		count := 0
		check := func(list []noc.Delivery) {
			for _, d := range list {
				if key := [3]int{int(d.Src), int(d.At), int(d.Class)}; ordered[d.Tag] {
					if d.Tag <= last[key] {
						t.Fatalf("%+v arrived after tag %d", d, last[key])
					}
					last[key] = d.Tag
					count++
				}
			}
		}
		for tag := noc.Tag(1); tag < 8000; tag++ {
			p := noc.Packet{Src: noc.NodeID(rng.IntN(16)), Class: noc.Class(rng.IntN(2)), Phits: uint16(1 + rng.IntN(5)),
				Tag: tag, Ordered: rng.IntN(3) == 0, Dst: noc.SetOf(16, noc.NodeID(rng.IntN(16)))}
			if rng.IntN(4) == 0 {
				p.Dst.Add(noc.NodeID(rng.IntN(16)))
			}
			ordered[tag] = p.Ordered
			n.Offer(p)
			if tag%2 == 0 {
				n.Step(n.Now() + 1)
				check(n.Deliveries())
			}
		}
		check(drain(t, n, 100_000))
		if count < 500 {
			t.Errorf("only %d ordered deliveries", count)
		}
	}
}

// TestConservation checks the laws after every cycle of saturating traffic, that every
// destination gets its copy once, and the phits inside against what went in and came out.
func TestConservation(t *testing.T) {
	for _, c := range []Config{extended(rotary.DefaultRR()), extended(rotary.DefaultMRR()), variant(Tree), variant(Path)} {
		for _, m := range []mix{{pattern: "bitrev", multicast: 0.1}, {pattern: "uniform", multicast: 1}} {
			m.load, m.phits, m.classes = 1, 5, 6
			n := build(t, topology.Torus(4, 4), c)
			s := newSource(n, topology.Torus(4, 4), m, 5)
			delivered := 0
			for n.Now() < 1200 {
				if n.Now() < 700 {
					s.generate()
				}
				n.Step(n.Now() + 1)
				delivered += len(n.Deliveries())
				if err := n.CheckInvariants(); err != nil {
					t.Fatal(err)
				}
				if got := n.Sources.Owed() - n.InFlight(); got != delivered {
					t.Fatalf("%d deliveries made, %d counted", delivered, got)
				}
			}
			drain(t, n, 100_000)
			if got := n.Totals(); got.Buffered != 0 || got.Delivered != uint64(n.Sources.Owed()) || got.Phits != 5*got.Delivered {
				t.Errorf("after the drain: %+v", got)
			}
		}
	}
}

// TestTotalsByPhit: a packet comes out of its source and goes into the node phit by phit.
func TestTotalsByPhit(t *testing.T) {
	n := build(t, topology.Torus(4, 4), extended(rotary.DefaultMRR()))
	n.Offer(noc.Packet{Src: 1, Dst: noc.One(11), Phits: 5})
	totals := []noc.Totals{n.Totals()}
	for n.Totals().Delivered == 0 {
		n.Step(n.Now() + 1)
		totals = append(totals, n.Totals())
	}
	d := n.Deliveries()[0]
	for now, got := range totals {
		in, out := min(max(now-int(d.Injected), 0), 5), min(max(now-int(d.Arrived)+5, 0), 5)
		if int(got.Phits) != out || int(got.Buffered) != in-out {
			t.Errorf("cycle %d: %d phits inside and %d delivered, want %d and %d", now, got.Buffered, got.Phits, in-out, out)
		}
	}
}

// TestSingleDelivery: each destination of each tag once.
func TestSingleDelivery(t *testing.T) {
	n := build(t, topology.Torus(9, 8), extended(rotary.DefaultMRR()))
	rng := rand.New(rand.NewPCG(8, 8))
	owed := map[noc.Tag]map[noc.NodeID]bool{}
	s := script{}
	for tag := range noc.Tag(600) {
		p := noc.Packet{Src: noc.NodeID(rng.IntN(72)), Phits: 5, Tag: tag, Dst: noc.NewNodeSet(72), Class: noc.Class(rng.IntN(6))}
		owed[tag] = map[noc.NodeID]bool{}
		for range 1 + rng.IntN(72) {
			d := noc.NodeID(rng.IntN(72))
			p.Dst.Add(d)
			owed[tag][d] = true
		}
		s.offers = append(s.offers, scripted{at: noc.Cycle(tag), packet: p})
	}
	for _, d := range append(s.play(n, 601), drain(t, n, 100_000)...) {
		if !owed[d.Tag][d.At] {
			t.Fatalf("%+v was not owed", d)
		}
		delete(owed[d.Tag], d.At)
	}
}

// TestNoAllocation: nothing is allocated once the network has warmed up.
func TestNoAllocation(t *testing.T) {
	for _, c := range []Config{extended(rotary.DefaultRR()), extended(rotary.DefaultMRR()), variant(Tree), variant(Path)} {
		g := topology.Torus(9, 8)
		n := build(t, g, c)
		rng := rand.New(rand.NewPCG(2, 2))
		sets := make([]noc.NodeSet, 64)
		for i := range sets {
			sets[i] = noc.SetOf(72, noc.NodeID(rng.IntN(72)), noc.NodeID(rng.IntN(72)), noc.NodeID(rng.IntN(72)))
		}
		round := func() {
			for i, set := range sets {
				n.Offer(noc.Packet{Src: noc.NodeID(i), Dst: set, Phits: 5, Class: noc.Class(i % 6)})
			}
			for end := n.Now() + 100; n.Now() < end; {
				n.Step(end)
				n.Deliveries()
			}
		}
		for range 60 {
			round()
		}
		if got := testing.AllocsPerRun(20, round); got != 0 {
			t.Errorf("%s: %v allocations in 100 cycles", c.Multicast, got)
		}
	}
}

// TestExplain blocks a sink and asks why nothing moves.
func TestExplain(t *testing.T) {
	n := build(t, topology.Torus(4, 4), extended(rotary.DefaultRR()))
	n.LimitSink(3, 2, 0)
	for range 40 {
		n.Offer(noc.Packet{Src: 1, Dst: noc.One(3), Phits: 5, Class: 2})
		n.Step(n.Now() + 10)
	}
	n.Step(n.Now() + 3000)
	waits := map[string]int{}
	for _, s := range n.Explain() {
		if s.Class != 2 || s.Src != 1 || !s.Dst.Has(3) || s.Since >= n.Now() {
			t.Errorf("%+v", s)
		}
		waits[s.Waits]++
	}
	if waits["sink of class 2: no place"] == 0 {
		t.Errorf("no packet on a ring waits for the sink: %v", waits)
	}
	before := n.Totals()
	for range 100 {
		n.FreeSink(3, 2)
		n.Step(n.Now() + 20)
	}
	if after := n.Totals(); after.Delivered < before.Delivered+20 {
		t.Errorf("freed places let %d packets through", after.Delivered-before.Delivered)
	}
}

// TestCopiesShareWorm: all copies of a broadcast are one worm as long as any of them is on its way;
// in the end the arena holds nothing.
func TestCopiesShareWorm(t *testing.T) {
	for _, c := range []Config{extended(rotary.DefaultMRR()), variant(Tree), variant(Path)} {
		for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(9, 8)} {
			n := build(t, g, c)
			broadcast(n, 3)
			worms := 1
			if c.Multicast == Path { // goes two ways, as two packets
				worms = 2
			}
			for n.InFlight() > 0 {
				n.Step(n.Now() + 1)
				n.Deliveries()
				if live := n.Packets.Live(); live > worms {
					t.Fatalf("%s on %s: %d worms", c.Multicast, g, live)
				}
				if err := n.CheckInvariants(); err != nil {
					t.Fatal(err)
				}
			}
			if n.Packets.Live() != 0 || n.Packets.LiveRows() != 0 {
				t.Errorf("%s on %s: %d worms and %d rows are left", c.Multicast, g, n.Packets.Live(), n.Packets.LiveRows())
			}
		}
	}
}

// TestCyclesRunOver: routers keep the low 8 bits of the cycles in which streams end. Traffic that
// comes after a silence, however long, and traffic over which these bits run over while only one
// link is busy, is delivered as the plain router delivers it.
func TestCyclesRunOver(t *testing.T) {
	for _, silence := range []noc.Cycle{100, 190, 200, 222, 224, 230, 256, 290, 448, 512, 1 << 16, 1<<32 - 60} {
		for _, busy := range []noc.Cycle{0, 150, 600} {
			c := extended(rotary.DefaultMRR())
			fast, plain := build(t, topology.Torus(4, 4), c), plainOf(t, topology.Torus(4, 4), c)
			a, b := runOver(fast, silence, busy), runOver(plain, silence, busy)
			if d := firstDifference(a, b); d != "" {
				t.Errorf("%d cycles of silence, %d busy: %s", silence, busy, d)
			}
			if x, y := fast.Totals(), plain.Totals(); x != y {
				t.Errorf("%d cycles of silence, %d busy: totals %+v, want %+v", silence, busy, x, y)
			}
		}
	}
}

func plainOf(t *testing.T, g topology.Grid, c Config) noc.Network {
	t.Helper()
	n, err := rotary.New(g, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// runOver has traffic, silence, one busy link for some cycles, and the same traffic again.
func runOver(n noc.Network, silence, busy noc.Cycle) (all []noc.Delivery) {
	to := func(until noc.Cycle) {
		for n.Now() < until {
			n.Step(until)
			all = append(all, n.Deliveries()...)
		}
	}
	burst := func() {
		for i := range noc.Cycle(40) {
			n.Offer(noc.Packet{Src: noc.NodeID(i * 7 % 16), Phits: uint16(1 + i%2*4),
				Dst: noc.SetOf(16, noc.NodeID(i*5%16), noc.NodeID(i*3%16), noc.NodeID(i%16))})
			to(n.Now() + 1)
		}
	}
	burst()
	to(n.Now() + silence)
	for end := n.Now() + busy; n.Now() < end; to(n.Now() + 5) {
		n.Offer(noc.Packet{Src: 1, Phits: 5, Dst: noc.One(2)})
	}
	burst()
	to(n.Now() + 400)
	return all
}
