package results

import (
	"path/filepath"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/compare"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// beside does points beside those of the comparison, and writes their tables into a directory of
// their own.
func (d *Directory) beside(name string, points []experiment.Point, do Do) ([]experiment.Outcome, tables.Rows, error) {
	outcomes := d.do(points, do)
	rows, err := experiment.Collect(d.Store, outcomes)
	if err != nil {
		return outcomes, rows, &Error{err}
	}
	d.save(filepath.Join(d.Path, name), &rows)
	return outcomes, rows, nil
}

// Band does the runs of a study under other assumptions, and returns the ranges of the routers'
// times.
func (d *Directory) Band(s *experiment.Study, do Do) ([]experiment.Outcome, []compare.Band, error) {
	points, err := compare.BandPoints(s)
	if err != nil {
		return nil, nil, err
	}
	outcomes, rows, err := d.beside(sweep.Band, points, do)
	return outcomes, compare.BandOf(&rows, s.Routers), err
}

// boundRouter has no contention.
const boundRouter = "ideal"

// Bound replays the windows that have rows on a network without contention, unless that is among
// the routers, and returns its time over that of the baseline; nil where nothing has been replayed.
func (d *Directory) Bound(s *experiment.Study, rows *tables.Rows, do Do) ([]experiment.Outcome, *chart.Estimate, error) {
	var outcomes []experiment.Outcome
	all := *rows
	if !slices.Contains(s.Routers, boundRouter) {
		points, err := boundPoints(s, rows)
		if err != nil || len(points) == 0 {
			return nil, nil, err
		}
		var others tables.Rows
		if outcomes, others, err = d.beside(sweep.Bound, points, do); err != nil {
			return outcomes, nil, err
		}
		all.Runs = append(slices.Clone(rows.Runs), others.Runs...)
	}
	return outcomes, compare.TimeOf(&all, boundRouter, chart.Baseline(s.Routers)), nil
}

// boundPoints lists the runs of the network without contention, of the windows that have been
// replayed.
func boundPoints(s *experiment.Study, rows *tables.Rows) ([]experiment.Point, error) {
	windows := map[uint64]bool{}
	for i := range rows.Runs {
		if rows.Runs[i].ExitState == tables.Finished {
			windows[rows.Runs[i].Window] = true
		}
	}
	alone := *s
	alone.Routers = []string{boundRouter}
	points, err := alone.Points()
	return slices.DeleteFunc(points, func(p experiment.Point) bool { return !windows[uint64(p.Window)] }), err
}
