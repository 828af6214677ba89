package dispatch

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

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
	// Receptions says that the network reports every header with Head, so deliveries include the
	// time of the header.
	Receptions bool
	Ports      int // that worms of one round share
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

// newDispatcher makes the sending side of interfaces that have the given parts. planner may be nil.
func newDispatcher(packets *fabric.Packets, sources *fabric.Sources, sinks *fabric.Sinks, planner Planner, c Config) *Dispatcher {
	lanes := len(c.PortsOf)
	d := &Dispatcher{config: c, lanes: lanes, planner: planner, packets: packets, sources: sources, sinks: sinks,
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
	return d
}
