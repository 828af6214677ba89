package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network of plain routers; it implements [noc.Network]. What clients see of packets
// and nodes is in the embedded interfaces, the loop among it.
type Network struct {
	fabric.Interfaces
	config   Config
	grid     topology.Grid
	routes   *topology.Sectors
	routers  []router
	opposite []int  // per port: the one from which a packet goes straight on
	inside   uint64 // phits of the packets inside
}

// router is one router and the interface of its node.
type router struct {
	id      noc.NodeID
	inputs  []input  // per port
	outputs []output // per port
	sender  sender
	packets int    // in its channels
	busy    uint64 // cycles with a packet in its channels
	counts  noc.Activity
}

// input is an input port: a channel per class, and their line into the crossbar.
type input struct {
	wire     phit // on the link in this cycle
	channels []channel
	stream   stream // what the line carries
	last     int    // class nominated last, or -1
}

// channel is the FIFO of one virtual channel.
type channel struct {
	entries    []entry
	tailLeft   noc.Cycle // when the last tail crossed the crossbar
	lastBranch int       // output of the last branch that left others behind, or -1
}

// entry is a packet in a channel.
type entry struct {
	packet   packet
	phits    int       // written so far
	written  noc.Cycle // when its header was
	routed   noc.Cycle // when its route was computed, or noc.Never
	branches uint16    // outputs that it still has to take, once routed
	counted  bool      // its route among RouteLookups
	leaving  bool      // its last branch has been granted
}

// stream is a packet on its way through the crossbar, one phit per cycle; it is idle without
// phits.
type stream struct {
	packet  packet // as it leaves
	class   int    // channel that it comes from
	output  int
	next    int  // phit
	leaving bool // takes the packet out of its channel; else copies it
}

// output is an output port: the link that leaves there, and what is known of the channels behind
// it. The local output leads to the node, and its credits are those of the interface for the
// local input.
type output struct {
	busy     bool   // a stream goes there
	crossed  phit   // left the crossbar in the last cycle
	link     []phit // on the link for longer than a cycle, the one that came first at the start
	peer     int    // router across the link, or -1 at an edge
	entry    int    // its input port
	last     int    // input granted last, or -1
	credits  []int
	seen     []int     // credits at the start of the cycle
	returned []credit  // on their way here, the first to arrive first
	delay    noc.Cycle // of credits
	phits    uint64
}

// credit is one for the channel of a class, usable from a cycle on.
type credit struct {
	class int
	from  noc.Cycle
}

// packet is one copy on its way; the rest of it is in the arena.
type packet struct {
	id    fabric.PacketID
	phits int
	class int
	hops  uint16
}

// phit is one phit of a packet; there is none without a packet.
type phit struct {
	packet packet
	index  int
}

func (p *phit) present() bool { return p.packet.phits > 0 }

func (p *phit) isTail() bool { return p.index == p.packet.phits-1 }

func (s *stream) active() bool { return s.packet.phits > 0 }

// New builds a network of plain routers on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := c.Validate(g); err != nil {
		return nil, err
	}
	n := &Network{config: c, grid: g, routes: Routes(g), routers: make([]router, g.Nodes()), opposite: make([]int, g.Ports()),
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: g.Nodes(), Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits, ClassPhits: c.ClassPhits})}
	for port := 1; port < g.Ports(); port++ {
		dim, sign := g.Direction(port)
		n.opposite[port] = g.Port(dim, -sign)
	}
	for id := range n.routers {
		n.routers[id] = newRouter(g, c, noc.NodeID(id))
	}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, c.EveryCycle)
	return n, nil
}

// newRouter makes an empty router with all credits.
func newRouter(g topology.Grid, c Config, id noc.NodeID) router {
	r := router{id: id, sender: sender{last: -1}, inputs: make([]input, g.Ports()), outputs: make([]output, g.Ports())}
	for port := range g.Ports() {
		in, out := &r.inputs[port], &r.outputs[port]
		in.last, in.channels = -1, make([]channel, c.Classes)
		for class := range in.channels {
			// One more: a tail may still leave when the next header is written.
			in.channels[class] = channel{entries: make([]entry, 0, c.SpaceOf(class).Slots+1), lastBranch: -1}
		}
		*out = output{peer: int(id), last: -1, credits: make([]int, c.Classes), seen: make([]int, c.Classes), delay: 1}
		if port != topology.Local {
			peer, entry, linked := g.Neighbour(id, port)
			if out.peer, out.entry = int(peer), entry; !linked {
				out.peer = -1
				continue
			}
			cycles := c.CyclesOf(id, port)
			out.link = make([]phit, cycles-1)
			out.delay += noc.Cycle(max(0, cycles-c.LinkCycles))
		}
		for class := range out.credits {
			out.credits[class] = c.SpaceOf(class).Slots
		}
	}
	return r
}

// work returns the current cycle while there are packets: they may move in any cycle.
func (n *Network) work() noc.Cycle {
	if n.Packets.Live() > 0 {
		return n.Clock
	}
	return noc.Never
}

// cycle is rule 3: it moves every phit by one stage of the pipeline. The stages are in the
// opposite order, so that a phit moves once; a router reads of its neighbours only what they had
// at the start of the cycle.
func (n *Network) cycle() {
	t := n.Clock
	for i := range n.routers {
		n.routers[i].takeCredits(t)
	}
	for i := range n.routers {
		n.writeBuffers(&n.routers[i], t)
	}
	for i := range n.routers {
		n.driveLinks(&n.routers[i], t)
	}
	for i := range n.routers {
		r := &n.routers[i]
		n.inject(r, t)
		if r.packets > 0 {
			r.busy++
			n.traverse(r, t)
			n.allocate(r, t)
			n.computeRoutes(r, t)
		}
	}
}
