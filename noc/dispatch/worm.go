package dispatch

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// None is no worm.
const None = int32(-1)

// Worm is one copy of a message, to be brought to its stops in their order.
type Worm struct {
	Packet fabric.PacketID
	From   noc.NodeID
	Stops  []noc.NodeID
	// Path lists the routers after the first, unless the network routes the worm from stop to stop.
	Path   []noc.NodeID
	Routed bool
	Class  noc.Class
	Phits  int32 // those of its header included
	Base   int32 // links that the message crossed up to From
	Port   int32 // injection port, or Loopback
	// Next is the next stop, Step the next router of Path: for the engine to count.
	Next, Step int32

	index     int32 // in the plan
	sibling   int32 // next worm of the message
	after     int32 // index of the worm that brings the message to From
	round     int32
	delivered int32     // stops that have the whole of it
	heads     []reached // of Config.Receptions

	injected noc.Cycle // when its header left its sender
}

// reached is a stop that has the header of a worm, and the first cycle in which it may forward it.
type reached struct {
	node noc.NodeID
	at   noc.Cycle
}

// reception returns how long a stop that has the whole of a worm in a cycle has had its header.
// Tails mostly come in the order of headers.
func (w *Worm) reception(node noc.NodeID, seen noc.Cycle) uint32 {
	for k := range w.heads {
		if i := (int(w.delivered) + k) % len(w.heads); w.heads[i].node == node {
			return uint32(seen - w.heads[i].at)
		}
	}
	return 0
}

// Loopback is the port of copies that a node sends to itself; they go one at a time and cross no
// link.
const Loopback = 31

// message is a packet that has left its source queue.
type message struct {
	first, last int32 // worms
	left        int32 // worms that have not ended
	forward     bool  // some worm starts from a stop of another
	planned     bool  // its worms come from a plan and count as one
	gone        bool  // one of them has left its node
}

// At returns a worm; the pointer is valid until the next Serve.
func (d *Dispatcher) At(id int32) *Worm { return &d.worms[id] }

// waiting returns the number of stops of worms that have not been handed over by Tail. It walks all
// worms: it is for checks.
func (d *Dispatcher) waiting() (stops int) {
	for i := range d.worms {
		if w := &d.worms[i]; w.Packet != fabric.NoPacket {
			stops += len(w.Stops) - int(w.delivered)
		}
	}
	return stops
}

// Leaves reports that the header of a worm leaves its node in cycle now. The worms of a plan count
// as one packet that leaves a source queue; separate copies count each.
func (d *Dispatcher) Leaves(id int32, now noc.Cycle) {
	w := &d.worms[id]
	w.injected = now
	m := &d.messages[w.Packet]
	if !m.planned || !m.gone {
		d.injected++
	}
	m.gone = true
}

// newWorm takes a worm of a packet from the arena; its slices keep their room. The network routes
// it.
func (d *Dispatcher) newWorm(packet fabric.PacketID, p *fabric.Packet, from noc.NodeID) (id int32, w *Worm) {
	if k := len(d.free); k > 0 {
		id = d.free[k-1]
		d.free = d.free[:k-1]
	} else {
		id = int32(len(d.worms))
		d.worms = append(d.worms, Worm{Stops: make([]noc.NodeID, 0, 2)})
	}
	w = &d.worms[id]
	// One by one: a literal would be made elsewhere and copied.
	w.Packet, w.From, w.Class, w.Routed = packet, from, p.Class, true
	w.Phits = int32(p.Phits) + int32(d.config.HeaderPhits)
	w.Stops, w.Path, w.heads = w.Stops[:0], w.Path[:0], w.heads[:0]
	w.Base, w.Port, w.Next, w.Step = 0, 0, 0, 0
	w.index, w.sibling, w.after, w.round, w.delivered, w.injected = 0, None, None, 0, 0, 0
	return id, w
}

// End reports that the tail of a worm has left the network. A message ends with the last of its
// worms.
func (d *Dispatcher) End(id int32) {
	packet := d.worms[id].Packet
	m := &d.messages[packet]
	if m.left--; m.left > 0 {
		return
	}
	for k := m.first; k != None; k = d.worms[k].sibling {
		d.worms[k].Packet = fabric.NoPacket
		d.free = append(d.free, k)
	}
	m.first = None
	d.packets.Free(packet)
}
