package ocms

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail: stars that are optimal in one measure are not in the other, algorithm 2
// finds stars with other loops than the printed ones, and other labels are no path, or make routes
// longer.
func TestCriteriaCanFail(t *testing.T) {
	if f := againstAllStars((*multicast.Labelled).OTMS, total); f.Verdict != tables.NotConfirmed {
		t.Errorf("least total of otms: %s, %s", f.Verdict, f.Detail)
	}
	if f := againstAllStars((*multicast.Labelled).OCMS, longest); f.Verdict != tables.NotConfirmed {
		t.Errorf("shortest longest path of ocms: %s, %s", f.Verdict, f.Detail)
	}
	if f := asPrinted(1, 0); f.Verdict != tables.Confirmed {
		t.Errorf("algorithm 2 with loops from 1 and 0: %s, %s", f.Verdict, f.Detail)
	}
	if f := starTimes(multicast.StarTiming(35, 1, 1, 32)); f.Verdict != tables.NotConfirmed {
		t.Errorf("a startup of one more: %s, %s", f.Verdict, f.Detail)
	}
	rows := snakes(func(g topology.Grid) []int { // every row from the left, which is no path
		labels := make([]int, g.Nodes())
		for n := range labels {
			labels[n] = n
		}
		return labels
	})
	spiral := snakes(func(g topology.Grid) []int { // a path of 3x3 that is no snake; other meshes keep theirs
		if labels := multicast.SnakeLabels(g); g.Nodes() != 9 || g.Radix[0] != 3 {
			return labels
		}
		return []int{0, 1, 2, 7, 8, 3, 6, 5, 4}
	})
	if rows.labels.Verdict != tables.NotConfirmed || spiral.minimal.Verdict != tables.NotConfirmed || spiral.labels.Verdict != tables.Confirmed {
		t.Errorf("rows: %+v; a spiral: %+v", rows.labels, spiral)
	}
}
