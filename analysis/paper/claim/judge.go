package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Finding is what the measurements say about a claim.
type Finding struct {
	Measured, CI tables.Maybe[float64]
	Verdict      string // tables.Confirmed, NotConfirmed or Open
	// Reason says why the verdict is not confirmed, where the first part of Detail does not.
	Reason string
	Detail string
}

// why is the reason of a finding that is not confirmed.
func (f *Finding) why() string {
	if f.Reason != "" {
		return f.Reason
	}
	text, _, _ := strings.Cut(f.Detail, "; ")
	if at := strings.LastIndex(text, " ("); at > 0 && strings.Count(text, "(") > strings.Count(text, ")") {
		text = text[:at] // a list of exceptions, which goes on
	}
	return text
}

// Nothing is the finding when what a claim is about was not measured.
func Nothing(why string) Finding { return Finding{Verdict: tables.Open, Detail: why} }

// Comparison is how one series relates to another in a cell of a chart.
type Comparison struct {
	Cell   *chart.Cell
	Ratios []float64 // by seed
	chart.Estimate
}

// Compare divides one series by another in every cell that keep keeps; nil keeps all. Cells in
// which one of the two was not measured are counted as missing.
func Compare(d *chart.Data, c *chart.Chart, series, baseline string, keep func(*chart.Cell) bool) (list []Comparison, missing int) {
	cells, err := d.Cells(c)
	if err != nil {
		return nil, 0
	}
	for i := range cells {
		in := &cells[i]
		if keep != nil && !keep(in) {
			continue
		}
		if ratios, e := in.Ratios(series, baseline); e.OK {
			list = append(list, Comparison{in, ratios, e})
		} else {
			missing++
		}
	}
	return list, missing
}

// The sides that a claim can ask for.
const (
	Below = -1
	Above = 1
)

// Asked is a side in words.
func Asked(side int) string {
	if side == Below {
		return "below"
	}
	return "above"
}

// Sides counts how many comparisons are on the side that a claim asks for, on the other, and on
// neither.
type Sides struct{ Hold, Contradict, Undecided, Missing int }

// Tally counts comparisons, and names those that do not hold.
func Tally(list []Comparison, missing int, side int, threshold float64) (n Sides, exceptions []string) {
	n.Missing = missing
	for i := range list {
		e := &list[i]
		switch e.Side(threshold) {
		case side:
			n.Hold++
			continue
		case 0:
			n.Undecided++
		default:
			n.Contradict++
		}
		exceptions = append(exceptions, fmt.Sprintf("%s: %s", e.Cell.Where(), e.Text()))
	}
	return n, exceptions
}

// Verdict is confirmed when all hold, not confirmed when one contradicts, and open otherwise.
func (n Sides) Verdict() string {
	switch {
	case n.Contradict > 0:
		return tables.NotConfirmed
	case n.Undecided > 0 || n.Missing > 0 || n.Hold == 0:
		return tables.Open
	}
	return tables.Confirmed
}

// Add returns the sums of both counts.
func (n Sides) Add(m Sides) Sides {
	return Sides{n.Hold + m.Hold, n.Contradict + m.Contradict, n.Undecided + m.Undecided, n.Missing + m.Missing}
}

// Some puts an estimate into a finding.
func (f *Finding) Some(e chart.Estimate) {
	if !e.OK || math.IsNaN(e.Mean) {
		return
	}
	f.Measured = tables.Some(e.Mean)
	if e.N > 1 {
		f.CI = tables.Some(e.HalfWidth())
	}
}

// Overall is the geometric mean of the ratios of all comparisons: for each seed over the
// comparisons, and then over seeds; or of their estimates, where one is over windows. Inverse
// comparisons have the inverse mean.
func Overall(list []Comparison) chart.Estimate {
	if each := byThemselves(list); each != nil {
		return metrics.GeometricMeanOfEach(each)
	}
	var seeds []float64
	for k := 0; ; k++ {
		var values []float64
		for i := range list {
			if k < len(list[i].Ratios) {
				values = append(values, list[i].Ratios[k])
			}
		}
		if len(values) == 0 || len(values) < len(list) {
			break
		}
		if m, ok := metrics.GeometricMean(values); ok {
			seeds = append(seeds, m)
		}
	}
	return metrics.GeometricMeanOf(seeds)
}

// byThemselves are the estimates of comparisons, if one of them is over windows: those of a
// recording are not those of another with the same number.
func byThemselves(list []Comparison) (each []chart.Estimate) {
	if !slices.ContainsFunc(list, func(c Comparison) bool { return c.Cell.Totals }) {
		return nil
	}
	for i := range list {
		each = append(each, list[i].Estimate)
	}
	return each
}

// Mean is the plain mean of the ratios, over comparisons for each seed and then over seeds, as in
// the papers' text. Where one is over windows it is that of the comparisons' own estimates.
func Mean(list []Comparison) chart.Estimate {
	if each := byThemselves(list); each != nil {
		return metrics.MeanOfEach(each)
	}
	var seeds []float64
	for k := 0; ; k++ {
		sum := 0.0
		for i := range list {
			if k >= len(list[i].Ratios) {
				return metrics.MeanOf(seeds)
			}
			sum += list[i].Ratios[k]
		}
		if len(list) == 0 {
			return chart.Estimate{}
		}
		seeds = append(seeds, sum/float64(len(list)))
	}
}

// ShortList joins the first few exceptions.
func ShortList(list []string) string {
	const shown = 6
	if len(list) > shown {
		return strings.Join(list[:shown], "; ") + fmt.Sprintf("; and %d more", len(list)-shown)
	}
	return strings.Join(list, "; ")
}

// Pair is an ordering that a claim asks for: series is on the given side of baseline.
type Pair struct {
	Series, Baseline string
	Side             int
}

// Lower returns the claim that a series has smaller values than the baseline.
func Lower(series, baseline string) Pair { return Pair{series, baseline, Below} }

// Higher returns the claim that a series has larger values than the baseline.
func Higher(series, baseline string) Pair { return Pair{series, baseline, Above} }

// Everywhere judges a claim that orders pairs of series in every cell. The measured value is the
// geometric mean of the first pair's ratio.
func Everywhere(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, pairs ...Pair) Finding {
	var parts []Finding
	for _, p := range pairs {
		list, missing := Compare(d, c, p.Series, p.Baseline, keep)
		if len(list)+missing > 0 {
			parts = append(parts, EveryRatio(list, missing, p))
		}
	}
	if len(parts) == 0 {
		return Nothing("nothing was measured")
	}
	return Join(parts...)
}

// EveryRatio judges whether all ratios of a pair are on the side asked for. The measured value is
// their geometric mean.
func EveryRatio(list []Comparison, missing int, p Pair) Finding {
	n, exceptions := Tally(list, missing, p.Side, 1)
	whole := Overall(list)
	f := Finding{Verdict: n.Verdict(), Reason: n.reason(p, list)}
	f.Some(whole)
	f.Detail = fmt.Sprintf("%s/%s: %d of %d cells %s 1", p.Series, p.Baseline, n.Hold, len(list)+missing, Asked(p.Side))
	if whole.OK {
		f.Detail += fmt.Sprintf(", geometric mean %s", whole.Text())
	}
	if len(exceptions) > 0 {
		f.Detail += " (" + ShortList(exceptions) + ")"
	}
	if missing > 0 {
		f.Detail += fmt.Sprintf(", %d not measured", missing)
	}
	return f
}

// reason says in how many cells a pair is not on the side asked for, and where it is least so.
func (n Sides) reason(p Pair, list []Comparison) string {
	text := fmt.Sprintf("%s/%s is not %s 1 in %d of %d cells", p.Series, p.Baseline, Asked(p.Side), n.Contradict+n.Undecided, len(list))
	if n.Contradict == 0 && n.Undecided > 0 {
		text += ", with confidence in none"
	}
	if worst := Extreme(list, -p.Side); worst != nil {
		text += fmt.Sprintf(" (%s in %s)", worst.Text(), worst.Cell.Where())
	}
	if n.Missing > 0 {
		text += fmt.Sprintf(", and %d were not measured", n.Missing)
	}
	return text
}

// InEveryCell judges as [Everywhere] does. The measured value is the ratio of the first pair that
// speaks most against the claim.
func InEveryCell(d *chart.Data, c *chart.Chart, keep func(*chart.Cell) bool, pairs ...Pair) Finding {
	f := Everywhere(d, c, keep, pairs...)
	list, _ := Compare(d, c, pairs[0].Series, pairs[0].Baseline, keep)
	if worst := Extreme(list, -pairs[0].Side); worst != nil {
		f.Some(worst.Estimate)
		f.Detail += fmt.Sprintf("; least favourable %s/%s: %s in %s", pairs[0].Series, pairs[0].Baseline, worst.Text(), worst.Cell.Where())
	}
	return f
}

// Extreme is the comparison with the largest ratio; the smallest with side below.
func Extreme(list []Comparison, side int) *Comparison {
	var at *Comparison
	for i := range list {
		if at == nil || float64(side)*(list[i].Mean-at.Mean) > 0 {
			at = &list[i]
		}
	}
	return at
}

// Gain judges a printed gain, such as 0.25 for 25 %, by a measured ratio to 1: it is confirmed when
// the measured gain is between half and twice the printed one. Where the confidence interval leaves
// both possible, the claim is open.
func Gain(measured chart.Estimate, printed float64) Finding {
	var f Finding
	f.Some(measured)
	if !measured.OK {
		return Nothing("nothing was measured")
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
	f.Detail = fmt.Sprintf("%s; %.2f to %.2f confirms", measured.Text(), least, most)
	f.Reason = fmt.Sprintf("%s, where %.2f to %.2f confirms", measured.Text(), least, most)
	return f
}

// Fact judges something that holds or does not.
func Fact(holds bool, value float64, detail string) Finding {
	f := Finding{Measured: tables.Some(value), Verdict: tables.NotConfirmed, Detail: detail}
	if holds {
		f.Verdict = tables.Confirmed
	}
	return f
}

// Join judges a claim of several parts: confirmed when all parts are, not confirmed when one is
// not. The measured value is that of the first.
func Join(parts ...Finding) Finding {
	f := parts[0]
	var details, reasons []string
	for _, p := range parts {
		details = append(details, p.Detail)
		if p.Verdict == tables.NotConfirmed || p.Verdict == tables.Open && f.Verdict == tables.Confirmed {
			f.Verdict = p.Verdict
		}
	}
	for i := range parts {
		if parts[i].Verdict == f.Verdict {
			reasons = append(reasons, parts[i].why())
		}
	}
	f.Detail, f.Reason = strings.Join(details, "; "), ShortList(reasons)
	return f
}

// Quotient divides estimates that were made independently of each other.
func Quotient(over, under *chart.Estimate) chart.Estimate {
	return metrics.Quotient(*over, *under)
}

// One counts a single estimate.
func One(e *chart.Estimate, side int, threshold float64) Sides {
	switch e.Side(threshold) {
	case side:
		return Sides{Hold: 1}
	case 0:
		return Sides{Undecided: 1}
	}
	return Sides{Contradict: 1}
}

// OneSide judges a single estimate, which must be on one side of a threshold.
func OneSide(e chart.Estimate, side int, threshold float64, detail string) Finding {
	f := Finding{Verdict: One(&e, side, threshold).Verdict(), Detail: detail}
	f.Some(e)
	return f
}
