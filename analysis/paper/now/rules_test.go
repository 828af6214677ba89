package now

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestCriteriaCanFail: chains served one by one, another tree than that of figure 1, random chains,
// a condition that all pairs meet, turns of all kinds, and paths along the tree alone refute.
func TestCriteriaCanFail(t *testing.T) {
	other, err := topology.NewUpDownTree([]int{-1, 0, 1, 2, 3, 4, 5, 6}, nil) // a line from its other end
	if err != nil {
		t.Fatal(err)
	}
	random := func(_ *topology.UpDown, r multicast.Request) []noc.NodeID { return multicast.RandomChain(r) }
	allSafe := func(multicast.Plan, []links, int, int) bool { return true }
	anyTurn := func(u *topology.UpDown, from, to int) (list []int) {
		for v, parent := range u.Parent {
			if parent == from || u.Parent[from] == v {
				list = append(list, v)
			}
		}
		return list
	}
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S3-01": nowSteps(claimtest.OneByOne), "S3-02": nowFigure1Paths(other), "S3-03": nowFigure2(other), "S3-04": nowCircuits(other),
		"S3-05": nowContention(strictLinks, random), "S3-06": nowContention(relaxedLinks, random),
		"S3-07": nowConditions(allSafe), "S3-08": nowDependencies(anyTurn), "S3-14": nowPreference((*topology.UpDown).Strict),
	})
}
