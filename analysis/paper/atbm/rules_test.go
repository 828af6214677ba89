package atbm

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestCriteriaCanFail gives exact claims what contradicts them: chains served one by one, routes of
// the way back, other times, and headers with the nodes in reverse, which spell the printed example
// and go astray.
func TestCriteriaCanFail(t *testing.T) {
	oneByOne := func(chain []noc.NodeID, _ multicast.Middle, route func(a, b noc.NodeID) []noc.NodeID) multicast.Plan {
		p, err := multicast.Copies(multicast.Request{Source: chain[0], Destinations: chain[1:]}, 1, route)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	back := func(m topology.Multistage, s, d noc.NodeID) []noc.NodeID { return m.Route(d, s) }
	slow := wormholeideal.DefaultTree()
	slow.Startup++
	timing := multicast.TreeTiming(64)
	timing.Extra = 0
	reverse := func(nodes int, set noc.NodeSet) uint64 {
		turned := noc.NewNodeSet(nodes)
		for n := range nodes {
			if set.Has(noc.NodeID(n)) {
				turned.Add(noc.NodeID(nodes - 1 - n))
			}
		}
		return encode(nodes, turned)
	}
	for what, f := range map[string]claim.Finding{"S0-01": phases(oneByOne), "S0-03": routesArrive(uni(2, 4), back), "S0-04": routesArrive(bi(2, 4), back),
		"S0-18": bitString(reverse), "S0-21": exampleTime(slow), "S0-22": theory(timing), "S0-47": lastStage(false)} {
		if f.Verdict != tables.NotConfirmed {
			t.Errorf("%s: %s, %s", what, f.Verdict, f.Detail)
		}
	}
}
