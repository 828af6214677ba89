package ocms

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail: a startup of one more, labels that are no path, the way back, and a path that
// is no snake refute; so do plans without a worm, unicasts, and dual-path, whose worms never share a
// channel. Stars that are optimal in one measure are not in the other. Algorithm 2 finds stars with
// other loops than the printed ones.
func TestCriteriaCanFail(t *testing.T) {
	rows := func(g topology.Grid) []int { // every row from the left, which is no path
		labels := make([]int, g.Nodes())
		for n := range labels {
			labels[n] = n
		}
		return labels
	}
	spiral := func(g topology.Grid) []int { // in 3x3; other meshes keep their snakes
		if labels := multicast.SnakeLabels(g); g.Nodes() != 9 || g.Radix[0] != 3 {
			return labels
		}
		return []int{0, 1, 2, 7, 8, 3, 6, 5, 4}
	}
	back := func(l *multicast.Labelled, to []noc.NodeID, u, v noc.NodeID) []noc.NodeID { return l.Route(to, v, u) }
	route := (*multicast.Labelled).Route
	none := func(topology.Grid, *multicast.Labelled) bool { return false }
	short := func(s multicast.Scheme, n *multicast.Network, r multicast.Request, o multicast.Options) (multicast.Plan, error) {
		p, err := s.Plan(n, r, o)
		return p[:max(0, len(p)-1)], err
	}
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S1-01": starTimes(multicast.StarTiming(35, 1, 1, 32)), "S1-02": snakes(rows, route).labels, "S1-03": snakes(multicast.SnakeLabels, back).monotone,
		"S1-04": snakes(spiral, route).minimal, "S1-05": onlySnakes(none), "S1-06": otherNetworks(short),
		"S1-08": againstAllStars((*multicast.Labelled).OTMS, total), "S1-10": againstAllStars((*multicast.Labelled).OCMS, longest),
		"S1-09": claimtest.Rising(), "S1-11": claimtest.Rising(), "S1-12": claimtest.Rising(),
		"S1-13": pathsPerSide("unicast"), "S1-16": sharedChannel(50, "dual-path"),
	})
	if f := asPrinted(1, 0); f.Verdict != tables.Confirmed {
		t.Errorf("algorithm 2 with loops from 1 and 0: %s, %s", f.Verdict, f.Detail)
	}
	if f := snakes(spiral, route).labels; f.Verdict != tables.Confirmed {
		t.Errorf("a spiral: %+v", f)
	}
}
