package cmp

import "github.com/carousel-sim/carousel/noc"

// RouterEpoch is what each router has moved since the epoch before, in phits: those that it sent on
// links and those that it handed to its node.
type RouterEpoch struct {
	Cycle noc.Cycle // when the epoch ended
	Phits []uint64  // by router
}

// mostRouterEpochs is how many a run has at most. Where it would have more, pairs of neighbours
// become one, and epochs are twice as long from then on. So a run of any length has at least half as
// many, unless it is shorter than that many of the first ones.
const (
	mostRouterEpochs = 64
	firstRouterEpoch = 32 // cycles
)

// routerEpochs samples the routers of a run.
type routerEpochs struct {
	list     []RouterEpoch
	next     noc.Cycle // end of the present one
	length   noc.Cycle
	before   []uint64
	activity []noc.Activity
}

func newRouterEpochs(n noc.Network) routerEpochs {
	e := routerEpochs{next: firstRouterEpoch, length: firstRouterEpoch, activity: n.Activity(nil), list: make([]RouterEpoch, 0, mostRouterEpochs)}
	e.before = make([]uint64, len(e.activity))
	for i := range mostRouterEpochs {
		e.list = append(e.list[:i], RouterEpoch{Phits: make([]uint64, len(e.activity))})
	}
	e.list = e.list[:0]
	return e
}

// sample ends an epoch, which may be the last.
func (e *routerEpochs) sample(n noc.Network, now noc.Cycle, last bool) {
	e.activity = n.Activity(e.activity[:0])
	e.list = e.list[:len(e.list)+1]
	epoch := &e.list[len(e.list)-1]
	epoch.Cycle = now
	for i := range e.activity {
		moved := e.activity[i].LinkPhits + e.activity[i].EjectPhits
		epoch.Phits[i], e.before[i] = moved-e.before[i], moved
	}
	if len(e.list) == mostRouterEpochs && !last {
		e.halve()
	}
	e.next = (now/e.length + 1) * e.length
}

// halve joins neighbours.
func (e *routerEpochs) halve() {
	for i := range mostRouterEpochs / 2 {
		into, a, b := &e.list[i], &e.list[2*i], &e.list[2*i+1]
		cycle := b.Cycle
		for r := range into.Phits {
			into.Phits[r] = a.Phits[r] + b.Phits[r]
		}
		into.Cycle = cycle
	}
	e.list, e.length = e.list[:mostRouterEpochs/2], 2*e.length
}
