package multicast

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Activity is something that planning does in steps of constant time.
type Activity int

// The activities.
const (
	Sorting    Activity = iota // comparing two destinations
	Dividing                   // looking at a destination, or at one of its coordinates, to divide, weigh or place it
	Tabulating                 // entering a cost into a table
	Searching                  // looking at an entry of the table, or at one worm of a partial star
	Walking                    // a hop of R, on the way to a distance or along a worm
	activities
)

// Activities names the values of Activity.
var Activities = [activities]string{"sorting", "dividing", "tabulating", "searching", "walking"}

// Work counts the steps of planning, by activity, for those who ask how planning grows. It has
// nothing to do with time: the same request always takes the same steps. A nil Work counts nothing
// and costs next to nothing.
type Work [activities]uint64

// count adds steps of an activity.
func (w *Work) count(a Activity, steps int) {
	if w != nil {
		w[a] += uint64(steps)
	}
}

// Steps is the sum of what the papers count. They take distances as given and leave the ways to the
// routers, so Walking is not part of it.
func (w *Work) Steps() uint64 {
	return w[Sorting] + w[Dividing] + w[Tabulating] + w[Searching]
}

// alongside adds the work of nodes that prepare their parts at the same time: that of the node with
// the most steps, of several the first.
func (w *Work) alongside(nodes []*Work) {
	if w == nil || len(nodes) == 0 {
		return
	}
	longest := slices.MaxFunc(nodes, func(a, b *Work) int { return cmp.Compare(a.Steps(), b.Steps()) })
	for a, steps := range longest {
		w[a] += steps
	}
}

// sort sorts nodes by an order, and counts the comparisons.
func (w *Work) sort(list []noc.NodeID, order func(a, b noc.NodeID) int) {
	if w == nil {
		slices.SortFunc(list, order)
		return
	}
	slices.SortFunc(list, func(a, b noc.NodeID) int {
		w[Sorting]++
		return order(a, b)
	})
}
