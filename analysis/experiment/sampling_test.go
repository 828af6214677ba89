package experiment_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/power"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/sample"
	"github.com/carousel-sim/carousel/workloads/recipe"
)

// The windows of a draw, the most to draw from, and how many draws are made.
const windowsDrawn, mostReplayed, draws = 16, 48, 200

// routers are those whose ratios are judged, each over those before it.
var routers = []string{"base", "base-mc", "rr", "mrr"}

// TestSampling replays the long recordings of a folder, NAME.trace, whole and in windows. These are drawn
// as trace sample draws them. They have the length that workload make gives an application of that name;
// those of other names have half the usual length, or as much as there is room for. Of these windows some
// are drawn at random, again and again, as they were drawn from the recording. The test asks how often
// the interval of a ratio of times holds that of the whole replay. Programs to record are in
// testdata/sampling. Windows at the start of a recording have caches as empty as the whole replay has
// there. Finished replays are kept in the folder.
func TestSampling(t *testing.T) {
	folder := os.Getenv("CAROUSEL_SAMPLING")
	if folder == "" {
		t.Skip("CAROUSEL_SAMPLING names no folder of long traces")
	}
	list, err := filepath.Glob(filepath.Join(folder, "*.trace"))
	if err != nil || len(list) == 0 {
		t.Fatalf("%s has no traces (%v)", folder, err)
	}
	store := must.Get(sweep.Open(filepath.Join(folder, "replays"), sweep.Builds{}))
	defer store.Close()
	for _, path := range list {
		t.Run(filepath.Base(path), func(t *testing.T) {
			drawn := inWindows(t, path)
			draws, windows := drawAgain(t, drawn), replayed(t, store, drawn)
			whole := replayed(t, store, inOne(t, path))
			for i, router := range routers {
				t.Logf("%s: persistent requests per million misses: %.0f replayed whole, %.0f in windows", router, starved(on(whole, router)), starved(on(windows, router)))
				for _, base := range routers[:i] {
					judgeDraws(t, draws, whole, windows, router, base)
				}
			}
		})
	}
}

// inWindows draws windows from a long recording, unless that has been done.
func inWindows(t *testing.T, path string) string {
	to := strings.TrimSuffix(path, ".trace") + ".windows"
	if _, err := os.Stat(to); err == nil {
		return to
	}
	f := must.Get(traces.Open(path, traces.DefaultReaderConfig()))
	defer f.Close()
	// Behind the first quarter, which holds no windows if the trace is cut.
	c, room := sample.DefaultConfig(), total(f)*3/4/uint64(f.Cores())
	c.Records = min(sample.LeastRecords/2, room/mostReplayed)
	if r, err := recipe.Find(strings.TrimSuffix(filepath.Base(path), ".trace")); err == nil {
		c.Records, c.Cut, c.Compact = r.WindowRecords/uint64(f.Cores()), true, true
	}
	c.Windows = int(min(mostReplayed, room/c.Records))
	if _, err := sample.Draw(f, c, traces.ToFile(to, traces.DefaultWriterConfig())); err != nil {
		t.Fatal(err)
	}
	return to
}

// inOne returns what windows stand for: a long recording or, of an application, one window of all in which inWindows
// draws, with all that comes before as its warm-up.
func inOne(t *testing.T, path string) string {
	if _, err := recipe.Find(strings.TrimSuffix(filepath.Base(path), ".trace")); err != nil {
		return path
	}
	to := strings.TrimSuffix(path, ".trace") + ".whole"
	if _, err := os.Stat(to); err == nil {
		return to
	}
	f := must.Get(traces.Open(path, traces.DefaultReaderConfig()))
	defer f.Close()
	c := sample.DefaultConfig()
	c.Windows, c.WarmUp, c.Cut = 1, math.MaxUint32, true
	end := total(f)
	for range 2 { // the second time up to where the first core ends
		c.Records = end * 3 / 4 / uint64(f.Cores())
		w := must.Get(sample.Draw(f, c, traces.ToFile(to, traces.DefaultWriterConfig()))).Metadata.Windows[0]
		end = w.Lead + w.Measured
	}
	return to
}

// drawAgain draws some of the windows of a file, as often as draws says: one of each of groups that have similar numbers
// of records, as these windows were drawn from the recording.
func drawAgain(t *testing.T, path string) (list [draws][]int) {
	f := must.Get(traces.Open(path, traces.DefaultReaderConfig()))
	defer f.Close()
	ends, at := []uint64{0}, map[uint64]int{} // of the windows, one behind the other, and where they begin
	for i, w := range f.Metadata().Windows {
		at[ends[i]] = i
		ends = append(ends, ends[i]+w.Measured)
	}
	for i := range list {
		spans, _, err := sample.Config{Windows: windowsDrawn, Records: 1, Seed: uint64(i), Limit: traces.DefaultCacheLimit()}.Choose(ends[len(ends)-1], 1, ends)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			list[i] = append(list[i], at[s.Begin])
		}
	}
	return list
}

// total counts the records of all cores.
func total(f *traces.File) (records uint64) {
	for _, t := range f.Totals() {
		records += t.Records
	}
	return records
}

// replayed replays a trace, or its windows, on all routers.
func replayed(t *testing.T, store experiment.Store, path string) *tables.Rows {
	w := must.Get(plan.OpenTrace(context.Background(), path, cmp.Default().Memory.Bytes))
	s := &experiment.Study{Workloads: []experiment.Workload{w}, Routers: routers, Runs: 1, Seed: 1, Windows: mostReplayed,
		Chip: cmp.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	points := must.Get(s.Points())
	outcomes := must.Get(experiment.Run(context.Background(), points, experiment.Options{Jobs: runtime.NumCPU(), Store: store, Log: zerolog.Nop()}))
	rows := must.Get(experiment.Collect(store, outcomes))
	return &rows
}

// on lists the records of a router.
func on(rows *tables.Rows, router string) result.Runs {
	return result.Of(rows).Where(func(o *tables.Observation) bool { return o.Run.Router == router })
}

// starved returns the persistent requests per million misses.
func starved(runs result.Runs) float64 {
	return 1e6 * runs.Sum(tables.Col.PersistentRequests) / runs.Sum(tables.Col.L1Misses)
}

// took is the time of a whole replay. The cores of a recording that is cut end at different times, on each router at
// others; so its time is the mean of theirs.
func took(whole *tables.Rows, router string) float64 {
	s := on(whole, router).Samples(tables.Col.Cycles)[0]
	if whole.Runs[0].WarmUpCycles.Value > 0 {
		return s.Busy
	}
	return s.Value
}

// judgeDraws prints the ratio of all windows, and how many draws hold that of the whole replay.
func judgeDraws(t *testing.T, drawn [draws][]int, whole, windows *tables.Rows, router, base string) {
	time := tables.Col.Cycles
	truth := took(whole, router) / took(whole, base)
	over, under := on(windows, router), on(windows, base)
	all := over.Over(under, time)
	held, width, systematic, bias := 0, 0.0, 0.0, 0.0
	var wider []float64 // by how much an interval has to be wider to hold the whole
	for _, windows := range drawn {
		var a, b result.Runs
		for _, k := range windows {
			a, b = append(a, over[k]), append(b, under[k])
		}
		v := a.Over(b, time)
		width, systematic, bias = width+v.HalfWidth()/draws, systematic+math.Abs(v.Systematic)/draws, bias+v.Bias/draws
		if v.Low <= truth && truth <= v.High {
			held++
		}
		wider = append(wider, math.Abs(v.Mean-truth)/v.HalfWidth())
	}
	slices.Sort(wider)
	t.Logf("%s over %s: %.4f replayed whole, %.4f of %d windows; interval of %d ± %.4f, with %.4f for ends and %.4f for the bias, holds the whole in %d of %d draws; 90 %% would, if it were %.2f times as wide, 95 %% if it were %.2f",
		router, base, truth, all.Mean, len(under), windowsDrawn, width, systematic, bias, held, draws, wider[draws*90/100], wider[draws*95/100])
	if share := float64(held) / draws; share < 0.9 {
		t.Errorf("%s over %s: %.0f %% of the intervals hold the ratio of the whole replay; want 90 %%", router, base, 100*share)
	}
}
