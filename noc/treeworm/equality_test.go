package treeworm

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// doubling plans unicasts in steps, as software does.
type doubling struct{}

func (doubling) Plan(r multicast.Request) (multicast.Plan, error) {
	return multicast.Doubling(multicast.RotatedChain(r), func(_, _ noc.NodeID) []noc.NodeID { return nil }), nil
}

// sizes are small networks: ports of a switch and stages.
var sizes = [][2]int{{2, 1}, {2, 2}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {4, 1}, {4, 2}}

// drawNetwork draws a network.
func drawNetwork(t *rapid.T) topology.Multistage {
	s := rapid.SampledFrom(sizes).Draw(t, "size")
	return topology.Multistage{Bidirectional: rapid.Bool().Draw(t, "bidirectional"), Arity: s[0], Stages: s[1]}
}

// drawConfig draws parameters; without tokens the network may stop.
func drawConfig(t *rapid.T, m topology.Multistage) Config {
	c := Default()
	c.Classes = rapid.IntRange(1, 2).Draw(t, "classes")
	c.MaxPhits = rapid.SampledFrom([]int{1, 4, 9, 20}).Draw(t, "longest")
	c.BufferPhits = rapid.SampledFrom([]int{1, 1, 2, 5, 30}).Draw(t, "buffer")
	c.RouteCycles = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "route")
	c.HeaderPhits = rapid.IntRange(0, 2).Draw(t, "header")
	c.Consumption = rapid.SampledFrom([]int{1, m.Arity}).Draw(t, "consumption")
	c.TokenHop = rapid.IntRange(0, 3).Draw(t, "hop")
	c.Release = rapid.SampledFrom([]Release{Headers, Flits}).Draw(t, "release")
	c.Arbitration = rapid.SampledFrom([]Arbitration{Oldest, RoundRobin}).Draw(t, "arbitration")
	c.Adaptive = rapid.Bool().Draw(t, "adaptive")
	c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
	c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
	c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
	return c
}

// TestEqualsReference compares the engine with the flit-by-flit model on random small networks: every
// delivery in the same cycle, the same phits inside in every cycle, the same counters at the end.
func TestEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawNetwork(t)
		c := drawConfig(t, m)
		planner := rapid.SampledFrom([]dispatch.Planner{Tree{}, Tree{}, Tree{}, doubling{}, nil}).Draw(t, "planner")
		n, err := New(m, c, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := pair{t: t, c: c, engine: n, model: newReference(m, c, planner), random: noctest.Random(rapid.Uint64().Draw(t, "seed"))}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 120, planner == dispatch.Planner(Tree{}))
	})
}

// pair runs engine and model side by side.
type pair struct {
	t      *rapid.T
	c      Config
	engine *Network
	model  *reference
	random noctest.Random
	taken  []noc.Delivery // of bounded sinks, to be freed
	tag    noc.Tag
}

func (p *pair) run(load float64, cycles noc.Cycle, trees bool) {
	nodes := p.engine.Nodes()
	bounded := map[[2]int]bool{}
	limits := p.random.Below(3)
	if trees {
		limits = 0 // a worm would hold places while it waits for others
	}
	for i := range limits {
		node, class := p.random.Below(nodes), i%p.c.Classes
		bounded[[2]int{node, class}] = true
		p.engine.LimitSink(noc.NodeID(node), noc.Class(class), 2)
		p.model.Sinks.Limit(noc.NodeID(node), noc.Class(class), 2)
	}
	for p.engine.Now() < cycles || p.engine.InFlight() > 0 {
		if p.engine.Now() > 30_000 {
			p.t.Fatalf("%d deliveries are missing; stuck: %v; deadlock: %v", p.engine.InFlight(), p.engine.Explain(), p.engine.Deadlock())
		}
		if p.engine.Now() < cycles {
			p.offer(load)
		}
		for len(p.taken) > 0 && p.random.Below(4) == 0 {
			d := p.taken[0]
			p.taken = p.taken[1:]
			p.engine.FreeSink(d.At, d.Class)
			p.model.Sinks.Release(d.At, d.Class)
		}
		p.engine.Step(p.engine.Now() + 1)
		p.model.cycle()
		p.compare(bounded)
	}
	for i, a := range p.engine.Activity(nil) {
		if want := p.model.activity[i]; a != want {
			p.t.Fatalf("switch %d:\n%+v\nin the model:\n%+v", i, a, want)
		}
	}
	for _, l := range p.engine.Links(nil) {
		if want := p.model.links[[2]int{int(l.From), int(l.Port)}]; l.Phits != want {
			p.t.Fatalf("%+v carried %d phits in the model", l, want)
		}
	}
}

// offer offers the same packets to both.
func (p *pair) offer(load float64) {
	nodes := p.engine.Nodes()
	for src := range nodes {
		if p.random.Float() > load/float64(p.c.MaxPhits) {
			continue
		}
		dst := noc.SetOf(nodes, noc.NodeID(p.random.Below(nodes)))
		for p.random.Below(4) > 0 {
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

func (p *pair) compare(bounded map[[2]int]bool) {
	now := p.model.Clock
	got, want := p.engine.Deliveries(), p.model.Deliveries()
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			p.t.Fatalf("cycle %d: the model delivers %+v, the engine %+v", now, want, got)
		}
		if bounded[[2]int{int(want[i].At), int(want[i].Class)}] {
			p.taken = append(p.taken, want[i])
		}
	}
	if len(got) > len(want) {
		p.t.Fatalf("cycle %d: only the engine delivers %+v", now, got[len(want):])
	}
	if got, want := p.engine.Totals().Buffered, p.model.phits(); got != want {
		p.t.Fatalf("cycle %d: %d phits inside, in the model %d", now, got, want)
	}
	for r, a := range p.engine.Activity(nil) {
		if want := p.model.activity[r].IdleCycles; a.IdleCycles != want {
			p.t.Fatalf("cycle %d, switch %d: %d idle cycles, in the model %d", now, r, a.IdleCycles, want)
		}
	}
	if err := p.engine.CheckInvariants(); err != nil {
		p.t.Fatal(err)
	}
}
