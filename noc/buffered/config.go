package buffered

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Multicast tells how a packet with several destinations is served.
type Multicast string

// The multicast schemes.
const (
	Replicate Multicast = "replicate" // BASE: one copy per destination leaves the source
	Tree      Multicast = "tree"      // BASE-MC: one packet, replicated along the dimension-order tree
)

// SlotSize tells how long the packets are for which a channel is divided into slots.
type SlotSize string

// The sizes of slots.
const (
	ByClass  SlotSize = "class"    // the longest packet of the channel's class
	Longest  SlotSize = "longest"  // the longest packet of all classes
	Reserved SlotSize = "reserved" // as ByClass, but headers wait for the space of the longest packets of all
)

// MaxSlotPhits bounds packets. Together with the longest stage it keeps every delay within the
// reach of a wheel.
const MaxSlotPhits, maxStageCycles = 32, 15

// Config describes one input-buffered network. Sizes are per input port.
type Config struct {
	// Classes is the number of message classes, and of virtual channels: class c uses channel c
	// everywhere.
	Classes   int `key:"-"`
	SlotPhits int `unit:"phits" doc:"longest packet of all classes"`
	// ClassPhits is the length of the longest packet of each class; 0 is SlotPhits.
	ClassPhits [noc.MaxClasses]int `key:"-"`
	// Every packet takes one slot whatever its length.
	Slots        SlotSize  `choices:"class,longest,reserved" doc:"slots of a channel: class (as long as the longest packet of the class), longest (of all classes), or reserved (as class, but a packet enters a slot only if the longest packet of all classes would fit, and a ring only if two would fit). The MRR paper gives channels of ten phits and no slots; class is the default, so that a channel holds as many packets as it has room for"`
	ChannelPhits int       `unit:"phits" doc:"depth of a virtual channel"`
	PhitBits     int       `unit:"bits" doc:"width of links, buffers and crossbar; on a chip, slot_phits and channel_phits follow from it if they are not set"`
	SourceQueue  int       `unit:"packets" doc:"depth of a source queue, one per node and class"`
	Multicast    Multicast `key:"-"`
	// A mesh has no rings and needs no Bubble.
	Bubble bool `rule:"bubble" doc:"let a packet enter a ring only where two slots are free; without it a torus deadlocks"`
	// RouteAfterTail puts two more cycles between packets of one channel.
	RouteAfterTail bool `rule:"route_after_tail" doc:"route a channel's next packet only when the last one's tail has left, as a router without buffers for routes does; the MRR paper does not say"`
	// The pipeline of a header (rule 3): RouteCycles, AllocationCycles, one cycle across the
	// crossbar, LinkCycles, and one for the write into the next router.
	RouteCycles      int  `rule:"route_cycles" unit:"cycles" doc:"time to compute the route of a header; 0 means that the router before it does so"`
	AllocationCycles int  `rule:"allocation_cycles" unit:"cycles" doc:"time from the route of a header to its first grant of the switch"`
	LinkCycles       int  `rule:"link_cycles" unit:"cycles" doc:"time on a link between two routers"`
	EveryCycle       bool `key:"-"` // steps every router in every cycle, with the same results; for tests
	// Threads is how many threads may simulate the network at the same time, with the same results; 0 is one.
	Threads int `key:"-" json:"-"`
	// Links is the wiring of the grid if some links have latencies of their own; else nil.
	Links *topology.Wiring `key:"-"`
}

// DefaultBase returns the BASE router of the paper: six channels of 10 phits at each port, 300
// phits in all.
func DefaultBase() Config {
	return Config{Classes: 6, SlotPhits: 5, Slots: ByClass, ChannelPhits: 10, PhitBits: 128, SourceQueue: 16,
		Multicast: Replicate, Bubble: true, RouteAfterTail: true, RouteCycles: 1, AllocationCycles: 1, LinkCycles: 1}
}

// Space is the slots of a channel and how many of them have to be free for a header (rule 6).
type Space struct {
	Slots int // each for one packet
	Ahead int // for one that goes straight on, or comes from the interface
	Enter int // for one that enters a ring
}

// SpaceOf is rule 1: the space of the channels of a class.
func (c Config) SpaceOf(class int) Space {
	size := c.ClassPhits[class]
	if size == 0 || c.Slots == Longest {
		size = c.SlotPhits
	}
	s := Space{Slots: c.ChannelPhits / size, Ahead: 1, Enter: 2}
	if c.Slots == Reserved {
		s.Ahead = (c.SlotPhits + size - 1) / size
		s.Enter = min((2*c.SlotPhits+size-1)/size, s.Slots)
	}
	return s
}

// RuleText names the slots that the configuration divides channels into, and the other rules that
// differ from the defaults, such as "slots=class, bubble=false".
func (c Config) RuleText() string {
	return fabric.RuleText(fmt.Sprintf("slots=%s", c.Slots), c, DefaultBase())
}

// MostSlots returns the number of packets that a channel of any class may hold.
func (c Config) MostSlots() (most int) {
	for class := range c.Classes {
		most = max(most, c.SpaceOf(class).Slots)
	}
	return most
}

// CyclesOf returns the latency of the link behind an output of a router.
func (c Config) CyclesOf(router noc.NodeID, port int) int {
	if c.Links != nil {
		for _, l := range c.Links.Out(router) {
			if int(l.Out) == port {
				return l.Cycles(c.LinkCycles)
			}
		}
	}
	return c.LinkCycles
}

// Longest returns the latency of the slowest link.
func (c Config) Longest() int {
	most := c.LinkCycles
	if c.Links != nil {
		for _, l := range c.Links.Channels {
			most = max(most, l.Cycles(c.LinkCycles))
		}
	}
	return most
}

// Hardware describes one router on a grid: a FIFO per input port and class, and a crossbar.
func (c Config) Hardware(g topology.Grid) noc.Hardware {
	h := noc.Hardware{Ports: g.Ports(), PhitBits: c.PhitBits, VirtualChannels: c.Classes, Crossbar: true}
	if c.Multicast == Tree {
		h.DestinationBits = g.Nodes() // the headers of copies hold one address instead
	}
	h.FIFOs[noc.VirtualChannel] = g.Ports() * c.Classes
	h.Depth[noc.VirtualChannel] = c.ChannelPhits
	return h
}

// Validate reports whether a network of this kind can be built on the grid.
func (c Config) Validate(g topology.Grid) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if c.ChannelPhits < c.SlotPhits && c.SlotPhits <= MaxSlotPhits {
		return fmt.Errorf("buffered: channel_phits is %d; use %d to %d, because a whole packet must fit", c.ChannelPhits, c.SlotPhits, 100*c.SlotPhits)
	}
	if err := cmp.Or(
		fabric.CheckRange("classes", c.Classes, 1, noc.MaxClasses),
		fabric.CheckRange("slot_phits", c.SlotPhits, 1, MaxSlotPhits),
		fabric.CheckRange("channel_phits", c.ChannelPhits, c.SlotPhits, 100*c.SlotPhits),
		fabric.CheckMultiple("channel_phits", c.ChannelPhits, "slot_phits", c.SlotPhits),
		fabric.CheckRange("phit_bits", c.PhitBits, 1, 1<<16),
		fabric.CheckRange("source_queue", c.SourceQueue, 1, 1<<16-1),
		fabric.CheckRange("route_cycles", c.RouteCycles, 0, maxStageCycles),
		fabric.CheckRange("allocation_cycles", c.AllocationCycles, 1, maxStageCycles),
		fabric.CheckRange("link_cycles", c.LinkCycles, 1, maxStageCycles),
		fabric.CheckChoice("slots", c.Slots, ByClass, Longest, Reserved),
		fabric.CheckChoice("multicast", c.Multicast, Replicate, Tree),
	); err != nil {
		return fmt.Errorf("buffered: %w", err)
	}
	if c.Links != nil {
		for _, l := range c.Links.Channels {
			if l.Link != nil && l.Link.Bits > 0 {
				return fmt.Errorf("buffered: a granted packet streams a phit in each cycle, so the link from router %d to router %d of %s may not have a width of its own", l.From, l.To, c.Links.Name)
			}
		}
	}
	return c.validateSpace(g)
}

// maxSlots bounds the packets of a channel, which are counted in a byte.
const maxSlots = 250

// validateSpace checks the slots of the channels of all classes.
func (c Config) validateSpace(g topology.Grid) error {
	for class, phits := range c.ClassPhits[:c.Classes] {
		if phits < 0 || phits > c.SlotPhits {
			return fmt.Errorf("buffered: slot_phits is %d; packets of class %d have up to %d phits", c.SlotPhits, class, phits)
		}
		s := c.SpaceOf(class)
		if s.Slots > maxSlots {
			return fmt.Errorf("buffered: channel_phits is %d; channels of class %d would have %d slots, more than %d", c.ChannelPhits, class, s.Slots, maxSlots)
		}
		if g.Wrap && c.Bubble && s.Slots <= s.Ahead {
			return fmt.Errorf("buffered: channel_phits is %d; the bubble rule of a torus needs %d slots in channels of class %d, which have %d",
				c.ChannelPhits, s.Ahead+1, class, s.Slots)
		}
	}
	return nil
}

// Routes is rule 4: dimension order, with the ties of odd sources in the minus directions.
func Routes(g topology.Grid) *topology.Sectors { return topology.NewSectors(g, topology.TieBySum) }
