package atbm

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// stageCharts are the charts of a figure with traffic: multicasts, unicasts, and the load that is delivered.
type stageCharts struct{ multicast, unicast, accepted chart.Chart }

func newStageCharts(name, title, panel string) stageCharts {
	c := chart.Chart{Name: name, Title: title + ": multicasts", Measure: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail; none where the network does not carry the load", Unit: "cycles of 20 ns", Series: "scheme",
		Panel: panel, X: "offered", XLabel: "normalized load", YMax: 3000, Names: stageNames()}
	all := stageCharts{c, c, c}
	all.unicast.Name, all.unicast.Title, all.unicast.Measure, all.unicast.Quantity = name+"-unicast", title+": unicasts", "unicast_latency_mean", "latency of unicasts"
	all.accepted.Name, all.accepted.Title, all.accepted.Measure, all.accepted.Quantity = name+"-delivered", title+": delivered load", "accepted", "delivered load"
	all.accepted.Definition, all.accepted.Unit, all.accepted.YMax = "copies, in the unit of the load", "of buffer-time", 0
	return all
}

func (c *stageCharts) list() []chart.Chart { return []chart.Chart{c.multicast, c.unicast, c.accepted} }

// trafficConditions are those of all figures with traffic.
const trafficConditions = stageConditions + "; exponential intervals by the formulas, in which the multicast fraction is of copies; destinations N/2 with deviation N/4; " +
	"the first 40,000 of 140,000 messages dropped; the buffer-time of a message is its length times the switches of a unicast's mean way"

// light chooses, in each panel whose name contains a text, the loads up to half of the largest that both carry.
func light(d *chart.Data, c *chart.Chart, text string) func(*chart.Cell) bool {
	most := map[string]float64{}
	for _, panel := range claim.PanelsOf(d, c, text) {
		if x := largestCarried(d, c, panel); x > 0 {
			most[panel] = x
		}
	}
	return func(in *chart.Cell) bool { return in.X <= most[in.Panel]/2 }
}

// largestCarried is the largest load of a panel that tree worms and software carry.
func largestCarried(d *chart.Data, c *chart.Chart, panel string) (most float64) {
	cells, _ := d.Cells(c)
	for i := range cells {
		in := &cells[i]
		if in.Panel == panel && len(in.Samples["atbm"]) > 0 && len(in.Samples["software"]) > 0 {
			most = max(most, in.X)
		}
	}
	return most
}

// reaches judges how many times as fast as software tree worms are at light and medium loads, in the panels
// whose name contains one of the texts.
func reaches(d *chart.Data, c *chart.Chart, factor float64, panels ...string) claim.Finding {
	var parts []claim.Finding
	for _, panel := range panels {
		list, _ := claim.Compare(d, c, "software", "atbm", light(d, c, panel))
		f := claim.Gain(claim.Overall(list), factor-1)
		f.Detail = fmt.Sprintf("%s: %s, printed %g", panel, f.Detail, factor)
		parts = append(parts, f)
	}
	return claim.Join(parts...)
}

// comes judges whether the largest delivered load of one series and panel over that of another is on a side
// of a threshold.
func comes(own, other chart.Estimate, side int, threshold float64) (claim.Sides, chart.Estimate) {
	if !own.OK || !other.OK {
		return claim.Sides{Missing: 1}, chart.Estimate{}
	}
	ratio := own
	ratio.Interval, ratio.OK = metrics.Ratio(own.Interval, other.Interval)
	return claim.One(&ratio, side, threshold), ratio
}

// capacity compares largest delivered loads, of two series in every panel whose name contains a text, or of
// each of the series in panels of which the names differ by a word.
func capacity(d *chart.Data, c *chart.Chart, text string, own, other func(panel string) (string, string), side int, threshold float64) claim.Finding {
	var n claim.Sides
	var f claim.Finding
	var details []string
	for _, panel := range claim.PanelsOf(d, c, text) {
		p1, s1 := own(panel)
		p2, s2 := other(panel)
		a, b := claim.Capacity(d, c, p1, s1), claim.Capacity(d, c, p2, s2)
		m, ratio := comes(a, b, side, threshold)
		n = n.Add(m)
		if !ratio.OK {
			details = append(details, fmt.Sprintf("open in %s: not both were saturated at the largest load", p1))
			continue
		}
		if !f.Measured.Known {
			f.Some(ratio)
		}
		line := fmt.Sprintf("%s %.3f in %s", s1, a.Mean, p1)
		if p1 == p2 {
			line += fmt.Sprintf(", %s %.3f", s2, b.Mean)
		} else {
			line += fmt.Sprintf(", %.3f in %s", b.Mean, p2)
		}
		line += fmt.Sprintf(" (%.3f ± %.3f times)", ratio.Mean, ratio.HalfWidth())
		details = append(details, line)
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.Verdict(), "delivers at most: "+strings.Join(details, "; ")
	return f
}

// of is a series in the panel at hand, elsewhere one in the panel that has another word in its name.
func of(series string) func(string) (string, string) {
	return func(panel string) (string, string) { return panel, series }
}

func elsewhere(series, word, instead string) func(string) (string, string) {
	return func(panel string) (string, string) { return strings.Replace(panel, word, instead, 1), series }
}

// mostly judges a claim that holds in most cells.
func mostly(d *chart.Data, share float64, charts ...*chart.Chart) claim.Finding {
	var n claim.Sides
	var all []claim.Comparison
	for _, c := range charts {
		list, _ := claim.Compare(d, c, "atbm", "software", claim.Carried(d, c, "BI", "atbm", "software"))
		m, _ := claim.Tally(list, 0, claim.Below, 1)
		n, all = n.Add(m), append(all, list...)
	}
	if len(all) == 0 {
		return claim.Nothing("nothing was measured")
	}
	measured := float64(n.Hold) / float64(len(all))
	f := claim.Fact(measured > share, measured, fmt.Sprintf("lower in %d of %d cells, higher in %d, neither in %d", n.Hold, len(all), n.Contradict, n.Undecided))
	if !(measured > share) && float64(n.Hold+n.Undecided)/float64(len(all)) > share {
		f.Verdict = tables.Open
	}
	return f
}

// lightUnicasts judges by how much tree worms lower the latency of unicasts.
func lightUnicasts(d *chart.Data, c *chart.Chart, text string, low, high float64) claim.Finding {
	var n claim.Sides
	var f claim.Finding
	var details []string
	for _, panel := range claim.PanelsOf(d, c, text) {
		list, _ := claim.Compare(d, c, "atbm", "software", claim.Carried(d, c, panel, "atbm", "software"))
		best := claim.Extreme(list, claim.Below)
		if best == nil {
			n.Missing++
			continue
		}
		if !f.Measured.Known {
			f.Some(best.Estimate)
		}
		inside := claim.One(&best.Estimate, claim.Below, 1-low/2).Add(claim.One(&best.Estimate, claim.Above, max(0, 1-2*high)))
		n = n.Add(inside)
		whole := claim.Overall(list)
		details = append(details, fmt.Sprintf("%s: %s at %g, %s over all loads", panel, best.Text(), best.Cell.X, whole.Text()))
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.Verdict(), strings.Join(details, "; ")
	return f
}
