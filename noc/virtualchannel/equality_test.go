package virtualchannel

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// groups plans by qualified groups on meshes, which has worms of two steps, and by dual-path worms on tori.
type groups struct {
	*multicast.Labelled
	g topology.Grid
}

func newGroups(g topology.Grid) groups {
	l, err := multicast.NewLabelled(g.Wiring(), multicast.SnakeLabels(g))
	if err != nil {
		panic(err)
	}
	return groups{l, g}
}

func (s groups) Plan(r multicast.Request) (multicast.Plan, error) {
	if s.g.Wrap {
		return multicast.DualPath(s.Labelled, r), nil
	}
	o := multicast.DefaultGroupOptions()
	q, err := multicast.QualifiedGroups(s.g, r, o)
	if err != nil {
		return nil, err
	}
	return q.Plan(s.Labelled, &s.g, r, o), nil
}

// anyConfig draws a router.
func anyConfig(t *rapid.T) Config {
	c := Default()
	c.Classes = rapid.IntRange(1, 3).Draw(t, "classes")
	c.VirtualChannels = rapid.SampledFrom([]int{0, 2, 3, 5, 8}).Draw(t, "channels")
	c.BufferPhits = rapid.SampledFrom([]int{1, 2, 5, 8}).Draw(t, "buffer")
	c.MaxPhits = rapid.SampledFrom([]int{1, 3, 5, 12}).Draw(t, "longest")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "route")
	c.SwitchCycles = rapid.SampledFrom([]int{0, 1, 1, 3}).Draw(t, "switch")
	c.LinkCycles = rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "link")
	c.CreditCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "credit")
	c.Speculative = rapid.Bool().Draw(t, "speculative")
	c.EjectionPerInput = rapid.Bool().Draw(t, "ejection per input")
	c.Startup = rapid.SampledFrom([]int{0, 0, 7}).Draw(t, "startup")
	c.CutThrough = rapid.Bool().Draw(t, "cut")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	return c
}

// doubling plans by recursive doubling, along ways that the network chooses.
type doubling struct{}

func (doubling) Plan(r multicast.Request) (multicast.Plan, error) {
	return multicast.Doubling(multicast.RotatedChain(r), func(a, b noc.NodeID) []noc.NodeID { return nil }), nil
}

// OneStop lets any node take its worms.
func (doubling) OneStop() bool { return true }

// TestEqualsReferenceAnywhere does the same on multistage and irregular networks, where nodes share switches, leave by
// others than they enter, and headers have choices.
func TestEqualsReferenceAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, err := topology.Open(rapid.SampledFrom([]string{"min:baseline:8:2", "min:baseline:9:3", "bimin:butterfly:8:2", "bimin:butterfly:9:3",
			"bimin:butterfly:4:4", "lattice:9:1", "lattice:7:2:3:2", "lattice:12:3:4", "lattice:4:1:2:4"}).Draw(t, "network"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := routing.Native(l)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 3).Draw(t, "fixed") == 0 {
			r = routing.Fixed(r)
		}
		c := anyConfig(t)
		var planner dispatch.Planner
		if rapid.Bool().Draw(t, "plans") {
			planner = doubling{}
		}
		n, err := NewWiring(l.Wiring, c, r, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := pair{t: t, c: c, engine: n, model: newReference(l.Wiring, l.Wiring.Ports(), 1, n.routes, c, planner),
			random: noctest.Random(rapid.Uint64().Draw(t, "seed")), plans: planner != nil}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 60)
	})
}

// TestEqualsReference compares the engine with the flit-by-flit model on random small networks: every
// delivery in the same cycle, the same flits inside in every cycle, the same counters at the end.
func TestEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.Bool().Draw(t, "wrap")}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		c := anyConfig(t)
		c.Routing = rapid.SampledFrom([]Routing{DimensionOrder, Labels}).Draw(t, "routing")
		var planner dispatch.Planner
		if c.Routing == Labels && c.EjectionPerInput {
			planner = newGroups(g)
		}
		n, err := New(g, c, planner)
		if err != nil {
			t.Fatal(err)
		}
		w := g.Wiring()
		s, err := newRoutes(g, w, c.Routing)
		if err != nil {
			t.Fatal(err)
		}
		p := pair{t: t, c: c, engine: n, model: newReference(w, g.Ports(), c.datelines(g), s, c, planner), random: noctest.Random(rapid.Uint64().Draw(t, "seed")), plans: planner != nil}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 150)
	})
}

// pair runs engine and model side by side.
type pair struct {
	t      *rapid.T
	c      Config
	engine *Network
	model  *reference
	random noctest.Random
	plans  bool
	tag    noc.Tag
	limits map[noc.NodeID]noc.Class // bounded sinks
	taken  []noc.Delivery           // of bounded sinks, to be freed
}

func (p *pair) run(load float64, cycles noc.Cycle) {
	p.engine.few = rapid.SampledFrom([]int{-1, 3, fewFlits, 1000}).Draw(p.t, "few")
	p.limits = map[noc.NodeID]noc.Class{}
	for range p.random.Below(4) {
		node, class, places := noc.NodeID(p.random.Below(p.engine.Nodes())), noc.Class(p.random.Below(p.c.Classes)), 1+p.random.Below(2)
		if _, again := p.limits[node]; again || p.plans {
			continue
		}
		p.limits[node] = class
		p.engine.LimitSink(node, class, places)
		p.model.Sinks.Limit(node, class, places)
	}
	for p.engine.Now() < cycles || p.engine.InFlight() > 0 {
		if p.engine.Now() > 20000 {
			p.t.Fatalf("%d deliveries are missing; stuck: %v", p.engine.InFlight(), p.engine.Explain())
		}
		if p.engine.Now() < cycles {
			p.offer(load)
		}
		for len(p.taken) > 0 && p.random.Below(4) == 0 {
			p.engine.FreeSink(p.taken[0].At, p.taken[0].Class)
			p.model.Sinks.Release(p.taken[0].At, p.taken[0].Class)
			p.taken = p.taken[1:]
		}
		p.engine.Step(p.engine.Now() + 1)
		p.model.cycle()
		p.compare()
	}
	for r, a := range p.engine.Activity(nil) {
		if want := p.model.activity[r]; a != want {
			p.t.Fatalf("router %d:\n%+v\nin the model:\n%+v", r, a, want)
		}
	}
	for _, l := range p.engine.Links(nil) {
		if want := p.model.routers[l.From].outputs[l.Port].phits; l.Phits != want {
			p.t.Fatalf("%+v carried %d phits in the model", l, want)
		}
	}
}

// offer offers the same packets to both.
func (p *pair) offer(load float64) {
	nodes := p.engine.Nodes()
	for i := range 2 * nodes { // a node may offer two in a cycle
		src := i / 2
		if p.random.Float() > load/2/float64(p.c.MaxPhits) {
			continue
		}
		dst := noc.SetOf(nodes, noc.NodeID(p.random.Below(nodes)))
		for p.random.Below(3) == 0 {
			dst.Add(noc.NodeID(p.random.Below(nodes)))
		}
		packet := noc.Packet{Src: noc.NodeID(src), Dst: dst, Tag: p.tag, Phits: uint16(1 + p.random.Below(p.c.MaxPhits)),
			Class: noc.Class(p.random.Below(p.c.Classes)), Ordered: p.random.Below(4) == 0}
		p.tag++
		if one, two := p.engine.Offer(packet), p.model.Offer(packet); one != two {
			p.t.Fatalf("cycle %d: Offer of node %d is %v, in the model %v", p.model.Clock, src, one, two)
		}
	}
}

func (p *pair) compare() {
	now := p.model.Clock
	got, want := p.engine.Deliveries(), p.model.Deliveries()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			p.t.Fatalf("cycle %d: the engine delivers %+v, the model %+v", now, got, want)
		}
		if class, bounded := p.limits[got[i].At]; bounded && class == got[i].Class {
			p.taken = append(p.taken, got[i])
		}
	}
	if got := p.engine.Totals().Buffered; got != p.model.inside {
		p.t.Fatalf("cycle %d: %d flits inside, in the model %d", now, got, p.model.inside)
	}
	for r, a := range p.engine.Activity(nil) {
		if want := p.model.activity[r]; a.IdleCycles != want.IdleCycles || a.ArbRequests != want.ArbRequests {
			p.t.Fatalf("cycle %d, router %d: %d idle cycles, requests %v; in the model %d, %v", now, r,
				a.IdleCycles, a.ArbRequests, want.IdleCycles, want.ArbRequests)
		}
	}
	if err := p.engine.CheckInvariants(); err != nil {
		p.t.Fatal(err)
	}
}
