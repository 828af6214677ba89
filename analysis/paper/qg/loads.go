package qg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
)

// part is what a claim is judged by at one panel or load: its numbers, and what they say.
type part struct {
	text  string
	sides claim.Sides
}

// judged is the finding of several parts. What is the opposite of the claim, for the reason, which
// also has the first part that decides.
func judged(what string, list []part) claim.Finding {
	var n claim.Sides
	var details, reasons []string
	for _, p := range list {
		n = n.Add(p.sides)
		if p.text != "" {
			details = append(details, p.text)
		}
	}
	if len(details) == 0 {
		return claim.Nothing("nothing was measured")
	}
	known := n.Hold + n.Contradict + n.Undecided
	if n.Contradict+n.Undecided > 0 {
		reasons = append(reasons, fmt.Sprintf("%s in %d of %d comparisons", what, n.Contradict+n.Undecided, known))
		if n.Contradict == 0 {
			reasons = append(reasons, "with confidence in none")
		}
	}
	if n.Missing > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %d comparisons are unknown, for want of saturation", n.Missing, known+n.Missing))
	}
	return claim.Finding{Verdict: n.Verdict(), Detail: strings.Join(details, "; "), Reason: fmt.Sprintf("%s (%s)", strings.Join(reasons, ", "), deciding(list))}
}

// deciding is the first part that contradicts, or else the first that is undecided or unknown.
func deciding(list []part) string {
	for _, speaks := range []func(part) bool{
		func(p part) bool { return p.sides.Contradict > 0 },
		func(p part) bool { return p.sides.Undecided > 0 },
		func(p part) bool { return p.sides.Missing > 0 },
	} {
		if i := slices.IndexFunc(list, speaks); i >= 0 {
			return list[i].text
		}
	}
	return ""
}

// carries judges whether one series completes more than others in every panel whose name contains a
// text.
func carries(d *chart.Data, accepted *chart.Chart, text, series string, than ...string) claim.Finding {
	var list []part
	var first chart.Estimate
	for _, panel := range claim.PanelsOf(d, accepted, text) {
		own := claim.Capacity(d, accepted, panel, series)
		p := part{text: fmt.Sprintf("%s completes %s in %s", series, completed(&own), panel)}
		for _, other := range than {
			e := claim.Capacity(d, accepted, panel, other)
			p.text += fmt.Sprintf(", %s %s", other, completed(&e))
			p.sides = p.sides.Add(more(&own, &e))
		}
		if list = append(list, p); !first.OK {
			first = own
		}
	}
	f := judged(series+" does not complete most", list)
	f.Some(first)
	return f
}

// more counts whether one capacity is above another, outside the intervals of both. One that is not
// OK was never saturated and so is only a lower bound, which decides where it is above the other.
func more(own, other *chart.Estimate) claim.Sides {
	switch {
	case own.OK && other.OK:
		return lower(other, own)
	case other.OK && own.Low > other.High:
		return claim.Sides{Hold: 1}
	case own.OK && other.Low > own.High:
		return claim.Sides{Contradict: 1}
	}
	return claim.Sides{Missing: 1}
}

// completed is a capacity as a text.
func completed(capacity *chart.Estimate) string {
	text := fmt.Sprintf("%.4f", capacity.Mean)
	if capacity.N > 1 {
		text += fmt.Sprintf(" ± %.4f", capacity.HalfWidth())
	}
	return claim.OrMore(capacity, text)
}

// best asks for the lowest latency of qg at the largest load that it and its rivals carry, and for
// the largest throughput.
func best(d *chart.Data, latency, accepted *chart.Chart, text string, rivals ...string) claim.Finding {
	asked := func(series string) claim.Finding {
		var pairs []claim.Pair
		for _, r := range rivals {
			pairs = append(pairs, claim.Lower(series, r))
		}
		heavy := claim.Heaviest(d, latency, text, append([]string{series}, rivals...)...)
		return claim.Join(claim.InEveryCell(d, latency, heavy, pairs...), carries(d, accepted, text, series, rivals...))
	}
	f := asked("qg")
	f.Detail += "; with four paths: " + asked("qg-multi").Detail
	return f
}

// littleChange compares qg with 50 and with 16 cycles of preparation; the panels of a chart differ
// in it.
func littleChange(d *chart.Data, latency, accepted *chart.Chart) claim.Finding {
	var least chart.Estimate
	var list []part
	largest := 0.0
	for _, panel := range claim.PanelsOf(d, latency, "50 cycles") {
		mesh, _, _ := strings.Cut(panel, ", ")
		usual := mesh + ", preparation of the text"
		list = append(list, sameSides(d, latency, mesh, usual, panel)...)
		largest = max(largest, growth(d, latency, usual, panel))
		a, b := claim.Capacity(d, accepted, panel, "qg"), claim.Capacity(d, accepted, usual, "qg")
		p := part{fmt.Sprintf("largest completed load in %s: %s with 50 cycles, %s with 16", mesh, completed(&a), completed(&b)), claim.Sides{Missing: 1}}
		if a.OK && b.OK {
			ratio := claim.Quotient(&a, &b)
			p.text += ", ratio " + ratio.Text()
			p.sides = claim.One(&ratio, claim.Above, 0.95).Add(claim.One(&ratio, claim.Below, 1.05))
			if !least.OK || ratio.Mean < least.Mean {
				least = ratio
			}
		}
		list = append(list, p)
	}
	f := judged("qg with 50 cycles is not like qg with 16", list)
	if len(list) > 0 {
		f.Detail += fmt.Sprintf("; latency grows at most %.3f-fold", largest)
	}
	f.Some(least)
	return f
}

// sameSides compares on which side of the others qg is in two panels; what is the same has no text.
func sameSides(d *chart.Data, latency *chart.Chart, mesh, usual, panel string) (list []part) {
	for _, rival := range []string{"dual-path", "multi-path", "column-path"} {
		before, _ := claim.Compare(d, latency, "qg", rival, in(usual))
		after, _ := claim.Compare(d, latency, "qg", rival, in(panel))
		for i := range before {
			for k := range after {
				if before[i].Cell.X != after[k].Cell.X {
					continue
				}
				p := part{sides: claim.Sides{Hold: 1}}
				if same := before[i].Side(1) * after[k].Side(1); same <= 0 {
					p.text = fmt.Sprintf("qg/%s at %g in %s: %s becomes %s", rival, before[i].Cell.X, mesh, before[i].Text(), after[k].Text())
					p.sides = claim.Sides{Contradict: 1}
					if same == 0 { // a tie is on neither side
						p.sides = claim.Sides{Undecided: 1}
					}
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// growth is the largest ratio of the latencies of qg in two panels.
func growth(d *chart.Data, latency *chart.Chart, usual, panel string) (largest float64) {
	cells, _ := d.Cells(latency)
	for i := range cells {
		if !in(panel)(&cells[i]) {
			continue
		}
		now, then := latency.Estimate(&cells[i], "qg"), claim.Value(d, latency, "qg", func(o *chart.Cell) bool { return o.Panel == usual && o.X == cells[i].X })
		if now.OK && then.OK {
			largest = max(largest, now.Mean/then.Mean)
		}
	}
	return largest
}

// in keeps the cells of a panel.
func in(panel string) func(*chart.Cell) bool {
	return func(c *chart.Cell) bool { return c.Panel == panel }
}

// advantageGrows compares ratios with 10 and with 20 destinations at equal loads.
func advantageGrows(d *chart.Data, c *chart.Chart) claim.Finding {
	ten, _ := claim.Compare(d, c, "qg", "column-path", claim.Carried(d, c, "10 destinations", "qg", "column-path"))
	twenty, _ := claim.Compare(d, c, "qg", "column-path", claim.Carried(d, c, "20 destinations", "qg", "column-path"))
	var list []part
	for i := range twenty {
		for k := range ten {
			if ten[k].Cell.X == twenty[i].Cell.X {
				list = append(list, part{fmt.Sprintf("at %g: %s with 10, %s with 20", ten[k].Cell.X, ten[k].Text(), twenty[i].Text()), lower(&twenty[i].Estimate, &ten[k].Estimate)})
			}
		}
	}
	f := judged("qg / column-path is not lower with 20 destinations than with 10", list)
	f.Some(claim.Overall(twenty))
	return f
}
