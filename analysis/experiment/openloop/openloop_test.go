package openloop

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// small is a study that takes milliseconds.
func small() *Study {
	s := &Study{Routers: []string{"base", "mrr"}, Loads: []float64{0.1, 0.9}, Runs: 2, Seed: 1, Cycles: 4000, Warmup: 1000,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(4, 4)
	s.Traffic.MulticastFraction, s.Traffic.MulticastDestinations = 0.1, 4
	return s
}

func quiet(jobs int) experiment.Options { return experiment.Options{Jobs: jobs, Log: zerolog.Nop()} }

// do does a study and returns its rows without the host's time, the only part that may differ.
func do(t *testing.T, s *Study, o experiment.Options) tables.Rows {
	t.Helper()
	must.Do(s.Check())
	return run(t, s, o)
}

// run does a study that has not been checked.
func run(t *testing.T, s *Study, o experiment.Options) tables.Rows {
	t.Helper()
	points := must.Get(s.Points())
	outcomes := must.Get(experiment.Run(context.Background(), points, o))
	rows := must.Get(experiment.Collect(nil, outcomes))
	rows.DropHostTime()
	return rows
}

// of keeps the rows of one point.
func of(rows *tables.Rows, key string) (routers []tables.Router, links []tables.Link, latency []tables.Latency) {
	for _, r := range rows.Routers {
		if r.RunKey == key {
			routers = append(routers, r)
		}
	}
	for _, l := range rows.Links {
		if l.RunKey == key {
			links = append(links, l)
		}
	}
	for _, l := range rows.Latency {
		if l.RunKey == key {
			latency = append(latency, l)
		}
	}
	return routers, links, latency
}

// TestOrder: points are in the order of routers, loads and seeds, which differ in their results.
func TestOrder(t *testing.T) {
	var order []string
	points := do(t, small(), quiet(2)).Traffic
	for _, row := range points {
		order = append(order, fmt.Sprint(row.Router, row.Offered, "/", row.Seed, row.Saturated.Value))
	}
	if want := []string{"base0.1/1no", "base0.1/2no", "base0.9/1yes", "base0.9/2yes",
		"mrr0.1/1no", "mrr0.1/2no", "mrr0.9/1yes", "mrr0.9/2yes"}; !slices.Equal(order, want) {
		t.Errorf("points are %v; want %v", order, want)
	}
	if points[0].Digest == points[1].Digest {
		t.Error("two seeds have the same digest")
	}
}

// TestSearchEndsAtTheEdge: the two loads of a result are next to each other, and their verdicts are
// in the evidence.
func TestSearchEndsAtTheEdge(t *testing.T) {
	s := small()
	s.Loads, s.Limit, s.Step, s.Runs = nil, 1, 0.0625, 1
	s.Routers = []string{"base", "ideal"}
	r := do(t, s, quiet(2))
	searches := Searches(r.Traffic, s.Step)
	base := searches[0]
	if base.Above == nil || math.Abs(*base.Above-base.Below-s.Step) > 1e-9 || len(base.Probes) != 5 || base.State != tables.Finished {
		t.Fatalf("the search is %+v", base)
	}
	for _, row := range base.Probes {
		saturated := row.Saturated.Value == tables.Saturated
		if saturated != (row.Offered >= *base.Above) {
			t.Errorf("between %g and %g, %g is saturated: %v", base.Below, *base.Above, row.Offered, saturated)
		}
		grows := row.Generated.Value-row.Accepted.Value > 0.02*row.Generated.Value && row.WaitingGrowth.Value > 2 ||
			2*row.OldestWaiting.Value > uint64(s.Cycles-s.Warmup)
		if grows != saturated {
			t.Errorf("at %g: generated %g, accepted %g, verdict %v", row.Offered, row.Generated.Value, row.Accepted.Value, saturated)
		}
	}
	if ideal := searches[1]; ideal.Above != nil || ideal.Below != 1 || len(ideal.Probes) != 1 {
		t.Errorf("a network without contention saturates: %+v", ideal)
	}
	if len(r.Traffic) != 6 || r.Traffic[5].Router != "ideal" {
		t.Errorf("%d points", len(r.Traffic))
	}
}

// TestRowsAddUp compares a point's row with its other rows.
func TestRowsAddUp(t *testing.T) {
	s := small()
	r := do(t, s, quiet(2))
	wire := power.NewLink(s.Network.Rotary.PhitBits, s.Power)
	for i := range r.Traffic {
		row := &r.Traffic[i]
		ofRouters, ofLinks, ofLatency := of(&r, row.RunKey)
		var energy, dynamic, static, wires float64
		var links, routers, count, sum uint64
		for _, router := range ofRouters {
			energy, routers = energy+router.Energy, routers+router.LinkPhits
			dynamic, static = dynamic+router.EnergyDynamic, static+router.EnergyStatic
			wires += router.Parts.Link
		}
		for _, l := range ofLinks {
			links += l.Phits
		}
		for _, l := range ofLatency {
			count, sum = count+l.Count, sum+l.Sum
		}
		near := func(what string, got, want float64) {
			if want <= 0 || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s at %g: %s is %g; the point has %g", row.Router, row.Offered, what, got, want)
			}
		}
		near("energy", energy*1e12, row.Energy.Value)
		if dynamic*1e12 != row.EnergyDynamic.Value || static*1e12 != row.EnergyStatic.Value || (dynamic+static)*1e12 != row.Energy.Value {
			t.Errorf("%s at %g: routers and links take %g and %g J, the point %g and %g pJ", row.Router, row.Offered, dynamic, static,
				row.EnergyDynamic.Value, row.EnergyStatic.Value)
		}
		near("energy of links", wires, wire.Price(links, 1).Link)
		near("energy by kind", row.EnergyDynamic.Value+row.EnergyStatic.Value, row.Energy.Value)
		near("phits of links", float64(links), float64(row.PhitHops.Value))
		near("phits of routers", float64(routers), float64(row.PhitHops.Value))
		near("copies", float64(count), float64(row.PacketsDelivered.Value))
		near("latency", float64(sum)/float64(count), row.LatencyMean.Value)
		near("delivered", float64(row.PhitsDelivered.Value)/16/3000, row.Delivered.Value)
		near("ED2P", row.Energy.Value/(row.Delivered.Value*row.Delivered.Value), row.ED2P.Value)
		near("ED2P per phit", row.ED2P.Value/float64(row.PhitsDelivered.Value), row.ED2PPerPhit.Value)
		if row.LatencyP50.Value > row.LatencyP95.Value || row.LatencyP95.Value > row.LatencyP99.Value ||
			row.LatencyP99.Value > float64(row.LatencyMax.Value) || row.MulticastLatencyMean.Value < row.MulticastCopyLatencyMean.Value {
			t.Errorf("latencies are %+v", row)
		}
		// Above saturation the queues at the sources make up most of the latency, far below next to nothing.
		if in := row.NetworkLatencyMean.Value; in < 10 || row.Offered > 0.5 && in > row.LatencyMean.Value/2 && row.Router == "base" || row.Offered < 0.5 && (in > row.LatencyMean.Value || in < row.LatencyMean.Value-8) {
			t.Errorf("%s at %g: a latency of %g cycles, %g of them in the network", row.Router, row.Offered, row.LatencyMean.Value, in)
		}
	}
}

// TestStandstillIsExplained takes the bubble away from a torus, which deadlocks it.
func TestStandstillIsExplained(t *testing.T) {
	s := small()
	s.Routers, s.Loads, s.Runs, s.Cycles = []string{"base"}, []float64{1}, 1, 200_000
	s.Traffic.Classes, s.Network.Buffered.Bubble = 1, false
	r := do(t, s, quiet(1))
	row := &r.Traffic[0]
	if row.ExitState != tables.Failed || row.Accepted.Known || !strings.Contains(row.Explanation.Value, "the network has stopped at cycle") ||
		!strings.Contains(row.Explanation.Value, "waits for") {
		t.Errorf("the point is %s: %s", row.ExitState, row.Explanation.Value)
	}
}

// TestPaperRulesStop: a network that stops with the rules of the paper says so, with the rules, and
// a search takes the loads at which it stops as loads that it does not carry.
func TestPaperRulesStop(t *testing.T) {
	s := small()
	s.Network = models.SmallestOptions(topology.Mesh(4, 4))
	s.Network.Rotary = s.Network.Rotary.WithRules("paper")
	s.Routers, s.Loads, s.Runs, s.Cycles = []string{"mrr"}, []float64{1}, 1, 30_000
	s.Traffic.MulticastFraction, s.Traffic.MulticastDestinations = 1, 15
	row := do(t, s, quiet(1)).Traffic[0]
	if row.ExitState != tables.Failed || row.Rules != "paper" || !strings.Contains(row.Explanation.Value, `follow the rules "paper"`) {
		t.Errorf("the point is %s with the rules %q: %s", row.ExitState, row.Rules, row.Explanation.Value)
	}
	s.Loads, s.Limit, s.Step = nil, 1, 0.5
	found := Searches(do(t, s, quiet(1)).Traffic, s.Step)[0]
	if found.State != tables.Finished || found.Above == nil || !strings.Contains(found.Probes[0].Explanation.Value, "the network has stopped") {
		t.Errorf("the search is %+v", found)
	}
}

// TestKeys: everything that decides a point's results changes its key.
func TestKeys(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Study){
		"nothing": func(*Study) {}, "cycles": func(s *Study) { s.Cycles++ }, "warmup": func(s *Study) { s.Warmup++ },
		"load": func(s *Study) { s.Loads[0] = 0.2 }, "seed": func(s *Study) { s.Seed = 9 },
		"pattern": func(s *Study) { s.Traffic.Pattern = "transpose" }, "classes": func(s *Study) { s.Traffic.Classes = 3 },
		"network": func(s *Study) { s.Network.Buffered.ChannelPhits = 20 }, "power": func(s *Study) { s.Power.TechNM = 45 },
		"router": func(s *Study) { s.Routers = []string{"rr"} },
	} {
		s := small()
		change(s)
		tasks := must.Get(s.Points())
		if other, twice := seen[tasks[0].Key]; twice {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[tasks[0].Key] = name
	}
}

// TestSearchForTheKnee: with a knee a search ends where latency has grown so much, which is before
// the load that the network does not carry, and says so; the lightest load is its first probe and
// no other.
func TestSearchForTheKnee(t *testing.T) {
	s := small()
	s.Loads, s.Limit, s.Step, s.Runs, s.Routers = nil, 1, 0.0625, 1, []string{"base"}
	carried := Searches(do(t, s, quiet(1)).Traffic, s.Step)[0]
	s.Knee = 1.5
	knee := Searches(do(t, s, quiet(1)).Traffic, s.Step)[0]
	light := knee.Probes[0].LatencyMean.Value
	if length := uint64(s.Warmup + 20*(s.Cycles-s.Warmup)); knee.Above == nil || knee.Below >= carried.Below || knee.Probes[0].Offered != s.Step || knee.Probes[0].Cycles != length {
		t.Fatalf("the knee is at %g, and %g is carried; the first probe is at %g", knee.Below, carried.Below, knee.Probes[0].Offered)
	}
	for i, row := range knee.Probes {
		beyond, saturated := row.LatencyMean.Value > s.Knee*light, row.Saturated.Value == tables.Saturated
		if saturated != (row.Offered >= *knee.Above) || beyond != saturated || i > 0 && row.Offered == s.Step {
			t.Errorf("probe %d, at %g: latency %g of %g, saturated %v", i, row.Offered, row.LatencyMean.Value, light, saturated)
		}
	}
}

func TestCheckFindsMistakesBeforehand(t *testing.T) {
	for want, change := range map[string]func(*Study){
		"traffic.warmup is 4000":                           func(s *Study) { s.Warmup = 4000 },
		"traffic.load is 0":                                func(s *Study) { s.Loads = []float64{0.1, 0} },
		"traffic.load is 6":                                func(s *Study) { s.Loads, s.Limit, s.Step = nil, 6, 1 },
		"traffic.step is 0":                                func(s *Study) { s.Loads, s.Limit = nil, 1 },
		"traffic.knee is 0.5":                              func(s *Study) { s.Loads, s.Limit, s.Step, s.Knee = nil, 1, 0.5, 0.5 },
		"packets of up to 5 phits; raise network.buffered": func(s *Study) { s.Traffic.PacketPhits = 6 },
		"network.rotary.slot_phits":                        func(s *Study) { s.Traffic.PacketPhits, s.Routers = 6, []string{"rr"} },
		"network.ideal.slot_phits":                         func(s *Study) { s.Traffic.PacketPhits, s.Routers = 6, []string{"ideal"} },
		"nowhere":                                          func(s *Study) { s.Routers = []string{"nowhere"} },
		"traffic.pattern tornado does not fit torus:2x2":   func(s *Study) { s.Traffic.Pattern, s.Network.Grid = "tornado", topology.Torus(2, 2) },
		"router base: buffered: channel_phits is 11":       func(s *Study) { s.Network.Buffered.ChannelPhits = 11 },
		"44": func(s *Study) { s.Power.TechNM = 44 },
	} {
		s := small()
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want one about %s", err, want)
		}
	}
}

// TestPacketLengths: packets shorter than a slot are sent as such.
func TestPacketLengths(t *testing.T) {
	s := small()
	s.Routers, s.Traffic.PacketPhits, s.Runs = models.Table().Names(), 1, 1
	for _, row := range do(t, s, quiet(2)).Traffic {
		// Packets on their way into a node at the edges of the window make a difference of a few.
		if phits, packets := row.PhitsDelivered.Value, row.PacketsDelivered.Value; phits+16 < packets || phits > packets+16 {
			t.Errorf("%s: %d phits in %d packets", row.Router, phits, packets)
		}
	}
}

// TestRepricedIsFresh: a stored point that is priced again is the one that is simulated with these
// prices, to the last bit and with the same key. What prices there are is a test of package
// experiment.
func TestRepricedIsFresh(t *testing.T) {
	study := func() *Study {
		s := small()
		s.Routers, s.Runs, s.Cycles, s.Warmup = []string{"base", "base-mc", "rr", "mrr", "wormhole"}, 1, 900, 300
		return s
	}
	// Links of their own widths, lengths and classes.
	linked := study()
	linked.Routers, linked.Traffic.MulticastFraction = []string{"wormhole"}, 0
	linked.Network.Link.X = topology.LinkOptions{Link: topology.Link{Bits: 50, MM: 3}, Every: 2}
	linked.Network = must.Get(linked.Network.WithLinks(must.Get(topology.Open("mesh:4x4"))))
	linked.Network.Other.Wiring.Channels[0].Link = &topology.Link{Class: topology.DieToDie, Cycles: 3}
	for _, study := range []func() *Study{study, func() *Study { s := *linked; return &s }} {
		repricedIsFresh(t, study)
	}
}

// repricedIsFresh compares the rows of a stored study at other prices with those of a fresh one.
func repricedIsFresh(t *testing.T, study func() *Study) {
	for name, change := range map[string]func(*power.Config){
		"technology": func(c *power.Config) { c.TechNM, c.StaticScale = 32, 0.1 },
		"profile":    func(c *power.Config) { c.Profile, c.FIFO = power.ProfileS, power.FIFOSingleRAM },
		"d2d":        func(c *power.Config) { c.D2DPJPerBit = 0.5 },
		"nothing":    func(*power.Config) {},
	} {
		stored, fresh := do(t, study(), quiet(2)), study()
		if err := experiment.Reprice(&stored, func(c power.Config) (power.Config, error) { change(&c); return c, nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		change(&fresh.Power)
		if want := do(t, fresh, quiet(2)); !reflect.DeepEqual(stored, want) {
			t.Errorf("%s: the repriced rows differ from those of a fresh study:\n%+v\n%+v", name, stored.Traffic[0], want.Traffic[0])
		}
	}
}

// TestInjection: no node sends more than its router's injection, and most reach it nearly. A load
// above that is refused for each router, by name.
func TestInjection(t *testing.T) {
	s := small()
	s.Routers, s.Loads, s.Runs, s.Traffic.MulticastFraction = models.Table().Names(), []float64{5}, 1, 0
	injection := func(router string) float64 {
		m := must.Get(s.Models.Lookup(router))
		return float64(m.Injection(s.Network))
	}
	rows := run(t, s, quiet(2))
	for i := range rows.Traffic {
		r := &rows.Traffic[i]
		switch most := injection(r.Router); {
		case most == 0 && r.Accepted.Value != 5:
			t.Errorf("%s takes %v of 5 phits per node and cycle, and any number is injected", r.Router, r.Accepted)
		case most > 0 && r.Accepted.Value > most, most == 1 && r.Accepted.Value < 0.9:
			t.Errorf("%s takes %v phits per node and cycle; %g are injected at most", r.Router, r.Accepted, most)
		}
	}
	for _, router := range models.Table().Names() {
		s.Routers, s.Loads = []string{router}, []float64{0.1, max(1, injection(router))}
		if err := s.Check(); err != nil {
			t.Errorf("the largest load: %v", err)
		}
		s.Loads[1] += 0.01
		if err := s.Check(); (err == nil) != (injection(router) == 0) || err != nil && !strings.Contains(err.Error(), "a node of router "+router+" sends at most") {
			t.Errorf("a larger load: %v", err)
		}
	}
}
