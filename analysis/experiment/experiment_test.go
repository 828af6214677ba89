package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
)

// pingPong is a trace in which cores take turns at a few shared blocks and touch some of their own.
func pingPong(cores, rounds int) [][]traces.Record {
	streams := make([][]traces.Record, cores)
	for c := range streams {
		for i := range rounds {
			streams[c] = append(streams[c],
				traces.Record{Kind: traces.Load, Address: uint64(64 * (i % 3)), Instructions: 3, Size: 3},
				traces.Record{Kind: traces.Store, Address: uint64(64 * ((i + c) % 3)), Instructions: 2, Size: 3},
				traces.Record{Kind: traces.Load, Address: uint64(0x10000*(c+1) + 64*i), Instructions: 5, Size: 3})
		}
	}
	return streams
}

func workload(name string, streams [][]traces.Record) Workload {
	return Workload{Name: name, Digest: "digest of " + name, Cores: len(streams), Open: func(int) (traces.Source, func() error, error) {
		return traces.NewMemory(streams, nil), func() error { return nil }, nil
	}}
}

// small is a study that takes milliseconds: four cores on a 4x4 torus.
func small() *Study {
	s := &Study{Workloads: []Workload{workload("pingpong", pingPong(4, 40))}, Routers: []string{"base", "mrr"},
		Runs: 2, Seed: 1, Chip: cmp.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(4, 4)
	s.Chip.BanksPerRouter, s.Chip.Place.MemoryControllers, s.Chip.EpochCycles = 1, 4, 500
	return s
}

func quiet(jobs int) Options { return Options{Jobs: jobs, Log: zerolog.Nop()} }

// do does the points of a study and puts their rows together.
func do(t *testing.T, ctx context.Context, s *Study, o Options) ([]Outcome, tables.Rows) {
	t.Helper()
	points := must.Get(s.Points())
	outcomes := must.Get(Run(ctx, points, o))
	rows := must.Get(Collect(nil, outcomes))
	return outcomes, rows
}

func TestWorkersDoNotChangeResults(t *testing.T) {
	var first tables.Rows
	for _, jobs := range []int{1, 3, 8} {
		_, rows := do(t, context.Background(), small(), quiet(jobs))
		rows.DropHostTime()
		if jobs == 1 {
			first = rows
			continue
		}
		if !reflect.DeepEqual(rows, first) {
			t.Errorf("%d workers give other rows than one", jobs)
		}
	}
	var order []string
	for _, r := range first.Runs {
		order = append(order, fmt.Sprint(r.Router, r.Seed, r.ExitState))
	}
	if want := []string{"base1finished", "base2finished", "mrr1finished", "mrr2finished"}; !slices.Equal(order, want) {
		t.Errorf("rows are %v; want %v", order, want)
	}
}

// TestRowsAddUp compares each table with the runs table.
func TestRowsAddUp(t *testing.T) {
	s := small()
	_, rows := do(t, context.Background(), s, quiet(2))
	wire := power.NewLink(s.Network.Rotary.PhitBits, s.Power)
	for _, run := range rows.Runs {
		var energy, dynamic, static, links float64
		var linkPhits, routerPhits, instructions, deliveries uint64
		for _, r := range rows.Routers {
			if r.RunKey == run.RunKey {
				static += r.EnergyStatic
				energy, dynamic, routerPhits = energy+r.Energy, dynamic+r.EnergyDynamic, routerPhits+r.LinkPhits
				links += r.Parts.Link
			}
		}
		for _, l := range rows.Links {
			if l.RunKey == run.RunKey {
				linkPhits += l.Phits
			}
		}
		for _, c := range rows.Cores {
			if c.RunKey == run.RunKey {
				instructions += c.Instructions
			}
		}
		for _, l := range rows.Latency {
			if l.RunKey == run.RunKey {
				deliveries += l.Count
			}
		}
		near := func(what string, got, want float64) {
			if want <= 0 || got < want*(1-1e-9) || got > want*(1+1e-9) {
				t.Errorf("%s seed %d: %s adds up to %g; the run has %g", run.Router, run.Seed, what, got, want)
			}
		}
		near("energy", energy, run.Energy.Value)
		// A router's row holds the links that leave it, and sums are taken in the order of rows: to
		// the last bit.
		if dynamic != run.EnergyDynamic.Value || static != run.EnergyStatic.Value || dynamic+static != run.Energy.Value {
			t.Errorf("%s seed %d: routers and links take %g and %g J, the run %g and %g", run.Router, run.Seed, dynamic, static,
				run.EnergyDynamic.Value, run.EnergyStatic.Value)
		}
		near("instructions", float64(instructions), float64(run.Instructions.Value))
		near("energy of links", links, wire.Price(run.PhitHops.Value, 1).Link)
		near("phits of links", float64(linkPhits), float64(run.PhitHops.Value))
		near("phits of routers", float64(routerPhits), float64(run.PhitHops.Value))
		near("latencies", float64(deliveries), float64(run.Deliveries.Value))
		near("seconds", run.Seconds.Value, float64(run.Cycles.Value)/4e9)
		near("ED2P", run.EnergyED2P.Value, run.Energy.Value*run.Seconds.Value*run.Seconds.Value)
	}
	if len(rows.Epochs) == 0 {
		t.Error("there are no epochs")
	}
}

// TestBusyLinks: a link that moves a phit is busy for a cycle of the network, which may be several of the chip.
func TestBusyLinks(t *testing.T) {
	s := small()
	s.Chip.NetworkClock = "1/4"
	_, rows := do(t, context.Background(), s, quiet(1))
	for _, l := range rows.Links {
		cycles := float64(rows.Routers[0].Cycles)
		if l.RunKey == rows.Routers[0].RunKey && math.Abs(l.Utilisation.Value*cycles-float64(l.Phits)) > 0.01*float64(l.Phits) {
			t.Errorf("link %d to %d: a share of %g, but %d phits in %g cycles", l.FromNode, l.ToNode, l.Utilisation.Value, l.Phits, cycles)
		}
	}
}

// TestClockOfSlowNetworks: the clock of routers that is not gated draws energy in each cycle of the network, also when
// a study is priced again.
func TestClockOfSlowNetworks(t *testing.T) {
	s := small()
	s.Routers, s.Chip.NetworkClock, s.Power.ClockGating = []string{"base"}, "1/4", false
	_, rows := do(t, context.Background(), s, quiet(1))
	again := rows
	must.Do(Reprice(&again, func(c power.Config) (power.Config, error) { return c, nil }))
	model := must.Get(models.Lookup("base"))
	router := must.Get(power.NewRouter(must.Get(model.Build(s.Network)).Hardware(), s.Power))
	for i, r := range rows.Routers {
		want := router.Price(noc.Activity{}, noc.Cycle(r.Cycles)).Clock // cycles of the network
		if one := router.Price(noc.Activity{}, 1).Clock; math.Abs(r.Parts.Clock-want) > one || again.Routers[i].Parts.Clock != r.Parts.Clock {
			t.Errorf("router %d: %g J of clock, priced again %g; want %g", i, r.Parts.Clock, again.Routers[i].Parts.Clock, want)
		}
	}
}

// TestSeedReachesTheNetwork switches every other use of the seed off.
func TestSeedReachesTheNetwork(t *testing.T) {
	s := small()
	s.Routers, s.Runs = []string{"mrr"}, 4
	s.Chip.Perturb, s.Chip.Token.Jitter = 0, 0
	_, rows := do(t, context.Background(), s, quiet(2))
	seen := map[string]bool{}
	for i := range rows.Runs {
		seen[rows.Runs[i].Digest.Value] = true
	}
	if len(seen) == 1 {
		t.Error("all seeds give the same result")
	}
}

func TestKeys(t *testing.T) {
	base := small()
	plan := must.Get(base.Points())
	seen := map[string]bool{}
	for _, p := range plan {
		seen[p.Key] = true
	}
	for name, change := range map[string]func(*Study){
		"chip": func(s *Study) { s.Chip.Core.Window++ }, "network": func(s *Study) { s.Network.Rotary.MissLimit++ },
		"power": func(s *Study) { s.Power.TechNM = 45 }, "trace": func(s *Study) { s.Workloads[0].Digest = "other" },
		"seed": func(s *Study) { s.Seed = 10 },
	} {
		s := small()
		change(s)
		plan := must.Get(s.Points())
		if seen[plan[0].Key] {
			t.Errorf("another %s has the same key", name)
		}
		seen[plan[0].Key] = true
	}
	again, _ := small().Points()
	if again[1].Key != plan[1].Key || len(plan) != 4 || plan[0].Key == plan[1].Key || plan[0].Key == plan[2].Key {
		t.Errorf("keys are %+v and %+v", plan, again)
	}
}

// TestStandstillKeepsTheOthers runs a trace that cannot go on beside one that can.
func TestStandstillKeepsTheOthers(t *testing.T) {
	s := small()
	s.Chip.WatchdogCycles = 3000
	stuck := [][]traces.Record{
		{{Kind: traces.Barrier, Address: 1, Count: 4, Instructions: 1}}, {}, {}, {}}
	s.Workloads = append([]Workload{workload("stuck", stuck)}, s.Workloads...)
	s.Runs = 1
	outcomes, rows := do(t, context.Background(), s, quiet(2))
	for i, want := range []string{tables.Failed, tables.Failed, tables.Finished, tables.Finished} {
		if rows.Runs[i].ExitState != want {
			t.Errorf("run %d is %s; want %s (%v)", i, rows.Runs[i].ExitState, want, outcomes[i].Err)
		}
	}
	if !errors.As(outcomes[0].Err, new(*cmp.DeadlockReport)) || rows.Runs[0].Cycles.Known || !rows.Runs[0].Explanation.Known {
		t.Errorf("the failed run is %+v with error %v", rows.Runs[0], outcomes[0].Err)
	}
	if rows.Routers[0].RunKey != rows.Runs[2].RunKey {
		t.Error("a failed run has rows in the routers table")
	}
}

func TestInterruptionKeepsFinishedRuns(t *testing.T) {
	s := small()
	ctx, stop := context.WithCancel(context.Background())
	o := quiet(1)
	ended := 0
	o.Observe = func(e Event) {
		if e.Done {
			ended++
			stop() // after the first run
		}
	}
	_, rows := do(t, ctx, s, o)
	for i, want := range []string{tables.Finished, tables.Interrupted, tables.Interrupted, tables.Interrupted} {
		if rows.Runs[i].ExitState != want {
			t.Errorf("run %d is %s; want %s", i, rows.Runs[i].ExitState, want)
		}
	}
	if !rows.Runs[0].Cycles.Known || ended != 4 {
		t.Errorf("the finished run is %+v; %d runs ended", rows.Runs[0], ended)
	}
}

func TestBrokenInvariantEndsOneRun(t *testing.T) {
	s := small()
	s.Runs = 1
	good := s.Workloads[0].Open
	opened := 0
	s.Workloads[0].Open = func(int) (traces.Source, func() error, error) {
		if opened++; opened == 1 {
			panic("token lost")
		}
		return good(0)
	}
	outcomes, rows := do(t, context.Background(), s, quiet(1))
	if !rows.Runs[0].Explanation.Known || !strings.Contains(outcomes[0].Err.Error(), "pingpong on base, token, seed 1") ||
		!strings.Contains(outcomes[0].Err.Error(), "experiment_test.go") {
		t.Errorf("the error does not say at which point and where: %v", outcomes[0].Err)
	}
	if outcomes[0].State != tables.Failed || !strings.Contains(outcomes[0].Err.Error(), "token lost") || outcomes[1].State != tables.Finished {
		t.Errorf("outcomes are %s (%v) and %s (%v)", outcomes[0].State, outcomes[0].Err, outcomes[1].State, outcomes[1].Err)
	}
}

func TestCheckFindsMistakesBeforehand(t *testing.T) {
	if err := small().Check(); err != nil {
		t.Errorf("a good study: %v", err)
	}
	for want, change := range map[string]func(*Study){
		"segment_phits": func(s *Study) { s.Network.Rotary.SegmentPhits = 21 },
		"cores is 5":    func(s *Study) { s.Chip.Cores = 5 },
		"protocol":      func(s *Study) { s.Chip.Protocol = "gossip" },
		"nowhere":       func(s *Study) { s.Routers = []string{"nowhere"} },
	} {
		s := small()
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v; want one about %s", err, want)
		}
	}
}

// TestWindowsArePoints: each window of a workload is a run by itself, at most so many, evenly
// spread.
func TestWindowsArePoints(t *testing.T) {
	for _, c := range []struct {
		n, most int
		want    []int
	}{{0, 0, []int{0}}, {1, 5, []int{0}}, {4, 0, []int{0, 1, 2, 3}}, {16, 4, []int{2, 6, 10, 14}}, {5, 2, []int{1, 3}}, {5, 5, []int{0, 1, 2, 3, 4}}} {
		if got := Spread(c.n, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.most, c.n, got, c.want)
		}
	}
	s := small()
	w := &s.Workloads[0]
	w.Windows = 3
	var opened []int
	whole := w.Open
	w.Open = func(window int) (traces.Source, func() error, error) {
		opened = append(opened, window)
		return whole(window)
	}
	s.Routers, s.Runs = []string{"base", "rr"}, 1
	outcomes, rows := do(t, context.Background(), s, quiet(1))
	if len(rows.Runs) != 6 || rows.Runs[2].Window != 2 || !slices.Equal(opened, []int{0, 0, 1, 1, 2, 2}) || outcomes[1].Window != 1 ||
		rows.Runs[0].RunKey == rows.Runs[1].RunKey || rows.Runs[0].Start.Value != tables.ColdStart {
		t.Errorf("opened %v, runs %+v", opened, rows.Runs)
	}
	s.Windows = 1
	if points, err := s.Points(); err != nil || len(points) != 2 || points[0].Window != 1 || !strings.Contains(points[0].Label, "window 1") {
		t.Errorf("%v, %v", points, err)
	}
}

// TestReleases: a build between releases, or of a changed source, is not a release.
func TestReleases(t *testing.T) {
	for version, want := range map[string]bool{"v1.2.3": true, "v1.2.3-rc.1": true, "devel": false, "(devel)": false, "v1.2.3+dirty": false,
		"v0.0.0-20251125224426-0123456789ab": false, "v1.2.4-0.20251125224426-0123456789ab": false} {
		if got := isRelease(version); got != want {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}

// TestManifestKeepsDigits: a manifest that was read is the one that was written, whatever the seed.
func TestManifestKeepsDigits(t *testing.T) {
	for _, seed := range []uint64{1, 1<<53 + 1, 1 << 60, 1<<64 - 1} {
		m := &Manifest{Seeds: []uint64{seed}, Configuration: map[string]any{"seed": seed, "power": map[string]any{"voltage": 1.1}}}
		text := m.Text()
		again := must.Get(ParseManifest([]byte(text)))
		if got := again.Text(); got != text || !reflect.DeepEqual(m.identity(), again.identity()) {
			t.Errorf("of seed %d it reads %s, want %s", seed, got, text)
		}
	}
	if _, err := ParseManifest([]byte("{} {}")); err == nil {
		t.Error("text behind a manifest is accepted")
	}
}

// TestLinkedID: an executable has one, unless it is the same in every build; a text has none.
func TestLinkedID(t *testing.T) {
	program := must.Get(os.Executable())
	id, other := linkedID(program), filepath.Join(t.TempDir(), "other")
	if runtime.GOOS == "linux" && id == "" {
		t.Error("this program has none")
	}
	content := bytes.Replace(must.Get(os.ReadFile(program)), []byte(id), bytes.Repeat([]byte("x"), len(id)), 1)
	must.Do(os.WriteFile(other, content, 0o600))
	if found := linkedID(other) + linkedID("doc.go"); found != "" {
		t.Errorf("found %q", found)
	}
}
