package engine

import (
	"github.com/carousel-sim/carousel/noc"
)

// release is the globalVC of a channel, all of whose input falls idle, << portBits | output.
type release int32

// events is what takes effect in one of the cycles to come. There is a list per kind of event: the
// branches of a long loop of equal steps are predicted. Those of a loop over the work of one
// router are not, which made a grant a third slower.
type events struct {
	releases []release     // an output and an input fall idle
	freed    [2][]globalVC // credits usable at an interface, and for the channel across an output
	senders  []noc.NodeID  // interfaces of any region fall idle; only in region 0
	heads    []globalVC    // channels whose head may ask for the switch
}

// clear empties the lists of a cycle.
func (a *events) clear() {
	a.releases, a.freed[0], a.freed[1] = a.releases[:0], a.freed[0][:0], a.freed[1][:0]
	a.senders, a.heads = a.senders[:0], a.heads[:0]
}

// takeEvents lets take effect what was sent or started earlier: ports fall idle, credits arrive,
// and headers whose route is known become heads. An event makes its router due if the switch can
// grant something after it: until the switch does, events only add to what it can grant.
func (g *region) takeEvents(t noc.Cycle) {
	a := g.wheel.Take(t)
	if a == nil {
		return
	}
	g.takeReleases(a.releases)
	g.takeCredits(a.freed[1])
	g.computeRoutes(a.heads)
	a.clear()
}

// takeReleases makes outputs and inputs idle again.
func (g *region) takeReleases(list []release) {
	routers := g.routers
	for _, e := range list {
		r := routers[globalVC(e>>portBits).router()]
		o := &r.output[e&(maxPorts-1)]
		o.idle = allVCs
		r.idleLines |= ofPort(globalVC(e >> portBits).vc())
		r.ready |= o.asking & o.open
		r.mark(r.ready & r.idleLines)
	}
}

// wake makes a router due if its switch can grant something.
func (g *region) wake(r *router) {
	r.mark(r.ready & r.idleLines)
}

// mark makes a router due if a set of what it can grant is not empty. It must compile to a
// conditional move: a branch could not be predicted.
func (r *router) mark(can vcSet) {
	due := *r.due
	with := due
	with.Add(r.id)
	if can != 0 {
		due = with
	}
	*r.due = due
}
