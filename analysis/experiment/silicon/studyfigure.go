package silicon

import "github.com/carousel-sim/carousel/analysis/figures"

// Figure shows a study: cycles and flits on links by group, relative to the chip.
func (s *Study) Figure() figures.Figure {
	f := figures.Figure{Name: "silicon-study", Title: "Recorded kernels on other networks of the same wires",
		Note: "Shared: readers that ask a node for the same number of bytes as their k-th read since a barrier are supposed to want the same data."}
	cycles := figures.Panel{Title: "Execution time", YLabel: "cycles, relative to the chip", Reference: 1}
	hops := figures.Panel{Title: "Traffic", YLabel: "flits on links, relative to the chip", Reference: 1}
	for _, g := range s.Groups {
		cycles.Categories = append(cycles.Categories, figures.Category{Label: g.Group})
	}
	hops.Categories = cycles.Categories
	for v, variant := range Variants {
		f.Series = append(f.Series, variant.Name)
		time, traffic := figures.Series{Name: variant.Name}, figures.Series{Name: variant.Name}
		for i, g := range s.Groups {
			time.Points = append(time.Points, figures.Point{X: float64(i), Y: g.Cycles[v], Low: g.Cycles[v], High: g.Cycles[v]})
			traffic.Points = append(traffic.Points, figures.Point{X: float64(i), Y: g.FlitHops[v], Low: g.FlitHops[v], High: g.FlitHops[v]})
		}
		cycles.Series, hops.Series = append(cycles.Series, time), append(hops.Series, traffic)
	}
	f.Panels = []figures.Panel{cycles, hops}
	return f
}
