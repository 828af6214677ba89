package atbm

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/claim/claimtest"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// TestCriteriaCanFail gives exact claims what contradicts them: chains served one by one, networks
// with a stage more, routes of the way back, turns between larger switches, channels that wait for
// themselves, groups for another number of channels, other times, and headers with the nodes in
// reverse, which spell the printed example and go astray. Tokens prevent the deadlocks that a claim
// expects, and without them there are some where a claim expects none.
func TestCriteriaCanFail(t *testing.T) {
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
	larger := func(bidirectional bool, nodes, arity int) (topology.Multistage, error) {
		return topology.NewMultistage(bidirectional, nodes*arity, arity)
	}
	itself := func(m topology.Multistage) []map[int]bool { return []map[int]bool{{0: true}} }
	turned := func(m topology.Multistage, r multicast.Request, several bool) int {
		return treeChannels(m, r, !several)
	}
	linear := func(b, j int) int { return b * j }
	shared := func(m topology.Multistage, channels int) [][]int { // tags as for the other number of channels
		if channels == 1 {
			return multicast.TagGroups(m, m.Arity)
		}
		return multicast.TagGroups(m, 1)
	}
	slower := wormholeideal.DefaultTree()
	slower.Tree.TokenHop *= 2
	claimtest.CanFail(t, Rules(), map[string]claim.Finding{
		"S0-01": phases(claimtest.OneByOne), "S0-02": sizesOfStages(larger), "S0-03": routesArrive(uni(2, 4), back), "S0-04": turnStages(bi(2, 4), back),
		"S0-05": acyclic(itself, uni(2, 2)), "S0-06": turnarounds(turned, bi(2, 3)), "S0-18": bitString(reverse),
		"S0-07": deadlocksOccur(true), "S0-08": dilation(linear, uni(2, 3)), "S0-09": tokensPrevent(false), "S0-16": countingFlits(wormholeideal.Headers),
		"S0-10": behindFirst(uni(2, 3), uni(2, 4)), "S0-11": groupSizes(1, shared), "S0-12": groupSizes(0, shared), "S0-13": groupLabels(shared),
		"S0-14": butterflyGroups(multicast.TagGroups(bi(2, 3), 2)), "S0-15": firstStage(multicast.TagGroups(uni(4, 3), 4)),
		"S0-17": oneStartup(101), "S0-20": tokenTimes(slower), "S0-21": exampleTime(slow), "S0-22": theory(timing),
	}, map[string]claim.Finding{
		"S0-04": turnStages(bi(4, 2), topology.Multistage.Route),
	})
}
