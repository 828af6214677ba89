package engine

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// TestEqualsPlain holds the engine to the plain router on random grids, configurations and traffic:
// the same offers are refused, every packet arrives in the same cycle, the same routers are idle,
// the same requests are made, and the same packets wait for the same reasons; when all has arrived
// all counters are the same. -rapid.checks=2000 compares 2,000 configurations.
func TestEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(equalGrids).Draw(t, "grid")
		c := drawConfig(t)
		plain := must.Get(rotary.New(g, c))
		fast := must.Get(New(g, c))
		fast.least = always
		fast.Hold(true)
		defer fast.Hold(false)
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

// TestEqualsPlainAtLimits holds the engine to the plain router where the last segments that are counted make a
// packet aged, or none does: packets to one node turn for long in small buffers.
func TestEqualsPlainAtLimits(t *testing.T) {
	for limit := mostEntered - 2; limit <= mostEntered; limit++ {
		c := mrr().WithRules(rotary.PaperRules)
		c.MissLimit, c.RingTurnBalance, c.Classes, c.SlotPhits = limit, false, 1, 1
		c.InputStagePhits, c.SegmentPhits, c.OutputStagePhits = 1, 3, 2
		g := topology.Torus(4, 4)
		p := noctest.Pair{Engine: must.Get(New(g, c)), Model: must.Get(rotary.New(g, c)), Random: 1,
			Classes: 1, Phits: 1, Load: 1, Hotspot: true, Closely: 20, Stops: 600}
		p.Run(t, 600)
	}
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
	c.Threads = pick("threads", 1, 2)
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
	c.EnterSlots = pick("enter_slots", 2, 2, 2, 3)
	c.InjectSlots = pick("inject_slots", 3, 3, 3, 2)
	c.ReplicateSlots = pick("replicate_slots", 2, 2, 2, 3)
	c.MissLimit = pick("miss_limit", 6, 6, 3, 10, 255)
	c.InjectLimit = pick("inject_limit", 40, 22, 30, 12)
	c.CalmInjection, c.CalmCopies = !maybe("no calm"), rapid.Bool().Draw(t, "calm copies")
	c.CalmPatience = pick("calm_patience", 256, 1, 20)
	c.HoldAfter = pick("hold_after", 8, 1, 40)
	c.ClassLimit = !maybe("no class limit")
	c.RingTurnBalance = !maybe("no balance")
	c.EntryHold = !maybe("no hold")
}

// TestEveryRuleIsDrawn: no rule stays as it is in all configurations that engine and plain form are
// compared on.
func TestEveryRuleIsDrawn(t *testing.T) {
	values := map[string]map[any]bool{}
	for seed := range 300 {
		c := reflect.ValueOf(rapid.Custom(drawConfig).Example(seed))
		for i := range c.NumField() {
			if key := c.Type().Field(i).Tag.Get("rule"); key != "" {
				if values[key] == nil {
					values[key] = map[any]bool{}
				}
				values[key][c.Field(i).Interface()] = true
			}
		}
	}
	for key, seen := range values {
		if len(seen) < 2 {
			t.Errorf("rule %s is %v in all configurations; draw it in drawRules", key, seen)
		}
	}
}

// TestEqualsIndependentImplementation compares saturated networks with a program in C that was
// written from the rules alone: with equal arrivals every packet arrives in the same cycle. The
// numbers are what that program delivers in 4,000 cycles with the readings of rule 7 that the
// package documentation of rotary states.
func TestEqualsIndependentImplementation(t *testing.T) {
	const cycles = 4000
	for _, c := range []struct {
		config     rotary.Config
		pattern    string
		deliveries int
		digest     uint64
	}{
		{rotary.DefaultRR(), "uniform", 39921, 0xf916bb9a356d8ffc},
		{rotary.DefaultRR(), "bit-reversal", 30349, 0x7055630fea533faf},
		{rotary.DefaultRR(), "transpose", 28833, 0x836583c2098a83ba},
		{rotary.DefaultRR(), "perfect-shuffle", 30008, 0x98f0612247aeb66a},
		{rotary.DefaultRR(), "tornado", 15353, 0xc0d80c76202f39ce},
	} {
		c.config.MissLimit, c.config.InjectLimit, c.config.ClassLimit, c.config.CalmInjection = 6, 22, false, false
		c.config.Seed, c.config.SourceQueue = 0, 1<<10
		g := topology.Torus(8, 8)
		n := build(t, g, c.config)
		a := newArrivals(n, targets(t, g, c.pattern))
		deliveries, digest := 0, uint64(0)
		for n.Now() < cycles {
			a.offer(t)
			n.Step(n.Now() + 1)
			for _, d := range n.Deliveries() {
				deliveries++
				digest += random.Mix(uint64(d.Arrived)<<32 | uint64(d.Src)<<20 | uint64(d.At)<<8 | uint64(d.Class))
			}
		}
		if deliveries != c.deliveries || digest != c.digest {
			t.Errorf("%s, %s: %d deliveries with digest %#x, want %d with %#x",
				c.config.Multicast, c.pattern, deliveries, digest, c.deliveries, c.digest)
		}
	}
}

// arrivals are the packets of the program in C, at a load of 1.
type arrivals struct {
	net     noc.Network
	targets []noc.NodeID
	streams []random.Stream // by node
}

func newArrivals(n noc.Network, targets []noc.NodeID) *arrivals {
	a := &arrivals{net: n, targets: targets, streams: make([]random.Stream, n.Nodes())}
	seeds := random.Stream(1*7919 + 12345)
	for at := range a.streams {
		a.streams[at] = random.Stream(seeds.Uint64())
	}
	return a
}

// below returns a random number from 0 to n-1 as the program in C draws it.
func (a *arrivals) below(at, n int) int { return int(a.streams[at].Uint64() >> 32 * uint64(n) >> 32) }

// offer offers the packets of one cycle.
func (a *arrivals) offer(t *testing.T) {
	nodes := len(a.streams)
	for at := range a.streams {
		if a.streams[at].Float64() >= 1.0/5 {
			continue
		}
		k := noc.Packet{Src: noc.NodeID(at), Phits: 5, Class: noc.Class(a.below(at, 6)), Dst: noc.NewNodeSet(nodes)}
		a.streams[at].Float64() // of a multicast; there are none
		if to, sends := a.to(at); sends {
			k.Dst.Add(noc.NodeID(to))
		} else {
			continue
		}
		if !a.net.Offer(k) {
			t.Fatal("a source queue is full")
		}
	}
}

// to returns the destination of a unicast, and whether there is one.
func (a *arrivals) to(at int) (int, bool) {
	if to := a.targets[at]; to != traffic.Anywhere {
		return int(to), int(to) != at
	}
	to := a.below(at, len(a.streams)-1)
	if to >= at {
		to++
	}
	return to, true
}
