package results

import (
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// runExtra does points beside those of the comparison, and writes their tables into a directory of
// their own.
func (d *Directory) runExtra(name string, points []experiment.Point, do Do) ([]experiment.Outcome, tables.Rows, error) {
	outcomes := d.do(points, do)
	rows, err := experiment.Collect(d.Store, outcomes)
	if err != nil {
		return outcomes, rows, &Error{err}
	}
	d.save(filepath.Join(d.Path, name), &rows)
	return outcomes, rows, nil
}

// Band does the runs of a study under other assumptions.
func (d *Directory) Band(c *config.Effective, s *experiment.Study, do Do) ([]experiment.Outcome, *tables.Rows, error) {
	points, err := plan.Band(c, s, compare.AssumptionKey)
	if err != nil {
		return nil, nil, err
	}
	outcomes, rows, err := d.runExtra(sweep.Band, points, do)
	return outcomes, &rows, err
}

// boundRouter has no contention.
const boundRouter = "ideal"

// Bound replays the windows that have rows on a network without contention, unless that is among
// the routers, and returns its runs.
func (d *Directory) Bound(s *experiment.Study, rows *tables.Rows, do Do) ([]experiment.Outcome, []tables.Run, error) {
	if slices.Contains(s.Routers, boundRouter) {
		return nil, nil, nil
	}
	points, err := boundPoints(s, rows)
	if err != nil || len(points) == 0 {
		return nil, nil, err
	}
	outcomes, others, err := d.runExtra(sweep.Bound, points, do)
	return outcomes, others.Runs, err
}

// boundPoints lists the runs of the network without contention, of the windows that have been
// replayed.
func boundPoints(s *experiment.Study, rows *tables.Rows) ([]experiment.Point, error) {
	type part struct {
		workload string
		window   uint64
	}
	replayed := map[part]bool{}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState == tables.Finished {
			replayed[part{r.Workload, r.Window}] = true
		}
	}
	alone := *s
	alone.Routers = []string{boundRouter}
	points, err := alone.Points()
	return slices.DeleteFunc(points, func(p experiment.Point) bool { return !replayed[part{p.Blank().Runs[0].Workload, uint64(p.Window)}] }), err
}
