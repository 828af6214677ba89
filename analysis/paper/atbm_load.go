package paper

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// stageCharts are the charts of a figure with traffic: multicasts, unicasts, and the load that is delivered.
type stageCharts struct{ multicast, unicast, accepted Chart }

func newStageCharts(name, title, panel string) stageCharts {
	c := Chart{Name: name, Title: title + ": multicasts", Measure: "multicast_latency_mean", Quantity: "latency of multicasts",
		Definition: "from generation to the last destination's tail; none where the network does not carry the load", Unit: "cycles of 20 ns", Series: "scheme",
		Panel: panel, X: "offered", XLabel: "normalized load", YMax: 3000, Names: stageNames()}
	all := stageCharts{c, c, c}
	all.unicast.Name, all.unicast.Title, all.unicast.Measure, all.unicast.Quantity = name+"-unicast", title+": unicasts", "unicast_latency_mean", "latency of unicasts"
	all.accepted.Name, all.accepted.Title, all.accepted.Measure, all.accepted.Quantity = name+"-delivered", title+": delivered load", "accepted", "delivered load"
	all.accepted.Definition, all.accepted.Unit, all.accepted.YMax = "copies, in the unit of the load", "of buffer-time", 0
	return all
}

func (c *stageCharts) list() []Chart { return []Chart{c.multicast, c.unicast, c.accepted} }

// trafficConditions are those of all figures with traffic.
const trafficConditions = stageConditions + "; exponential intervals by the formulas, in which the multicast fraction is of copies; destinations N/2 with deviation N/4; " +
	"the first 40,000 of 140,000 messages dropped; the buffer-time of a message is its length times the switches of a unicast's mean way"

// light chooses, in each panel whose name contains a text, the loads up to half of the largest that both carry.
func (d *Data) light(c *Chart, text string) func(*cell) bool {
	most := map[string]float64{}
	for _, panel := range d.panelsOf(c, text) {
		if x := d.largestCarried(c, panel); x > 0 {
			most[panel] = x
		}
	}
	return func(in *cell) bool { return in.x <= most[in.panel]/2 }
}

// largestCarried is the largest load of a panel that tree worms and software carry.
func (d *Data) largestCarried(c *Chart, panel string) (most float64) {
	cells, _ := d.cells(c)
	for i := range cells {
		in := &cells[i]
		if in.panel == panel && len(in.samples["atbm"]) > 0 && len(in.samples["software"]) > 0 {
			most = max(most, in.x)
		}
	}
	return most
}

// reaches judges how many times as fast as software tree worms are at light and medium loads, in the panels
// whose name contains one of the texts.
func (d *Data) reaches(c *Chart, factor float64, panels ...string) Finding {
	var parts []Finding
	for _, panel := range panels {
		list, _ := d.compare(c, "software", "atbm", d.light(c, panel))
		f := gain(overall(list), factor-1)
		f.Detail = fmt.Sprintf("%s: %s, printed %g", panel, f.Detail, factor)
		parts = append(parts, f)
	}
	return join(parts...)
}

// comes judges whether the largest delivered load of one series and panel over that of another is on a side
// of a threshold.
func comes(own, other estimate, side int, threshold float64) (count, estimate) {
	if !own.ok || !other.ok {
		return count{missing: 1}, estimate{}
	}
	ratio := own
	ratio.Interval, ratio.ok = metrics.Ratio(own.Interval, other.Interval)
	return one(&ratio, side, threshold), ratio
}

// capacity compares largest delivered loads, of two series in every panel whose name contains a text, or of
// each of the series in panels of which the names differ by a word.
func (d *Data) capacity(c *Chart, text string, own, other func(panel string) (string, string), side int, threshold float64) Finding {
	var n count
	var f Finding
	var details []string
	for _, panel := range d.panelsOf(c, text) {
		p1, s1 := own(panel)
		p2, s2 := other(panel)
		a, b := d.throughput(c, p1, s1), d.throughput(c, p2, s2)
		m, ratio := comes(a, b, side, threshold)
		n = n.add(m)
		if !ratio.ok {
			continue
		}
		if !f.Measured.Known {
			f.some(ratio)
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
		return nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.verdict(), "delivers at most: "+strings.Join(details, "; ")
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
func (d *Data) mostly(share float64, charts ...*Chart) Finding {
	var n count
	var all []comparison
	for _, c := range charts {
		list, _ := d.compare(c, "atbm", "software", d.carried(c, "BI", "atbm", "software"))
		m, _ := tally(list, 0, below, 1)
		n, all = n.add(m), append(all, list...)
	}
	if len(all) == 0 {
		return nothing("nothing was measured")
	}
	measured := float64(n.hold) / float64(len(all))
	f := fact(measured > share, measured, fmt.Sprintf("lower in %d of %d cells, higher in %d, neither in %d", n.hold, len(all), n.contradict, n.undecided))
	if !(measured > share) && float64(n.hold+n.undecided)/float64(len(all)) > share {
		f.Verdict = tables.Open
	}
	return f
}

// lightUnicasts judges by how much tree worms lower the latency of unicasts.
func (d *Data) lightUnicasts(c *Chart, text string, low, high float64) Finding {
	var n count
	var f Finding
	var details []string
	for _, panel := range d.panelsOf(c, text) {
		list, _ := d.compare(c, "atbm", "software", d.carried(c, panel, "atbm", "software"))
		best := extreme(list, below)
		if best == nil {
			n.missing++
			continue
		}
		if !f.Measured.Known {
			f.some(best.estimate)
		}
		inside := one(&best.estimate, below, 1-low/2).add(one(&best.estimate, above, max(0, 1-2*high)))
		n = n.add(inside)
		whole := overall(list)
		details = append(details, fmt.Sprintf("%s: %s at %g, %s over all loads", panel, best.text(), best.cell.x, whole.text()))
	}
	if len(details) == 0 {
		return nothing("nothing was measured")
	}
	f.Verdict, f.Detail = n.verdict(), strings.Join(details, "; ")
	return f
}
