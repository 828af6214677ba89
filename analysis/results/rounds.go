package results

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

// The windows of the first round and of each later one, of which intervals are made.
const (
	firstWindows = 4
	moreWindows  = 2
)

// rounds sorts points by their windows into rounds, each with windows from all over the trace. count is
// how many windows there are.
func rounds(points []experiment.Point) (list [][]experiment.Point, count int) {
	var windows []int
	of := map[int][]experiment.Point{}
	for _, p := range points {
		if of[p.Window] == nil {
			windows = append(windows, p.Window)
		}
		of[p.Window] = append(of[p.Window], p)
	}
	slices.Sort(windows)
	// In the order of their reversed bits the first n numbers are spread evenly for every n.
	places := make([]uint64, len(windows))
	for i := range places {
		places[i] = uint64(i)
	}
	slices.SortFunc(places, func(a, b uint64) int { return cmp.Compare(bits.Reverse64(a), bits.Reverse64(b)) })
	for i, place := range places {
		if i == 0 || i >= firstWindows && (i-firstWindows)%moreWindows == 0 {
			list = append(list, nil)
		}
		round := &list[len(list)-1]
		*round = append(*round, of[windows[place]]...)
	}
	return list, len(windows)
}
