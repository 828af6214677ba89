package wormhole

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// scattered plans at random, the same for the same request: worms along rising and along falling labels,
// some of which start where others stop, some with explicit paths, in one round or several.
type scattered struct {
	w      *topology.Wiring
	of     []int
	router routing.Function
}

func (s scattered) Plan(r multicast.Request) (multicast.Plan, error) {
	random := noctest.Random(uint64(r.Source)*977 + 1)
	for _, d := range r.Destinations {
		random = noctest.Random(uint64(random)*31 + uint64(d))
	}
	todo := slices.Clone(r.Destinations)
	from := []int{-1} // worms that can be followed
	var plan multicast.Plan
	for len(todo) > 0 {
		after := from[random.Below(len(from))]
		start := r.Source
		if after >= 0 {
			start = plan[after].Stops[random.Below(len(plan[after].Stops))]
		}
		rising := random.Below(2) == 0
		var stops []noc.NodeID
		for _, d := range todo {
			if s.of[d] > s.of[start] == rising && random.Below(4) > 0 {
				stops = append(stops, d)
			}
		}
		if len(stops) == 0 {
			continue
		}
		slices.SortFunc(stops, func(a, b noc.NodeID) int {
			if rising {
				return s.of[a] - s.of[b]
			}
			return s.of[b] - s.of[a]
		})
		todo = slices.DeleteFunc(todo, func(d noc.NodeID) bool { return slices.Contains(stops, d) })
		w := multicast.Worm{From: start, Stops: stops, After: after}
		if random.Below(2) == 0 {
			w.Path = []noc.NodeID{}
			at := start
			for _, d := range stops {
				for at != d {
					at = s.w.Channels[s.router.Next(at, d)].To
					w.Path = append(w.Path, at)
				}
			}
		}
		last := -1
		for _, o := range plan {
			if o.From == start && o.After == after {
				last = max(last, o.Round)
			}
		}
		w.Round = max(last, 0)
		if last >= 0 && random.Below(2) == 0 {
			w.Round++
		}
		plan = append(plan, w)
		from = append(from, len(plan)-1)
	}
	return plan, nil
}

// TestEqualsReference compares the engine with the flit-by-flit model on random small networks: every
// delivery in the same cycle, the same phits inside in every cycle, the same counters at the end.
func TestEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.Bool().Draw(t, "wrap")}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		c := Default()
		c.Classes = rapid.IntRange(1, 3).Draw(t, "classes")
		c.MaxPhits = rapid.SampledFrom([]int{1, 3, 9, 20}).Draw(t, "longest")
		c.CreditCycles = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "credit")
		c.BufferPhits = c.CreditCycles + rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "buffer")
		c.RouteCycles = rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "route")
		c.InjectionChannels = rapid.Bool().Draw(t, "injection channels")
		c.InjectionPorts = rapid.IntRange(0, 3).Draw(t, "injection ports")
		c.HeaderPhits = rapid.IntRange(0, 1).Draw(t, "header")
		c.Startup = rapid.SampledFrom([]int{0, 0, 1, 13}).Draw(t, "startup")
		c.Preparation = rapid.SampledFrom([]int{0, 2}).Draw(t, "preparation")
		c.CutThrough = rapid.Bool().Draw(t, "cut")
		c.SourceQueue = rapid.IntRange(1, 4).Draw(t, "queue")
		w := g.Wiring()
		r, err := routing.SnakeLabels(g, w)
		labelled := true
		if rapid.Bool().Draw(t, "dimension order") && !g.Wrap {
			labelled = false
			r, err = routing.DimensionOrder(g, w)
		}
		if err != nil {
			t.Fatal(err)
		}
		var planner dispatch.Planner
		if labelled && rapid.Bool().Draw(t, "plans") {
			planner = scattered{w, multicast.SnakeLabels(g), r}
		} else {
			c.EjectionChannels = rapid.IntRange(0, 3).Draw(t, "ejection channels")
		}
		n, err := New(w, c, r, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := pair{t: t, c: c, engine: n, model: newReference(w, c, r, planner), random: noctest.Random(rapid.Uint64().Draw(t, "seed"))}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 150)
	})
}

// doubling plans by recursive doubling; its worms have the paths of the idle network or leave them to the network.
type doubling struct {
	route func(a, b noc.NodeID) []noc.NodeID
	paths bool
}

func (d doubling) Plan(r multicast.Request) (multicast.Plan, error) {
	plan := multicast.Doubling(multicast.RotatedChain(r), d.route)
	for i := range plan {
		if !d.paths {
			plan[i].Path = nil
		}
	}
	return plan, nil
}

// OneStop lets one ejection channel do.
func (doubling) OneStop() bool { return true }

// TestEqualsReferenceAdaptive does the same on multistage and irregular networks, where headers have choices.
func TestEqualsReferenceAdaptive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom([]string{"min:baseline:8:2", "min:baseline:9:3", "bimin:butterfly:8:2", "bimin:butterfly:16:4", "bimin:butterfly:4:4",
			"lattice:9:1", "lattice:7:2:3:2", "lattice:12:3:4", "lattice:16:1:4:1", "lattice:4:1:2:4"}).Draw(t, "network")
		l, err := topology.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		network := multicast.NewNetwork(l)
		var r routing.Function
		if l.Multistage != nil {
			r, err = routing.Stages(*l.Multistage, l.Wiring)
		} else {
			tree, treeErr := network.Tree()
			if treeErr != nil {
				t.Fatal(treeErr)
			}
			r, err = routing.UpDown(tree, l.Wiring)
		}
		if err != nil {
			t.Fatal(err)
		}
		route, err := network.Route()
		if err != nil {
			t.Fatal(err)
		}
		c := Default()
		c.Classes = rapid.IntRange(1, 3).Draw(t, "classes")
		c.MaxPhits = rapid.SampledFrom([]int{1, 3, 9, 20}).Draw(t, "longest")
		c.CreditCycles = rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "credit")
		c.BufferPhits = c.CreditCycles + rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "buffer")
		c.RouteCycles = rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "route")
		c.InjectionChannels = rapid.Bool().Draw(t, "injection channels")
		c.InjectionPorts, c.EjectionChannels = rapid.IntRange(0, 2).Draw(t, "injection ports"), rapid.IntRange(0, 2).Draw(t, "ejection channels")
		c.Startup = rapid.SampledFrom([]int{0, 0, 13}).Draw(t, "startup")
		var planner dispatch.Planner
		if rapid.Bool().Draw(t, "plans") {
			planner = doubling{route, rapid.Bool().Draw(t, "paths")}
		}
		n, err := New(l.Wiring, c, r, planner)
		if err != nil {
			t.Fatal(err)
		}
		p := pair{t: t, c: c, engine: n, model: newReference(l.Wiring, c, r, planner), random: noctest.Random(rapid.Uint64().Draw(t, "seed"))}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 60)
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

func (p *pair) run(load float64, cycles noc.Cycle) {
	nodes := p.engine.Nodes()
	limits := p.random.Below(4)
	if p.model.planner != nil {
		limits = 0 // a worm would hold places of its first stops while it waits for one of a later
	}
	for i := range limits {
		node, class := p.random.Below(nodes), i%p.c.Classes
		places := 1 + p.random.Below(2)
		p.engine.LimitSink(noc.NodeID(node), noc.Class(class), places)
		p.model.places[[2]int{node, class}] = places
	}
	for p.engine.Now() < cycles || p.engine.InFlight() > 0 {
		if p.engine.Now() > 20000 {
			p.t.Fatalf("%d deliveries are missing; stuck: %v; deadlock: %v", p.engine.InFlight(), p.engine.Explain(), p.engine.Deadlock())
		}
		if p.engine.Now() < cycles {
			p.offer(load)
		}
		for len(p.taken) > 0 && p.random.Below(4) == 0 {
			d := p.taken[0]
			p.taken = p.taken[1:]
			p.engine.FreeSink(d.At, d.Class)
			p.model.places[[2]int{int(d.At), int(d.Class)}]++
		}
		p.engine.Step(p.engine.Now() + 1)
		p.model.cycle()
		p.compare()
	}
	for i, a := range p.engine.Activity(nil) {
		if want := p.model.activity[i]; a != want {
			p.t.Fatalf("router %d:\n%+v\nin the model:\n%+v", i, a, want)
		}
	}
	for i, l := range p.engine.Links(nil) {
		if want := p.model.channels[i].phits; l.Phits != want {
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
		for p.random.Below(3) > 0 {
			dst.Add(noc.NodeID(p.random.Below(nodes)))
		}
		packet := noc.Packet{Src: noc.NodeID(src), Dst: dst, Tag: p.tag, Phits: uint16(1 + p.random.Below(p.c.MaxPhits)),
			Class: noc.Class(p.random.Below(p.c.Classes)), Ordered: p.random.Below(4) == 0}
		p.tag++
		if one, two := p.engine.Offer(packet), p.model.offer(packet); one != two {
			p.t.Fatalf("cycle %d: Offer of node %d is %v, in the model %v", p.model.now, src, one, two)
		}
	}
}

func (p *pair) compare() {
	now := p.model.now
	got := p.engine.Deliveries()
	for _, want := range p.model.arrived {
		if len(got) == 0 || got[0] != want {
			p.t.Fatalf("cycle %d: the model delivers %+v, the engine %+v", now, want, got)
		}
		if _, bounded := p.model.places[[2]int{int(want.At), int(want.Class)}]; bounded {
			p.taken = append(p.taken, want)
		}
		got = got[1:]
	}
	if len(got) > 0 {
		p.t.Fatalf("cycle %d: only the engine delivers %+v", now, got)
	}
	p.model.arrived = p.model.arrived[:0]
	if got, want := p.engine.Totals().Buffered, p.model.phits(); got != want {
		p.t.Fatalf("cycle %d: %d phits inside, in the model %d", now, got, want)
	}
	for r, a := range p.engine.Activity(nil) {
		if want := p.model.activity[r].IdleCycles; a.IdleCycles != want {
			p.t.Fatalf("cycle %d, router %d: %d idle cycles, in the model %d", now, r, a.IdleCycles, want)
		}
	}
	if err := p.engine.CheckInvariants(); err != nil {
		p.t.Fatal(err)
	}
}
