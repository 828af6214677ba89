package noc

import "io"

// NodeID names a router and the network interface attached to it. Nodes are numbered from 0; on a
// grid, node = x + kx*(y + ky*(z + ...)).
type NodeID uint32

// Cycle is a point in time, in network clock cycles from the start of the run.
type Cycle uint64

// Never is later than every cycle of a run.
const Never = ^Cycle(0)

// Class is a message class, 0 the lowest. A class is a position in the message dependency chain
// of the client's protocol: consuming a packet of class c may require sending packets of classes
// above c only.
type Class uint8

// MaxClasses bounds the number of message classes a network may be configured for.
const MaxClasses = 8

// Tag is the client's handle for a packet. The network carries it and never looks inside.
type Tag uint32

// Packet is what a client offers: one copy of it reaches every node of Dst.
type Packet struct {
	Src NodeID
	// Receipt asks that Network.Sent lists the packet.
	Receipt bool
	// Dst is read while Offer runs and not kept: the client may reuse its words afterwards.
	// It may contain Src; that copy crosses the router of Src and no link.
	Dst NodeSet
	Tag Tag
	// Phits is the packet's length on a link, header included; 1 up to the network's slot size.
	Phits uint16
	Class Class
}

// Delivery tells that one copy of a packet has been handed to one node.
type Delivery struct {
	Tag Tag
	Src NodeID
	At  NodeID
	// Offered is the cycle of the Offer call, Injected the cycle in which this copy's header left
	// the source queue. Arrived is the first cycle in which the client may act on the packet: the
	// one after its tail was consumed. Zero-load formulas give Arrived - Offered.
	Offered, Injected, Arrived Cycle
	// Hops counts the links this copy crossed.
	Hops  uint16
	Class Class
}

// Receipt tells that a packet has left its source: the header of its last copy has left the source
// queue.
type Receipt struct {
	Src   NodeID
	Tag   Tag
	Class Class
}

// Network is a cycle-exact model of an interconnection network.
//
// The client's cycle is: take the deliveries of the current cycle, offer packets, call Step. All
// methods are for one goroutine. Nothing under Step allocates once the model's arenas have grown
// to the load.
type Network interface {
	// Nodes is the number of nodes, numbered 0 to Nodes-1.
	Nodes() int

	// Now is the cycle about to be simulated; Offer applies to it.
	Now() Cycle

	// Offer puts a packet into the source queue of its node and class in the current cycle, and
	// reports whether there was room. The order of Offer calls for different nodes within a cycle
	// changes nothing. A malformed packet (empty or foreign Dst, too long, unknown class) is a
	// programming error and panics; Dst and length may be looked at only when there is room.
	Offer(p Packet) bool

	// Step simulates cycles from Now on, up to and not including until, and returns the new Now.
	// It stops early after the first cycle in which a delivery was made, a packet with a receipt
	// left its source, or a source queue that had refused an Offer got room again. It does nothing
	// when until <= Now.
	Step(until Cycle) Cycle

	// Sent lists the packets with Receipt that have left their sources since the last call, ordered
	// by Src, then by Class. The slice is reused by the next Step.
	Sent() []Receipt

	// Deliveries lists what arrived since the last call, ordered by Arrived, then by At. Every
	// listed Arrived is at most Now. The slice is reused by the next Step.
	Deliveries() []Delivery

	// LimitSink bounds the sink of one node and class to the given number of packets, from the
	// current cycle on: each delivery takes a place when its header starts to leave the network,
	// or earlier if the router reserves one, and FreeSink gives one back. Sinks are unbounded
	// until LimitSink is called; what they took before holds no place. A later call changes the
	// limit, and packets that wait see it at once; places that are taken stay taken. An unknown
	// node or class and a negative number of places are programming errors and panic. A network
	// that cannot bound its sinks panics, too: no network ignores the call.
	LimitSink(node NodeID, class Class, places int)
	// FreeSink returns one place of a bounded sink, usable in the current cycle. To return more
	// places than were taken is a programming error and panics; unbounded sinks have no places.
	FreeSink(node NodeID, class Class)

	// InFlight is the number of deliveries still owed: one per destination of each accepted
	// packet, until Deliveries lists it. A client that takes deliveries and steps while InFlight
	// is above 0 therefore takes every delivery.
	InFlight() int

	// Totals are running sums over the whole network.
	Totals() Totals

	// Activity appends the cumulative counters of every router, by number. Where each node has a
	// router of its own, its number is the node's; networks of switches may have more routers
	// than nodes, or fewer.
	Activity(into []Activity) []Activity

	// Links appends the cumulative traffic of every unidirectional link, ordered by From, then
	// port.
	Links(into []Link) []Link

	// Hardware describes one router, for pricing and for the record.
	Hardware() Hardware

	// Explain lists the packets that cannot move now, who holds what and what each waits for. It is
	// for watchdogs and people: it may allocate, and it changes nothing.
	Explain() []Stuck
}

// Link is one unidirectional channel between two routers, by their numbers, and the phits that
// crossed it.
type Link struct {
	From, To NodeID
	Port     uint8 // output port at From
	Phits    uint64
}

// Totals are sums since the network was built. Packets are counted once when offered, copies once
// per destination.
type Totals struct {
	Offered   uint64 // packets accepted by Offer
	Injected  uint64 // worms that left a source queue (a replicated multicast counts once per copy)
	Delivered uint64 // copies handed to their destinations
	Phits     uint64 // phits handed to destinations
	PhitHops  uint64 // phits that crossed a link
	// Buffered is the phits of the packets inside. All phits of a packet count from the cycle in which
	// its header leaves the source queue, those of a replica from the replication on. They count until
	// the header, or the tail of a worm, is granted the way to the last node.
	Buffered uint64
}

// Stuck describes one packet that holds a place and waits for another.
type Stuck struct {
	Tag   Tag
	Class Class
	Src   NodeID
	Dst   NodeSet // destinations still owed to this copy
	At    NodeID
	Holds string // the place held, such as "ring 0 segment E"
	Waits string // the place wanted, such as "output stage S: no free slot"
	// For is the node whose router owns the wanted place (At, or a neighbour).
	For   NodeID
	Since Cycle // since when it has been there
}

// Failure is what a network panics with if it cannot go on and no invariant of this program is broken: a network that
// is a program breaks the rules or ends, or a multicast scheme has no plan. Runners report it as an error.
type Failure struct{ Err error }

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Close ends a network that holds more than memory, such as a process: those that are io.Closers.
// Whoever has built a network closes it. Close does nothing for others and for nil.
func Close(n Network) {
	if c, ok := n.(io.Closer); ok {
		_ = c.Close() // nothing of a run is lost with it
	}
}

// Hold tells a network whether only the calling goroutine uses it until the next Hold. Calls of a network that is a
// program then cost less. Loops of many steps hold their networks.
func Hold(n Network, held bool) {
	if h, ok := n.(interface{ Hold(held bool) }); ok {
		h.Hold(held)
	}
}

// Divisible is a network that can begin a cycle before its client has made the offers of the cycle, so that another
// thread can do it while the client finds out what to offer. Results are the same as without Begin.
type Divisible interface {
	// Begins reports whether Begin has something to do now. A network may always return false.
	Begins() bool
	// Begin simulates what offers of the current cycle do not change; the next Step simulates the rest of the cycle. It
	// may be called only if Begins returns true. While it runs, another goroutine may call Deliveries and Sent. Between
	// Begin and Step, Offer and InFlight may be called, too, and no other method. Step must be told to simulate at
	// least one cycle.
	Begin()
}

// Checker is a network that can audit itself. Every engine is one: noc/noctest requires it, and
// soak tests and carousel verify audit the network while it runs.
type Checker interface {
	// CheckInvariants reports what is wrong with the state between two cycles: destinations lost
	// or doubled, buffers overfull, credits that do not match free places. It changes nothing,
	// and it may take long.
	CheckInvariants() error
}
