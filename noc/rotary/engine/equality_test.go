package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestEqualsPlain holds the engine to the plain router on random grids, configurations and traffic:
// the same offers are refused, every packet arrives in the same cycle, the same routers are idle,
// the same requests are made, and the same packets wait for the same reasons; when all has arrived
// all counters are the same. -rapid.checks=2000 compares 2,000 configurations.
func TestEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(equalGrids).Draw(t, "grid")
		c := drawConfig(t)
		plain := noctest.Must(rotary.New(g, c))
		fast := noctest.Must(New(g, c))
		const cycles = 220
		p := noctest.Pair{Engine: fast, Model: plain, Random: random.Stream(rapid.Uint64().Draw(t, "traffic")),
			Classes: c.Classes, Phits: c.SlotPhits, Closely: 20, Stops: rapid.SampledFrom([]noc.Cycle{cycles, 8 * cycles}).Draw(t, "stops"),
			Load:    rapid.SampledFrom([]float64{0.3, 0.01, 0.1, 1}).Draw(t, "load"),
			Others:  rapid.SampledFrom([]float64{0.3, 0, 8}).Draw(t, "others"),
			Hotspot: rapid.IntRange(0, 3).Draw(t, "hotspot") == 0,
			Places:  max(0, rapid.IntRange(-5, 3).Draw(t, "places")),
			Stride:  rapid.SampledFrom([]int{1, 1, 7, 30}).Draw(t, "stride")}
		p.Run(t, cycles)
	})
}

var equalGrids = []topology.Grid{
	topology.Torus(4, 4), topology.Torus(5, 3), topology.Mesh(4, 3), topology.Torus(5), topology.Mesh(4),
	topology.Torus(2, 2), topology.Torus(3, 2, 3), topology.Mesh(2, 3, 2), topology.Torus(9, 8),
}

// drawConfig draws from all options: half of the configurations follow a rule set, the others any
// rules.
func drawConfig(t *rapid.T) rotary.Config {
	sets := rotary.RuleSets()
	c := rotary.DefaultRR().WithRules(sets[rapid.IntRange(0, len(sets)-1).Draw(t, "rules")].Name)
	pick := func(key string, from ...int) int { return rapid.SampledFrom(from).Draw(t, key) }
	maybe := func(key string) bool { return rapid.IntRange(0, 3).Draw(t, key) == 0 }
	c.Seed = rapid.Uint64().Draw(t, "seed")
	c.Multicast = rapid.SampledFrom([]rotary.Scheme{rotary.Adaptive, rotary.Replicate, rotary.Adaptive, rotary.Tree, rotary.Path}).Draw(t, "multicast")
	c.UnlimitedOutput = maybe("unlimited_output")
	c.SlotPhits = pick("slot_phits", 5, 5, 5, 1, 3)
	c.InputStagePhits = c.SlotPhits * pick("input slots", 2, 2, 1, 3)
	c.SegmentPhits = c.SlotPhits * pick("segment slots", 4, 4, 3, 6)
	c.OutputStagePhits = c.SlotPhits * pick("output slots", 4, 4, 2, 6)
	c.Classes = pick("classes", 6, 1, 3)
	c.SourceQueue = rapid.IntRange(1, 16).Draw(t, "source_queue")
	c.EveryCycle = maybe("every cycle")
	c.PhitBits = pick("phit_bits", 128, 77, 64, 1)
	if rapid.Bool().Draw(t, "rules one by one") {
		drawRules(t, &c)
	}
	return c
}

// drawRules draws every rule by itself.
func drawRules(t *rapid.T, c *rotary.Config) {
	pick := func(key string, from ...int) int { return rapid.SampledFrom(from).Draw(t, key) }
	maybe := func(key string) bool { return rapid.IntRange(0, 3).Draw(t, key) == 0 }
	c.TurnSlots = pick("turn_slots", 1, 1, 1, 2)
	c.MissLimit = pick("miss_limit", 6, 6, 3, 10, 255)
	c.InjectLimit = pick("inject_limit", 40, 22, 30, 12)
	c.CalmInjection = !maybe("no calm")
	c.CalmPatience = pick("calm_patience", 256, 1, 20)
	c.HoldAfter = pick("hold_after", 8, 1, 40)
	c.ClassLimit = !maybe("no class limit")
	c.RingTurnBalance = !maybe("no balance")
	c.EntryHold = !maybe("no hold")
}
