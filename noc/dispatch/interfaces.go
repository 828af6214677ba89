package dispatch

import (
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
	x.Dispatch = newDispatcher(x.Packets, x.Sources, x.Sinks, planner, c)
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
	switch {
	case a.Src != b.Src:
		return a.Src < b.Src
	case a.Class != b.Class:
		return a.Class > b.Class
	}
	return a.Tag < b.Tag
}
