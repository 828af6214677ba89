package buffered

import (
	"flag"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
	"pgregory.net/rapid"
)

// TestEqualsReference compares the engine with the phit-by-phit model on random small networks: every
// delivery in the same cycle, the same phits inside in every cycle, the same counters at the end. CAROUSEL_LONG=1 does
// 2000.
func TestEqualsReference(t *testing.T) {
	takeLong(t)
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.IntRange(0, 3).Draw(t, "mesh") > 0}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		c := Config{
			Classes: rapid.IntRange(1, 3).Draw(t, "classes"), SlotPhits: rapid.SampledFrom([]int{1, 3, 5}).Draw(t, "slot"),
			PhitBits: rapid.SampledFrom([]int{128, 128, 100, 64, 9}).Draw(t, "width"), SourceQueue: rapid.IntRange(1, 4).Draw(t, "queue"),
			Multicast:      rapid.SampledFrom([]Multicast{Replicate, Tree}).Draw(t, "multicast"),
			CopyOrder:      rapid.SampledFrom([]CopyOrder{AfterSource, Ascending}).Draw(t, "order"),
			Bubble:         true,
			BubbleAt:       rapid.SampledFrom([]BubblePlace{Downstream, AtRouter}).Draw(t, "bubble"),
			ChannelArbiter: rapid.SampledFrom([]ChannelArbiter{RoundRobin, Priority}).Draw(t, "arbiter"),
			RouteAfterTail: rapid.Bool().Draw(t, "after tail"),
		}
		c.ChannelPhits = c.SlotPhits * rapid.IntRange(2, 4).Draw(t, "slots")
		n, err := New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "as in a large network") {
			n.routes.near = nil
		}
		p := pair{t: t, g: g, c: c, engine: n, model: newReference(g, c), random: random.Stream(rapid.Uint64().Draw(t, "seed"))}
		if rapid.Bool().Draw(t, "toggles") {
			p.model.content = tagged
			if err := n.CountToggles(tagged); err != nil {
				t.Fatal(err)
			}
		}
		p.run(rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 150)
	})
}

// takeLong asks for as many random networks as a long check takes, if it is one.
func takeLong(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		return
	}
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if err := checks.Value.Set("2000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(before) })
}

// pair runs engine and model side by side.
type pair struct {
	t      *rapid.T
	g      topology.Grid
	c      Config
	engine *Network
	model  *reference
	random random.Stream
	taken  []noc.Delivery // of bounded sinks, to be freed
	seen   int
}

func (p *pair) run(load float64, cycles noc.Cycle) {
	for i := range p.random.Below(4) { // some bounded sinks
		node, class := p.random.Below(p.g.Nodes()), i%p.c.Classes
		places := 1 + p.random.Below(2)
		p.engine.LimitSink(noc.NodeID(node), noc.Class(class), places)
		p.model.places[[2]int{node, class}] = places
	}
	for p.engine.Now() < cycles || p.engine.InFlight() > 0 {
		if p.engine.Now() > 20000 {
			p.t.Fatalf("%d deliveries are missing; stuck: %v", p.engine.InFlight(), p.engine.Explain())
		}
		if p.engine.Now() < cycles {
			p.offer(load)
		}
		p.free()
		p.engine.Step(p.engine.Now() + 1)
		p.model.cycle()
		p.compare()
	}
	p.engine.Step(p.engine.Now() + 20)
	for range 20 {
		p.model.cycle()
	}
	p.compareCounters()
}

// offer offers the same packets to both.
func (p *pair) offer(load float64) {
	nodes := p.g.Nodes()
	for src := range nodes {
		if p.random.Float64() > load/float64(p.c.SlotPhits) {
			continue
		}
		dst := noc.SetOf(nodes, noc.NodeID(p.random.Below(nodes)))
		for p.random.Below(3) == 0 {
			dst.Add(noc.NodeID(p.random.Below(nodes)))
		}
		packet := noc.Packet{Src: noc.NodeID(src), Dst: dst, Tag: noc.Tag(p.random.Below(1 << 30)),
			Phits: uint16(1 + p.random.Below(p.c.SlotPhits)), Class: noc.Class(p.random.Below(p.c.Classes))}
		if one, two := p.engine.Offer(packet), p.model.offer(packet); one != two {
			p.t.Fatalf("cycle %d: Offer of node %d is %v, in the model %v", p.model.now, src, one, two)
		}
	}
}

// free gives back, after a while, the places of packets that went into bounded sinks.
func (p *pair) free() {
	for len(p.taken) > 0 && p.random.Below(4) == 0 {
		d := p.taken[0]
		p.taken = p.taken[1:]
		p.engine.FreeSink(d.At, d.Class)
		p.model.places[[2]int{int(d.At), int(d.Class)}]++
	}
}

func (p *pair) compare() {
	now := p.model.now
	if p.engine.Now() != now {
		p.t.Fatalf("the engine is at cycle %d, the model at %d", p.engine.Now(), now)
	}
	got := p.engine.Deliveries()
	for _, want := range p.model.arrived {
		if len(got) == 0 || got[0] != want {
			p.t.Fatalf("cycle %d: the model delivers %+v, the engine %+v", now, want, got)
		}
		if _, bounded := p.model.places[[2]int{int(want.At), int(want.Class)}]; bounded {
			p.taken = append(p.taken, want)
		}
		got = got[1:]
		p.seen++
	}
	if len(got) > 0 {
		p.t.Fatalf("cycle %d: only the engine delivers %+v", now, got)
	}
	p.model.arrived = p.model.arrived[:0]
	if got, want := p.engine.Totals().Buffered, p.model.phits(); got != want {
		p.t.Fatalf("cycle %d: %d phits inside, in the model %d", now, got, want)
	}
	for r, a := range p.engine.Activity(nil) {
		if want := p.model.routers[r].activity; a.IdleCycles != want.IdleCycles || a.ArbRequests != want.ArbRequests {
			p.t.Fatalf("cycle %d, router %d: %d idle cycles, requests %v; in the model %d, %v", now, r,
				a.IdleCycles, a.ArbRequests, want.IdleCycles, want.ArbRequests)
		}
	}
	if err := p.engine.CheckInvariants(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) compareCounters() {
	for r, a := range p.engine.Activity(nil) {
		want := p.model.routers[r].activity
		a.HeaderTests, a.HeaderWrites = 0, 0 // the model has no headers
		if a != want {
			p.t.Fatalf("router %d:\n%+v\nin the model:\n%+v", r, a, want)
		}
	}
	for _, l := range p.engine.Links(nil) {
		if want := p.model.routers[l.From].links[l.Port]; l.Phits != want {
			p.t.Fatalf("%+v carried %d phits in the model", l, want)
		}
	}
}
