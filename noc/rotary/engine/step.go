package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/set"
)

// member is the number of a router in its group.
type member uint

type routerSet = set.Of64[member]

// place returns the router's number in its group: the low bits of its number.
func (r *router) place() member { return member(r.id) }

// group is 64 routers. Those with work of a kind are kept as a set.
type group struct {
	net     *region
	routers *[64]router
	all     routerSet           // the routers that exist
	wake    noc.Cycle           // next cycle in which any must be stepped
	busy    [kinds]routerSet    // by kind of work
	coming  [2][kinds]routerSet // those that have work from cycle c on, in element c&1

	feeding routerSet               // interfaces with something to send
	paused  routerSet               // interfaces that stream
	resume  fabric.Wheel[routerSet] // those of which that ends in each cycle
	holding routerSet               // routers with an input that asks for a hold, or has one

	begun bool // see Network.begin
}

// Kinds of work in a router. Each has a loop of its own over the routers that have any. Routers
// with turns and those with departures do the same: they are apart because the branches of each
// loop can be predicted better.
const (
	sends      = iota // output stages send
	turns             // heads of segments decide, and none of the new ones can leave by its output
	departures        // or some can
	entries           // inputs enter the rings
	kinds
)

// due notes that a router will have work of a kind from a cycle on, one or two from now, and
// returns what will be there then.
func (r *router) due(cycle noc.Cycle, kind uint) *present {
	r.group.coming[cycle&1][kind].Add(r.place())
	return &r.soon[cycle&1]
}

// due reports whether a group must be stepped in the current cycle.
func (g *group) due() bool { return g.wake <= g.net.Clock || g.net.config.EveryCycle }

// prepare brings a group to the current cycle.
func (g *group) prepare() {
	n := g.net
	g.wake = noc.Never // from here on, others may wake it for the next cycle
	slot, some := n.Clock&1, routerSet(0)
	for kind, members := range g.coming[slot] {
		some |= members
		g.busy[kind] |= members
	}
	g.coming[slot] = [kinds]routerSet{}
	for m := range some.All() {
		r := &g.routers[m]
		r.now |= r.soon[slot]
		r.soon[slot] = 0
	}
	if n.config.EveryCycle { // examine everything
		for kind := range g.busy {
			g.busy[kind] = g.all
		}
		g.holding = g.all
	}
	if over := g.resume.Take(n.Clock); over != nil {
		g.paused &^= *over
		*over = 0
	}
}

// begin lets the routers of a group decide everything about packets inside that they can in this cycle. Few
// routers have work of a kind left after it.
func (g *group) begin() {
	g.prepare()
	for m := range g.busy[sends].All() {
		r := &g.routers[m]
		if r.send(); r.now.sendable() == 0 {
			g.busy[sends].Remove(m)
		}
	}
	g.busy[turns] = g.arbitrateAll(g.busy[turns]) | g.arbitrateAll(g.busy[departures]&^g.busy[turns])
	g.busy[departures] = 0
	for m := range g.busy[entries].All() {
		r := &g.routers[m]
		if r.enter(); r.now.inputs() == 0 {
			g.busy[entries].Remove(m)
		}
	}
}

// finish lets interfaces inject, and finds the cycle in which a group must be stepped next.
func (g *group) finish() {
	for m := range (g.feeding &^ g.paused).All() {
		g.routers[m].inject()
	}
	for m := range g.holding.All() {
		r := &g.routers[m]
		if r.hold(); r.rare.expired == 0 && r.held == 0 {
			g.holding.Remove(m)
		}
	}
	g.sleep()
}

// sleep finds the cycle in which a group must be stepped next. Neighbours and clients wake it when
// they send something.
func (g *group) sleep() {
	n := g.net
	working, later := g.feeding&^g.paused|g.holding, routerSet(0)
	for kind := range g.busy {
		working |= g.busy[kind] | g.coming[(n.Clock+1)&1][kind]
		later |= g.coming[n.Clock&1][kind]
	}
	if working != 0 {
		g.wake = n.Clock + 1
		return
	}
	if later != 0 {
		g.wake = min(g.wake, n.Clock+2)
	}
	g.wake = min(g.wake, g.resume.Next(n.Clock+1))
}

// arbitrateAll lets some routers arbitrate, and returns those with heads left.
func (g *group) arbitrateAll(members routerSet) routerSet {
	for m := range members.All() {
		r := &g.routers[m]
		if r.arbitrate(); r.now.heads() == 0 {
			members.Remove(m)
		}
	}
	return members
}
