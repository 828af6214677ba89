package engine

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a grid of rotary routers. It implements noc.Network.
type Network struct {
	fabric.Interfaces
	grid    topology.Grid
	config  rotary.Config
	limits  rotary.Limits
	routers []router
	groups  []group
	pool    []packet // all packets inside; packet 0 is none
	unused  int32    // the first of the list of unused packets

	places [maxSegments]int32 // packets that leave each segment of a router to the ring in this cycle

	rules  rules
	routes *routes
	quotas quotas

	instant   instant   // the current cycle
	forgotten noc.Cycle // see forgetPast
	buffered  uint64    // phits inside
	owing     []int     // of checks, so that they allocate nothing
	mirror    *rotary.Mirror
}

// rules are what decisions read of the configuration.
type rules struct {
	ahead, behind [maxSegments]uint8 // the next and the previous segment of the ring of each

	laneSlots    int32 // slots of a lane of an output stage
	segmentSlots int
	turnMost     int // slots in use of a segment that takes a turn
	enterMost    int // slots in use of a segment that takes a header by rule 1
	injectMost   int // and by rule 2
	missLimit    uint8

	balance   bool
	whole     bool // a multicast leaves its source as one packet
	unlimited bool
}

func newRules(g topology.Grid, c rotary.Config, l *rotary.Limits) (r rules) {
	for port := range l.Ports {
		for ring := range rings {
			j, next := port+ring*maxPorts, l.Next(ring, port)+ring*maxPorts
			r.ahead[j], r.behind[next] = uint8(next), uint8(j)
		}
	}
	r.laneSlots, r.segmentSlots = int32(l.LaneSlots), l.SegmentSlots
	if r.unlimited = c.UnlimitedOutput; r.unlimited {
		r.laneSlots = unlimited
	}
	r.turnMost = l.SegmentSlots - c.TurnSlots
	r.enterMost, r.injectMost = l.SegmentSlots-c.EnterSlots, l.SegmentSlots-c.InjectSlots
	r.missLimit = uint8(min(l.MissLimit, neverAged))
	r.balance = c.RingTurnBalance
	r.whole = c.Multicast != rotary.Replicate
	return r
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
	n := &Network{grid: g, config: c, limits: rotary.LimitsOf(g, c),
		routers: make([]router, 64*noc.SetWords(nodes))[:nodes], groups: make([]group, noc.SetWords(nodes)), pool: make([]packet, 1, 1+nodes)}
	n.Interfaces = fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits})
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, CheckNotes: n.checkNotes, Room: n.room}, c.EveryCycle)
	n.pool[0].id = fabric.NoPacket
	n.rules = newRules(g, c, &n.limits)
	n.routes = newRoutes(g, c.Multicast)
	n.quotas = newQuotas(nodes, c, &n.limits)
	n.makeGroups()
	for id := range n.routers {
		n.wire(id)
	}
	for id := range n.routers { // quotas of small routers are tight from the start
		n.publishRouter(&n.routers[id])
	}
	return n, nil
}

// makeGroups makes all groups and routers, empty.
func (n *Network) makeGroups() {
	for i := range n.groups {
		g := &n.groups[i]
		g.net, g.routers = n, (*[64]router)(n.routers[64*i:64*i+64])
		g.first, g.all, g.wake = 64*i, ^uint64(0), noc.Never
		g.resume = fabric.NewWheel[uint64](fabric.Horizon - 1)
		if rest := len(n.routers) - g.first; rest < 64 {
			g.all = 1<<rest - 1
		}
	}
	for id := range n.routers {
		r := &n.routers[id]
		r.net, r.group, r.id, r.bit = n, &n.groups[id>>6], int32(id), 1<<(id&63)
		r.special = &special{holder: [rings]int8{none, none}, lastClass: none}
		for ring := range rings {
			if n.routes.tour != nil {
				r.asked |= 1 << n.rules.behind[topology.Local+ring*maxPorts]
			}
		}
	}
}

// wire joins the ports of a router to those of its neighbours.
func (n *Network) wire(id int) {
	r := &n.routers[id]
	for port := range n.limits.Ports {
		out := &r.port[port]
		if out.peer = r; port == topology.Local {
			continue
		}
		peer, entry, ok := n.grid.Neighbour(noc.NodeID(id), port)
		if !ok {
			out.peer, out.staged = nil, [rings]int32{edge, edge}
			for ring := range rings {
				r.full |= 1 << n.rules.behind[port+ring*maxPorts]
			}
			continue
		}
		out.peer, out.entry, out.credits = &n.routers[peer], uint8(entry), uint8(n.limits.InputSlots)
		r.now.ports |= 1 << (creditAt + port)
		out.peer.port[entry].exit = uint8(port)
	}
}

// first is the number of the first member of a set.
func first(set uint64) int { return bits.TrailingZeros64(set) & 63 }

// Offer implements noc.Network.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Interfaces.Offer(p) {
		return false
	}
	r := &n.routers[p.Src]
	r.group.feeding |= r.bit
	r.group.wake = min(r.group.wake, n.Clock)
	return true
}

// room lets the router of a sink act in this cycle.
func (n *Network) room(node noc.NodeID, _ noc.Class) {
	r := &n.routers[node]
	for ring := range rings {
		r.asked |= 1 << n.rules.behind[topology.Local+ring*maxPorts]
	}
	r.group.wake = min(r.group.wake, n.Clock)
}
