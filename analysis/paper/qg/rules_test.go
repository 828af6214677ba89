package qg

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail: the example without its last destinations, groups that are all there twice,
// schemes with more steps, another startup, deeper buffers, and other variations refute.
func TestCriteriaCanFail(t *testing.T) {
	r := qgExample()
	r.Destinations = r.Destinations[:25:25]
	q, err := multicast.QualifiedGroups(topology.Mesh(10, 10), r, multicast.DefaultGroupOptions())
	if err != nil {
		t.Fatal(err)
	}
	twice := func(g topology.Grid, r multicast.Request, o multicast.GroupOptions) (multicast.Grouping, error) {
		q, err := multicast.QualifiedGroups(g, r, o)
		q.Final = append(q.Final, q.Final...)
		return q, err
	}
	deep := messages.Default()
	deep.BufferFlits++
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S4-01": exampleDivisor(q), "S4-02": exampleWeights(q), "S4-03": exampleAverage(q), "S4-04": exampleSplit(q), "S4-05": groupCounts(twice),
		"S4-06": claimtest.Rising(), "S4-07": twoSteps("column-path"), "S4-09": pathTimes(34), "S4-38": configured(deep),
	})
	v := PrintedTable4()
	v.CV["qg"] = v.CV["dual-path"]
	claimtest.CanFail(t, Printed(), map[string]claim.Finding{"S4-23": improvementArithmetic(v, 0.6), "S4-25": improvementArithmetic(v, 0.2)})
}
