package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network without contention; it implements [noc.Network].
type Network struct {
	config Config
	wiring *topology.Wiring
	routes routes
	fabric.Interfaces

	flying    flights
	latest    passages
	ports     []port  // per node and class
	freed     []int32 // ports at which a place may have become free since the last cycle
	activity  []noc.Activity
	linkPhits []uint64 // per channel of the wiring
	route     []int32  // scratch: channels of a copy

	sent, phitHops uint64
}

// port is where one node takes packets of one class.
type port struct {
	waiting queue.FIFO[flight] // for a place in the sink
	freed   bool               // listed in Network.freed
}

// New builds a network on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return NewGrid(g, g.Wiring(), c)
}

// NewGrid builds a network on a grid with a wiring of its own, some of whose links are unlike the others.
func NewGrid(g topology.Grid, w *topology.Wiring, c Config) (*Network, error) {
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
	n := &Network{config: c, wiring: w, routes: s,
		Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: nodes, Classes: c.Classes, MaxPhits: c.SlotPhits}),
		ports:      make([]port, nodes*c.Classes), activity: make([]noc.Activity, w.Routers), linkPhits: make([]uint64, len(w.Channels)),
		latest: newPassages(nodes)}
	n.Drive(fabric.Engine{Work: n.work, Cycle: n.cycle, Check: n.CheckInvariants, Room: n.free}, false)
	return n, nil
}

// Offer sends a packet on its way.
func (n *Network) Offer(p noc.Packet) bool {
	n.Sources.Pass(&p)
	w := fabric.Packet{Tag: p.Tag, Src: p.Src, Phits: p.Phits, Class: p.Class, Offered: n.Clock}
	for to, ok := p.Dst.Next(0); ok; to, ok = p.Dst.Next(to + 1) {
		n.send(w, to)
	}
	return true
}

// send lets one copy fly.
func (n *Network) send(w fabric.Packet, to noc.NodeID) {
	phits := uint64(w.Phits)
	n.activity[n.wiring.Entry[w.Src].Router].InjectPhits += phits
	n.route = n.routes.route(w.Src, to, n.route[:0])
	links, late, slowest := len(n.route), noc.Cycle(0), noc.Cycle(1)
	for _, c := range n.route {
		if l := n.wiring.Channels[c].Link; l != nil {
			parts := noc.Cycle(l.Parts(n.config.PhitBits))
			late, slowest = late+noc.Cycle(max(l.Cycles, 1)-1)+parts-1, max(slowest, parts)
		}
	}
	n.Injected++
	n.sent += phits
	late += (slowest - 1) * noc.Cycle(phits-1)
	start := n.latest.of(uint64(w.Src)<<32|uint64(to), n.Clock).follow(w.Injected(), noc.Cycle(n.config.EndCycles+links*n.config.HopCycles)+late, noc.Cycle(phits))
	n.flying.push(flight{packet: w, at: to, hops: uint16(links), serial: n.Injected, start: start})
}

// work returns the next cycle in which a copy or a sink has something to do.
func (n *Network) work() noc.Cycle {
	if len(n.freed) > 0 {
		return n.Clock
	}
	return n.flying.next()
}

// cycle simulates the current cycle: places that became free are taken, headers arrive.
func (n *Network) cycle() {
	t := n.Clock
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
		n.count(&f)
		if !n.Sinks.Room(f.at, f.packet.Class) {
			n.ports[n.portOf(f.at, f.packet.Class)].waiting.Push(f)
			continue
		}
		n.accept(f, t)
	}
}

// count adds the links that a copy has crossed.
func (n *Network) count(f *flight) {
	phits := uint64(f.packet.Phits)
	n.route = n.routes.route(f.packet.Src, f.at, n.route[:0])
	for _, c := range n.route {
		n.activity[n.wiring.Channels[c].From].LinkPhits += phits
		n.linkPhits[c] += phits
	}
	n.phitHops += phits * uint64(f.hops)
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

// routes says over which channels copies go.
type routes struct {
	wiring *topology.Wiring
	next   [2]routing.Function // for sources of each parity
	parity []uint8             // of each node's coordinate sum: decides ties as in the input-buffered routers
}

// gridRoutes go along one dimension after the other.
func gridRoutes(g topology.Grid, w *topology.Wiring) routes {
	s := routes{w, [2]routing.Function{routing.Shortest(g, w, false), routing.Shortest(g, w, true)}, make([]uint8, g.Nodes())}
	for n := range s.parity {
		if g.Odd(noc.NodeID(n)) {
			s.parity[n] = 1
		}
	}
	return s
}

// route appends the channels that a copy crosses.
func (s *routes) route(from, to noc.NodeID, into []int32) []int32 {
	if from == to {
		return into
	}
	next, end := s.next[s.parity[from]], s.wiring.Exit[to].Router
	for at := s.wiring.Entry[from].Router; at != end; {
		c := next.Next(at, to)
		into = append(into, c)
		at = s.wiring.Channels[c].To
	}
	return into
}

// flight is one copy on its way to one node.
type flight struct {
	start  noc.Cycle // when the node could consume its header
	serial uint64
	at     noc.NodeID
	hops   uint16
	packet fabric.Packet
}

// before returns the order in which flights land. Flights of different sources compare by number
// of node, so that the order of their Offer calls does not matter.
func (f *flight) before(o *flight) bool {
	switch {
	case f.start != o.start:
		return f.start < o.start
	case f.at != o.at:
		return f.at < o.at
	case f.packet.Src != o.packet.Src:
		return f.packet.Src < o.packet.Src
	}
	return f.serial < o.serial
}

// flights is a binary heap, the next to land first.
type flights struct{ all []flight }

// next returns when the next flight lands, or noc.Never.
func (h *flights) next() noc.Cycle {
	if len(h.all) == 0 {
		return noc.Never
	}
	return h.all[0].start
}

func (h *flights) push(f flight) {
	h.all = append(h.all, f)
	i := len(h.all) - 1
	for i > 0 && f.before(&h.all[(i-1)/2]) {
		h.all[i] = h.all[(i-1)/2]
		i = (i - 1) / 2
	}
	h.all[i] = f
}

func (h *flights) pop() flight {
	top := h.all[0]
	last := len(h.all) - 1
	f := h.all[last]
	h.all = h.all[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.all[child+1].before(&h.all[child]) {
			child++
		}
		if !h.all[child].before(&f) {
			break
		}
		h.all[i] = h.all[child]
		i = child
	}
	if last > 0 {
		h.all[i] = f
	}
	return top
}
