// Package relay is an example of a router outside Carousel's module: a store-and-forward network
// with unbounded queues. A packet is received whole before it goes on, so it takes L*(d+2) cycles
// for L phits and d links.
//
// It embeds the interfaces of noc/fabric, which bring the clock, the nodes and the loop; what is
// left is the router.
package relay

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

const (
	longest     = 5  // phits
	sourceQueue = 16 // packets
)

// Model is the row that joins models.Table.
func Model() models.Model {
	return models.Model{Name: "relay", Doc: "store-and-forward with unbounded queues", Scheme: "unicast",
		New:         func(o models.Options) (noc.Network, error) { return New(o.Grid, o.Classes, o.EveryCycle) },
		SourceQueue: func(models.Options) (int, string) { return sourceQueue, "relay.source_queue" },
		MaxPhits:    func(models.Options) (int, string) { return longest, "relay.max_phits" },
		Injection:   func(models.Options) int { return 1 },
		FiniteSinks: true, UnlimitedOutput: true}
}

// Network is a store-and-forward network; it implements noc.Network.
type Network struct {
	fabric.Interfaces
	grid    topology.Grid
	wiring  *topology.Wiring
	classes int
	senders []sender
	links   []line // per channel of the wiring
	exits   []line // per node and class
	coming  fabric.Wheel[[]packet]
	waiting []int // packets in each router
	counts  []noc.Activity
	inside  uint64 // phits
	hops    uint64 // phits that crossed links
}

// packet is one copy, and the router that it is in or comes to.
type packet struct {
	worm fabric.PacketID
	at   noc.NodeID
	hops uint16
}

// sender is the interface of a node: it sends one phit per cycle.
type sender struct {
	busy noc.Cycle // until
	last int       // class
}

// line is a queue in front of a link or a sink, which takes one packet at a time.
type line struct {
	queue []packet
	busy  noc.Cycle // until
	phits uint64
}

// New builds a network on the grid.
func New(g topology.Grid, classes int, everyCycle bool) (*Network, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if err := fabric.CheckRange("classes", classes, 1, noc.MaxClasses); err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	w, nodes := g.Wiring(), g.Nodes()
	n := &Network{grid: g, wiring: w, classes: classes, senders: make([]sender, nodes), links: make([]line, len(w.Channels)),
		exits: make([]line, nodes*classes), coming: fabric.NewWheel[[]packet](longest), waiting: make([]int, nodes), counts: make([]noc.Activity, nodes),
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: classes, SourceQueue: sourceQueue, MaxPhits: longest})}
	for i := range n.senders {
		n.senders[i].last = -1
	}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants}, everyCycle)
	return n, nil
}

func (n *Network) work() noc.Cycle {
	if n.Packets.Live() > 0 {
		return n.Clock
	}
	return noc.Never
}

// cycle lets packets arrive that are complete, and then everybody who is idle sends.
func (n *Network) cycle() {
	t := n.Clock
	if due := n.coming.Take(t); due != nil {
		for _, p := range *due {
			n.queue(p)
		}
		*due = (*due)[:0]
	}
	for i := range n.senders {
		n.send(noc.NodeID(i), t)
	}
	for i := range n.links {
		if p, ok := n.links[i].next(t); ok {
			n.forward(i, p, t)
		}
	}
	for i := range n.exits {
		node, class := noc.NodeID(i/n.classes), noc.Class(i%n.classes)
		if !n.Sinks.Room(node, class) {
			continue
		}
		if p, ok := n.exits[i].next(t); ok {
			n.deliver(i, p, t)
		}
	}
	for i := range n.waiting {
		if n.waiting[i] > 0 {
			n.counts[i].Cycles++ // in use
		}
	}
}

// queue puts a packet that has come to a router in front of its next link, or of its sink.
func (n *Network) queue(p packet) {
	n.waiting[p.at]++
	to := noc.NodeID(n.Packets.Only(p.worm))
	for dim := range n.grid.Radix {
		hops, _ := n.grid.Offset(p.at, to, dim)
		if hops == 0 {
			continue
		}
		peer, _, _ := n.grid.Neighbour(p.at, n.grid.Port(dim, hops))
		i := n.channel(p.at, n.grid.Port(dim, hops), peer)
		n.links[i].queue = append(n.links[i].queue, p)
		return
	}
	i := int(to)*n.classes + int(n.Packets.At(p.worm).Class)
	n.exits[i].queue = append(n.exits[i].queue, p)
}

// channel returns the index of the link that leaves a router by a port.
func (n *Network) channel(from noc.NodeID, port int, to noc.NodeID) int {
	for i := n.wiring.Channel(from, to); ; i++ { // a ring of two has two links to the same router
		if c := n.wiring.Channels[i]; c.From == from && int(c.Out) == port {
			return i
		}
	}
}

// next takes the first packet of an idle line.
func (l *line) next(t noc.Cycle) (packet, bool) {
	if len(l.queue) == 0 || l.busy > t {
		return packet{}, false
	}
	p := l.queue[0]
	l.queue = l.queue[:copy(l.queue, l.queue[1:])]
	return p, true
}

// take occupies a line with a packet and returns its phits.
func (l *line) take(w *fabric.Packet, t noc.Cycle) uint64 {
	l.busy = t + noc.Cycle(w.Phits)
	l.phits += uint64(w.Phits)
	return uint64(w.Phits)
}

func (n *Network) send(node noc.NodeID, t noc.Cycle) {
	s := &n.senders[node]
	class := arbiter.Next(uint64(n.Sources.Ready(node)), s.last)
	if class < 0 || s.busy > t {
		return
	}
	id := n.Sources.PopCopy(node, noc.Class(class), node)
	w := n.Packets.At(id)
	w.Inject(t)
	n.Injected++
	s.last, s.busy = class, t+noc.Cycle(w.Phits)
	n.inside += uint64(w.Phits)
	n.counts[node].InjectPhits += uint64(w.Phits)
	due := n.coming.On(s.busy)
	*due = append(*due, packet{worm: id, at: node})
}

func (n *Network) forward(link int, p packet, t noc.Cycle) {
	n.waiting[p.at]--
	phits := n.links[link].take(n.Packets.At(p.worm), t)
	n.hops += phits
	n.counts[p.at].LinkPhits += phits
	p.at, p.hops = n.wiring.Channels[link].To, p.hops+1
	due := n.coming.On(n.links[link].busy)
	*due = append(*due, p)
}

func (n *Network) deliver(exit int, p packet, t noc.Cycle) {
	n.waiting[p.at]--
	w := n.Packets.At(p.worm)
	phits := n.exits[exit].take(w, t)
	n.inside -= phits
	n.counts[p.at].EjectPhits += phits
	n.Sinks.Accept(w, p.hops, p.at, t)
	n.Packets.Free(p.worm)
}
