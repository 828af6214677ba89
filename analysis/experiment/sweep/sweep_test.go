package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/power"
)

// small is the plan of a study that takes milliseconds, and a counter of the points done.
func small(t *testing.T) ([]experiment.Point, *atomic.Int64) {
	t.Helper()
	s := &openloop.Study{Routers: []string{"base", "mrr"}, Loads: []float64{0.1, 0.4}, Runs: 2, Seed: 1, Cycles: 1500, Warmup: 500,
		Traffic: traffic.Default(), Network: models.DefaultOptions(), Power: power.Default()}
	s.Network.Grid = topology.Torus(4, 4)
	points := must.Get(s.Points())
	count := new(atomic.Int64)
	for i := range points {
		do := points[i].Run
		points[i].Axes = []experiment.Setting{{Key: "traffic.load", Value: fmt.Sprint(i)}}
		points[i].Run = func(ctx context.Context, report func(experiment.Progress)) (tables.Rows, error) {
			rows, err := do(ctx, report)
			if err == nil {
				count.Add(1)
			}
			return rows, err
		}
	}
	return points, count
}

// sitting opens a directory, does what is left of a plan and closes it.
func sitting(t *testing.T, ctx context.Context, dir string, points []experiment.Point, observe func(experiment.Event)) ([]experiment.Outcome, tables.Rows) {
	t.Helper()
	store := must.Get(Open(dir, Builds{}))
	defer store.Close()
	must.Do(store.Describe(points))
	outcomes := must.Get(experiment.Run(ctx, points, experiment.Options{Jobs: 1, Store: store, Observe: observe, Log: zerolog.Nop()}))
	rows := must.Get(experiment.Collect(store, outcomes))
	rows.DropHostTime()
	return outcomes, rows
}

// states draws what became of points: + finished, x failed, - interrupted.
func states(outcomes []experiment.Outcome) (text string) {
	for i := range outcomes {
		text += map[string]string{tables.Finished: "+", tables.Failed: "x", tables.Interrupted: "-"}[outcomes[i].State]
	}
	return text
}

// TestContinuedIsUninterrupted stops a sweep after each possible number of points, continues it,
// and expects the tables of a sweep done at once, with no point done twice.
func TestContinuedIsUninterrupted(t *testing.T) {
	points, _ := small(t)
	_, want := sitting(t, context.Background(), t.TempDir(), points, nil)
	if len(want.Traffic) != 8 || len(want.Axes) != 8 || want.Axes[3].RunKey != want.Traffic[3].RunKey {
		t.Fatalf("the rows are %d points and %d axes", len(want.Traffic), len(want.Axes))
	}
	for after := 1; after < len(points); after += 3 {
		dir := t.TempDir()
		points, count := small(t)
		ctx, stop := context.WithCancel(context.Background())
		first, _ := sitting(t, ctx, dir, points, func(e experiment.Event) {
			if e.Done && e.Index == after-1 {
				stop()
			}
		})
		if got, expect := states(first), strings.Repeat("+", after)+strings.Repeat("-", len(points)-after); got != expect {
			t.Errorf("the first sitting ends as %s; want %s", got, expect)
		}
		second, rows := sitting(t, context.Background(), dir, points, nil)
		if !reflect.DeepEqual(rows, want) {
			t.Errorf("stopped after %d points, the tables differ", after)
		}
		if int(count.Load()) != len(points) || !second[after-1].Earlier || second[after].Earlier {
			t.Errorf("stopped after %d points: %d points were done, %+v", after, count.Load(), second[after].Earlier)
		}
	}
}

func TestShardsAndMerge(t *testing.T) {
	points, _ := small(t)
	_, want := sitting(t, context.Background(), t.TempDir(), points, nil)
	var dirs []string
	for n := 1; n <= 3; n++ {
		dir := t.TempDir()
		store := must.Get(Open(dir, Builds{}))
		shard := Shard{n, 3}
		must.Do(store.Describe(points))
		if _, err := experiment.Run(context.Background(), shard.Points(points), experiment.Options{Jobs: 2, Store: store, Log: zerolog.Nop()}); err != nil {
			t.Fatal(err)
		}
		store.Close()
		dirs = append(dirs, dir)
	}
	rows, study, n, err := Merge(dirs)
	if err != nil || !reflect.DeepEqual(rows, want) || n != 8 || study == "" {
		t.Errorf("the merged tables differ (%d points, study %q, %v)", n, study, err)
	}
	if _, _, _, err := Merge(dirs[:2]); !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "2 of 8") {
		t.Errorf("merging two of three shards: %v", err)
	}
	other := t.TempDir()
	of := must.Get(Open(other, Builds{}))
	must.Do(of.Describe(points[1:]))
	of.Close()
	if _, _, _, err := Merge([]string{dirs[0], other}); err == nil || !strings.Contains(err.Error(), "different plans") {
		t.Errorf("merging shards of two plans: %v", err)
	}
	if _, _, _, err := Merge([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "holds no sweep") {
		t.Errorf("merging an empty directory: %v", err)
	}
	for _, text := range []string{"0/2", "3/2", "1/9", "1/0", "1", "a/b"} {
		if s, err := ParseShard(text, 8); err == nil {
			t.Errorf("shard %+v of 8 points is allowed", s)
		}
	}
}

// TestFailedPointIsDoneAgain: a failure is kept in the tables, but not as a finished point.
func TestFailedPointIsDoneAgain(t *testing.T) {
	points, _ := small(t)
	dir, healthy := t.TempDir(), points[2].Run
	points[2].Run = func(ctx context.Context, report func(experiment.Progress)) (tables.Rows, error) {
		return tables.Rows{}, errors.New("broken")
	}
	outcomes, _ := sitting(t, context.Background(), dir, points, nil)
	if states(outcomes) != "++x+++++" {
		t.Errorf("outcomes are %s", states(outcomes))
	}
	if n, _, err := Spent(dir, Builds{Any: true}, nil); n != 7 || err != nil {
		t.Errorf("%d points are kept (%v)", n, err)
	}
	points[2].Run = healthy
	again, _ := sitting(t, context.Background(), dir, points, nil)
	if states(again) != "++++++++" || again[2].Earlier || !again[3].Earlier {
		t.Errorf("the second sitting gives %s", states(again))
	}
}

func TestDirectoryIsForOneProcess(t *testing.T) {
	dir := t.TempDir()
	first := must.Get(Open(dir, Builds{}))
	if _, err := Open(dir, Builds{}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second store on one directory: %v", err)
	}
	first.Close()
	second, err := Open(dir, Builds{})
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	second.Close()
}

// TestHalfWrittenPoints: what a crash of an earlier version left below a temporary name is no point.
func TestHalfWrittenPoints(t *testing.T) {
	points, _ := small(t)
	dir := t.TempDir()
	half := filepath.Join(dir, "points", "."+points[0].Key+"-123")
	must.Do(os.MkdirAll(half, 0o755))
	must.Do(os.WriteFile(filepath.Join(half, "traffic.arrow"), []byte("ARROW1"), 0o644))
	if n, _, err := Spent(dir, Builds{Any: true}, nil); n != 0 || err != nil {
		t.Errorf("%d points are finished (%v)", n, err)
	}
	if outcomes, _ := sitting(t, context.Background(), dir, points, nil); outcomes[0].Earlier {
		t.Error("it is taken for a point")
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there (%v)", err)
	}
}

// TestRowsComeFromMemory: what was just simulated is not read again. An earlier command's is.
func TestRowsComeFromMemory(t *testing.T) {
	points, _ := small(t)
	dir := t.TempDir()
	store := must.Get(Open(dir, Builds{}))
	defer store.Close()
	outcomes := must.Get(experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Store: store, Log: zerolog.Nop()}))
	must.Do(os.RemoveAll(filepath.Join(dir, "points")))
	if rows, err := experiment.Collect(store, outcomes); err != nil || len(rows.Traffic) != len(points) {
		t.Errorf("%d points in memory: %v", len(rows.Traffic), err)
	}
	outcomes = must.Get(experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Store: store, Log: zerolog.Nop()}))
	if _, err := experiment.Collect(store, outcomes); err == nil || !outcomes[0].Earlier {
		t.Error("lost points are not missed")
	}
}

func TestDamagedPointIsNamed(t *testing.T) {
	points, _ := small(t)
	dir := t.TempDir()
	sitting(t, context.Background(), dir, points, nil)
	file := filepath.Join(dir, "points", points[1].Key, "traffic.arrow")
	for _, length := range []int64{100, 10, 0} {
		must.Do(os.Truncate(file, length))
		store := must.Get(Open(dir, Builds{}))
		if _, err := store.Get(points[1].Key); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "give the command again") {
			t.Errorf("a damaged point: %v", err)
		}
		store.Close()
	}
}

// TestUnlikePoints: a point that lacks a table, or has that of another point, is not taken.
func TestUnlikePoints(t *testing.T) {
	points, _ := small(t)
	dir := t.TempDir()
	sitting(t, context.Background(), dir, points, nil)
	file := func(point int, name string) string { return filepath.Join(dir, "points", points[point].Key, name) }
	must.Do(os.Remove(file(0, "links.arrow")))
	must.Do(os.Rename(file(1, "routers.arrow"), file(2, "routers.arrow")))
	store := must.Get(Open(dir, Builds{}))
	defer store.Close()
	for i, want := range []string{"it has no links.arrow", "it has no routers.arrow", "it has rows of another run, " + strconv.Quote(points[1].Key)} {
		if _, err := store.Get(points[i].Key); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "remove "+filepath.Dir(file(i, ""))) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPointsOfOtherBuilds: a point is finished for the build that has done it, and for others where
// they are asked to take it.
func TestPointsOfOtherBuilds(t *testing.T) {
	points, _ := small(t)
	dir := t.TempDir()
	done := func(b Builds, points []experiment.Point) (earlier int) {
		store := must.Get(Open(dir, b))
		defer store.Close()
		must.Do(store.Describe(points))
		outcomes := must.Get(experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Store: store, Log: zerolog.Nop()}))
		for _, o := range outcomes {
			if o.Earlier {
				earlier++
			} else if b.Own == "new" && !store.FinishedByOthers(o.Key) {
				t.Errorf("%s was not finished by another build", o.Label)
			}
		}
		return earlier
	}
	if n := done(Builds{Own: "old"}, points); n != 0 {
		t.Errorf("%d points were finished before the first sitting", n)
	}
	if n := done(Builds{Own: "old"}, points); n != len(points) {
		t.Errorf("the same build takes %d points", n)
	}
	if n := done(Builds{Own: "newest", Any: true}, points); n != len(points) {
		t.Errorf("another build that may takes %d points", n)
	}
	if _, _, _, err := Merge([]string{dir}); err != nil {
		t.Errorf("merging what another build has done, where that was allowed: %v", err)
	}
	if n := done(Builds{Own: "new"}, points[:3]); n != 0 {
		t.Errorf("another build takes %d points", n)
	}
	if n := done(Builds{Own: "new"}, points[:3]); n != 3 {
		t.Errorf("the new build takes %d points of its own", n)
	}
	of := must.Get(Open(dir, Builds{Own: "new"}))
	must.Do(of.Describe(points))
	of.Close()
	if _, _, _, err := Merge([]string{dir}); !errors.Is(err, ErrIncomplete) {
		t.Errorf("points of two builds were merged: %v", err)
	}
}

func TestUnsavedPointStopsTheSweep(t *testing.T) {
	points, count := small(t)
	dir := t.TempDir()
	store := must.Get(Open(dir, Builds{}))
	defer store.Close()
	must.Do(os.RemoveAll(filepath.Join(dir, "points")))
	outcomes, err := experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Store: store, Log: zerolog.Nop()})
	if err == nil || !strings.Contains(err.Error(), "cannot save a finished point") {
		t.Errorf("the error is %v", err)
	}
	if states(outcomes) != "x-------" || count.Load() != 1 {
		t.Errorf("outcomes are %s after %d points", states(outcomes), count.Load())
	}
}

func TestUnique(t *testing.T) {
	points, _ := small(t)
	twice := experiment.Unique(slices.Concat(points, points[2:4]))
	if len(twice) != len(points) || twice[3].Key != points[3].Key {
		t.Errorf("%d points are left of %d", len(twice), len(points)+2)
	}
	one := experiment.KeyOf(points)
	other := experiment.KeyOf(points[1:])
	if one == other {
		t.Error("different plans have the same digest")
	}
}
