package engine

import (
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// Network is a network of virtual-channel routers; it implements [noc.Network].
type Network struct {
	dispatch.Interfaces
	wormhole.Setup
	config    wormhole.Config
	layout    layout
	sets      [noc.MaxClasses][2]channelSet
	lonely    channelSet // channels that take a packet only when they are empty
	noChannel globalVC

	routers  []router
	port     []port
	sources  []source // of ports
	front    []front
	upstream []upstream
	channel  []channel
	entry    []globalVC // per node: its first channel

	schedule     fabric.Wheel[slot] // what takes effect in later cycles
	headers      headers
	allocator    channelAllocator
	switches     switchAllocator
	speculation  *speculation // or nil
	transfer     transfer
	links        *links // where some are unlike the others, or nil
	accounting   accounting
	inside       uint64 // flits of the worms inside
	mayGrantNext bool   // the next cycle may grant something, whatever comes
	underWay     []int  // scratch of CheckInvariants
}

// router is what belongs to a router as a whole.
type router struct {
	injected         uint64 // flits from its nodes (accounting)
	copied, branched uint64 // flits and packets of which a node takes a copy
	lookups          uint64 // of routes
	fabric.Presence         // of packets: from the arrival of a header to the grant of the tail
}

// New builds a network of a setup, which is for this configuration and planner. It fails with
// [ErrTooLarge] where the plain form is needed.
func New(s wormhole.Setup, c wormhole.Config, planner dispatch.Planner) (*Network, error) {
	l, err := newLayout(s.Ports, c.Channels(s.Parts))
	if err != nil {
		return nil, err
	}
	w := s.Wiring
	longest := max(c.Longest(w), c.LinkCycles+c.RouteCycles, 1+c.RouteCycles)
	if longest >= fabric.Horizon {
		return nil, ErrTooLarge
	}
	n := &Network{Setup: s, config: c, layout: l, sets: c.ClassChannels(s.Parts), lonely: s.Lonely(c),
		routers: make([]router, w.Routers), Interfaces: dispatch.New(planner, c.Interfaces(w.Nodes(), s.Parts))}
	all, allPorts := w.Routers<<6, w.Routers*s.Ports
	n.noChannel = globalVC(all)
	n.channel = make([]channel, all)
	n.switches.init(w.Routers, n.layout)
	if c.Speculative {
		n.speculation = newSpeculation(&n.switches)
	}
	n.headers = headers{net: n, known: known(&s), nodes: uint32(w.Nodes()), started: make([]uint32, w.Nodes()), behind: make([]int32, all*c.BufferPhits)}
	n.allocator = channelAllocator{net: n, last: slices.Repeat([]int16{-1}, all), sinks: sinkTurns{layout: n.layout},
		headers: c.CutThrough || !dispatch.OneStop(planner)}
	n.transfer = transfer{net: n, traversal: 1 + c.SwitchCycles + c.LinkCycles, credit: 1 + c.CreditCycles,
		heads: make([]globalVC, allPorts+1), tails: make([]globalVC, allPorts+1)}
	n.accounting.net = n
	most := n.layout.moves(w.Routers)
	if w.Special() {
		n.links, most = newLinks(n), 0
	}
	n.schedule = newSchedule(noc.Cycle(longest), most)
	n.makeChannels()
	n.wire()
	n.Drive(fabric.Engine{Work: n.nextWork, Cycle: n.cycle, Check: n.CheckInvariants, Room: n.room}, c.EveryCycle)
	return n, nil
}

// makeChannels makes the ports and channels of all routers.
func (n *Network) makeChannels() {
	ports, all := len(n.routers)*n.layout.ports, int(n.noChannel)
	n.port = slices.Repeat([]port{{down: n.noChannel, sleeper: n.noChannel}}, ports)
	n.sources = slices.Repeat([]source{{none, none}}, ports)
	n.front = make([]front, all+1)
	// Mostly half of a word's bits are used, so upstream takes the parts of a processor's cache
	// that front leaves free.
	n.upstream = slices.Repeat([]upstream{{owner: n.noChannel}}, all+33)[32:]
	n.upstream[n.noChannel].credits = math.MaxInt32
	for r := range n.routers {
		for place := range n.layout.places {
			p, v := place/n.layout.channels, place%n.layout.channels
			n.channel[n.layout.channelAt(r, p, v)] = channel{worm: dispatch.None, router: uint32(r), base: n.layout.portAt(r, 0), last: -1,
				place: int16(place), input: uint8(p), number: uint8(v)}
		}
	}
}

// wire fills the tables of neighbours and gives every sender its credits.
func (n *Network) wire() {
	l := &n.layout
	for _, c := range n.Wiring.Channels {
		from, to := l.portAt(int(c.From), int(c.Out)), l.portAt(int(c.To), int(c.In))
		n.port[from].down, n.port[from].free = l.channelAt(int(c.To), int(c.In), 0), 1<<l.channels-1
		n.sources[to].feeder = from
		for v := range l.channels {
			n.upstream[l.channelAt(int(c.To), int(c.In), v)].credits = int32(n.config.BufferPhits)
		}
	}
	for node := range n.Nodes() {
		entry, exit := n.Wiring.Entry[node], n.Wiring.Exit[node]
		n.sources[l.portAt(int(entry.Router), int(entry.Port))].node = uint32(node)
		n.entry = append(n.entry, l.channelAt(int(entry.Router), int(entry.Port), 0))
		if n.config.EjectionPerInput {
			n.switches.share(exit.Router, exit.Port)
		}
		for v := range l.channels {
			n.channel[l.channelAt(int(entry.Router), int(entry.Port), v)].own = true
		}
	}
}

// every goes over all virtual channels of all routers.
func (n *Network) every(yield func(ch globalVC, c *channel) bool) {
	for r := range n.routers {
		for place := range n.layout.places {
			ch := n.layout.channelAt(r, place/n.layout.channels, place%n.layout.channels)
			if !yield(ch, &n.channel[ch]) {
				return
			}
		}
	}
}

// room lets headers that wait for a sink ask again.
func (n *Network) room(node noc.NodeID, _ noc.Class) {
	if n.Sinks.Bounded() {
		n.allocator.sinks.bound(len(n.routers))
	}
	n.allocator.wake(&n.port[n.exitOf(node)])
}

// exitOf returns the port index by which packets leave to a node.
func (n *Network) exitOf(node noc.NodeID) uint32 {
	return n.layout.portAt(int(n.Wiring.Exit[node].Router), int(n.Wiring.Exit[node].Port))
}

// nextWork returns the next cycle in which a router, an interface, an event or a delivery is due.
func (n *Network) nextWork() noc.Cycle {
	if len(n.allocator.requests) > 0 || n.mayGrantNext || n.links != nil && len(n.links.busy) > 0 {
		return n.Clock
	}
	return min(n.Dispatch.Next(n.Clock), n.schedule.Next(n.Clock))
}

// cycle simulates the current cycle: flits, credits and routes take effect, nodes start packets,
// flits get the switches, headers virtual channels, and what has been granted moves.
func (n *Network) cycle() {
	t := n.Clock
	if due := n.schedule.Take(t); due != nil {
		n.takeEffect(due, t)
	}
	if n.Dispatch.Next(t) <= t {
		for _, id := range n.Dispatch.Serve(t) {
			n.headers.launch(id, t)
		}
	}
	if n.config.EveryCycle {
		for i := range n.port {
			n.allocator.wake(&n.port[i])
		}
	}
	if n.links != nil {
		n.links.block(t)
	}
	n.switches.allocate()
	n.mayGrantNext = len(n.allocator.requests) > 0
	if n.mayGrantNext {
		n.allocator.allocateChannels()
	}
	if n.speculation != nil {
		n.speculation.allocate()
	}
	if len(n.switches.granted) > 0 {
		n.mayGrantNext = true
		if n.links != nil {
			n.links.send(t)
		} else {
			n.transfer.send(t)
		}
	}
}

// takeEffect carries out what is due in cycle t.
func (n *Network) takeEffect(s *slot, t noc.Cycle) {
	land(s.landing, n.front, n.switches.words)
	giveBack(s.freed, n.upstream, n.switches.words)
	if n.lonely != 0 {
		n.transfer.freeEmptied(s.freed)
	}
	s.landing, s.freed = s.landing[:0], s.freed[:0]
	if len(s.arrivals) > 0 {
		n.headers.computeRoutes(s.arrivals, t)
		s.arrivals = s.arrivals[:0]
	}
	if len(s.routed) > 0 {
		n.headers.request(s)
	}
	for _, ch := range s.ports {
		c := &n.channel[ch]
		n.Dispatch.FreePort(noc.NodeID(n.sources[c.base+uint32(c.input)].node), int32(c.number))
	}
	s.ports = s.ports[:0]
}
