package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a BASE or BASE-MC network; it implements [noc.Network].
type Network struct {
	tables
	grid  topology.Grid
	nodes int

	fabric.Interfaces
	parallel.Holder
	interfaces
	outputs  []output          // of all routers
	regions  []*region         // in the order of their routers
	regionOf []uint8           // per 64 routers: the region that has them
	entering [][]shipment      // per region: those that interfaces send in the current cycle
	halves   [2]func(part int) // halves of a cycle
	least    int               // packets that moved in a cycle, for which the regions of the next one have a thread each

	mirror    *buffered.Mirror // made on demand
	returning []uint8          // scratch of mirrored: credits on their way, per channel
	heads     []vcSet          // and the channels of each router whose heads may ask for the switch
}

// tables are what all regions read. Each has a copy.
type tables struct {
	config  buffered.Config
	ports   int
	space   [maxClasses]buffered.Space // of the channels of each class
	further int                        // packets of a channel behind the second
	// reserved tells that headers wait for other numbers of slots than one and two.
	reserved bool
	delays   delays
	more     []int8 // what the link into each input takes beyond LinkCycles; nil if all are alike
	routes   routes

	routers  []*router         // one after the other in memory: a pointer needs one register, an index two
	admitted [maxPorts]pattern // by output
	opposite [maxPorts]port    // of an input: the output by which a packet goes straight on

	channels []channel // of all routers
	waiting  []stored  // packets behind the second: further per channel
}

// New builds a network on the grid. It fails when the configuration is not valid there, and when a
// router would have more than MaxPorts ports.
func New(g topology.Grid, c buffered.Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	nodes, ports := g.Nodes(), g.Ports()
	if ports > MaxPorts {
		return nil, fmt.Errorf("buffered: %d ports on %s; the fast router has at most %d, so use the plain one", ports, g, MaxPorts)
	}
	links := nodes * ports
	if c.Longest() > MaxLinkCycles {
		return nil, fmt.Errorf("buffered: a link takes %d cycles; the fast router has links of at most %d, so use the plain one", c.Longest(), MaxLinkCycles)
	}
	n := &Network{grid: g, nodes: nodes, outputs: make([]output, links+maxPorts),
		tables: tables{config: c, ports: ports, further: max(0, c.MostSlots()-2), reserved: c.Slots == buffered.Reserved,
			delays: delaysOf(c), routes: newRoutes(g), routers: make([]*router, nodes), channels: make([]channel, (links+maxPorts)<<classBits),
			waiting: make([]stored, (links<<classBits)*max(0, c.MostSlots()-2))},
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits, ClassPhits: c.ClassPhits})}
	for class := range c.Classes {
		n.space[class] = c.SpaceOf(class)
	}
	for p := 1; p < ports; p++ {
		dim, sign := g.Direction(p)
		n.opposite[p] = port(g.Port(dim, -sign))
	}
	n.admitted = patterns(n.opposite, g.Wrap && c.Bubble)
	if c.Links != nil {
		n.more = make([]int8, links)
		for _, l := range c.Links.Channels {
			n.more[int(l.To)*ports+int(l.In)] = int8(l.Cycles(c.LinkCycles) - c.LinkCycles)
		}
	}
	all := make([]router, nodes)
	for node := range n.routers {
		n.routers[node] = &all[node]
	}
	n.newInterfaces()
	n.divide()
	for node := range n.routers {
		n.build(node)
	}
	n.outputs, n.channels = n.outputs[:links], n.channels[:links<<classBits]
	loop := fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, CheckNotes: n.checkNotes, Room: func(node noc.NodeID, _ noc.Class) { n.of(node).testSink(node) }}
	if len(n.regions) == 1 {
		loop.Begin, loop.Finish = n.begin, n.finish
	}
	n.Drive(loop, c.EveryCycle)
	return n, nil
}

// build makes a router with all credits, and joins its outputs to its neighbours.
func (n *Network) build(node int) {
	r := n.routers[node]
	r.base, r.id, r.due = globalVC(node<<vcBits), int32(node), n.of(noc.NodeID(node)).dueWord(node)
	r.firstVC = int32(node * n.ports << classBits)
	r.output, r.channel = (*[maxPorts]output)(n.outputs[node*n.ports:]), (*[maxVCs]channel)(n.channels[node*n.ports<<classBits:])
	r.idleLines, r.after = allVCs, allVCs
	for out := range port(n.ports) {
		o := &r.output[out]
		o.across, o.idle, r.lastInput[out] = r.base, allVCs, -1
		if out != topology.Local {
			o.across = -1
			if peer, entry, ok := n.grid.Neighbour(noc.NodeID(node), int(out)); ok {
				o.across = globalVC(int(peer)<<vcBits | entry<<classBits)
			}
		}
		o.peerVC = int32(n.channelIndex(o.across))
		for class := range uint(n.config.Classes) {
			r.channel[vcOf(out, class)].lastTurn = -1
			if o.across >= 0 {
				o.credits[class] = uint8(n.space[class].Slots)
			}
			if out != topology.Local {
				o.open |= n.admits(out, class, o.credits[class])
			}
		}
	}
	n.of(noc.NodeID(node)).testSink(noc.NodeID(node))
}

// work returns the next cycle in which a router, an interface or an event is due.
func (n *Network) work() noc.Cycle {
	for _, feeding := range n.feeding {
		if feeding != 0 {
			return n.Clock
		}
	}
	next := noc.Never
	for _, g := range n.regions {
		for _, due := range g.due {
			if due != 0 {
				return n.Clock
			}
		}
		next = min(next, g.wheel.Next(n.Clock))
	}
	return next
}

// cycle is rule 3.
func (n *Network) cycle() {
	if len(n.regions) > 1 {
		n.cycleRegions()
		return
	}
	n.begin()
	n.finish()
}

// begin is the part of cycle that offers of the cycle do not change.
func (n *Network) begin() {
	n.takeInterfaceEvents()
	g := n.regions[0]
	g.now = n.Clock
	g.send()
	g.receive()
}

// finish is the rest of cycle after begin.
func (n *Network) finish() {
	n.injectAll()
	n.regions[0].enter()
}

// cycleRegions is cycle in several regions.
func (n *Network) cycleRegions() {
	n.takeInterfaceEvents()
	moved := 0
	for _, g := range n.regions {
		g.now = n.Clock
		moved += g.moved
	}
	apart := n.apart(moved)
	for _, half := range n.halves {
		n.Each(len(n.regions), apart, half)
	}
	for _, g := range n.regions {
		for _, e := range g.ejected {
			n.deliver(e)
		}
		g.ejected = g.ejected[:0]
	}
}
