package checks

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// HandOff is the distribution, over all pairs of cores, of the time in which one core hands a word to another.
type HandOff struct {
	Machine string  `json:"machine" title:"machine"`
	Pairs   int     `json:"pairs" title:"pairs"`
	Low     float64 `json:"p5_cycles" title:"5th percentile"`
	Median  float64 `json:"median_cycles" title:"median"`
	Mean    float64 `json:"mean_cycles" title:"mean"`
	High    float64 `json:"p95_cycles" title:"95th percentile"`
	Spread  float64 `json:"p95_over_p5" title:"95th over 5th"`
}

// published are machines whose cores are on one mesh: test cas of github.com/nviennot/core-to-core-latency, whose
// nanoseconds are times the nominal clocks of 2.5, 2.6 and 1.3 GHz here.
var published = []HandOff{
	{"AWS Graviton2, 64 Neoverse N1", 2016, 100, 118, 119, 139, 1.39},
	{"AWS Graviton3, 64 Neoverse V1", 2016, 95, 121, 120, 139, 1.47},
	{"Intel Xeon Phi 7210, 64 cores", 2016, 112, 118, 118, 126, 1.12},
}

// HandOffs reads what the program of package kernels has written in each run: the nanoseconds of so many round trips
// of each pair, which are two hand-offs each. Published values come behind the runs.
func HandOffs(runs []tables.Run, rounds int, gigahertz float64) (list []HandOff, err error) {
	for i := range runs {
		var cycles []float64
		for _, text := range strings.Fields(runs[i].ProgramOutput.Value) {
			ns, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: the program has written %q instead of nanoseconds", runs[i].Router, text)
			}
			cycles = append(cycles, ns*gigahertz/float64(2*rounds))
		}
		if len(cycles) == 0 {
			return nil, fmt.Errorf("%s: the program has written nothing", runs[i].Router)
		}
		slices.Sort(cycles)
		at := func(percent int) float64 { return math.Round(10*cycles[len(cycles)*percent/100]) / 10 }
		h := HandOff{Machine: "simulated, " + runs[i].Router, Pairs: len(cycles), Low: at(5), Median: at(50), High: at(95)}
		for _, v := range cycles {
			h.Mean += v / float64(len(cycles))
		}
		h.Spread = math.Round(100*h.High/h.Low) / 100
		h.Mean = math.Round(10*h.Mean) / 10
		list = append(list, h)
	}
	return append(list, published...), nil
}

// HandOffSheet is the list as a table, with the distance of each run from the machines below it.
func HandOffSheet(list []HandOff) *sheet.Sheet {
	s := sheet.Of(list)
	for _, h := range list[:len(list)-len(published)] {
		var texts []string
		for _, m := range published {
			texts = append(texts, fmt.Sprintf("%s: mean %+.0f %%, spread %+.0f %%", m.Machine, 100*(h.Mean/m.Mean-1), 100*(h.Spread/m.Spread-1)))
		}
		s.Note(fmt.Sprintf("%s, against %s.", h.Machine, strings.Join(texts, "; ")))
	}
	s.Note("Cycles of a one-way hand-off. Published: github.com/nviennot/core-to-core-latency, test cas, ns times nominal clock.")
	return s
}
