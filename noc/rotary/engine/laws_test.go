package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

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
		n, rng := build(t, g, c), rand.New(rand.NewPCG(1, 1))
		for i := range noc.Tag(2000) {
			n.Offer(noc.Packet{Src: noc.NodeID(rng.IntN(64)), Dst: noc.One(noc.NodeID(rng.IntN(64))), Phits: 5, Tag: i})
			n.Step(n.Now() + 1)
		}
		return drain(t, n, 10_000)
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("the same seed gave different runs")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("different seeds gave the same run")
	}
}

// TestNoAllocation: nothing is allocated once the network has warmed up.
func TestNoAllocation(t *testing.T) {
	for _, c := range []rotary.Config{extended(rotary.DefaultRR()), extended(rotary.DefaultMRR()), variant(rotary.Tree), variant(rotary.Path)} {
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

// TestCopiesShareWorm: all copies of a broadcast are one worm as long as any of them is on its way;
// in the end the arena holds nothing.
func TestCopiesShareWorm(t *testing.T) {
	for _, c := range []rotary.Config{extended(rotary.DefaultMRR()), variant(rotary.Tree), variant(rotary.Path)} {
		for _, g := range []topology.Grid{topology.Torus(8, 8), topology.Torus(9, 8)} {
			n := build(t, g, c)
			broadcast(n, 3)
			worms := 1
			if c.Multicast == rotary.Path { // goes two ways, as two packets
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

func plainOf(t *testing.T, g topology.Grid, c rotary.Config) noc.Network {
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
