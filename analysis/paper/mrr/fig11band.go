package mrr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The variants of figure 11's plan that are its panels. The others change an assumption of the
// first.
const tokenVariant, directoryVariant, tokenPanel = "token coherence", "directory coherence", "token coherence"

// bandVariants are the variants that change an assumption.
func bandVariants() (names []string) {
	for _, a := range experiment.Assumptions() {
		names = append(names, a.Name)
	}
	return names
}

// spread is the range of a ratio over the assumptions.
type spread struct {
	low, high         float64
	lowFrom, highFrom string
}

func (s *spread) include(ratio float64, name string) {
	if s.low == 0 || ratio < s.low {
		s.low, s.lowFrom = ratio, name
	}
	if ratio > s.high {
		s.high, s.highFrom = ratio, name
	}
}

// figure11 is what the claims about figure 11's times know.
type figure11 struct {
	data *chart.Data
	// time has the figure's own variants, band the others, with a panel for each.
	time, band *chart.Chart
}

// compared is the ratio of two routers' times in one application, under token coherence.
type compared struct {
	claim.Comparison
	workload string
	// shifts are the ratios under each assumption over that of the figure, in the same windows.
	shifts map[string]float64
	// bound is the same ratio for the fastest network that was measured, which is mostly the one
	// without contention.
	bound chart.Estimate
}

// compare divides the times of a router by those of another in each application, with the
// assumptions and the bound.
func (f *figure11) compare(series, baseline string) (list []compared) {
	own, _ := claim.Compare(f.data, f.time, series, baseline, recorded)
	var bounds []claim.Comparison
	for _, other := range []string{"ideal", "base", "base-mc", "rr", "mrr"} {
		more, _ := claim.Compare(f.data, f.time, series, other, recorded)
		bounds = append(bounds, more...)
	}
	assumed, err := f.data.Cells(f.band)
	if err != nil {
		return nil
	}
	for _, c := range own {
		one := compared{Comparison: c, workload: c.Cell.Label, shifts: map[string]float64{}}
		for i := range bounds {
			if bounds[i].Cell == c.Cell && (!one.bound.OK || bounds[i].Mean > one.bound.Mean) {
				one.bound = bounds[i].Estimate
			}
		}
		for i := range assumed {
			if in := &assumed[i]; in.Label == one.workload {
				if shift, ok := shiftOf(in, c.Cell, series, baseline); ok {
					one.shifts[in.Panel] = shift
				}
			}
		}
		list = append(list, one)
	}
	return list
}

// shiftOf returns by what an assumption changes a ratio of times, in the windows that have been
// replayed under both.
func shiftOf(assumed, own *chart.Cell, series, baseline string) (float64, bool) {
	alike := func(samples, those []metrics.Sample) (list []metrics.Sample) {
		for _, s := range samples {
			if slices.ContainsFunc(those, func(o metrics.Sample) bool { return o.Pair == s.Pair }) {
				list = append(list, s)
			}
		}
		return list
	}
	under := metrics.TotalRatio(assumed.Samples[series], assumed.Samples[baseline])
	as := metrics.TotalRatio(alike(own.Samples[series], assumed.Samples[series]), alike(own.Samples[baseline], assumed.Samples[baseline]))
	if !under.OK || !as.OK {
		return 0, false
	}
	return under.Mean / as.Mean, true
}

// spreadOf is the range of the mean ratio of applications over the assumptions that all of them
// have.
func spreadOf(list []compared) (s spread, assumptions int) {
	if len(list) == 0 {
		return s, 0
	}
	mean := func(name string) (sum float64, ok bool) {
		for i := range list {
			shift, known := list[i].shifts[name]
			if name == "" {
				shift, known = 1, true
			}
			if !known {
				return 0, false
			}
			sum += list[i].Mean * shift / float64(len(list))
		}
		return sum, true
	}
	own, _ := mean("")
	s.include(own, "as in the figure")
	names := make([]string, 0, len(list[0].shifts))
	for name := range list[0].shifts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if ratio, ok := mean(name); ok {
			s.include(ratio, name)
			assumptions++
		}
	}
	return s, assumptions
}

// text is "apache 1.06 ± 0.01 (1.04 to 1.09 over assumptions; at most 1.12)".
func (c *compared) text() string {
	var parts []string
	if s, n := spreadOf([]compared{*c}); n > 0 {
		parts = append(parts, fmt.Sprintf("%.3f to %.3f over assumptions", s.low, s.high))
	}
	if c.bound.OK {
		parts = append(parts, fmt.Sprintf("at most %.3f", c.bound.Mean))
	}
	text := c.workload + " " + c.Text()
	if parts != nil {
		text += " (" + strings.Join(parts, "; ") + ")"
	}
	return text
}

// comparisons drops what the band adds.
func comparisons(list []compared) (plain []claim.Comparison) {
	for i := range list {
		plain = append(plain, list[i].Comparison)
	}
	return plain
}

// overall says the range of the mean over the assumptions, and what any network could have won over
// a router.
func overall(list []compared, router string) string {
	var parts []string
	if s, n := spreadOf(list); n > 0 {
		parts = append(parts, fmt.Sprintf("the mean is %.3f to %.3f over %d assumptions (%s, %s)", s.low, s.high, n, s.lowFrom, s.highFrom))
	}
	var bounds []chart.Estimate
	for i := range list {
		bounds = append(bounds, list[i].bound)
	}
	if e := metrics.MeanOfEach(bounds); e.OK {
		parts = append(parts, fmt.Sprintf("the fastest network, mostly the one without contention, is %.3f times as fast as %s", e.Mean, router))
	}
	return strings.Join(parts, "; ")
}

// network says which part of the cores' time messages are on their way, on a router, and the
// largest parts of the rest.
func network(d *chart.Data, router string) string {
	keys := map[string]bool{}
	rows := d.Tables()
	for i := range rows.Axes {
		if a := &rows.Axes[i]; a.Key == "variant" && a.Value == tokenVariant {
			keys[a.RunKey] = true
		}
	}
	var runs []tables.Run
	for _, r := range rows.Runs {
		if keys[r.RunKey] && r.Router == router && r.ExitState == tables.Finished {
			runs = append(runs, r)
		}
	}
	shares := chart.CycleShares(runs, rows.Cores)
	if shares == nil {
		return ""
	}
	inNetwork := 0.0
	var rest []chart.Share
	for _, s := range shares {
		if slices.Contains(chart.InNetwork, s.Name) {
			inNetwork += s.Share
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortStableFunc(rest, func(a, b chart.Share) int { return int(1e6 * (b.Share - a.Share)) })
	var others []string
	for _, s := range rest[:min(4, len(rest))] {
		others = append(others, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Share))
	}
	return fmt.Sprintf("on %s messages are on their way for %.0f %% of the cores' time, and the rest is mostly %s", router, 100*inNetwork, strings.Join(others, ", "))
}
