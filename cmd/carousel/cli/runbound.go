package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// boundRouter has no contention.
const boundRouter = "ideal"

// doBound replays the windows of a comparison on a network without contention, unless that is among the
// routers, and puts its time into the report.
func (o *output) doBound(ctx context.Context, a *app, s *experiment.Study, rows *tables.Rows, jobs int, r *runReport) ([]experiment.Outcome, error) {
	var outcomes []experiment.Outcome
	all := *rows
	if !slices.Contains(s.Routers, boundRouter) {
		points, err := boundPoints(s, rows)
		if err != nil || len(points) == 0 {
			return nil, err
		}
		outcomes, err = a.doPoints(ctx, o, points, jobs, "runs")
		o.unsaved = errors.Join(o.unsaved, err)
		beside, err := o.saveBeside(sweep.Bound, outcomes)
		if err != nil {
			return outcomes, err
		}
		all.Runs = append(slices.Clone(rows.Runs), beside.Runs...)
	}
	for _, l := range chart.NewData(&all, chart.Extent{}).Summary(runGroups, "router",
		[]chart.Measure{{Column: "cycles", Baseline: chart.Baseline(s.Routers), Totals: true}}) {
		if l.Labels[1] == boundRouter && l.Values[0].OK {
			e := estimateOf(l.Values[0])
			r.Ideal = &e
		}
	}
	return outcomes, nil
}

// boundPoints lists the runs of the network without contention, of the windows that have been replayed.
func boundPoints(s *experiment.Study, rows *tables.Rows) ([]experiment.Point, error) {
	windows := map[uint64]bool{}
	for i := range rows.Runs {
		if rows.Runs[i].ExitState == tables.Finished {
			windows[rows.Runs[i].Window] = true
		}
	}
	alone := *s
	alone.Routers = []string{boundRouter}
	alone.Power.Activity = power.ActivityHalf // only the time is wanted, and the router counts no flipped bits
	points, err := alone.Points()
	return slices.DeleteFunc(points, func(p experiment.Point) bool { return !windows[uint64(p.Window)] }), err
}

// boundNote says what any network could have won at most.
func (r *runReport) boundNote() []string {
	if r.Ideal == nil {
		return nil
	}
	return []string{fmt.Sprintf("a network without contention would take %s of the time of %s: no router can win more.", r.Ideal.ratio(), r.Baseline)}
}
