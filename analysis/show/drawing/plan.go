// Package drawing makes pictures of multicast plans on meshes. There is one function: [Plan].
package drawing

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Plan draws a plan for a request, below a title. The network must be a mesh of one or two
// dimensions.
func Plan(l topology.Layout, r multicast.Request, p multicast.Plan, title string) (*figures.Figure, error) {
	if l.Grid == nil || l.Grid.Wrap || len(l.Grid.Radix) > 2 {
		return nil, fmt.Errorf("meshes of one or two dimensions can be drawn, not %s", l.Wiring.Name)
	}
	plan := &figures.Plan{Columns: l.Grid.Radix[0], Rows: l.Grid.Nodes() / l.Grid.Radix[0], Source: int(r.Source)}
	for _, c := range l.Wiring.Channels {
		if c.From < c.To {
			plan.Links = append(plan.Links, [2]int{int(c.From), int(c.To)})
		}
	}
	f := &figures.Figure{Name: "plan", Title: title, Panels: []figures.Panel{{Plan: plan}}}
	for i, m := range p {
		w := figures.Worm{From: int(m.From)}
		m.Visit(l.Wiring, func(from, to noc.NodeID) { w.Channels = append(w.Channels, [2]int{int(from), int(to)}) })
		for _, s := range m.Stops {
			w.Stops = append(w.Stops, int(s))
		}
		f.Series, plan.Worms = append(f.Series, fmt.Sprintf("worm %d, step %d", i, p.Step(i))), append(plan.Worms, w)
	}
	return f, nil
}
