package wormhole

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/set"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Routing tells where a header goes.
type Routing string

// The routings.
const (
	// DimensionOrder goes along x, then y, and so on. On a torus each ring splits its virtual
	// channels: a packet that crosses the ring's dateline uses the lower ones, others the upper.
	DimensionOrder Routing = "dimension-order"
	// Labels follows the labels of a Hamiltonian path, which goes together with label-ordered
	// worms.
	Labels Routing = "labels"
)

// Config describes one network of virtual-channel routers. A phit of the contract is a flit; times
// are in cycles.
type Config struct {
	// Classes is the number of message classes. The virtual channels of a port are shared out among
	// them: when there are enough, each class has a set of its own, and no class waits for another.
	Classes         int  `key:"-"`
	VirtualChannels int  `unit:"channels" doc:"virtual channels of each port; 0 means one for each class, and on a torus two for each; with fewer, neighbouring classes share them"`
	ShareChannels   bool `doc:"let every message class use all virtual channels of a port; otherwise each class owns some where there are enough" json:",omitempty"`
	BufferPhits     int  `unit:"phits" doc:"depth of a virtual channel"`
	MaxPhits        int  `unit:"phits" doc:"longest packet"`
	// The pipeline of a header: RouteCycles, one cycle for the allocation of a virtual channel, one
	// for that of the switch, and SwitchCycles.
	RouteCycles  int  `unit:"cycles" doc:"time to compute the route of a header; 0 means that the router before it does so"`
	SwitchCycles int  `unit:"cycles" doc:"time to cross the switch, after a cycle for its allocation"`
	Speculative  bool `doc:"request the switch in the same cycle as a virtual channel"`
	LinkCycles   int  `unit:"cycles" doc:"time on a link"`
	CreditCycles int  `unit:"cycles" doc:"time of a credit on its way back to the sender"`
	Injection    int  `unit:"packets" doc:"packets of a class that a node sends at the same time; 0 means as many as the class has virtual channels" json:",omitempty"`
	// Without EjectionPerInput the node takes one flit per cycle through the crossbar.
	EjectionPerInput bool    `doc:"let every input of a router hand a flit to the node in the same cycle; always true with path-based schemes"`
	Startup          int     `unit:"cycles" doc:"time that a node spends before each step of sending messages"`
	Preparation      int     `unit:"cycles" doc:"time that the source of a multicast spends before the first step"`
	CutThrough       bool    `doc:"a node that passes a multicast on does so once the header has arrived, instead of the tail"`
	Routing          Routing `choices:"by-scheme,dimension-order,labels,fixed,xy,yx,west-first,north-last,negative-first,odd-even,o1turn,valiant,adaptive,up-down,shortest,nca,table" doc:"routing (carousel help networks). by-scheme is dimension-order or labels on grids, and the routes of the topology elsewhere; fixed is these routes, with the first of several possible channels"`
	Table            string  `doc:"file with the routes of routing=table" json:",omitempty"`
	PhitBits         int     `unit:"bits" doc:"width of links, buffers and crossbar"`
	SourceQueue      int     `unit:"packets" doc:"depth of a source queue, one per node and class"`
	EveryCycle       bool    `key:"-"` // visits every router in every cycle, with the same results; for tests
}

// Default returns a router of four stages, with channels of eight flits.
func Default() Config {
	return Config{Classes: 6, BufferPhits: 8, MaxPhits: 128, RouteCycles: 1, SwitchCycles: 1, LinkCycles: 1, CreditCycles: 1,
		Routing: DimensionOrder, PhitBits: 128, SourceQueue: 16}
}

// MaxChannels bounds the virtual channels of a port, MaxPorts the ports of a router: engines keep
// both as bits.
const (
	MaxChannels = 31
	MaxPorts    = 64
)

// Parts returns the number of parts into which a class's virtual channels are divided on a grid: 2
// where a ring needs them on both sides of its dateline, else 1.
func (c Config) Parts(g topology.Grid) int {
	if g.Wrap && c.Routing == DimensionOrder {
		return 2
	}
	return 1
}

// Channels returns the number of virtual channels of a port.
func (c Config) Channels(parts int) int {
	if c.VirtualChannels == 0 {
		return c.Classes * parts
	}
	return c.VirtualChannels
}

// ChannelSet is a set of virtual channels of a port.
type ChannelSet = set.Of32[int]

// groups returns the number of groups of neighbouring classes that have virtual channels of their own.
func (c Config) groups(parts int) int {
	if c.ShareChannels {
		return 1
	}
	return min(c.Classes, c.Channels(parts)/parts)
}

// ClassesPerChannel returns the most message classes that use one virtual channel of a port.
func (c Config) ClassesPerChannel(parts int) int {
	return (c.Classes + c.groups(parts) - 1) / c.groups(parts)
}

// ChannelText says which classes use the virtual channels of a port.
func (c Config) ChannelText(parts int) string {
	text := fmt.Sprintf("%d virtual channels per port", c.Channels(parts))
	if c.Channels(parts) == 1 {
		text = "1 virtual channel per port"
	}
	switch groups := c.groups(parts); {
	case c.Classes == 1:
		return text
	case groups == c.Classes:
		return text + fmt.Sprintf(", owned by %d classes", c.Classes)
	case groups == 1:
		return text + fmt.Sprintf(", shared by %d classes", c.Classes)
	default:
		return text + fmt.Sprintf(", owned by %d groups of the %d classes", groups, c.Classes)
	}
}

// ClassChannels returns the virtual channels that each class may use: the lower half, for
// packets that cross a ring's dateline, and the upper half, for all others. With one part both are
// the same. A group of classes shares its channels.
func (c Config) ClassChannels(parts int) (of [noc.MaxClasses][2]ChannelSet) {
	total, groups := c.Channels(parts), c.groups(parts)
	for class := range c.Classes {
		group := class * groups / c.Classes
		first, end := group*total/groups, (group+1)*total/groups
		middle := first + (end-first)/2
		upper := ChannelSet(1)<<end - 1<<first
		lower := upper
		if parts == 2 {
			lower, upper = 1<<middle-1<<first, 1<<end-1<<middle
		}
		of[class] = [2]ChannelSet{lower, upper}
	}
	return of
}

// Interfaces is rule 2: it describes the network interfaces, with the virtual channels by which a
// node sends packets of each class, of which Injection takes the lowest.
func (c Config) Interfaces(nodes, parts int) dispatch.Config {
	var ports []uint32
	for _, half := range c.ClassChannels(parts) {
		all := uint32(half[0] | half[1])
		for c.Injection > 0 && bits.OnesCount32(all) > c.Injection {
			all &^= 1 << (bits.Len32(all) - 1)
		}
		if len(ports) < c.Classes {
			ports = append(ports, all)
		}
	}
	return dispatch.Config{Nodes: nodes, Classes: c.Classes, SourceQueue: c.SourceQueue, MaxPhits: c.MaxPhits, Startup: c.Startup,
		Preparation: c.Preparation, CutThrough: c.CutThrough, Ports: bits.OnesCount32(ports[0]), PortsOf: ports}
}

// Validate reports whether a network of this kind can be built on the grid.
func (c Config) Validate(g topology.Grid) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if c.Routing != DimensionOrder && c.Routing != Labels {
		return fmt.Errorf("wormhole: routing is %q; use %q or %q", c.Routing, DimensionOrder, Labels)
	}
	return c.ValidateSize(g.String(), g.Nodes(), g.Ports(), c.Parts(g))
}

// ValidateSize reports whether a network of this kind can be built with these numbers of routers,
// of ports of a router, and of parts in which rings need their channels.
func (c Config) ValidateSize(name string, routers, ports, parts int) error {
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("virtual_channels", c.VirtualChannels, 0, MaxChannels),
		fabric.CheckRange("buffer_phits", c.BufferPhits, 1, 255),
		fabric.CheckRange("max_phits", c.MaxPhits, 1, 1<<14),
		fabric.CheckRange("route_cycles", c.RouteCycles, 0, 8),
		fabric.CheckRange("switch_cycles", c.SwitchCycles, 0, 8),
		fabric.CheckRange("link_cycles", c.LinkCycles, 1, 16),
		fabric.CheckRange("credit_cycles", c.CreditCycles, 0, 16),
		fabric.CheckRange("injection", c.Injection, 0, MaxChannels),
		fabric.CheckRange("startup", c.Startup, 0, 1<<15),
		fabric.CheckRange("preparation", c.Preparation, 0, 1<<15),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
	); err != nil {
		return fmt.Errorf("wormhole: %w", err)
	}
	if c.Channels(parts) < parts {
		return fmt.Errorf("wormhole: virtual_channels is %d; the rings of %s need %d, one on each side of their dateline, or routing %q",
			c.Channels(parts), name, parts, Labels)
	}
	if ports > MaxPorts {
		return fmt.Errorf("wormhole: routers of %s have %d ports; at most %d are possible", name, ports, MaxPorts)
	}
	if bits.Len(uint(routers*ports*c.Channels(parts))) > 30 {
		return fmt.Errorf("wormhole: %s with %d virtual channels is too large; use fewer", name, c.Channels(parts))
	}
	return nil
}

// Setup is what a network is made of, in both forms.
type Setup struct {
	Wiring    *topology.Wiring
	Grid      *topology.Grid    // nil elsewhere
	Order     *topology.Order   // of a grid with dimension order
	Ports     int               // of a router
	Parts     int               // of a class's channels
	Function  routing.Function  // nil for dimension order
	Adaptive  routing.Adaptive  // nil where the function leaves no choice
	Datelined routing.Datelined // nil where channels need not be in halves
	Named     *routing.Named    // a function that looks at where headers come from, or nil
	into      []int32           // with Named, the channel that enters by each port of each router; -1 from nodes
}

// Lonely returns the virtual channels that a packet may take only when their buffers are empty: with an escape, the
// upper halves. A packet behind another one could not take the escape. (Duato, IEEE Transactions on Parallel and
// Distributed Systems, 1993: a queue must be emptied before it accepts another header.)
func (s *Setup) Lonely(c Config) (lonely ChannelSet) {
	if s.Named != nil && s.Named.Escape {
		for _, half := range c.ClassChannels(s.Parts) {
			lonely |= half[1]
		}
	}
	return lonely
}

// Start draws for the next worm of a node, of which the counts tell how many there have been.
func (s *Setup) Start(counts []uint32, from noc.NodeID) routing.State {
	counts[from]++
	return s.Named.Start(uint64(from)<<32 | uint64(counts[from]))
}

// Steer is rule 14: it returns the output by which a header that came by an input goes on, and the channels that it
// may take there. free tells which channels of an output are free. Without again the choice is final.
func (s *Setup) Steer(at noc.NodeID, input int, stop noc.NodeID, state *routing.State, of [2]ChannelSet, scratch *[]int32, free func(output int) ChannelSet) (output int, allowed ChannelSet, again bool) {
	list := s.Named.Route(at, s.into[int(at)*s.Ports+input], stop, state, (*scratch)[:0])
	*scratch = list
	if allowed = of[state.Part]; s.Named.Escape {
		allowed = of[1]
	}
	for _, c := range list {
		if output = int(s.Wiring.Channels[c].Out); free(output)&allowed != 0 {
			return output, allowed, s.Named.Escape
		}
	}
	if s.Named.Escape {
		return int(s.Wiring.Channels[s.Named.Next(at, stop)].Out), of[0] | of[1], false
	}
	return int(s.Wiring.Channels[list[0]].Out), allowed, false
}

// PortName names a port of a router in messages.
func (s *Setup) PortName(port int) string {
	if s.Grid == nil {
		return strconv.Itoa(port)
	}
	return s.Grid.PortName(port)
}

// ChannelName names a virtual channel of an input in messages.
func (s *Setup) ChannelName(input, channel int) string {
	return fmt.Sprintf("input %s channel %d", s.PortName(input), channel)
}

// OnLayout returns the setup of a network on a grid, whose links may be unlike each other, or tells what
// does not fit.
func (c Config) OnLayout(l topology.Layout, planner dispatch.Planner) (s Setup, err error) {
	g := *l.Grid
	if err := cmp.Or(c.Validate(g), c.checkLinks(l.Wiring)); err != nil {
		return s, err
	}
	s = Setup{Wiring: l.Wiring, Grid: &g, Ports: g.Ports(), Parts: c.Parts(g)}
	if c.Routing == Labels {
		if s.Function, err = routing.SnakeLabels(g, s.Wiring); err != nil {
			return s, err
		}
	} else {
		s.Order = topology.NewOrder(g, topology.TieByPosition)
	}
	return s, c.checkStops(planner)
}

// OnWiring returns the setup of a network on any wiring with a routing function, or tells what does
// not fit. The function must be free of deadlock with one channel per link and class, or with two
// if it is datelined or has parts, which is checked for worms with one stop. Where it leaves a
// choice, a header takes, when its route is computed, the first permitted output with a virtual
// channel free for it, or else the first.
func (c Config) OnWiring(w *topology.Wiring, r routing.Function, planner dispatch.Planner) (Setup, error) {
	s := Setup{Wiring: w, Ports: w.Ports(), Parts: 1, Function: r}
	s.Adaptive, _ = r.(routing.Adaptive)
	if s.Datelined, _ = r.(routing.Datelined); s.Datelined != nil {
		s.Parts = 2
	}
	if s.Named, _ = r.(*routing.Named); s.Named != nil {
		s.Parts, s.into = s.Named.Parts, slices.Repeat([]int32{-1}, w.Routers*s.Ports)
		for i, c := range w.Channels {
			s.into[int(c.To)*s.Ports+int(c.In)] = int32(i)
		}
		if channels := c.Channels(s.Parts); channels < s.Parts {
			return s, fmt.Errorf("wormhole: virtual_channels is %d; routing %s needs %d, one for each part of a route", channels, s.Named.Name, s.Parts)
		}
	}
	if err := cmp.Or(c.ValidateSize(w.Name, w.Routers, s.Ports, s.Parts), c.checkLinks(w)); err != nil {
		return s, err
	}
	if !dispatch.OneStop(planner) && !w.Direct() {
		return s, fmt.Errorf("wormhole: worms with several stops need a node at every router, unlike %s", w.Name)
	}
	if dispatch.OneStop(planner) {
		if err := routing.Check(w, r); err != nil {
			return s, fmt.Errorf("wormhole: %w", err)
		}
	} else if s.Named != nil {
		return s, fmt.Errorf("wormhole: routing %s is for worms with one stop; use by-scheme", s.Named.Name)
	}
	return s, c.checkStops(planner)
}

// maxParts bounds the cycles that a phit may take on a narrow link.
const maxParts = 64

// checkLinks reports whether phits can pass the links.
func (c Config) checkLinks(w *topology.Wiring) error {
	for _, l := range w.Channels {
		if parts := l.Link.Parts(c.PhitBits); parts > maxParts {
			return fmt.Errorf("wormhole: a phit of %d bits takes %d cycles on the link of %d bits from router %d to %d of %s; at most %d are possible, so set a smaller phit_bits",
				c.PhitBits, parts, l.Link.Bits, l.From, l.To, w.Name, maxParts)
		}
	}
	return nil
}

// Delays are the cycles of a link: Parts during which a flit occupies it, Flit from the grant of the switch
// until the flit is in the next buffer, and Credit from a grant there until the place can be used here.
type Delays struct{ Parts, Flit, Credit int }

// DelaysOf is rule 13: it returns the delays of a link, or of all others for nil.
func (c Config) DelaysOf(l *topology.Link) Delays {
	d := Delays{l.Parts(c.PhitBits), c.SwitchCycles + c.LinkCycles, 1 + c.CreditCycles}
	if l != nil && l.Cycles > 0 {
		d.Flit, d.Credit = c.SwitchCycles+l.Cycles, max(1, d.Credit+l.Cycles-c.LinkCycles)
	}
	d.Flit += d.Parts
	return d
}

// Longest returns the longest delay of any link.
func (c Config) Longest(w *topology.Wiring) int {
	d := c.DelaysOf(nil)
	longest := max(d.Flit, d.Credit)
	for _, l := range w.Channels {
		d = c.DelaysOf(l.Link)
		longest = max(longest, d.Flit, d.Credit)
	}
	return longest
}

// checkStops reports whether worms of a planner can hand over copies while they pass.
func (c Config) checkStops(planner dispatch.Planner) error {
	if !dispatch.OneStop(planner) && !c.EjectionPerInput {
		return fmt.Errorf("wormhole: ejection_per_input is off; worms with several stops hand over copies while they pass, so switch it on")
	}
	return nil
}
