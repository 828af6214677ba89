package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// group is 64 routers, of which those with work of a kind are kept as a set: bit r is about router
// first+r.
type group struct {
	net     *Network
	routers *[64]router
	first   int
	all     uint64       // the routers that exist
	wake    noc.Cycle    // next cycle in which any must be stepped
	busy    [8]uint64    // by kind of work
	due     [2][8]uint64 // those that have work from cycle c on, in element c&1

	feeding uint64               // interfaces with something to send
	paused  uint64               // interfaces that stream
	resume  fabric.Wheel[uint64] // those of which that ends in each cycle
	tight   uint64               // routers without quota for every possible sender, as published
	holding uint64               // routers with an input that asks for a hold, or has one
}

// Kinds of work in a router. Each has a loop of its own over the routers where there is any,
// because a branch on the kind would be mispredicted. For the same reason, the kind of work for a
// head is guessed when it reaches its place. The decision about it follows all rules, whatever its
// kind.
const (
	sends        = iota // output stages send to neighbours
	consumptions        // the node takes packets from the local output stage
	turns               // heads of segments turn
	departures          // or leave to the output
	entries             // inputs enter the rings
	kinds
)

// staging returns the kind of work of a packet that gets into the output stage of port p.
func staging(port uint) uint { return sends + isLocal(port) }

// isLocal returns 1 for the local port, else 0, branch-free: the branch would be mispredicted.
func isLocal(port uint) uint { return (port - 1) >> 63 }

// moving returns the kind of work of a packet that gets into a segment which drains to port p.
func moving(p *packet, port uint) uint { return turns + uint(p.outputs>>(port&portBits))&1 }

// expect notes that a router will have work of a kind from a cycle on, one or two from now, and
// returns what will be there then.
func (r *router) expect(cycle noc.Cycle, kind uint) *present {
	g := r.group
	g.due[cycle&1][kind&7] |= r.bit
	return &r.soon[cycle&1]
}

// work returns the first cycle in which a router has something to do.
func (n *Network) work() noc.Cycle {
	next := noc.Never
	for i := range n.groups {
		next = min(next, n.groups[i].wake)
	}
	return next
}

// cycle steps every group that is due, in the order of rule 7.
func (n *Network) cycle() {
	n.instant = instantOf(n.Clock)
	n.publish()
	n.keepPast()
	for i := range n.groups {
		g := &n.groups[i]
		if g.wake > n.Clock && !n.config.EveryCycle {
			continue
		}
		g.wake = noc.Never // from here on, others may wake it for the next cycle
		g.prepare()
		g.step()
		g.sleep()
	}
}

// prepare brings a group to the current cycle.
func (g *group) prepare() {
	n := g.net
	slot, some := n.Clock&1, uint64(0)
	due := &g.due[slot]
	for kind := range due {
		some |= due[kind]
		g.busy[kind] |= due[kind]
		due[kind] = 0
	}
	for m := some; m != 0; m &= m - 1 {
		r := &g.routers[first(m)]
		soon := &r.soon[slot]
		r.now.heads |= soon.heads
		r.now.ports |= soon.ports
		*soon = present{}
	}
	if n.config.EveryCycle { // examine everything
		for kind := range g.busy {
			g.busy[kind] = g.all
		}
		g.holding = g.all
	}
	if set := g.resume.Take(n.Clock); set != nil {
		g.paused &^= *set
		*set = 0
	}
}

// step lets the routers of a group decide everything they can in this cycle. Few routers have work
// of a kind left when they have been stepped.
func (g *group) step() {
	g.stepConsumptions()
	g.stepSends()
	g.stepHeads()
	g.stepEntries()
	for m := g.feeding &^ g.paused; m != 0; m &= m - 1 {
		g.routers[first(m)].inject()
	}
	if g.holding != 0 {
		g.holdAll()
	}
}

func (g *group) stepConsumptions() {
	rest := uint64(0)
	for m := g.busy[consumptions]; m != 0; m &= m - 1 {
		r := &g.routers[first(m)]
		if r.sendToNode(); r.now.staged()&pair != 0 {
			rest |= m & -m
		}
	}
	g.busy[consumptions] = rest
}

func (g *group) stepSends() {
	rest := uint64(0)
	for m := g.busy[sends]; m != 0; m &= m - 1 {
		r := &g.routers[first(m)]
		if r.sendToNeighbours(); r.now.sendable() != 0 {
			rest |= m & -m
		}
	}
	g.busy[sends] = rest
}

func (g *group) stepHeads() {
	turning, departing := g.busy[turns], g.busy[departures]
	rest := uint64(0)
	for _, set := range [...]uint64{turning, departing &^ turning} {
		for m := set; m != 0; m &= m - 1 {
			r := &g.routers[first(m)]
			if r.arbitrate(); r.now.heads != 0 {
				rest |= m & -m
			}
		}
	}
	g.busy[turns], g.busy[departures] = rest, 0
}

func (g *group) stepEntries() {
	rest := uint64(0)
	for m := g.busy[entries]; m != 0; m &= m - 1 {
		r := &g.routers[first(m)]
		if r.enterAll(); r.now.inputs() != 0 {
			rest |= m & -m
		}
	}
	g.busy[entries] = rest
}

// sleep finds the cycle in which a group must be stepped next. Neighbours and clients wake it when
// they send something.
func (g *group) sleep() {
	n := g.net
	working, later := g.feeding&^g.paused|g.holding, uint64(0)
	for kind := range g.busy {
		working |= g.busy[kind] | g.due[(n.Clock+1)&1][kind]
		later |= g.due[n.Clock&1][kind]
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
