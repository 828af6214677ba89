package engine

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestEqualsPlain compares the engine with the plain routers on random small networks: every
// delivery in the same cycle, the same totals and counters in every cycle. CAROUSEL_LONG=1 takes
// 2000 networks.
func TestEqualsPlain(t *testing.T) {
	takeLong(t)
	rapid.Check(t, func(t *rapid.T) {
		g := topology.Grid{Wrap: rapid.IntRange(0, 3).Draw(t, "mesh") > 0}
		for range rapid.SampledFrom([]int{1, 2, 2, 2, 3}).Draw(t, "dimensions") {
			g.Radix = append(g.Radix, rapid.IntRange(2, 4).Draw(t, "radix"))
		}
		c := buffered.Config{
			Classes: rapid.IntRange(1, 3).Draw(t, "classes"), SlotPhits: rapid.SampledFrom([]int{1, 3, 5}).Draw(t, "slot"),
			PhitBits: rapid.SampledFrom([]int{128, 128, 100, 64, 9}).Draw(t, "width"), SourceQueue: rapid.IntRange(1, 4).Draw(t, "queue"),
			Multicast:        rapid.SampledFrom([]buffered.Multicast{buffered.Replicate, buffered.Tree}).Draw(t, "multicast"),
			Bubble:           true,
			RouteAfterTail:   rapid.Bool().Draw(t, "after tail"),
			RouteCycles:      rapid.SampledFrom([]int{1, 1, 0, 2, 15}).Draw(t, "route"),
			AllocationCycles: rapid.SampledFrom([]int{1, 1, 2, 15}).Draw(t, "allocation"),
			LinkCycles:       rapid.SampledFrom([]int{1, 1, 2, 3, 15}).Draw(t, "link"),
			EveryCycle:       rapid.IntRange(0, 3).Draw(t, "every cycle") == 0,
		}
		c.ChannelPhits = c.SlotPhits * rapid.IntRange(2, 4).Draw(t, "slots")
		c.Slots = rapid.SampledFrom([]buffered.SlotSize{buffered.ByClass, buffered.Longest, buffered.Reserved}).Draw(t, "slot size")
		for class := range c.Classes {
			c.ClassPhits[class] = rapid.IntRange(0, c.SlotPhits).Draw(t, "longest of class")
		}
		if c.Validate(g) != nil {
			c.ChannelPhits = 4 * c.SlotPhits // always enough
		}
		if own := rapid.SampledFrom([]int{0, 0, 1, 4, 15}).Draw(t, "own latency"); own > 0 {
			links := topology.LinksOptions{X: topology.LinkOptions{Link: topology.Link{Cycles: own}, Every: rapid.IntRange(0, 2).Draw(t, "every")}}
			c.Links = must.Get(g.Layout().WithLinks(links)).Wiring
		}
		compare(t, g, c, rapid.SampledFrom([]float64{0.05, 0.3, 1.5}).Draw(t, "load"), 150)
	})
}

// compare runs engine and plain routers side by side.
func compare(t *rapid.T, g topology.Grid, c buffered.Config, load float64, cycles noc.Cycle) {
	fast := must.Get(New(g, c))
	plain := must.Get(buffered.New(g, c))
	if rapid.Bool().Draw(t, "as in a large network") {
		fast.routes.near = nil
	}
	p := noctest.Pair{Engine: fast, Model: plain, Random: random.Stream(rapid.Uint64().Draw(t, "seed")),
		Classes: c.Classes, Phits: c.SlotPhits, ClassPhits: c.ClassPhits, Load: load, Others: 0.5, Bound: true, Closely: rapid.IntRange(0, 3).Draw(t, "closely")}
	p.Run(t, cycles)
}

// takeLong asks for as many random networks as a long check takes, if it is one.
func takeLong(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		return
	}
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	must.Do(checks.Value.Set("2000"))
	t.Cleanup(func() { _ = checks.Value.Set(before) })
}

// TestConformance holds the variants that noc/models does not list to the laws of package noc.
func TestConformance(t *testing.T) {
	variants := map[string]func(*buffered.Config){
		"tree":    func(c *buffered.Config) { c.Multicast = buffered.Tree },
		"overlap": func(c *buffered.Config) { c.RouteAfterTail = false; c.ChannelPhits = 15 },
	}
	for name, change := range variants {
		c := buffered.DefaultBase()
		change(&c)
		slow := c
		slow.EveryCycle = true
		t.Run(name, func(t *testing.T) {
			noctest.Run(t, noctest.Subject{Classes: 6, Phits: 5, Grids: noctest.FewGrids(),
				Build:      func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, c) },
				EveryCycle: func(g topology.Grid, _ uint64) (noc.Network, error) { return New(g, slow) }})
		})
	}
}
