package results

import (
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
	// The numbers below a power of two in the order of their reversed bits: the first n are spread
	// evenly for every n.
	width := bits.Len(uint(len(windows) - 1))
	taken, room := 0, firstWindows
	var round []experiment.Point
	for i := range 1 << width {
		k := int(bits.Reverse64(uint64(i)) >> (64 - width))
		if width == 0 {
			k = 0
		}
		if k >= len(windows) {
			continue
		}
		round = append(round, of[windows[k]]...)
		if taken++; taken == room {
			list, round = append(list, round), nil
			taken, room = 0, moreWindows
		}
	}
	if len(round) > 0 {
		list = append(list, round)
	}
	return list, len(windows)
}
