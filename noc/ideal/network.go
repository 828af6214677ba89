package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network without contention; it implements [noc.Network].
type Network struct {
	config Config
	wiring *topology.Wiring
	routes routes
	fabric.Interfaces

	// With SourceQueue only.
	queued  bool
	senders fabric.Wheel[[]noc.NodeID] // interfaces that fall idle
	feeds   []noc.NodeID               // those that may send in the next cycle that is simulated
	sender  []sender                   // per node

	flying    flights
	latest    []passage // per source and destination
	ports     []port    // per node and class
	freed     []int32   // ports at which a place may have become free since the last cycle
	activity  []noc.Activity
	linkPhits []uint64 // per channel of the wiring
	route     []int32  // scratch: channels of a copy

	sent, phitHops uint64
}

// sender is the state of an interface.
type sender struct {
	busy, listed bool // sends a packet; is among feeds
	lastClass    int8
}

// port is where one node takes packets of one class.
type port struct {
	waiting fabric.Queue[flight] // for a place in the sink
	freed   bool                 // listed in Network.freed
}

// passage is what is known of the copies from one node to another: when the latest header is there
// and the latest copy complete, of all and of those sent before the cycle of the last one.
type passage struct {
	sent         noc.Cycle
	all, earlier struct{ start, end noc.Cycle }
}

// follow notes a copy that is sent in a cycle and returns when its header is there: after the time
// of its route, but not before the copies sent in earlier cycles, and so that it is not complete
// before them.
func (p *passage) follow(sent, route, phits noc.Cycle) noc.Cycle {
	if sent > p.sent {
		p.sent, p.earlier = sent, p.all
	}
	start := max(sent+route, p.earlier.start)
	if p.earlier.end > start+phits {
		start = p.earlier.end - phits
	}
	p.all.start, p.all.end = max(p.all.start, start), max(p.all.end, start+phits)
	return start
}

// New builds a network on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	w := g.Wiring()
	return build(w, gridRoutes(g, w), c)
}

// NewWiring builds a network on any wiring; copies take the routes of the routing function.
func NewWiring(w *topology.Wiring, r routing.Function, c Config) (*Network, error) {
	return build(w, routes{w, [2]routing.Function{r, r}, make([]uint8, w.Nodes())}, c)
}

func build(w *topology.Wiring, s routes, c Config) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	nodes := w.Nodes()
	n := &Network{config: c, wiring: w, routes: s, queued: c.SourceQueue > 0, senders: fabric.NewWheel[[]noc.NodeID](maxSlotPhits), sender: make([]sender, nodes),
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.SlotPhits}),
		ports:      make([]port, nodes*c.Classes), activity: make([]noc.Activity, w.Routers), linkPhits: make([]uint64, len(w.Channels)),
		latest: make([]passage, nodes*nodes)}
	for i := range n.sender {
		n.sender[i].lastClass = -1
	}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, Room: n.free}, false)
	return n, nil
}

// Offer sends a packet on its way, or into its source queue if those are bounded.
func (n *Network) Offer(p noc.Packet) bool {
	if n.queued {
		if !n.Interfaces.Offer(p) {
			return false
		}
		n.feed(p.Src)
		return true
	}
	n.Sources.Pass(&p)
	w := fabric.Packet{Tag: p.Tag, Src: p.Src, Phits: p.Phits, Class: p.Class, Offered: n.Clock}
	for to, ok := p.Dst.Next(0); ok; to, ok = p.Dst.Next(to + 1) {
		n.send(w, to)
	}
	return true
}

// send lets one copy fly, and counts the links of its path.
func (n *Network) send(w fabric.Packet, to noc.NodeID) {
	phits := uint64(w.Phits)
	n.activity[n.wiring.Entry[w.Src].Router].InjectPhits += phits
	n.route = n.routes.route(w.Src, to, n.route[:0])
	links := len(n.route)
	for _, c := range n.route {
		n.activity[n.wiring.Channels[c].From].LinkPhits += phits
		n.linkPhits[c] += phits
		n.phitHops += phits
	}
	n.Injected++
	n.sent += phits
	start := n.latest[int(w.Src)*n.Nodes()+int(to)].follow(w.Injected(), noc.Cycle(n.config.EndCycles+links*n.config.HopCycles), noc.Cycle(phits))
	n.flying.push(flight{packet: w, at: to, hops: uint16(links), serial: n.Injected, start: start})
}

// work returns the next cycle in which an interface, a copy or a sink has something to do.
func (n *Network) work() noc.Cycle {
	if len(n.freed)+len(n.feeds) > 0 {
		return n.Clock
	}
	return min(n.flying.next(), n.senders.Next(n.Clock))
}

// cycle simulates the current cycle: interfaces send, places that became free are taken, headers
// arrive.
func (n *Network) cycle() {
	t := n.Clock
	if idle := n.senders.Take(t); idle != nil {
		for _, r := range *idle {
			n.sender[r].busy = false
			n.feed(r)
		}
		*idle = (*idle)[:0]
	}
	for _, r := range n.feeds {
		n.sender[r].listed = false
		n.inject(r, t)
	}
	n.feeds = n.feeds[:0]
	// After this, ports at which packets wait have no room.
	for _, i := range n.freed {
		p := &n.ports[i]
		p.freed = false
		for node, class := n.sinkOf(int(i)); p.waiting.Len() > 0 && n.Sinks.Room(node, class); {
			n.accept(p.waiting.Pop(), t)
		}
	}
	n.freed = n.freed[:0]
	for n.flying.next() <= t {
		f := n.flying.pop()
		if !n.Sinks.Room(f.at, f.packet.Class) {
			n.ports[n.portOf(f.at, f.packet.Class)].waiting.Push(f)
			continue
		}
		n.accept(f, t)
	}
}

// feed lets an interface look for a packet to send.
func (n *Network) feed(r noc.NodeID) {
	if s := &n.sender[r]; !s.listed && !s.busy {
		s.listed = true
		n.feeds = append(n.feeds, r)
	}
}

// inject lets an idle interface send its next packet, round-robin over the classes.
func (n *Network) inject(r noc.NodeID, t noc.Cycle) {
	s := &n.sender[r]
	class := arbiter.Next(uint64(n.Sources.Ready(r)), int(s.lastClass))
	if class < 0 {
		return
	}
	id := n.Sources.Pop(r, noc.Class(class))
	n.Packets.At(id).Inject(t)
	w := *n.Packets.At(id)
	s.lastClass, s.busy = int8(class), true
	idle := n.senders.On(t + noc.Cycle(w.Phits))
	*idle = append(*idle, r)
	if to := n.Packets.Only(id); to >= 0 {
		n.send(w, noc.NodeID(to))
	} else {
		set := noc.FromWords(n.Packets.Set(id))
		for to, ok := set.Next(0); ok; to, ok = set.Next(to + 1) {
			n.send(w, to)
		}
	}
	n.Packets.Free(id)
}

// accept lets the node consume a copy whose header arrives in cycle t.
func (n *Network) accept(f flight, t noc.Cycle) {
	n.activity[n.wiring.Exit[f.at].Router].EjectPhits += uint64(f.packet.Phits)
	n.Sinks.Accept(&f.packet, f.hops, f.at, t)
}

// portOf returns the index of the port of a node and class, and sinkOf the node and class of a port.
func (n *Network) portOf(node noc.NodeID, class noc.Class) int {
	return int(node)*n.config.Classes + int(class)
}

func (n *Network) sinkOf(port int) (noc.NodeID, noc.Class) {
	return noc.NodeID(port / n.config.Classes), noc.Class(port % n.config.Classes)
}
