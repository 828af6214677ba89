package engine

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// checked is a network that verifies its own state.
type checked interface {
	noc.ToggleCounter
	CheckInvariants() error
}

// TestEqualsPlain holds the engine to the plain router on random grids, configurations and traffic:
// the same offers are refused, every packet arrives in the same cycle, the same routers are idle,
// the same requests are made, and the same packets wait for the same reasons; when all has arrived
// all counters are the same. -rapid.checks=2000 compares 2,000 configurations.
func TestEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(equalGrids).Draw(t, "grid")
		c := drawConfig(t)
		p := drawPlay(t)
		plain, err := rotary.New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		if d := p.compare(fast, plain, g.Nodes(), c); d != "" {
			t.Fatal(d)
		}
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
	c.PacePercent = pick("pace_percent", 120, 0, 100, 333)
	c.PaceSlack = pick("pace_slack", 40, 0, 7)
	c.SenderPercent = pick("sender_percent", 5, 0, 100, 37)
	c.PruneAfter = pick("prune_after", 5, 0, 9)
	c.HoldAfter = pick("hold_after", 8, 1, 40)
	if maybe("lane scope") {
		c.Rule4Scope = rotary.LaneScope
	}
	if maybe("priority") {
		c.InterfaceOrder = rotary.Priority
	}
	c.ClassLimit = !maybe("no class limit")
	c.ClassStep = pick("class_step", 2, 0, 1)
	c.RingTurnBalance = !maybe("no balance")
	c.EntryHold = !maybe("no hold")
	c.LaneBlock = !maybe("no lane block")
	c.EntryHysteresis = maybe("hysteresis")
}

// play is random traffic for two networks.
type play struct {
	seed               uint64
	load               float64
	multicast, ordered float64 // shares
	fixed              bool    // all packets are as long as a slot
	hotspot            bool
	places             int // of every sink; 0 is unbounded
	every              int // cycles in which a place comes free
	stride             int // cycles per Step at most
	counted            bool
	cycles             noc.Cycle
}

func drawPlay(t *rapid.T) play {
	p := play{seed: rapid.Uint64().Draw(t, "traffic"), cycles: 220,
		load:      rapid.SampledFrom([]float64{0.3, 0.01, 0.1, 1}).Draw(t, "load"),
		multicast: rapid.SampledFrom([]float64{0.1, 0, 1}).Draw(t, "multicast share"),
		ordered:   rapid.SampledFrom([]float64{0, 0, 0.2, 1}).Draw(t, "ordered share"),
		fixed:     rapid.Bool().Draw(t, "fixed"),
		hotspot:   rapid.IntRange(0, 3).Draw(t, "hotspot") == 0,
		every:     rapid.IntRange(1, 20).Draw(t, "every"),
		stride:    rapid.SampledFrom([]int{1, 1, 7, 30}).Draw(t, "stride"),
		counted:   rapid.Bool().Draw(t, "counted")}
	if rapid.IntRange(0, 2).Draw(t, "bounded") == 0 {
		p.places = rapid.IntRange(1, 3).Draw(t, "places")
	}
	return p
}

// compare plays the traffic into both networks and tells the first difference, or nothing.
func (p *play) compare(fast, plain checked, nodes int, c rotary.Config) string {
	rng := rand.New(rand.NewPCG(p.seed, 1))
	content := map[noc.Tag][]noc.Word{}
	both := [2]checked{fast, plain}
	for _, n := range both {
		if p.counted {
			if err := n.CountToggles(func(k noc.Packet) []noc.Word { return content[k.Tag] }); err != nil {
				return err.Error()
			}
		}
		for i := range nodes * c.Classes * min(p.places, 1) {
			n.LimitSink(noc.NodeID(i/c.Classes), noc.Class(i%c.Classes), p.places)
		}
	}
	tag, last := noc.Tag(0), p.cycles
	if rng.IntN(2) == 0 {
		last *= 8 // most drain
	}
	for now := noc.Cycle(0); now < last; now = plain.Now() {
		for node := 0; node < nodes && p.places > 0 && int(now)%p.every == 0; node++ {
			for _, n := range both {
				n.FreeSink(noc.NodeID(node), noc.Class((node+int(now)/p.every)%c.Classes))
			}
		}
		for at := 0; at < nodes && now < p.cycles; at++ {
			k, offers := p.packet(rng, at, nodes, c)
			if !offers {
				continue
			}
			k.Tag = tag
			content[tag] = randomWords(rng, int(k.Phits))
			tag++
			if a, b := fast.Offer(k), plain.Offer(k); a != b {
				return fmt.Sprintf("cycle %d: Offer %+v is %v, plain %v", now, k, a, b)
			}
		}
		until := min(last, now+1+noc.Cycle(rng.IntN(p.stride)))
		if p.places > 0 {
			until = min(until, now+noc.Cycle(p.every-int(now)%p.every))
		}
		if a, b := fast.Step(until), plain.Step(until); a != b {
			return fmt.Sprintf("cycle %d: Step(%d) ends at %d, plain %d", now, until, a, b)
		}
		if d := differ(fast, plain, rng.IntN(20) == 0); d != "" {
			return fmt.Sprintf("cycle %d: %s", plain.Now(), d)
		}
	}
	if fast.InFlight() > 0 {
		return "" // the engine counts the phits of moving packets with the header
	}
	return differAtEnd(fast, plain)
}

// packet is what a node offers in a cycle, if anything.
func (p *play) packet(rng *rand.Rand, at, nodes int, c rotary.Config) (k noc.Packet, offers bool) {
	k = noc.Packet{Src: noc.NodeID(at), Phits: uint16(c.SlotPhits)}
	if !p.fixed {
		k.Phits = uint16(1 + rng.IntN(c.SlotPhits))
	}
	if rng.Float64() >= p.load/float64(k.Phits) {
		return k, false
	}
	k.Class, k.Ordered = noc.Class(rng.IntN(c.Classes)), rng.Float64() < p.ordered
	k.Dst = noc.SetOf(nodes, noc.NodeID(rng.IntN(nodes)))
	if p.hotspot {
		k.Dst = noc.SetOf(nodes, 0)
	}
	if rng.Float64() < p.multicast {
		for range rng.IntN(nodes) {
			k.Dst.Add(noc.NodeID(rng.IntN(nodes)))
		}
	}
	return k, true
}

func randomWords(rng *rand.Rand, phits int) []noc.Word {
	list := make([]noc.Word, phits)
	for i := range list {
		list[i] = noc.Word{rng.Uint64(), rng.Uint64()}
	}
	return list
}

// differ tells how two networks differ after a cycle.
func differ(fast, plain checked, closely bool) string {
	if a, b := fast.Deliveries(), plain.Deliveries(); !slices.Equal(a, b) {
		return fmt.Sprintf("delivers %+v\nplain    %+v", a, b)
	}
	one, two := fast.Totals(), plain.Totals()
	one.PhitHops = two.PhitHops // counted with the header by the engine
	if one != two || fast.InFlight() != plain.InFlight() {
		return fmt.Sprintf("totals %+v\nplain  %+v", one, two)
	}
	if !closely {
		return ""
	}
	want := plain.Activity(nil)
	for r, a := range fast.Activity(nil) {
		if a.IdleCycles != want[r].IdleCycles || a.ArbRequests != want[r].ArbRequests {
			return fmt.Sprintf("router %d\n      %+v\nplain %+v", r, a, want[r])
		}
	}
	if a, b := fast.Explain(), plain.Explain(); !reflect.DeepEqual(a, b) {
		for i := range min(len(a), len(b)) {
			if !reflect.DeepEqual(a[i], b[i]) {
				return fmt.Sprintf("explains %+v\nplain    %+v", a[i], b[i])
			}
		}
		return fmt.Sprintf("explains %d packets, plain %d", len(a), len(b))
	}
	if err := fast.CheckInvariants(); err != nil {
		return err.Error()
	}
	if err := plain.CheckInvariants(); err != nil {
		return err.Error()
	}
	return ""
}

// differAtEnd compares all counters of networks in which nothing is left.
func differAtEnd(fast, plain checked) string {
	if a, b := fast.Totals(), plain.Totals(); a != b {
		return fmt.Sprintf("in the end totals %+v\nplain             %+v", a, b)
	}
	if a, b := fast.Links(nil), plain.Links(nil); !slices.Equal(a, b) {
		return fmt.Sprintf("in the end links %+v\nplain %+v", a, b)
	}
	want := plain.Activity(nil)
	for r, a := range fast.Activity(nil) {
		if a != want[r] {
			return fmt.Sprintf("in the end router %d\n      %+v\nplain %+v", r, a, want[r])
		}
	}
	return ""
}
