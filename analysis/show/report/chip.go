package report

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// coreSizes are the sizes of cores in pictures, the smallest first.
var coreSizes = []string{"small", "medium", "large"}

// chipFigures shows what the rest of the chip does to the verdict on ED2P: over the size of cores, and over the power
// of the rest. There are none where the study has several settings or its runs do not describe their chips.
func chipFigures(rows *tables.Rows, comparisons []result.Ranking) (list []*figures.Figure, err error) {
	if len(comparisons) != 1 || len(comparisons[0].Routers) < 2 {
		return nil, nil
	}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.ExitState != tables.Finished || !r.ChipEnergy.Known {
			return nil, nil
		}
	}
	routers := comparisons[0].Routers
	sizes := figures.Figure{Name: "chip-ed2p", Title: "ED2P of the chip over the size of its cores", Series: routers,
		Note: "energy of network, cores, caches and controllers, times the square of time, over all windows; with 95 % confidence"}
	if len(comparisons[0].Applications) > 1 {
		sizes.Note += "; geometric mean over workloads"
	}
	panel := figures.Panel{Quantity: "ED2P of the chip", Baseline: routers[0], Reference: 1}
	watts := make([]float64, len(coreSizes))
	for i, size := range coreSizes {
		prices := experiment.WithCores(size)
		priced, err := prices.Of(rows)
		if err != nil {
			return nil, err
		}
		a := result.Rank(&priced, nil)[0].Overall()
		for _, router := range routers {
			if e := a.Ratio(col.ChipED2PJs2, router, routers[0]); e.OK {
				panel.Add(router, figures.Category{Label: size + " cores"}, figures.Point{Y: e.Mean, Low: e.Low, High: e.High})
			}
		}
		watts[i] = restOf(&priced, routers[0])
	}
	sizes.Panels = []figures.Panel{panel}
	list = append(list, &sizes)
	if len(comparisons[0].Applications) == 1 {
		list = append(list, verdictOverPower(rows, routers, watts))
	}
	return list, nil
}

// restOf is the power of a chip without its network in W, over all runs of a router.
func restOf(rows *tables.Rows, router string) float64 {
	var energy, seconds float64
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.Router == router {
			energy += r.ChipEnergy.Value - r.Energy.Value
			seconds += r.Seconds.Value
		}
	}
	return energy / seconds
}

// verdictOverPower draws the ratio of ED2P over the power of the rest of the chip, which is the same with all routers.
// watts are the powers of chips with cores of each size; upright lines mark them.
func verdictOverPower(rows *tables.Rows, routers []string, watts []float64) *figures.Figure {
	type sum struct{ energy, seconds float64 }
	sums := map[string]sum{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		s := sums[r.Router]
		sums[r.Router] = sum{s.energy + r.Energy.Value, s.seconds + r.Seconds.Value}
	}
	f := figures.Figure{Name: "chip-verdict", Title: "ED2P over the power of the rest of the chip", Series: routers[1:],
		Note: "total energy and time of all windows; below 1, the router has the lower ED2P; upright lines: chips with small, medium and large cores"}
	panel := figures.Panel{XLabel: "power of cores, caches and memory [W]", LogX: true, Quantity: "ED2P", Baseline: routers[0], Reference: 1}
	ratio := func(router string, power float64) float64 {
		a, b := sums[routers[0]], sums[router]
		return (b.energy + power*b.seconds) * b.seconds * b.seconds / ((a.energy + power*a.seconds) * a.seconds * a.seconds)
	}
	const least, steps = 0.1, 60 // W
	most := math.Pow(10, math.Ceil(math.Log10(watts[len(watts)-1])))
	low, high := 1.0, 1.0
	for _, router := range routers[1:] {
		for i := range steps + 1 {
			x := least * math.Pow(most/least, float64(i)/steps)
			y := ratio(router, x)
			panel.Put(router, figures.Value(x, y))
			low, high = min(low, y), max(high, y)
		}
	}
	for i, size := range coreSizes {
		name := fmt.Sprintf("%s cores, %.0f W", size, watts[i])
		f.Series = append(f.Series, name)
		for _, y := range []float64{low, high} {
			panel.Put(name, figures.Value(watts[i], y))
		}
	}
	f.Panels = []figures.Panel{panel}
	return &f
}
