package qg

import (
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The numbers of destinations that tables 4 and 5 print.
var PrintedDestinations = [4]float64{20, 40, 60, 80}

// Variation is what one of the tables prints: coefficients of variation and improvements of
// Qualified Groups in per cent, for 20, 40, 60 and 80 destinations.
type Variation struct {
	panel        string
	CV           map[string][4]float64
	improvements map[string][4]float64
}

// printedSchemes are the columns of the tables, and the series that they are compared with.
var printedSchemes = []struct{ printed, series string }{{"dual-path", "dual-path"}, {"multi-path", "multi-path"}, {"column-path", "column-path"}, {"qg", "qg-cut"}}

// The variants of the plan are a mesh and one of the ways in which multicasts may arise.
const exponential = "exponential intervals"

var otherArrivals = []string{"equal intervals", "one node", "one at a time"}

// others are the schemes that Qualified Groups is compared with, from the least variation that is
// printed.
var others = []string{"multi-path", "dual-path", "column-path"}

// PrintedTable4 returns the values of table 4 as printed.
func PrintedTable4() Variation {
	return Variation{"16x16, " + exponential, map[string][4]float64{
		"dual-path": {0.386, 0.416, 0.476, 0.521}, "multi-path": {0.326, 0.365, 0.420, 0.441},
		"column-path": {0.467, 0.489, 0.504, 0.549}, "qg": {0.2640, 0.2695, 0.27004, 0.276},
	}, map[string][4]float64{
		"dual-path": {46.19, 54.83, 76.27, 88.24}, "multi-path": {23.48, 35.69, 55.56, 59.93}, "column-path": {76.74, 81.56, 86.49, 98.82},
	}}
}

// PrintedTable5 returns the values of table 5 as printed.
func PrintedTable5() Variation {
	return Variation{"32x32, " + exponential, map[string][4]float64{
		"dual-path": {0.476, 0.531, 0.596, 0.658}, "multi-path": {0.441, 0.494, 0.536, 0.577},
		"column-path": {0.554, 0.627, 0.680, 0.696}, "qg": {0.3009, 0.3219, 0.33588, 0.3389},
	}, map[string][4]float64{
		"dual-path": {58.14, 64.91, 77.44, 94.12}, "multi-path": {46.51, 53.44, 59.76, 70.21}, "column-path": {84.04, 94.72, 102.33, 105.3},
	}}
}

// Table4 returns the entry of tables 4 and 5: how far apart the destinations of a multicast get it.
func Table4() claim.Entry {
	cv := chart.Chart{Name: "qg.table4", Title: "Variation of the arrival times of a multicast, one in 250 cycles, 64 flits", Measure: "arrival_cv_header",
		Quantity: "CV of arrivals", Definition: "of headers", Unit: "sd/mean", Series: "scheme", Panel: "variant",
		X: "multicast_destinations", XLabel: "destinations"}
	picture := cv
	cv.Name, cv.TableOnly = "qg.table4-readings", true
	picture.Only = map[string][]string{"variant": {PrintedTable4().panel, PrintedTable5().panel}, "scheme": {"dual-path", "multi-path", "column-path", "qg-cut"}}
	picture.Beside = append(PrintedTable4().references(), PrintedTable5().references()...)
	tails := cv
	tails.Name, tails.Measure, tails.Definition = "qg.table4-tails", "arrival_cv", "of tails"
	spread := cv
	spread.Name, spread.Measure, spread.Definition, spread.TableOnly = "qg.table4-spread", "arrival_spread", "deviation of the arrivals of tails over the latency of the multicast", true
	conditions := "arrivals of headers, and representatives that start on headers (qg-cut): the flits count once, the reading that fits table 3 too; 64 flits, startup 33, no preparation, and multicasts of random nodes at exponential intervals, " +
		"as section 4.2 has them, of 250 cycles on average in the whole network: with one of every node in 250 cycles no mesh could carry them; equal intervals, one node alone, and one multicast at a time, are shown beside"
	values := func(id, name string, v Variation) claim.Claim {
		return claim.Claim{ID: id, Text: "Variation of arrival times of the four algorithms for 20 to 80 destinations, " + name + ".", Conditions: conditions + slowColumns,
			Printed:   fmt.Sprintf("dual-path %v, multi-path %v, column-path %v, qg %v", v.CV["dual-path"], v.CV["multi-path"], v.CV["column-path"], v.CV["qg"]),
			Criterion: "every measured value within 10 % of the printed one, with 95 % confidence; measured value: geometric mean of measured over printed",
			Judge:     func(d *chart.Data) claim.Finding { return variations(d, &cv, &tails, &spread, v) }}
	}
	return claim.Entry{
		ID: "qg.table4", Paper: QG, Figure: "tables 4 and 5", Title: "How far apart the destinations of a multicast get it", Plan: "qg.table4.yaml",
		Charts: []chart.Chart{picture, cv, tails, spread},
		Claims: []claim.Claim{
			values("S4-22", "16x16 mesh", PrintedTable4()), values("S4-24", "32x32 mesh", PrintedTable5()),
			{
				ID: "S4-26", Text: "Arrival times vary least with Qualified Groups, then multi-path and dual-path.", Conditions: conditions,
				Printed: "QG < MP < DP", Criterion: "the ratio of neighbours below 1 for every mesh and number of destinations; measured value: the largest ratio qg-cut / multi-path",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.InEveryCell(d, &cv, somewhere, claim.Lower("qg-cut", "multi-path"), claim.Lower("multi-path", "dual-path"))
				},
			},
			{
				ID: "S4-26 column-path", Text: "Arrival times vary most with column-path.", Conditions: conditions + slowColumns,
				Printed: "DP < CP", Criterion: "dual-path / column-path below 1 for every mesh and number of destinations; measured value: the largest ratio",
				Judge: func(d *chart.Data) claim.Finding {
					return claim.InEveryCell(d, &cv, somewhere, claim.Lower("dual-path", "column-path"))
				},
			},
			{
				ID: "S4-27", Text: "The improvement by Qualified Groups is larger on the larger mesh.", Conditions: conditions, Printed: "larger for each",
				Criterion: "the improvement on 32x32 is above that on 16x16 for each algorithm and 20, 40, 60 and 80 destinations, outside the intervals; measured value: mean difference in points",
				Judge:     func(d *chart.Data) claim.Finding { return improvementGrows(d, &cv) },
			},
			{
				ID: "S4-28", Text: "The improvement is more than half for 20 to 40 destinations and more than 90 % for 80.", Conditions: conditions,
				Printed:   "more than 50 %; more than 90 %",
				Criterion: "the improvement over each algorithm on both meshes, with 95 % confidence; measured value: smallest improvement at 20 and 40, in per cent",
				Judge:     func(d *chart.Data) claim.Finding { return improvementSize(d, &cv) },
			},
		},
	}
}

// references returns the printed values, as curves beside the measured ones.
func (v Variation) references() (list []chart.Reference) {
	for _, scheme := range printedSchemes {
		for i, k := range PrintedDestinations {
			printed := v.CV[scheme.printed][i]
			list = append(list, chart.Reference{Panel: v.panel, X: k, Series: scheme.series + ", printed", Like: scheme.series,
				Value: printed, Low: printed, High: printed})
		}
	}
	return list
}

// somewhere keeps the cells in which multicasts arise anywhere.
func somewhere(in *chart.Cell) bool { return strings.HasSuffix(in.Panel, exponential) }

// variations compares a table with what was measured, and tells of the other readings of the text.
func variations(d *chart.Data, cv, tails, spread *chart.Chart, v Variation) claim.Finding {
	var all, paths, groups []claim.PrintedValue
	for _, scheme := range printedSchemes {
		for i, k := range PrintedDestinations {
			one := claim.PrintedValue{Series: scheme.series, X: k, Printed: v.CV[scheme.printed][i]}
			if all = append(all, one); scheme.printed != "column-path" {
				paths = append(paths, one)
			}
			groups = append(groups, claim.PrintedValue{Series: scheme.printed, X: k, Printed: v.CV[scheme.printed][i]})
		}
	}
	f := claim.NearPrinted(d, cv, v.panel, all, 0.1)
	mesh, _, _ := strings.Cut(v.panel, ",")
	for _, other := range otherArrivals {
		f.Detail += "; " + short(claim.NearPrinted(d, cv, mesh+", "+other, all, 0.1))
	}
	f.Detail += "; without column-path: " + short(claim.NearPrinted(d, cv, v.panel, paths, 0.1))
	f.Detail += "; arrivals of tails, representatives starting on tails: " + short(claim.NearPrinted(d, tails, v.panel, groups, 0.1))
	f.Detail += "; deviation over latency: " + short(claim.NearPrinted(d, spread, v.panel, groups, 0.1))
	return f
}

// short is the detail of a finding without the list of exceptions.
func short(f claim.Finding) string {
	text, _, _ := strings.Cut(f.Detail, " (")
	return text
}

// improvement is (CV - CV of qg) / CV of qg, by batch.
func improvement(d *chart.Data, c *chart.Chart, panel, scheme string, k float64) chart.Estimate {
	list, _ := claim.Compare(d, c, scheme, "qg-cut", func(in *chart.Cell) bool { return in.Panel == panel && in.X == k })
	if len(list) == 0 {
		return chart.Estimate{}
	}
	e := list[0].Estimate
	e.Mean, e.Low, e.High = e.Mean-1, e.Low-1, e.High-1
	return e
}

func improvementGrows(d *chart.Data, c *chart.Chart) claim.Finding {
	var n claim.Sides
	var smaller []string
	sum := 0.0
	for _, scheme := range others {
		for _, k := range PrintedDestinations {
			a, b := improvement(d, c, PrintedTable4().panel, scheme, k), improvement(d, c, PrintedTable5().panel, scheme, k)
			if !a.OK || !b.OK {
				n.Missing++
				continue
			}
			sum += 100 * (b.Mean - a.Mean)
			switch {
			case b.Low > a.High:
				n.Hold++
				continue
			case b.High < a.Low:
				n.Contradict++
			default:
				n.Undecided++
			}
			smaller = append(smaller, fmt.Sprintf("%s, %g destinations: %.0f %% to %.0f %%", scheme, k, 100*a.Mean, 100*b.Mean))
		}
	}
	measured := n.Hold + n.Contradict + n.Undecided
	if measured == 0 {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Measured: tables.Some(sum / float64(measured)), Verdict: n.Verdict(), Detail: fmt.Sprintf("larger in %d of %d", n.Hold, measured+n.Missing)}
	if len(smaller) > 0 {
		f.Detail += " (" + claim.ShortList(smaller) + ")"
	}
	return f
}

func improvementSize(d *chart.Data, c *chart.Chart) claim.Finding {
	var n claim.Sides
	var small []string
	least := chart.Estimate{}
	for _, panel := range []string{PrintedTable4().panel, PrintedTable5().panel} {
		for _, scheme := range others {
			for _, k := range []float64{20, 40, 80} {
				e := improvement(d, c, panel, scheme, k)
				if !e.OK {
					n.Missing++
					continue
				}
				wanted := 0.5
				if k == 80 {
					wanted = 0.9
				} else if !least.OK || e.Mean < least.Mean {
					least = e
				}
				one := claim.One(&e, claim.Above, wanted)
				if n = n.Add(one); one.Hold == 0 {
					mesh, _, _ := strings.Cut(panel, ",")
					small = append(small, fmt.Sprintf("%s, %s, %g destinations: %.0f %%", mesh, scheme, k, 100*e.Mean))
				}
			}
		}
	}
	if !least.OK {
		return claim.Nothing("nothing was measured")
	}
	least.Mean, least.Low, least.High = 100*least.Mean, 100*least.Low, 100*least.High
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d hold", n.Hold, n.Hold+n.Contradict+n.Undecided+n.Missing)}
	f.Some(least)
	if len(small) > 0 {
		f.Detail += " (" + claim.ShortList(small) + ")"
	}
	return f
}
