package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a grid of rotary routers, simulated phit by phit. It implements [noc.Network]: what
// clients see of packets and nodes is in the embedded interfaces, the loop among it.
//
// It is written to be read: every phit moves by itself, and every rule is evaluated from scratch in
// every cycle. It panics when a phit is not where the streaming of its packet needs it, which
// checks that a granted packet never stalls (rule 5).
type Network struct {
	fabric.Interfaces
	grid    topology.Grid
	config  Config
	limits  Limits
	routers []router
	streams []stream
	masks   *tables.Masks
	tour    *tables.Tour // of the path scheme
	packets pool[packet]
	slots   pool[slot]
	phits   struct {
		buffered uint64 // of the packets inside
		hops     uint64 // that crossed a link
		consumed uint64 // handed to nodes
	}
}

// New builds the network. It fails when the configuration is not valid on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	n := &Network{grid: g, config: c, limits: LimitsOf(g, c), routers: make([]router, g.Nodes()),
		masks: tables.NewMasks(g), Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: g.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits})}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	if c.Multicast == Path {
		n.tour = tables.NewTour(g)
	}
	for id := range n.routers {
		n.build(id)
	}
	return n, nil
}

// build is rule 6: it makes one router, empty.
func (n *Network) build(id int) {
	r, ports := &n.routers[id], n.limits.Ports
	r.id, r.holder = id, [Rings]int{none, none}
	r.inputs, r.outputs = make([]input, ports), make([]output, ports)
	r.source.last = none
	for ring := range r.segments {
		r.segments[ring] = make([]segment, ports)
	}
	for p := range ports {
		o := &r.outputs[p]
		o.peer, o.toNode = none, p == topology.Local
		if p != topology.Local {
			if peer, entry, ok := n.grid.Neighbour(noc.NodeID(id), p); ok {
				o.peer, o.entry = int(peer), entry
			}
		}
		for ring := range r.segments {
			s := &r.segments[ring][p]
			s.ring, s.port = ring, p
		}
	}
}

// work returns the current cycle while anything is under way, as it may move in any cycle.
func (n *Network) work() noc.Cycle {
	if n.Owed() > 0 {
		return n.Clock
	}
	return noc.Never
}

// cycle is rule 7: the decisions of all routers first, then the phits move.
func (n *Network) cycle() {
	n.publish()
	for id := range n.routers {
		if r := &n.routers[id]; r.slotsUsed > 0 || n.Sources.Ready(noc.NodeID(id)) != 0 {
			n.send(r)
			n.arbitrate(r)
			n.enter(r)
			n.inject(r)
			n.hold(r)
		}
	}
	n.countPresence()
	n.move()
}

// publish notes what routers may see of their neighbours in this cycle.
func (n *Network) publish() {
	for id := range n.routers {
		r := &n.routers[id]
		r.seen = r.held
		for p := range r.inputs {
			r.inputs[p].free = n.limits.InputSlots - r.inputs[p].Len()
			r.outputs[p].taken = false
		}
	}
}

// free returns the free slots of a segment.
func (n *Network) free(s *segment) int { return n.limits.SegmentSlots - s.used() }

// Totals implements noc.Network. The two parts in which the path scheme sends a multicast count as
// one packet injected.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.Phits, t.PhitHops, t.Buffered = n.phits.consumed, n.phits.hops, n.phits.buffered
	return t
}

// Activity implements noc.Network. Phits are counted as they move, requests and grants with the
// header. A header that enters a segment requests it in the cycle in which it takes it; an input
// that loses the last slot to the ring has requested too. The destination set is compared with a
// mask once per segment entered, and both headers are rewritten on replication; the routers of RR
// have no sets in their headers.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	for id := range n.routers {
		a := n.routers[id].activity
		a.Cycles, a.IdleCycles = uint64(n.Clock), uint64(n.Clock)-n.routers[id].busy
		into = append(into, a)
	}
	return into
}

// Links implements noc.Network.
func (n *Network) Links(into []noc.Link) []noc.Link {
	return n.grid.Links(into, func(node noc.NodeID, port int) uint64 { return n.routers[node].outputs[port].phits })
}

// Hardware implements noc.Network.
func (n *Network) Hardware() noc.Hardware { return HardwareOf(n.grid, n.config) }
