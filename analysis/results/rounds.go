package results

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The windows of the first round and of each later one, of which intervals are made.
const (
	firstWindows = 4
	moreWindows  = 2
)

// rounds sorts points by their windows into rounds, each with windows from all over the trace. count is
// how many windows there are.
func rounds(points []experiment.Point) (list [][]experiment.Point, count int) {
	windows := tables.GroupBy(points, func(p *experiment.Point) int { return p.Window })
	slices.SortStableFunc(windows, func(a, b tables.Group[int, experiment.Point]) int { return cmp.Compare(a.Key, b.Key) })
	// In the order of their reversed bits the first n numbers are spread evenly for every n.
	places := make([]uint64, len(windows))
	for i := range places {
		places[i] = uint64(i)
	}
	slices.SortFunc(places, func(a, b uint64) int { return cmp.Compare(bits.Reverse64(a), bits.Reverse64(b)) })
	for i, place := range places {
		if i == 0 || i >= firstWindows && (i-firstWindows)%moreWindows == 0 {
			list = append(list, nil)
		}
		round := &list[len(list)-1]
		*round = append(*round, windows[place].Records...)
	}
	return list, len(windows)
}

// leastWindows is how many windows an interval is made of, at least, that decides whether more are
// replayed.
const leastWindows = 4

// leastKnown returns the application of which the time of the fastest router over that of the next one is
// known least, and half the width of its interval as a part of the ratio: 1 where it is not known yet, and 0
// where nothing is compared.
func leastKnown(rows *tables.Rows) (least *result.Application, width float64) {
	for _, c := range result.Rank(rows, nil) {
		for i := range c.Applications {
			a, own := &c.Applications[i], 1.0
			if len(a.Rows) < 2 {
				continue
			}
			if next := &a.Rows[0].Next; next.OK && next.N >= leastWindows {
				own = next.HalfWidth() / next.Mean
			}
			if least == nil || own > width {
				least, width = a, own
			}
		}
	}
	return least, width
}

// forecast says how well an application is known, and how many windows a width is expected to take; of is
// how many there are.
func forecast(a *result.Application, width float64, of int) string {
	next, first, second := &a.Rows[0].Next, a.Rows[0].Name, a.Rows[1].Name
	text := fmt.Sprintf("--until: after %d windows %s takes %s of the time of %s with %s", next.N, first, next.Text(), second, a.Name)
	if !next.OK || next.Vague() {
		text = fmt.Sprintf("--until: after %d windows the ratio of the times of %s and %s with %s is not known", next.N, first, second, a.Name)
	}
	n, ok := next.NeededFor(width * next.Mean)
	switch {
	case next.Limited(width * next.Mean):
		return fmt.Sprintf("%s. No number of windows of this length gives ±%.3g %%; longer windows or the whole program may.", text, 100*width)
	case !ok:
		return fmt.Sprintf("%s. The number of windows that gives ±%.3g %% is not known.", text, 100*width)
	}
	if n > max(of, compare.MostWindows) {
		return fmt.Sprintf("%s. More windows will not give ±%.3g %%: it takes more than %s.", text, 100*width, sheet.Thousands(compare.MostWindows))
	}
	text += fmt.Sprintf(". About %d would give ±%.3g %%, and this study has %d", n, 100*width, of)
	if n > of {
		text += compare.MakeWindows(a.Name, n)
	}
	return text + "."
}

// Band does the runs of a study under other assumptions.
func (d *Directory) Band(c *config.Effective, s *experiment.Study) ([]experiment.Outcome, *tables.Rows, error) {
	points, err := plan.Band(c, s, compare.AssumptionKey)
	if err != nil {
		return nil, nil, err
	}
	outcomes, rows, err := d.collect(sweep.Band, d.do(points), true)
	return outcomes, &rows, err
}

// Bound replays the windows that have rows on a network without contention, unless that is among
// the routers, and returns its runs.
func (d *Directory) Bound(s *experiment.Study, rows *tables.Rows) ([]experiment.Outcome, []tables.Run, error) {
	if slices.Contains(s.Routers, result.Ideal) {
		return nil, nil, nil
	}
	points, err := boundPoints(s, rows)
	if err != nil || len(points) == 0 {
		return nil, nil, err
	}
	outcomes, others, err := d.collect(sweep.Bound, d.do(points), true)
	return outcomes, others.Runs, err
}

// CheckBound reports whether the network without contention can carry a study's messages.
func CheckBound(s *experiment.Study) error {
	m, err := s.Models.Lookup(result.Ideal)
	if err == nil {
		_, err = experiment.BuildNetwork(m, s.Network, &s.Chip)
	}
	if err != nil {
		return fmt.Errorf("router %s, for --bound: %w", result.Ideal, err)
	}
	return nil
}

// boundPoints lists the runs of the network without contention, of the windows that have been
// replayed.
func boundPoints(s *experiment.Study, rows *tables.Rows) ([]experiment.Point, error) {
	finished := result.Of(rows).Finished()
	alone := *s
	alone.Routers = []string{result.Ideal}
	points, err := alone.Points()
	return slices.DeleteFunc(points, func(p experiment.Point) bool {
		own := &p.Blank().Runs[0]
		return !slices.ContainsFunc(finished, func(o tables.Observation) bool { return o.Run.Workload == own.Workload && o.Window == own.Window })
	}), err
}
