package rotary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of rotary routers, simulated phit by phit. It implements [noc.Network]: what
// clients see of packets and nodes is in the embedded interfaces, the loop among it.
//
// It is written to be read: every phit moves by itself, and every rule is evaluated from scratch in
// every cycle. It panics when a phit is not where the streaming of its packet needs it, which
// checks that a granted packet never stalls (rule 5).
type Network struct {
	fabric.Interfaces
	wiring  *topology.Wiring
	grid    *topology.Grid // nil elsewhere
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
	n := newNetwork(g.Wiring(), g.Ports(), tables.NewMasks(g), c)
	if n.grid = &g; c.Multicast == Path {
		n.tour = tables.NewTour(g)
	}
	return n, nil
}

// OnWiring builds a network on any wiring with a node at each router and links that lead both ways. Routers have as
// many ports as the one with most; those without a link are as at the edge of a mesh. It fails when the
// configuration is not valid, and with the scheme "path", whose tour needs a grid.
func OnWiring(w *topology.Wiring, c Config) (*Network, error) {
	if err := cmp.Or(c.validate(), checkWiring(w)); err != nil {
		return nil, err
	}
	if c.Multicast == Path {
		return nil, fmt.Errorf("rotary: the scheme %s needs a torus or mesh, not %s", Path, w.Name)
	}
	masks, err := tables.NewMasksOf(w)
	if err != nil {
		return nil, err
	}
	return newNetwork(w, w.Ports(), masks, c), nil
}

// checkWiring reports what rotary routers cannot be wired to.
func checkWiring(w *topology.Wiring) error {
	if ports := w.Ports(); ports > maxPorts {
		return fmt.Errorf("rotary: routers of %s have %d ports; at most %d are possible", w.Name, ports, maxPorts)
	}
	if !w.Direct() || slices.ContainsFunc(w.Entry, func(p topology.Place) bool { return p.Port != topology.Local }) {
		return fmt.Errorf("rotary: routers need one node each, by port %d, unlike those of %s", topology.Local, w.Name)
	}
	if !w.BothWays() {
		return fmt.Errorf("rotary: links must lead both ways, unlike those of %s", w.Name)
	}
	for _, l := range w.Channels {
		if l.Link != nil && l.Link.Bits > 0 {
			return fmt.Errorf("rotary: a granted packet streams a phit in each cycle, so the link from router %d to router %d of %s may not have a width of its own", l.From, l.To, w.Name)
		}
	}
	return nil
}

func newNetwork(w *topology.Wiring, ports int, masks *tables.Masks, c Config) *Network {
	n := &Network{wiring: w, config: c, limits: LimitsOf(ports, c), routers: make([]router, w.Routers),
		masks: masks, Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: w.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits})}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	for id := range n.routers {
		n.build(id)
	}
	return n
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
		for ring := range r.segments {
			s := &r.segments[ring][p]
			s.ring, s.port = ring, p
		}
	}
	for _, l := range n.wiring.Out(noc.NodeID(id)) {
		o := &r.outputs[l.Out]
		o.peer, o.entry, o.cycles = int(l.To), int(l.In), noc.Cycle(l.Cycles(1))
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
		if n.config.CalmCopies {
			highest, _ := n.agedOn(r)
			r.hasAged = highest != none
		}
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

// Activity implements noc.Network. All phits of a packet are counted in the cycle in which its header moves, as
// requests and grants are. A header that enters a segment requests it in the cycle in which it takes it; an input that
// loses the last slot to the ring has requested too. The destination set is compared with a mask once per segment
// entered, and both headers are rewritten on replication; the routers of RR have no sets in their headers.
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
	for _, l := range n.wiring.Channels {
		into = append(into, noc.Link{From: l.From, To: l.To, Port: uint8(l.Out), Phits: n.routers[l.From].outputs[l.Out].phits})
	}
	return into
}

// Hardware implements noc.Network.
func (n *Network) Hardware() noc.Hardware { return HardwareOf(n.Nodes(), n.limits.Ports, n.config) }
