package claim

import (
	"math"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Sorting is v log2 v.
func Sorting(v int) float64 { return float64(v) * math.Log2(float64(max(v, 2))) }

// pathBound is that of dual-path and multi-path: to sort the destinations.
func pathBound(a trial) float64 { return Sorting(a.k) }

// columnBound is that of column-path: to sort the destinations, and then the fullest column.
func columnBound(a trial) float64 {
	columns := make([]int, a.nodes/a.grid.Radix[len(a.grid.Radix)-1])
	for _, d := range a.request.Destinations {
		columns[int(d)%len(columns)]++
	}
	return Sorting(a.k) + Sorting(slices.Max(columns))
}

// groupBound is that of Qualified Groups: m partitions, to sort the destinations, then the
// representatives of the g groups, and then the largest group. Every partition makes a group, so m
// is g.
func groupBound(a trial) float64 {
	q, err := multicast.QualifiedGroups(*a.grid, a.request, a.options.Groups)
	if err != nil {
		return math.NaN() // it has been planned, so there is none
	}
	largest := 0
	for _, group := range q.Final {
		largest = max(largest, len(group.Nodes))
	}
	return float64(len(q.Final)) + Sorting(a.k) + Sorting(len(q.Final)) + Sorting(largest)
}

// CountPreparation counts what the path-based schemes do before they send.
func CountPreparation() ([]Growth, error) {
	const square, space = "k of 64x64 nodes", "96 of 4,096 nodes in n dimensions, m = 2^n, a step for each coordinate, the bound times n"
	large := fixed(plane(4096))
	var list []counting
	for _, s := range []struct {
		series, scheme string
		bound          func(trial) float64
	}{{"dual-path", "dual-path", pathBound}, {"multi-path", "multi-path", pathBound}, {"column-path", "column-path", columnBound}} {
		list = append(list, counting{Growth: Growth{Where: square, Series: s.series, Size: "k"}, scheme: s.scheme, from: 8, to: 2048, layout: large, k: itself, draw: Anywhere, bound: s.bound})
	}
	orthants := func(m int) topology.Layout { return Box(4096, bits.Len(uint(m))-1) }
	perCoordinate := func(a trial) float64 { return float64(len(a.grid.Radix)) * groupBound(a) }
	for _, s := range []struct {
		series    string
		threshold int
		draw      func(topology.Layout, int) []multicast.Request
	}{{"QG", 500, Anywhere}, {"QG, threshold 0", 0, Anywhere}, {"QG, threshold 0, crowded", 0, Crowded}} {
		list = append(list,
			counting{Growth: Growth{Where: square, Series: s.series, Size: "k"}, scheme: "qg", threshold: s.threshold, from: 8, to: 2048, layout: large, k: itself, draw: s.draw, bound: groupBound},
			counting{Growth: Growth{Where: space, Series: s.series, Size: "m"}, scheme: "qg", threshold: s.threshold, from: 2, to: 64, layout: orthants, k: always(96), draw: s.draw, bound: perCoordinate})
	}
	return countAll(list)
}
