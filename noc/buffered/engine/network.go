package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a BASE or BASE-MC network; it implements [noc.Network].
type Network struct {
	config  buffered.Config
	grid    topology.Grid
	nodes   int
	ports   int
	space   [maxClasses]buffered.Space // of the channels of each class
	further int                        // packets of a channel behind the second
	// reserved tells that headers wait for other numbers of slots than one and two.
	reserved bool
	delays   delays
	more     []int8 // what the link into each input takes beyond LinkCycles; nil if all are alike

	fabric.Interfaces
	routes routes

	wheel    fabric.Wheel[events]
	freedNow *events // where the credits of slots that are freed in the current cycle go

	due     []routerSet // routers that have something to grant, and perhaps others
	feeding []routerSet // routers whose interface has something to send

	routers  []*router         // one after the other in memory: a pointer needs one register, an index two
	outputs  []output          // of all routers
	admitted [maxPorts]pattern // by output
	opposite [maxPorts]port    // of an input: the output by which a packet goes straight on

	channels []channel // of all routers
	waiting  []stored  // packets behind the second: further per channel

	entering  []shipment        // those that interfaces send in the current cycle
	sent      []shipment        // room for those of the current cycle: each output of a router sends at most one
	sending   int               // how many there are
	fetched   uint8             // keeps the reading loop of receive alive
	nominees  [maxPorts]portSet // scratch of allocate: inputs that ask for an output
	nominated [maxPorts]vc      // and the channels that inputs nominate

	mirror    *buffered.Mirror // made on demand
	returning []uint8          // scratch of mirrored: credits on their way, per channel
	heads     []vcSet          // and the channels of each router whose heads may ask for the switch

	copied uint64 // phits of packets copied in routers
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
	n := &Network{config: c, grid: g, nodes: nodes, ports: ports, further: max(0, c.MostSlots()-2), reserved: c.Slots == buffered.Reserved,
		routes: newRoutes(g), wheel: fabric.NewWheel[events](max(c.SlotPhits, 2+c.Longest()) + c.RouteCycles + c.AllocationCycles), delays: delaysOf(c),
		due: make([]routerSet, noc.SetWords(nodes)), feeding: make([]routerSet, noc.SetWords(nodes)),
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits, ClassPhits: c.ClassPhits}),
		routers:    make([]*router, nodes), outputs: make([]output, links+maxPorts),
		channels: make([]channel, (links+maxPorts)<<classBits),
		waiting:  make([]stored, (links<<classBits)*max(0, c.MostSlots()-2)),
		entering: make([]shipment, 0, nodes),
		sent:     make([]shipment, nodes*(ports-1)+1), // and one for a packet on its way to a node
	}
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
		n.build(node)
	}
	n.outputs, n.channels = n.outputs[:links], n.channels[:links<<classBits]
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, CheckNotes: n.checkNotes, Room: func(node noc.NodeID, _ noc.Class) { n.testSink(node) }}, c.EveryCycle)
	return n, nil
}

// build makes a router with all credits, and joins its outputs to its neighbours.
func (n *Network) build(node int) {
	r := n.routers[node]
	r.base, r.id, r.due = globalVC(node<<vcBits), int32(node), &n.due[node>>6]
	r.firstVC = int32(node * n.ports << classBits)
	r.output, r.channel = (*[maxPorts]output)(n.outputs[node*n.ports:]), (*[maxVCs]channel)(n.channels[node*n.ports<<classBits:])
	r.idleLines, r.after = allVCs, allVCs
	r.lastClass, r.credited = -1, 1<<n.config.Classes-1
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
				o.credits[class] = uint8(n.space[class].Slots - n.withheld(out, class))
			}
			if out != topology.Local {
				o.open |= n.admits(out, class, o.credits[class])
			}
		}
	}
	n.testSink(noc.NodeID(node))
}

// withheld returns how many slots of a channel its sender gets no credit for: an interface may
// send while it has any credit, so that it cannot take what has to stay free for others.
func (n *Network) withheld(out port, class uint) int {
	if out == topology.Local {
		return n.space[class].Ahead - 1
	}
	return 0
}

// Offer puts a packet into the source queue of its node and class.
func (n *Network) Offer(p noc.Packet) bool {
	if !n.Sources.Offer(&p, n.Clock) {
		return false
	}
	n.feeding[p.Src>>6].Add(int32(p.Src))
	return true
}

// work returns the next cycle in which a router, an interface or an event is due.
func (n *Network) work() noc.Cycle {
	for i := range n.due {
		if n.due[i]|n.feeding[i] != 0 {
			return n.Clock
		}
	}
	return n.wheel.Next(n.Clock)
}

// cycle is rule 3: what was sent earlier takes effect, then each interface and each switch with
// work does its part. The delays from there on are in pipeline.go.
func (n *Network) cycle() {
	t := n.Clock
	n.takeEvents(t)
	n.freedNow = n.wheel.At(t + creditDelay)
	if n.config.EveryCycle {
		for id := range int32(n.nodes) {
			n.due[id>>6].Add(id)
			n.feeding[id>>6].Add(id)
		}
	}
	routers := n.routers
	for i, set := range n.feeding {
		n.feeding[i] = 0
		for m := range set.All() {
			n.inject(routers[i<<6+int(m)], t)
		}
	}
	for i, set := range n.due {
		n.due[i] = 0
		for m := range set.All() {
			n.allocate(routers[i<<6+int(m)], t)
		}
	}
	n.push(n.entering, t+injectDelay)
	n.entering = n.entering[:0]
	n.receive(t)
	if len(n.freedNow.freed[0])|len(n.freedNow.freed[1]) != 0 {
		n.wheel.On(t + creditDelay)
	}
}
