package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// chipFigures shows what the rest of the chip does to the verdict on ED2P: over the size of cores,
// and over the power of the rest. There are none where the study has several settings or its runs
// do not describe their chips.
func chipFigures(rows *tables.Rows, comparisons []result.Ranking) (list []*figures.Figure, err error) {
	if len(comparisons) != 1 || len(comparisons[0].Names) < 2 || !comparisons[0].OfRouters() {
		return nil, nil
	}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState != tables.Finished || !r.ChipEnergy.Known {
			return nil, nil
		}
	}
	routers := comparisons[0].BaselineFirst()
	sizes := figures.Figure{Name: "chip-ed2p", Title: "ED2P of the chip over the size of its cores", Series: routers,
		Note: "the energy is that of network, cores, caches and controllers; totals over all runs, with 95 % confidence"}
	if len(comparisons[0].Applications) > 1 {
		sizes.Note += "; geometric mean over workloads"
	}
	panel := figures.Panel{Quantity: "ED2P of the chip", Baseline: routers[0], Reference: 1, Better: "left is better"}
	var watts []float64
	for _, prices := range experiment.CoreSizes() {
		priced, err := prices.Of(rows)
		if err != nil {
			return nil, err
		}
		a := result.Rank(&priced, nil)[0].Overall()
		for _, router := range routers {
			if e := a.Ratio(col.ChipED2PJs2, router, routers[0]); e.OK {
				panel.Add(router, figures.Category{Label: prices.Name}, figures.Point{Y: e.Mean, Low: e.Low, High: e.High})
			}
		}
		fastest := sumOf(&priced, routers[0])
		watts = append(watts, fastest.rest/fastest.seconds)
	}
	sizes.Panels = []figures.Panel{panel}
	list = append(list, &sizes)
	if len(comparisons[0].Applications) == 1 {
		list = append(list, verdictOverPower(rows, routers, watts))
	}
	return list, nil
}

// sum is what all runs of a router take: energy of the network and of the rest of the chip in J,
// and time in s.
type sum struct{ network, rest, seconds float64 }

// sumOf adds the runs of a router.
func sumOf(rows *tables.Rows, router string) (s sum) {
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.Router == router {
			s.network, s.rest, s.seconds = s.network+r.Energy.Value, s.rest+r.ChipEnergy.Value-r.Energy.Value, s.seconds+r.Seconds.Value
		}
	}
	return s
}

// ed2p is the product with a rest of the chip of some power.
func (s sum) ed2p(power float64) float64 {
	return (s.network + power*s.seconds) * s.seconds * s.seconds
}

// verdictOverPower draws the ratio of ED2P over the power of the rest of the chip, which is the
// same with all routers. watts are the powers of chips with cores of each size; vertical lines mark
// them.
func verdictOverPower(rows *tables.Rows, routers []string, watts []float64) *figures.Figure {
	f := &figures.Figure{Name: "chip-verdict", Title: "ED2P over the power of the rest of the chip", Series: slices.Clone(routers[1:]),
		Note: "if this power is the same with all routers; totals over all runs; a router below 1 has the lower ED2P; vertical lines are the powers of chips with small, medium and large cores on " + routers[0]}
	panel := figures.Panel{XLabel: "power of cores, caches and memory [W]", LogX: true, Quantity: "ED2P", Baseline: routers[0], Reference: 1}
	const least, steps = 0.1, 60 // W
	most, fastest := math.Pow(10, math.Ceil(math.Log10(watts[len(watts)-1]))), sumOf(rows, routers[0])
	for _, router := range routers[1:] {
		own := sumOf(rows, router)
		for i := range steps + 1 {
			x := least * math.Pow(most/least, float64(i)/steps)
			panel.Put(router, figures.Value(x, own.ed2p(x)/fastest.ed2p(x)))
		}
	}
	for i, prices := range experiment.CoreSizes() {
		name := fmt.Sprintf("%s, %.0f W", prices.Name, watts[i])
		f.Series, panel.Knees = append(f.Series, name), append(panel.Knees, figures.Knee{Series: name, X: watts[i], Text: name})
	}
	f.Panels = []figures.Panel{panel}
	return f
}
