package atbm

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// reading is what the paper's ratio of multicasts is of. Its formulas divide the copies, its text
// the messages; every figure with traffic is drawn, and every claim about one judged, under both.
type reading struct{ name, suffix, words string }

var readings = []reading{
	{"copies", "", "the multicast fraction is of copies, as in the formulas for the intervals"},
	{"messages", " messages", "the multicast fraction is of messages, as the text says"},
}

// stageFigure is a figure with traffic.
type stageFigure struct {
	id, figure, title string
	conditions        string
	series, panel     string // columns that the claims tell apart
	pictures          []picture
	claims            func(c *stageCharts) []claim.Claim
}

// entry makes the entry of a figure: its pictures and claims under both readings.
func (f stageFigure) entry() claim.Entry {
	e := claim.Entry{ID: f.id, Paper: ATBM, Figure: f.figure, Title: f.title, Plan: f.id + ".yaml"}
	for _, r := range readings {
		c := newStageCharts(f.id, f.series, f.panel, r)
		for _, p := range f.pictures {
			e.Charts = append(e.Charts, p.charts(f.id, r)...)
		}
		if f.claims == nil {
			continue
		}
		for _, one := range f.claims(c) {
			one.ID += r.suffix
			one.Conditions = f.conditions + "; " + r.words
			e.Claims = append(e.Claims, one)
		}
	}
	return e
}

// stageCharts are what the claims of a figure look at under one reading: multicasts, unicasts, the
// load that is delivered, and the wait for tokens.
type stageCharts struct{ multicast, unicast, accepted, wait chart.Chart }

func newStageCharts(name, series, panel string, r reading) *stageCharts {
	c := chart.Chart{Name: name, Measure: "multicast_latency_mean", Quantity: "latency of multicasts", Unit: "cycles", Series: series,
		Panel: panel, X: "offered", Names: stageNames(), Only: map[string][]string{"mix": {r.name}}}
	all := &stageCharts{c, c, c, c}
	all.unicast.Measure, all.accepted.Measure, all.wait.Measure = "unicast_latency_mean", "accepted", "token_wait_mean"
	return all
}

// stageConditions are what the figures have in common.
const stageConditions = "startup 0.5 us, decisions of 60 ns, flits of 20 ns, tokens pass in 20 ns x half the group at every branching stage, buffers of one header, " +
	"lowest free port up; software is CMIN in UNI and UMIN in BI networks, on the same switches"

// trafficConditions are those of all figures with traffic.
const trafficConditions = stageConditions + "; exponential intervals; destinations N/2 with deviation N/4; " +
	"the first 40,000 of 140,000 messages dropped, of messages as many as have as many copies; the buffer-time of a message is its length times the switches of a unicast's mean way"

// light chooses, in each panel whose name contains a text, the loads up to half of the largest that
// both carry.
func light(d *chart.Data, c *chart.Chart, text string) func(*chart.Cell) bool {
	most := map[string]float64{}
	for _, panel := range claim.PanelsOf(d, c, text) {
		if x := largestCarried(d, c, panel, "atbm", "software"); x > 0 {
			most[panel] = x
		}
	}
	return func(in *chart.Cell) bool { return in.X <= most[in.Panel]/2 }
}

// largestCarried is the largest load of a panel that some series carry.
func largestCarried(d *chart.Data, c *chart.Chart, panel string, series ...string) (most float64) {
	cells, _ := d.Cells(c)
	for i := range cells {
		if in := &cells[i]; in.Panel == panel && claim.Carried(d, c, "", series...)(in) {
			most = max(most, in.X)
		}
	}
	return most
}

// reaches judges how many times as fast as software tree worms are at light and medium loads, in
// the panels whose name contains one of the texts.
func reaches(d *chart.Data, c *chart.Chart, factor float64, panels ...string) claim.Finding {
	var parts []claim.Finding
	for _, panel := range panels {
		list, _ := claim.Compare(d, c, "software", "atbm", light(d, c, panel))
		f := claim.Gain(claim.Overall(list), factor-1)
		f.Detail, f.Reason = fmt.Sprintf("%s: %s, printed %g", panel, f.Detail, factor), panel+": "+f.Reason
		parts = append(parts, f)
	}
	return claim.Join(parts...)
}

// comes judges whether the largest delivered load of one series and panel over that of another is
// on a side of a threshold. A series that was not saturated at the largest load may carry more than
// it delivered, so that the ratio is only bounded: from below, if the first is the one, from above,
// if it is the other. A bound that lies beyond the threshold decides.
func comes(own, other chart.Estimate, side int, threshold float64) (n claim.Sides, ratio chart.Estimate, bound int) {
	if own.N == 0 || other.N == 0 || !own.OK && !other.OK {
		return claim.Sides{Missing: 1}, chart.Estimate{}, 0
	}
	switch {
	case !own.OK:
		bound = claim.Above
	case !other.OK:
		bound = claim.Below
	}
	own.OK, other.OK = true, true // as bounds
	ratio = metrics.Quotient(own, other)
	if bound != 0 && ratio.Side(threshold) != bound {
		return claim.Sides{Missing: 1}, chart.Estimate{}, 0
	}
	return claim.One(&ratio, side, threshold), ratio, bound
}

// delivered is a largest delivered load as a text.
func delivered(e *chart.Estimate) string { return claim.OrMore(e, fmt.Sprintf("%.3f", e.Mean)) }

// bounded are the words before a ratio that is only bounded.
func bounded(bound int) string { return [...]string{"at most ", "", "at least "}[bound+1] }

// capacity compares largest delivered loads, of two series in every panel whose name contains a
// text, or of each of the series in panels of which the names differ by a word. The measured value
// is the ratio that speaks most against the claim, of those that are not only bounded.
func capacity(d *chart.Data, c *chart.Chart, text string, own, other func(panel string) (string, string), side int, threshold float64) claim.Finding {
	var n claim.Sides
	var f claim.Finding
	var worst, measured chart.Estimate
	var where, series string
	var details []string
	for _, panel := range claim.PanelsOf(d, c, text) {
		p1, s1 := own(panel)
		p2, s2 := other(panel)
		series = s1
		a, b := claim.Capacity(d, c, p1, s1), claim.Capacity(d, c, p2, s2)
		m, ratio, bound := comes(a, b, side, threshold)
		n = n.Add(m)
		if !ratio.OK {
			details = append(details, fmt.Sprintf("open in %s: not both were saturated at the largest load", p1))
			continue
		}
		against := func(e *chart.Estimate) bool { return !e.OK || float64(side)*(ratio.Mean-e.Mean) < 0 }
		if against(&worst) {
			worst, where = ratio, fmt.Sprintf("%s%s in %s", bounded(bound), ratio.Text(), p1)
		}
		if bound == 0 && against(&measured) {
			measured = ratio
		}
		line := fmt.Sprintf("%s %s in %s", s1, delivered(&a), p1)
		if p1 == p2 {
			line += fmt.Sprintf(", %s %s", s2, delivered(&b))
		} else {
			line += fmt.Sprintf(", %s in %s", delivered(&b), p2)
		}
		details = append(details, line+fmt.Sprintf(" (%s%.3f ± %.3f times)", bounded(bound), ratio.Mean, ratio.HalfWidth()))
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f.Some(measured)
	f.Verdict, f.Detail = n.Verdict(), "delivers at most: "+strings.Join(details, "; ")
	f.Reason = fmt.Sprintf("the largest delivered load of %s over the other is not %s %g in %d of %d networks", series, claim.Asked(side), threshold, n.Contradict+n.Undecided, len(details)-n.Missing)
	if where != "" {
		f.Reason += fmt.Sprintf(" (%s)", where)
	}
	if n.Missing > 0 {
		f.Reason += fmt.Sprintf(", and unknown in %d, which were not saturated at the largest load", n.Missing)
	}
	return f
}

// of is a series in the panel at hand, elsewhere one in the panel that has another word in its
// name.
func of(series string) func(string) (string, string) {
	return func(panel string) (string, string) { return panel, series }
}

func elsewhere(series, word, instead string) func(string) (string, string) {
	return func(panel string) (string, string) { return strings.Replace(panel, word, instead, 1), series }
}

// at is the mean of a series at a load of a panel.
func at(d *chart.Data, c *chart.Chart, series, panel string, load float64) chart.Estimate {
	return claim.Value(d, c, series, func(in *chart.Cell) bool { return in.Panel == panel && in.X == load })
}

// curve is one series of a panel in the order of x.
func curve(d *chart.Data, c *chart.Chart, panel, series string) (x []float64, y []chart.Estimate) {
	cells, _ := d.Cells(c)
	for i := range cells {
		if e := c.Estimate(&cells[i], series); cells[i].Panel == panel && e.OK {
			x, y = append(x, cells[i].X), append(y, e)
		}
	}
	return x, y
}
