package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// share is a part of the time or energy of a router as a fraction of that of another, mean over
// applications.
func (c *Comparison) share(whole *chart.Parts, part, router, of string) (sum float64) {
	for i := range c.Applications {
		a := &c.Applications[i]
		sum += whole.Share(part, a.runs[router], a.runs[of]) / float64(len(c.Applications))
	}
	return sum
}

// mainReasons is how many parts of a difference are named, and leastReason the smallest one, as a
// share of the time.
const (
	mainReasons = 3
	leastReason = 0.005
)

// reasons says why the slowest router takes longer than the fastest: the parts of the time of cores
// that differ most, as shares of the fastest router's time.
func (c *Comparison) reasons() []string {
	fast, slow := c.Routers[0], c.Routers[len(c.Routers)-1]
	if e := c.ratio("cycles", slow, fast); !e.OK || e.Mean <= 1 || len(c.Setting) > 1 {
		return nil
	}
	type reason struct {
		part string
		more float64
	}
	var list []reason
	for _, p := range chart.Cycles.Parts {
		if more := c.share(&chart.Cycles, p.Name, slow, fast) - c.share(&chart.Cycles, p.Name, fast, fast); more >= leastReason {
			list = append(list, reason{p.Name, more})
		}
	}
	if list == nil {
		return nil
	}
	slices.SortStableFunc(list, func(a, b reason) int { return cmp.Compare(b.more, a.more) })
	var texts []string
	for _, r := range list[:min(mainReasons, len(list))] {
		texts = append(texts, fmt.Sprintf("%s %.0f", r.part, 100*r.more))
	}
	over := ""
	if c.Mean != nil {
		over = ", mean over applications"
	}
	return []string{fmt.Sprintf("%s takes longer than %s mainly in these parts, in %% of the time of %s%s: %s.", slow, fast, fast, over, enumerate(texts))}
}

// parts says how the time and the energy of the fastest router divide.
func (c *Comparison) parts() (list []string) {
	router := c.Routers[0]
	percent := func(part string) float64 { return 100 * c.share(&chart.Cycles, part, router, router) }
	if retiring, ways := percent("retiring"), []float64{percent("interface"), percent("flight"), percent("contention")}; retiring > 0 {
		list = append(list, fmt.Sprintf("Of the execution time of %s, messages take %.0f %%: %.0f %% in network interfaces, %.0f %% in flight and %.0f %% in contention. Cores retire instructions in %.0f %%.",
			router, ways[0]+ways[1]+ways[2], ways[0], ways[1], ways[2], retiring))
	}
	return append(list, energyText(router, func(part string) float64 { return c.share(&chart.Energies, part, router, router) })...)
}

// EnergyParts says how the energy of a network divides in some of its runs.
func EnergyParts(router string, runs []tables.Record) []string {
	sums := map[string]float64{}
	for i := range runs {
		for column, v := range runs[i].Numbers {
			sums[column] += v
		}
	}
	whole := max(sums[chart.Energies.Whole], math.SmallestNonzeroFloat64)
	return energyText(router, func(part string) float64 { return sums[chart.Energies.Column(part)] / whole })
}

// energyText names the shares of the energy of a router; nothing where they are not known.
func energyText(router string, share func(part string) float64) []string {
	percent := func(part string) float64 { return 100 * share(part) }
	if percent("clock")+percent("leakage") == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Of the network energy of %s, the clock takes %.0f %%, leakage %.0f %%, buffers %.0f %% and links %.0f %%.",
		router, percent("clock"), percent("leakage"), percent("buffers"), percent("links"))}
}
