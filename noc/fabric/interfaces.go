package fabric

import "github.com/carousel-sim/carousel/noc"

// Interfaces are the network interfaces of all nodes, the clock and the loop. A network embeds
// them: they answer what [noc.Network] asks about nodes and packets, and the network adds what it
// asks about routers. Where offers make routers due, it wraps Offer.
type Interfaces struct {
	Clock    noc.Cycle // about to be simulated
	Packets  *Packets  // in source queues and under way, with the destinations still owed
	Sources  *Sources
	Sinks    *Sinks
	Injected uint64 // packets that have left a source queue, for the engine to count

	engine     Engine
	everyCycle bool
	begun      bool // the current cycle, see Begin
	nodes      int
}

// Engine is what the loop calls: the part of a network that moves packets.
type Engine struct {
	// Work returns the first cycle from the current one on in which something can change, or
	// noc.Never. Deliveries that become visible need not be looked at.
	Work func() noc.Cycle
	// Cycle simulates the current cycle. The clock is raised afterwards.
	Cycle func()
	// Begin and Finish are the two parts of Cycle for [noc.Divisible], or nil.
	Begin, Finish func()
	// Check reports whether the state between two cycles is sound; it is [noc.Checker]'s method. Builds
	// with the tag invariants call it after every cycle or, where there is CheckNotes, after one of 32:
	// CheckNotes verifies in the others what is noted in more than one place.
	Check, CheckNotes func() error
	// Room, if it is not nil, hears that the sink of a node and class may have more room.
	Room func(noc.NodeID, noc.Class)
}

// Shape is what interfaces need to know of a network.
type Shape struct {
	Nodes, Classes int
	SourceQueue    int // packets that each source queue holds
	MaxPhits       int // length of the longest packet
	// ClassPhits is the length of the longest packet of each class; 0 is MaxPhits.
	ClassPhits [noc.MaxClasses]int
}

// NewInterfaces makes the interfaces of a network with unbounded sinks.
func NewInterfaces(s Shape) Interfaces {
	packets := NewPackets(s.Nodes, 4*s.Nodes)
	return Interfaces{Packets: packets, Sources: NewSources(packets, s), Sinks: NewSinks(s.Nodes, s.Classes), nodes: s.Nodes}
}

// Drive lets the loop drive an engine, in every cycle or only in those with work. Results are the
// same.
func (x *Interfaces) Drive(e Engine, everyCycle bool) { x.engine, x.everyCycle = e, everyCycle }

// Step simulates cycles up to until, or to the first one with something for the client: a delivery
// has become visible, a packet with a receipt has left, or a source queue that had refused a packet
// has room.
func (x *Interfaces) Step(until noc.Cycle) noc.Cycle {
	for x.Clock < until {
		if !x.everyCycle && !x.begun {
			if next := min(x.engine.Work(), until); next > x.Clock {
				if next = min(next, x.Sinks.Next()); next > x.Clock && !x.Sources.Receipts.Due() {
					x.Clock = next
					if x.collect() || next == until {
						break
					}
				}
			}
		}
		if x.begun {
			x.begun = false
			x.engine.Finish()
		} else {
			x.engine.Cycle()
		}
		x.Clock++
		if Invariants {
			check := x.engine.Check
			if x.engine.CheckNotes != nil && x.Clock%32 != 0 {
				check = x.engine.CheckNotes
			}
			if err := check(); err != nil {
				panic(err)
			}
		}
		room := x.Sources.TakeRoomAgain()
		if x.collect() || room || x.Sources.Receipts.Due() {
			break
		}
	}
	return x.Clock
}

// Begins implements [noc.Divisible].
func (x *Interfaces) Begins() bool {
	return x.engine.Begin != nil && !x.begun && (x.everyCycle || x.engine.Work() <= x.Clock)
}

// Begin implements [noc.Divisible].
func (x *Interfaces) Begin() {
	x.begun = true
	x.engine.Begin()
}

// collect shows the deliveries of the current cycle to the client and reports whether there are
// any.
func (x *Interfaces) collect() bool {
	if !x.Sinks.Due(x.Clock) {
		return false
	}
	x.Sinks.Collect(x.Clock)
	return true
}

// Nodes returns the number of nodes.
func (x *Interfaces) Nodes() int { return x.nodes }

// Now returns the cycle about to be simulated.
func (x *Interfaces) Now() noc.Cycle { return x.Clock }

// Offer puts a packet into the source queue of its node and class and reports whether there was
// room.
func (x *Interfaces) Offer(p noc.Packet) bool { return x.Sources.Offer(&p, x.Clock) }

// Deliveries lists what arrived since the last call.
func (x *Interfaces) Deliveries() []noc.Delivery { return x.Sinks.Take() }

// Sent lists the packets with receipts that have left since the last call.
func (x *Interfaces) Sent() []noc.Receipt { return x.Sources.Receipts.Take() }

// LimitSink bounds the sink of one node and class.
func (x *Interfaces) LimitSink(node noc.NodeID, class noc.Class, places int) {
	x.Sinks.Limit(node, class, places)
	if x.engine.Room != nil {
		x.engine.Room(node, class)
	}
}

// FreeSink gives back a place of a bounded sink.
func (x *Interfaces) FreeSink(node noc.NodeID, class noc.Class) {
	x.Sinks.Release(node, class, x.Clock)
	if x.engine.Room != nil {
		x.engine.Room(node, class)
	}
}

// TakenPlaces returns how many places of the sink of a node and class are taken, and whether the sink
// is bounded.
func (x *Interfaces) TakenPlaces(node noc.NodeID, class noc.Class) (taken int, bounded bool) {
	return x.Sinks.Taken(node, class)
}

// NextWork returns a cycle from the current one on before which nothing changes and nothing arrives if
// the client does nothing; noc.Never if there is nothing to do.
func (x *Interfaces) NextWork() noc.Cycle {
	switch {
	case x.engine.Work != nil:
		return min(x.engine.Work(), x.Sinks.Next())
	case x.InFlight() > 0:
		return x.Clock
	}
	return noc.Never
}

// InFlight returns the number of deliveries that the client has not taken.
func (x *Interfaces) InFlight() int { return x.Owed() + x.Sinks.Untaken() }

// Owed returns the number of destinations that nothing is delivered to yet, not even on its last
// link.
func (x *Interfaces) Owed() int { return x.Sources.Owed() - int(x.Sinks.Delivered()) }

// Totals returns the sums that interfaces know; the engine adds PhitHops and Buffered. Phits
// includes those of packets that are being consumed.
func (x *Interfaces) Totals() noc.Totals {
	return noc.Totals{Offered: x.Sources.Offered(), Injected: x.Injected,
		Delivered: x.Sinks.Delivered() - uint64(x.Sinks.Pending()), Phits: x.Sinks.Phits()}
}

// Stuck begins the explanation of a packet that waits: what it is, and since when. The engine
// adds where it is.
func (x *Interfaces) Stuck(id PacketID) noc.Stuck { return x.Packets.stuck(id) }
