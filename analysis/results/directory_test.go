package results

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestTablesStay: the same command does not write its tables again, unless one is damaged, lost or of another
// command.
func TestTablesStay(t *testing.T) {
	dir := t.TempDir()
	c := must.Get(config.New(must.Get(config.Assignments([]string{"topology=torus:4x4", "routers=base,mrr", "traffic.load=0.2", "traffic.cycles=600", "traffic.warmup=100"}))))
	study := must.Get(plan.NetworksAlone(c))
	points := must.Get(study.Points())
	long := time.Now().Add(-time.Hour)
	run := func(command string) (written int) {
		m := experiment.Program()
		m.Kind, m.Command, m.Study = experiment.Traffic, []string{command}, experiment.KeyOf(points)
		d := must.Get(Open(dir, &m, points, tables.Formats{}, sweep.Claiming{}))
		defer d.Close()
		d.Do = func(points []experiment.Point) ([]experiment.Outcome, error) {
			return experiment.Run(context.Background(), points, experiment.Options{Jobs: 1, Store: d.Store})
		}
		_, rows, err := d.Run(points, true)
		if err != nil || len(rows.Traffic) != 2 || len(rows.Links) != 2*64 {
			t.Errorf("%s: %d points and %d links: %v", command, len(rows.Traffic), len(rows.Links), err)
		}
		must.Get(d.Finish(true))
		for _, file := range must.Get(filepath.Glob(filepath.Join(dir, "*.arrow"))) {
			if !must.Get(os.Stat(file)).ModTime().Equal(long.Truncate(time.Second)) {
				written++
			}
			must.Do(os.Chtimes(file, long.Truncate(time.Second), long.Truncate(time.Second)))
		}
		return written
	}
	run("zero")
	other := must.Get(os.ReadFile(filepath.Join(dir, "links.arrow")))
	all := run("one")
	if again := run("one"); all < 4 || again != 0 {
		t.Errorf("%d tables were written, and %d again", all, again)
	}
	for what, change := range map[string]func() error{
		"damaged":         func() error { return os.WriteFile(filepath.Join(dir, "links.arrow"), []byte("ARROW1"), 0o644) },
		"damaged summary": func() error { return os.Truncate(filepath.Join(dir, "summary.arrow"), 2000) },
		"mixed":           func() error { return os.WriteFile(filepath.Join(dir, "links.arrow"), other, 0o644) },
		"lost":            func() error { return os.Remove(filepath.Join(dir, "routers.arrow")) },
	} {
		must.Do(change())
		if _, err := ReadAll([]string{dir}); what == "mixed" && (err == nil || !strings.Contains(err.Error(), "several commands have written the tables")) {
			t.Errorf("%s: %v", what, err)
		}
		if n := run("one"); n != all {
			t.Errorf("%s: %d tables of %d were written", what, n, all)
		}
	}
	if n := run("another"); n != all {
		t.Errorf("another command writes %d tables of %d", n, all)
	}
	// What stands beside the runs of a study is no study in its place.
	rest := t.TempDir()
	must.Do(os.CopyFS(filepath.Join(rest, sweep.Bound), os.DirFS(dir)))
	must.Do(os.CopyFS(filepath.Join(rest, sweep.Band), os.DirFS(dir)))
	if got, err := ReadAll([]string{rest}); err == nil {
		t.Errorf("%s is read", got[0].Dir)
	}
}
