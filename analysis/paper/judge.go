package paper

import (
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Finding is what the measurements say about a claim.
type Finding struct {
	Measured, CI tables.Maybe[float64]
	Verdict      string // tables.Confirmed, NotConfirmed or Open
	Detail       string
}

// nothing is the finding when what a claim is about was not measured.
func nothing(why string) Finding { return Finding{Verdict: tables.Open, Detail: why} }

// comparison is how one series relates to another in a cell of a chart.
type comparison struct {
	cell   *cell
	ratios []float64 // by seed
	estimate
}

// compare divides one series by another in every cell that keep keeps; nil keeps all. Cells in which one
// of the two was not measured are counted as missing.
func (d *Data) compare(c *Chart, series, baseline string, keep func(*cell) bool) (list []comparison, missing int) {
	cells, err := d.cells(c)
	if err != nil {
		return nil, 0
	}
	for i := range cells {
		in := &cells[i]
		if keep != nil && !keep(in) {
			continue
		}
		ratios := in.ratios(series, baseline)
		if e := estimateOf(ratios); e.ok {
			list = append(list, comparison{in, ratios, e})
		} else {
			missing++
		}
	}
	return list, missing
}

// side tells on which side of a threshold an estimate is with 95 % confidence: -1 below, 1 above, 0 neither.
func (e *estimate) side(threshold float64) int {
	switch {
	case e.High < threshold:
		return -1
	case e.Low > threshold:
		return 1
	}
	return 0
}

// The sides that a claim can ask for.
const (
	below = -1
	above = 1
)

// asked is a side in words.
func asked(side int) string {
	if side == below {
		return "below"
	}
	return "above"
}

// count is how many comparisons are on the side that a claim asks for, on the other, and on neither.
type count struct{ hold, contradict, undecided, missing int }

// tally counts comparisons, and names those that do not hold.
func tally(list []comparison, missing int, side int, threshold float64) (n count, exceptions []string) {
	n.missing = missing
	for i := range list {
		e := &list[i]
		switch e.side(threshold) {
		case side:
			n.hold++
			continue
		case 0:
			n.undecided++
		default:
			n.contradict++
		}
		exceptions = append(exceptions, fmt.Sprintf("%s: %s", e.cell.where(), e.text()))
	}
	return n, exceptions
}

// verdict is confirmed when all hold, not confirmed when one contradicts, and open otherwise.
func (n count) verdict() string {
	switch {
	case n.contradict > 0:
		return tables.NotConfirmed
	case n.undecided > 0 || n.missing > 0 || n.hold == 0:
		return tables.Open
	}
	return tables.Confirmed
}

func (n count) add(m count) count {
	return count{n.hold + m.hold, n.contradict + m.contradict, n.undecided + m.undecided, n.missing + m.missing}
}

// text is "1.03 ± 0.02".
func (e *estimate) text() string {
	if e.N < 2 {
		return fmt.Sprintf("%.3f", e.Mean)
	}
	return fmt.Sprintf("%.3f ± %.3f", e.Mean, e.HalfWidth())
}

// some puts an estimate into a finding.
func (f *Finding) some(e estimate) {
	if !e.ok || math.IsNaN(e.Mean) {
		return
	}
	f.Measured = tables.Some(e.Mean)
	if e.N > 1 {
		f.CI = tables.Some(e.HalfWidth())
	}
}

// overall is the geometric mean of the ratios of all comparisons: for each seed over the comparisons, and
// then over seeds. Inverse comparisons have the inverse mean.
func overall(list []comparison) estimate {
	var seeds []float64
	for k := 0; ; k++ {
		var values []float64
		for i := range list {
			if k < len(list[i].ratios) {
				values = append(values, list[i].ratios[k])
			}
		}
		if len(values) == 0 || len(values) < len(list) {
			break
		}
		if m, ok := metrics.GeometricMean(values); ok {
			seeds = append(seeds, m)
		}
	}
	if i, ok := metrics.GeometricConfidence95(seeds); ok {
		return estimate{i, true}
	}
	m, ok := metrics.GeometricMean(seeds)
	return estimate{metrics.Interval{Mean: m, Low: m, High: m, N: len(seeds)}, ok}
}

// mean is the plain mean of the ratios, over comparisons for each seed and then over seeds, as in the
// papers' text.
func mean(list []comparison) estimate {
	var seeds []float64
	for k := 0; ; k++ {
		sum := 0.0
		for i := range list {
			if k >= len(list[i].ratios) {
				return estimateOf(seeds)
			}
			sum += list[i].ratios[k]
		}
		if len(list) == 0 {
			return estimate{}
		}
		seeds = append(seeds, sum/float64(len(list)))
	}
}

// shortList joins the first few exceptions.
func shortList(list []string) string {
	const shown = 6
	if len(list) > shown {
		return strings.Join(list[:shown], "; ") + fmt.Sprintf("; and %d more", len(list)-shown)
	}
	return strings.Join(list, "; ")
}

// pair is an ordering that a claim asks for: series is on the given side of baseline.
type pair struct {
	series, baseline string
	side             int
}

// everywhere judges a claim that orders pairs of series in every cell. The measured value is the geometric
// mean of the first pair's ratio.
func (d *Data) everywhere(c *Chart, keep func(*cell) bool, pairs ...pair) Finding {
	var f Finding
	var all count
	var details []string
	for i, p := range pairs {
		list, missing := d.compare(c, p.series, p.baseline, keep)
		n, exceptions := tally(list, missing, p.side, 1)
		all = all.add(n)
		whole := overall(list)
		if i == 0 {
			f.some(whole)
		}
		text := fmt.Sprintf("%s/%s: %d of %d cells %s 1", p.series, p.baseline, n.hold, len(list)+missing, asked(p.side))
		if whole.ok {
			text += fmt.Sprintf(", geometric mean %s", whole.text())
		}
		if len(exceptions) > 0 {
			text += " (" + shortList(exceptions) + ")"
		}
		if missing > 0 {
			text += fmt.Sprintf(", %d not measured", missing)
		}
		details = append(details, text)
	}
	f.Verdict, f.Detail = all.verdict(), strings.Join(details, "; ")
	if all == (count{}) {
		return nothing("nothing was measured")
	}
	return f
}

// extreme is the comparison with the largest ratio; the smallest with side below.
func extreme(list []comparison, side int) *comparison {
	var at *comparison
	for i := range list {
		if at == nil || float64(side)*(list[i].Mean-at.Mean) > 0 {
			at = &list[i]
		}
	}
	return at
}

// gain judges a printed gain, such as 0.25 for 25 %, by a measured ratio to 1: it is confirmed when the
// measured gain is between half and twice the printed one. Where the confidence interval leaves both
// possible, the claim is open.
func gain(measured estimate, printed float64) Finding {
	var f Finding
	f.some(measured)
	if !measured.ok {
		return nothing("nothing was measured")
	}
	least, most := 1+printed/2, 1+2*printed
	if printed < 0 { // a reduction cannot be larger than the whole
		least, most = max(0, 1+2*printed), 1+printed/2
	}
	switch {
	case measured.Mean >= least && measured.Mean <= most && measured.Low >= least && measured.High <= most:
		f.Verdict = tables.Confirmed
	case measured.High < least || measured.Low > most:
		f.Verdict = tables.NotConfirmed
	default:
		f.Verdict = tables.Open
	}
	f.Detail = fmt.Sprintf("%s; %.2f to %.2f confirms", measured.text(), least, most)
	return f
}

// fact judges something that holds or does not.
func fact(holds bool, value float64, detail string) Finding {
	f := Finding{Measured: tables.Some(value), Verdict: tables.NotConfirmed, Detail: detail}
	if holds {
		f.Verdict = tables.Confirmed
	}
	return f
}

// join judges a claim of several parts: confirmed when all parts are, not confirmed when one is not. The
// measured value is that of the first.
func join(parts ...Finding) Finding {
	f := parts[0]
	var details []string
	for _, p := range parts {
		details = append(details, p.Detail)
		if p.Verdict == tables.NotConfirmed || p.Verdict == tables.Open && f.Verdict == tables.Confirmed {
			f.Verdict = p.Verdict
		}
	}
	f.Detail = strings.Join(details, "; ")
	return f
}
