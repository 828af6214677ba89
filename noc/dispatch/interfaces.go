package dispatch

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Interfaces are the network interfaces of all nodes, and the clock. An engine embeds them: they answer whatever
// [noc.Network] asks about nodes and their packets, and the engine adds what it asks about routers.
//
// In each cycle the engine serves Dispatch, moves worms, raises Clock, and asks [Interfaces.News] whether the
// client has to look; it may leave out cycles with [Interfaces.Skip].
type Interfaces struct {
	Clock    noc.Cycle     // about to be simulated
	Packets  *fabric.Worms // in source queues and under way, with the destinations still owed
	Sources  *fabric.Sources
	Sinks    *fabric.Sinks
	Dispatch *Dispatcher
}

// New makes the interfaces of a network. planner may be nil: a packet then travels as one worm per destination.
func New(planner Planner, c Config) Interfaces {
	x := Interfaces{Packets: fabric.NewWorms(c.Nodes, 4*c.Nodes), Sinks: fabric.NewSinks(c.Nodes, c.Classes)}
	x.Sources = fabric.NewSources(x.Packets, c.Nodes, c.Classes, c.SourceQueue, c.MaxPhits)
	x.Dispatch = newDispatcher(x.Packets, x.Sources, x.Sinks, planner, c)
	return x
}

// Nodes is the number of nodes.
func (x *Interfaces) Nodes() int { return x.Dispatch.config.Nodes }

// Now is the cycle about to be simulated.
func (x *Interfaces) Now() noc.Cycle { return x.Clock }

// Offer puts a packet into the source queue of its node and class.
func (x *Interfaces) Offer(p noc.Packet) bool {
	if !x.Sources.Offer(&p, x.Clock) {
		return false
	}
	x.Dispatch.wake(x.Dispatch.stationOf(p.Src, p.Class))
	return true
}

// Deliveries lists what arrived since the last call. A node may take several copies in one cycle: they are
// listed by source, higher classes first, then by tag, whatever the order of events.
func (x *Interfaces) Deliveries() []noc.Delivery { return sorted(x.Sinks.Take()) }

// LimitSink bounds the sink of one node and class.
func (x *Interfaces) LimitSink(node noc.NodeID, class noc.Class, places int) {
	x.Sinks.Limit(node, class, places)
}

// InFlight is the number of deliveries still owed.
func (x *Interfaces) InFlight() int { return x.owed() + x.Sinks.Untaken() }

// owed is the number of destinations that nothing is delivered to yet, not even on its last link.
func (x *Interfaces) owed() int { return x.Sources.Owed() - int(x.Sinks.Delivered()) }

// Totals are the sums that interfaces know; the engine adds PhitHops and Buffered.
func (x *Interfaces) Totals() noc.Totals {
	return noc.Totals{Offered: x.Sources.Offered(), Injected: x.Dispatch.injected,
		Delivered: x.Sinks.Delivered() - uint64(x.Sinks.Pending()), Phits: x.Sinks.Phits()}
}

// Next is the first cycle from the current one on in which an interface has something to do or a delivery becomes
// visible, or noc.Never.
func (x *Interfaces) Next() noc.Cycle { return min(x.Dispatch.Next(x.Clock), x.Sinks.Next()) }

// Skip moves the clock on to the next cycle in which the network has work, at most to until, and reports whether
// Step is to return: it is there, or a delivery has become visible.
func (x *Interfaces) Skip(work, until noc.Cycle) bool {
	next := min(work, until)
	if next <= x.Clock {
		return false
	}
	x.Clock = next
	return x.collect() || next == until
}

// News tells, after a cycle, whether Step is to return: a delivery has become visible, or a source queue that
// had refused a packet has room.
func (x *Interfaces) News() bool {
	room := x.Sources.TakeRoomAgain()
	return x.collect() || room
}

// collect shows the deliveries of the current cycle to the client and reports whether there are any.
func (x *Interfaces) collect() bool {
	if x.Sinks.Pending() > 0 {
		x.Sinks.Collect(x.Clock)
	}
	return x.Sinks.Visible()
}

// Queued appends the packets at the head of source queues, which wait for their node to send others.
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

// Stuck begins the explanation of a packet that waits: what it is and since when. The engine adds where it is.
func (x *Interfaces) Stuck(id fabric.WormID) noc.Stuck {
	p := x.Packets.At(id)
	return noc.Stuck{Tag: p.Tag, Class: p.Class, Src: p.Src, Dst: x.Packets.Members(id), Since: p.Offered}
}

// CheckDestinations reports whether destinations are neither lost nor doubled: each that is owed is in a source
// queue or a stop of a worm.
func (x *Interfaces) CheckDestinations() error {
	stops := x.Dispatch.waiting()
	if _, queued := x.Sources.Waiting(); stops+queued != x.owed() {
		return fmt.Errorf("cycle %d: %d stops of worms and %d destinations in source queues, %d are owed", x.Clock, stops, queued, x.owed())
	}
	return nil
}
