package dispatch

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Interfaces are the network interfaces of all nodes of a network that carries worms:
// [fabric.Interfaces], and the sending side that turns packets into worms. A network embeds them.
// Their loop steps the network, which calls Serve of Dispatch in each cycle and moves the worms.
type Interfaces struct {
	fabric.Interfaces
	Dispatch *Dispatcher
}

// New makes the interfaces of a network. planner may be nil: a packet then travels as one worm per
// destination.
func New(planner Planner, c Config) Interfaces {
	x := Interfaces{Interfaces: fabric.NewInterfaces(fabric.Shape{Nodes: c.Nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits})}
	x.Sinks.Ties = before
	lanes := len(c.PortsOf)
	d := &Dispatcher{config: c, lanes: lanes, planner: planner, packets: x.Packets, sources: x.Sources, sinks: x.Sinks,
		calendar: fabric.NewCalendar(c.Startup+c.Preparation+64, 1), stations: make([]station, c.Nodes*lanes), freePorts: make([]uint32, c.Nodes)}
	all := uint32(1) << Loopback
	d.shared = c.OwnWay && lanes > 1
	for lane, ports := range c.PortsOf {
		d.shared = d.shared || all&ports != 0
		all |= ports
		for port := range d.lanesOf {
			if ports>>port&1 != 0 || port == Loopback {
				d.lanesOf[port] |= 1 << lane
			}
		}
	}
	for n := range d.freePorts {
		d.freePorts[n] = all
	}
	x.Dispatch = d
	return x
}

// Offer puts a packet into the source queue of its node and class and reports whether there was
// room.
func (x *Interfaces) Offer(p noc.Packet) bool {
	if !x.Interfaces.Offer(p) {
		return false
	}
	x.Dispatch.wake(x.Dispatch.stationOf(p.Src, p.Class))
	return true
}

// Totals returns the sums that interfaces know; the network adds PhitHops and Buffered.
func (x *Interfaces) Totals() noc.Totals {
	t := x.Interfaces.Totals()
	t.Injected = x.Dispatch.injected
	return t
}

// Queued appends the packets at the head of source queues, which wait for their node to send
// others.
func (x *Interfaces) Queued(into []noc.Stuck) []noc.Stuck {
	for node := range noc.NodeID(x.Nodes()) {
		for m := x.Sources.Ready(node); m != 0; m &= m - 1 {
			class := noc.Class(bits.TrailingZeros8(m))
			s := x.Stuck(x.Sources.Head(node, class))
			s.At, s.For = node, node
			s.Holds, s.Waits = fmt.Sprintf("source queue %d", class), "node: sends other packets"
			into = append(into, s)
		}
	}
	return into
}

// CheckDestinations reports whether destinations are neither lost nor doubled: each that is owed is
// in a source queue or a stop of a worm.
func (x *Interfaces) CheckDestinations() error {
	stops := x.Dispatch.waiting()
	if _, queued := x.Sources.Waiting(); stops+queued != x.Owed() {
		return fmt.Errorf("cycle %d: %d stops of worms and %d destinations in source queues, %d are owed", x.Clock, stops, queued, x.Owed())
	}
	return nil
}

// before orders the deliveries of a node in one cycle, which may be several: by source, higher classes
// first, then by tag, whatever the order of events.
func before(a, b *noc.Delivery) bool {
	return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(b.Class, a.Class), cmp.Compare(a.Tag, b.Tag)) < 0
}

// Config describes the interfaces of a network. Times are in cycles.
type Config struct {
	Nodes, Classes int
	SourceQueue    int // packets that wait at most, per node and class
	MaxPhits       int // of a packet
	// Startup is the time that a node spends before each message passing step. Preparation is the
	// planning time that the source of a packet with several destinations spends before the first
	// step.
	Startup, Preparation int
	// CutThrough lets a node forward a message once its header has arrived, and start the next
	// round once the headers have left. Otherwise it waits for the tails.
	CutThrough  bool
	HeaderPhits int // flits that every worm carries beyond the packet
	Ports       int // that worms of one round share
	// PortsOf has the ports that each station of a node may use, as bits below Loopback. With one
	// entry a node has one station for all classes, with several one station for each class.
	// Stations that share ports use them in turn; stations without common ports are independent.
	PortsOf []uint32
	// OwnWay gives copies that a node sends to itself the port Loopback. Otherwise they use the
	// ports like other copies.
	OwnWay bool
}

// Dispatcher is the sending side of all nodes of a network.
type Dispatcher struct {
	config   Config
	lanes    int  // stations per node
	shared   bool // several of them use one port
	planner  Planner
	packets  *fabric.Packets
	sources  *fabric.Sources
	sinks    *fabric.Sinks
	calendar fabric.Calendar

	stations  []station
	lanesOf   [32]uint8 // that may use a port, as bits
	freePorts []uint32  // per node, as bits
	messages  []message // by packet
	worms     []Worm
	free      []int32 // worms
	serve     []int32 // stations with something to do
	launch    []int32 // worms
	targets   []noc.NodeID
	injected  uint64 // packets whose header has left a source queue; separate copies count each
}
