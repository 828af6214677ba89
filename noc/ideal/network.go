package ideal

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Network is a network without contention; it implements [noc.Network].
type Network struct {
	config Config
	wiring *topology.Wiring
	ways   ways
	nodes  int
	now    noc.Cycle

	// With SourceQueue only.
	wheel         *fabric.Wheel
	worms         *fabric.Worms
	sources       *fabric.Sources
	interfaceBusy []noc.Cycle
	lastClass     []int8

	sinks     *fabric.Sinks
	flying    flights
	doors     []door  // per node and class
	opened    []int32 // doors at which a place may have become free since the last cycle
	activity  []noc.Activity
	linkPhits []uint64 // per channel of the wiring
	way       []int32  // scratch: channels of a copy

	offered, copies, owed, sent, phitHops uint64
}

// door is the way into one node for one class.
type door struct {
	line   []flight // packets that wait for a place in the sink, from first on
	first  int
	opened bool
	recent []arrival // ordered packets that are being consumed
}

// arrival is when an ordered packet of one source is complete.
type arrival struct {
	src noc.NodeID
	at  noc.Cycle
}

// New builds a network on the grid.
func New(g topology.Grid, c Config) (*Network, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	w := g.Wiring()
	return build(w, newGridWays(g, w), c)
}

// NewWiring builds a network on any wiring; copies take the ways of the routing function.
func NewWiring(w *topology.Wiring, r routing.Function, c Config) (*Network, error) {
	return build(w, routed{w, r}, c)
}

func build(w *topology.Wiring, s ways, c Config) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	nodes := w.Nodes()
	n := &Network{config: c, wiring: w, ways: s, nodes: nodes, sinks: fabric.NewSinks(nodes, c.Classes),
		doors: make([]door, nodes*c.Classes), activity: make([]noc.Activity, w.Routers), linkPhits: make([]uint64, len(w.Channels))}
	if c.SourceQueue > 0 {
		n.wheel, n.worms = fabric.NewWheel(nodes), fabric.NewWorms(nodes, 4*nodes)
		n.sources = fabric.NewSources(n.worms, nodes, c.Classes, c.SourceQueue, c.SlotPhits)
		n.interfaceBusy, n.lastClass = make([]noc.Cycle, nodes), make([]int8, nodes)
		for i := range n.lastClass {
			n.lastClass[i] = -1
		}
	}
	return n, nil
}

// Nodes is the number of nodes.
func (n *Network) Nodes() int { return n.nodes }

// Now is the cycle about to be simulated.
func (n *Network) Now() noc.Cycle { return n.now }

// Offer sends a packet on its way, or into its source queue if those are bounded.
func (n *Network) Offer(p noc.Packet) bool {
	if n.sources != nil {
		if !n.sources.Offer(&p, n.now) {
			return false
		}
		n.wheel.Wake(p.Src, n.now)
	} else {
		fabric.CheckPacket(&p, n.nodes, n.config.Classes, n.config.SlotPhits)
		w := fabric.Worm{Tag: p.Tag, Src: p.Src, Phits: p.Phits, Class: p.Class, Ordered: p.Ordered, Offered: n.now}
		for to, ok := p.Dst.Next(0); ok; to, ok = p.Dst.Next(to + 1) {
			n.send(w, to)
		}
	}
	n.offered++
	n.owed += uint64(p.Dst.Count())
	return true
}

// send lets one copy fly, and counts the links of its path.
func (n *Network) send(w fabric.Worm, to noc.NodeID) {
	phits := uint64(w.Phits)
	n.activity[n.wiring.Entry[w.Src].Router].InjectPhits += phits
	n.way = n.ways.way(w.Src, to, n.way[:0])
	links := len(n.way)
	for _, c := range n.way {
		n.activity[n.wiring.Channels[c].From].LinkPhits += phits
		n.linkPhits[c] += phits
		n.phitHops += phits
	}
	n.copies++
	n.sent += phits
	n.flying.push(flight{worm: w, at: to, hops: uint16(links), serial: n.copies,
		start: w.Injected() + noc.Cycle(n.config.EndCycles+links*n.config.HopCycles)})
}

// Step simulates cycles up to until, or to the first one with news for the client.
func (n *Network) Step(until noc.Cycle) noc.Cycle {
	for n.now < until {
		next := min(until, n.flying.next(), n.sinks.Next())
		if n.sources != nil {
			next = min(next, n.wheel.Next())
		}
		if len(n.opened) == 0 && next > n.now {
			n.now = next
			if n.sources != nil {
				n.wheel.SkipTo(next)
			}
			if n.collect() || n.now == until {
				return n.now
			}
		}
		n.cycle()
		room := n.sources != nil && n.sources.TakeRoomAgain()
		if n.collect() || room {
			return n.now
		}
	}
	return n.now
}

// collect moves the deliveries visible now to the client's list and reports whether there were any.
func (n *Network) collect() bool {
	if n.sinks.Next() > n.now {
		return false
	}
	n.sinks.Collect(n.now)
	return true
}

// cycle simulates the current cycle: interfaces send, places that became free are taken, headers arrive.
func (n *Network) cycle() {
	t := n.now
	if n.sources != nil {
		for i := range n.wheel.Words() {
			for r, w := noc.NodeID(64*i), n.wheel.Due(i); w != 0; w, r = w>>1, r+1 {
				if w&1 != 0 {
					n.inject(r, t)
				}
			}
		}
		n.wheel.Finish()
	}
	// After this, doors with packets in line have no room.
	for _, i := range n.opened {
		d := &n.doors[i]
		d.opened = false
		for d.waiting() > 0 && n.sinks.Room(d.line[d.first].at, d.line[d.first].worm.Class) {
			n.accept(d, d.leave(), t)
		}
	}
	n.opened = n.opened[:0]
	for n.flying.next() <= t {
		f := n.flying.pop()
		d := &n.doors[int(f.at)*n.config.Classes+int(f.worm.Class)]
		if !n.sinks.Room(f.at, f.worm.Class) {
			d.line = append(d.line, f)
			continue
		}
		n.accept(d, f, t)
	}
	n.now++
}

// inject lets an interface send its next packet, round-robin over the classes.
func (n *Network) inject(r noc.NodeID, t noc.Cycle) {
	if busy := n.interfaceBusy[r]; busy > t {
		n.wheel.Wake(r, busy)
		return
	}
	class := fabric.RoundRobin(uint64(n.sources.Ready(r)), int(n.lastClass[r]))
	if class < 0 {
		return
	}
	n.lastClass[r] = int8(class)
	id := n.sources.Pop(r, noc.Class(class))
	n.worms.At(id).Inject(t)
	w := *n.worms.At(id)
	n.interfaceBusy[r] = t + noc.Cycle(w.Phits)
	n.wheel.Wake(r, n.interfaceBusy[r])
	if to := n.worms.Only(id); to >= 0 {
		n.send(w, noc.NodeID(to))
	} else {
		set := noc.FromWords(n.worms.Set(id))
		for to, ok := set.Next(0); ok; to, ok = set.Next(to + 1) {
			n.send(w, to)
		}
	}
	n.worms.Free(id)
}

// accept lets the node consume a copy whose header is at its door in cycle t. An ordered copy that is
// shorter than the one before it is held until both end together.
func (n *Network) accept(d *door, f flight, t noc.Cycle) {
	phits := noc.Cycle(f.worm.Phits)
	if f.worm.Ordered {
		kept := d.recent[:0]
		for _, a := range d.recent {
			if a.at <= t {
				continue
			}
			kept = append(kept, a)
			if a.src == f.worm.Src && a.at > t+phits {
				t = a.at - phits
			}
		}
		d.recent = append(kept, arrival{src: f.worm.Src, at: t + phits})
	}
	n.activity[n.wiring.Exit[f.at].Router].EjectPhits += uint64(f.worm.Phits)
	n.sinks.Accept(&f.worm, f.hops, f.at, t)
}

// waiting is the number of packets in line.
func (d *door) waiting() int { return len(d.line) - d.first }

// leave takes the first packet out of the line.
func (d *door) leave() flight {
	f := d.line[d.first]
	d.first++
	if 2*d.first >= len(d.line) {
		d.line = d.line[:copy(d.line, d.line[d.first:])]
		d.first = 0
	}
	return f
}
