package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary/internal/tables"
	"github.com/carousel-sim/carousel/noc/topology"
)

var _ noc.ToggleCounter = (*Network)(nil)

// Network is a grid of rotary routers, simulated phit by phit. It implements [noc.Network].
//
// It is written to be read: every phit moves by itself, and every rule is evaluated from scratch in
// every cycle. It panics when a phit is not where the streaming of its packet needs it, which
// checks that a granted packet never stalls (rule 5).
type Network struct {
	grid      topology.Grid
	config    Config
	limits    Limits
	now       noc.Cycle
	routers   []router
	streams   []stream
	sinks     *fabric.Sinks
	masks     *tables.Masks
	tour      *tables.Tour // of the path scheme
	pool      pool
	audit     audit
	content   func(noc.Packet) []noc.Word // nil where nobody counts flipped bits
	sums      sums
	receipts  fabric.Receipts
	roomAgain bool // a source queue that had refused a packet has room
}

// sums are what noc.Totals is made of.
type sums struct {
	owed              int // destinations accepted
	offered, injected uint64
	phits             uint64 // handed to nodes
	hops              uint64 // phits that crossed a link
	inside            uint64 // phits in buffers and on links
}

// New builds the network. It fails when the configuration is not valid on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	n := &Network{grid: g, config: c, limits: LimitsOf(g, c), routers: make([]router, g.Nodes()),
		sinks: fabric.NewSinks(g.Nodes(), c.Classes), masks: tables.NewMasks(g),
		pool: pool{words: noc.SetWords(g.Nodes())}}
	if c.Multicast == Path {
		n.tour = tables.NewTour(g)
	}
	for id := range n.routers {
		n.build(id)
	}
	return n, nil
}

// build makes one router, empty.
func (n *Network) build(id int) {
	r, ports := &n.routers[id], n.limits.Ports
	r.id, r.holder = id, [Rings]int{none, none}
	r.inputs, r.outputs = make([]input, ports), make([]output, ports)
	r.source = source{queues: make([]sourceQueue, n.config.Classes), last: none}
	for ring := range r.segments {
		r.segments[ring] = make([]segment, ports)
	}
	for p := range ports {
		r.inputs[p].strict = n.config.EntryHysteresis
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

// Step implements noc.Network.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		if n.sums.owed == int(n.sinks.Delivered()) && n.sinks.Pending() == 0 && !n.config.EveryCycle {
			n.now = until // nothing happens until somebody offers a packet
			break
		}
		n.cycle()
		arrived := n.sinks.Next() <= n.now
		if arrived {
			n.sinks.Collect(n.now)
		}
		if n.roomAgain || arrived || n.receipts.Due() {
			n.roomAgain = false
			break
		}
	}
	return n.now
}

// cycle simulates one cycle: decisions first, in the order of rule 7, then the phits move.
func (n *Network) cycle() {
	n.publish()
	for id := range n.routers {
		if r := &n.routers[id]; r.waiting > 0 {
			n.send(r)
			n.arbitrate(r)
			n.enter(r)
			n.inject(r)
			n.hold(r)
		}
	}
	n.countPresence()
	n.move()
	n.now++
	if fabric.Invariants {
		if err := n.CheckInvariants(); err != nil {
			panic(err)
		}
	}
}

// publish notes what routers may see of their neighbours in this cycle.
func (n *Network) publish() {
	for id := range n.routers {
		r := &n.routers[id]
		r.seen = r.held
		for p := range r.inputs {
			r.inputs[p].free = n.limits.InputSlots - r.inputs[p].size()
			r.outputs[p].taken = false
		}
	}
}

// Offer implements noc.Network.
func (n *Network) Offer(p noc.Packet) bool {
	if int(p.Src) >= len(n.routers) || int(p.Class) >= n.config.Classes {
		fabric.CheckPacket(&p, len(n.routers), n.config.Classes, n.config.SlotPhits)
	}
	r := &n.routers[p.Src]
	q := &r.source.queues[p.Class]
	if len(q.packets) == n.config.SourceQueue {
		q.refused = true
		return false
	}
	fabric.CheckPacket(&p, len(n.routers), n.config.Classes, n.config.SlotPhits)
	k := n.pool.takePacket()
	k.tag, k.src, k.class, k.phits, k.ordered, k.receipt, k.offered = p.Tag, p.Src, p.Class, int(p.Phits), p.Ordered, p.Receipt, n.now
	for i := range k.owed {
		k.owed[i] = p.Dst.Word(i)
	}
	k.recount()
	n.keepContent(k, p)
	q.packets = append(q.packets, k)
	r.waiting++
	n.sums.owed += k.count
	n.sums.offered++
	return true
}

// free returns the free slots of a segment.
func (n *Network) free(s *segment) int { return n.limits.SegmentSlots - s.used() }

// Nodes implements noc.Network.
func (n *Network) Nodes() int { return len(n.routers) }

// Now implements noc.Network.
func (n *Network) Now() noc.Cycle { return n.now }

// Sent implements noc.Network.
func (n *Network) Sent() []noc.Receipt { return n.receipts.Take() }

// Deliveries implements noc.Network.
func (n *Network) Deliveries() []noc.Delivery { return n.sinks.Take() }

// LimitSink implements noc.Network.
func (n *Network) LimitSink(node noc.NodeID, class noc.Class, places int) {
	n.sinks.Limit(node, class, places)
}

// FreeSink implements noc.Network.
func (n *Network) FreeSink(node noc.NodeID, class noc.Class) { n.sinks.Release(node, class) }

// InFlight implements noc.Network.
func (n *Network) InFlight() int { return n.sums.owed - int(n.sinks.Delivered()) + n.sinks.Untaken() }

// delivered returns the number of deliveries that clients may see.
func (n *Network) delivered() int { return int(n.sinks.Delivered()) - n.sinks.Pending() }
