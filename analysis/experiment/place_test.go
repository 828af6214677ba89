package experiment

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/power"
)

// TestLinksLeadWhereTheySay follows each link of each model by its direction from the coordinates
// of its sender and must arrive at those of its receiver.
func TestLinksLeadWhereTheySay(t *testing.T) {
	for _, name := range []string{"torus:4x3", "mesh:3x4", "torus:5", "mesh:3x2x4", "utorus:4x3", "utorus:3x4:-y+x", "lattice:16:1"} {
		layout := must.Get(topology.Open(name))
		grid, placed := layout.Coordinates()
		options := models.DefaultOptions()
		if options.Grid = grid; layout.Grid == nil {
			options.Other = &layout
		}
		for _, m := range models.Table() {
			if !m.Fits(options) {
				continue
			}
			t.Run(name+"/"+m.Name, func(t *testing.T) {
				network := must.Get(m.Build(options))
				var rows tables.Rows
				links := network.Links(nil)
				if _, err := AppendNetwork(&rows, "key", network.Hardware(), power.Default(), options.Layout(), network.Activity(nil), links, 1); err != nil {
					t.Fatal(err)
				}
				if len(rows.Links) == 0 && m.Name != "ideal" {
					t.Fatal("there are no links")
				}
				for _, l := range rows.Links {
					if l.FromX.Known != placed || l.Direction.Known != placed {
						t.Fatalf("%+v has a place, or none", l)
					}
					if !placed {
						continue
					}
					at := make([]int, len(grid.Radix))
					for d := range at {
						at[d] = grid.Coordinate(noc.NodeID(l.FromNode), d)
					}
					step := 1
					if strings.HasSuffix(l.Direction.Value, "-") {
						step = -1
					}
					at[strings.IndexByte("xyzuvwt", l.Direction.Value[0])] += step
					if grid.Node(at...) != noc.NodeID(l.ToNode) {
						t.Errorf("%+v leads to %d", l, grid.Node(at...))
					}
				}
			})
		}
	}
}
