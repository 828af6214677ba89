package engine

import (
	"fmt"
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a grid of rotary routers. It implements noc.Network.
type Network struct {
	fabric.Interfaces
	parallel.Holder
	grid    topology.Grid
	config  rotary.Config
	limits  rotary.Limits
	routers []router
	groups  []group
	regions []*region // in the order of their routers
	halves  [2]func(region int)

	forgotten noc.Cycle // see advance
	least     int       // phits inside for which each region has a thread
	owing     []int     // of checks, so that they allocate nothing
	mirror    *rotary.Mirror
}

// rules are what decisions read of the configuration.
type rules struct {
	ahead, behind [maxSegments]uint8 // see next and before

	turnMost  uint8 // slots in use of a segment that takes a turn
	enterMost int   // slots in use of a segment that takes a header by rule 1

	unbalanced uint8 // 255 without RingTurnBalance, else 0
}

func newRules(c rotary.Config, l *rotary.Limits) (r rules) {
	for p := range l.Ports {
		for ring := range rings {
			j, next := segmentOf(uint(ring), port(p)), segmentOf(uint(ring), port(l.Next(ring, p)))
			r.ahead[j], r.behind[next] = uint8(next), uint8(j)
		}
	}
	r.turnMost, r.enterMost = uint8(l.SegmentSlots-c.TurnSlots), l.SegmentSlots-c.EnterSlots
	if !c.RingTurnBalance {
		r.unbalanced = math.MaxUint8
	}
	return r
}

// next returns the segment that follows on the ring. The output that a segment drains to is that of
// the port of the next one.
func (n *region) next(j segment) segment { return segment(n.rules.ahead[j]) & segmentBits }

// before returns the segment that comes before on the ring.
func (n *region) before(j segment) segment { return segment(n.rules.behind[j]) & segmentBits }

// draining returns the segments that drain to an output.
func (n *region) draining(output port) (s segmentSet) {
	for ring := range uint(rings) {
		s.Add(n.before(segmentOf(ring, output)))
	}
	return s
}

// MaxPorts is the most ports of a router.
const MaxPorts = maxPorts

// New builds the network. It fails when the configuration is not valid on the grid, and when a
// router would have more than MaxPorts ports.
func New(g topology.Grid, c rotary.Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	if g.Ports() > MaxPorts {
		return nil, fmt.Errorf("rotary: %d ports on %s; the fast router has at most %d, so use the plain one", g.Ports(), g, MaxPorts)
	}
	nodes := g.Nodes()
	n := &Network{grid: g, config: c, limits: rotary.LimitsOf(g.Ports(), c),
		routers: make([]router, 64*noc.SetWords(nodes))[:nodes], groups: make([]group, noc.SetWords(nodes))}
	n.Interfaces = fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits})
	n.divide()
	loop := fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, CheckNotes: n.checkNotes, Room: n.room}
	if len(n.regions) == 1 {
		loop.Begin, loop.Finish = n.begin, n.regions[0].finish
	}
	n.Drive(loop, c.EveryCycle)
	for i := range n.groups {
		g := &n.groups[i]
		g.routers = (*[64]router)(n.routers[64*i : 64*i+64])
		g.wake, g.resume = noc.Never, fabric.NewWheel[routerSet](fabric.Horizon-1)
	}
	for id := range n.routers {
		n.build(id)
	}
	for id := range n.routers { // quotas of small routers are tight from the start
		n.publishRouter(&n.routers[id])
	}
	return n, nil
}

// build is rule 6 for one router: it joins the router's ports to those of its neighbours.
func (n *Network) build(id int) {
	r := &n.routers[id]
	r.group, r.id = &n.groups[id/64], int32(id)
	r.net, r.holding.takers = r.group.net, int32(n.limits.Takers())
	r.group.all.Add(r.place())
	r.rare = &rare{holder: [rings]int8{none, none}, lastClass: none}
	r.now |= credit(topology.Local)
	r.stages[topology.Local].peer = r
	for p := topology.Local + 1; p < n.limits.Ports; p++ {
		out := &r.stages[p]
		peer, entry, ok := n.grid.Neighbour(noc.NodeID(id), p)
		if !ok {
			out.staged = [rings]int32{edge, edge}
			r.full |= r.net.draining(port(p))
			continue
		}
		out.peer, out.entry, out.credits = r.net.at(peer), uint8(entry), uint8(n.limits.InputSlots)
		r.now |= credit(port(p))
		n.routers[peer].stages[entry].exit = uint8(p)
	}
}

// Offer implements noc.Network.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Interfaces.Offer(p) {
		return false
	}
	r := &n.routers[p.Src]
	r.group.feeding.Add(r.place())
	r.group.wake = min(r.group.wake, n.Clock)
	return true
}

// room lets the router of a sink act in this cycle. The sink may be bounded from now on.
func (n *Network) room(node noc.NodeID, _ noc.Class) {
	r := &n.routers[node]
	r.tight |= r.net.draining(topology.Local)
	r.group.wake = min(r.group.wake, n.Clock)
}

// work returns the first cycle in which a router has something to do.
func (n *Network) work() noc.Cycle {
	next := noc.Never
	for i := range n.groups {
		next = min(next, n.groups[i].wake)
	}
	return next
}

// cycle is rule 7: it steps every group that is due.
func (n *Network) cycle() {
	n.advance()
	if len(n.regions) > 1 {
		n.cycleRegions()
		return
	}
	n.regions[0].step()
}

// step steps the groups of a region that are due.
func (n *region) step() {
	for i := range n.groups {
		if g := &n.groups[i]; g.due() {
			g.begin()
			g.finish()
		}
	}
}

// begin is the part of cycle that offers of the cycle do not change.
func (n *Network) begin() {
	n.advance()
	for i := range n.groups {
		if g := &n.groups[i]; g.due() {
			g.begin()
			g.begun = true
		}
	}
}

// finish is the rest of cycle after begin. An offer may have made other groups due.
func (n *region) finish() {
	for i := range n.groups {
		g := &n.groups[i]
		switch {
		case g.begun:
			g.begun = false
			g.wake = max(g.wake, n.Clock+1) // an offer has set it to this cycle
			g.finish()
		case g.due():
			g.begin()
			g.finish()
		}
	}
}
