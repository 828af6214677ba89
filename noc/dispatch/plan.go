package dispatch

import (
	"cmp"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// A Planner chooses the worms of a packet with several destinations. Each worm has a path, or the
// network routes it; trees are not supported.
type Planner interface {
	Plan(multicast.Request) (multicast.Plan, error)
}

// OneStop reports whether all worms of a planner have one stop, as in software multicast. Such a
// planner has a method OneStop. A worm with several stops holds an ejection channel while it waits
// for its next channel, so networks for such worms need more ejection channels.
func OneStop(p Planner) bool {
	if p == nil {
		return true
	}
	o, ok := p.(interface{ OneStop() bool })
	return ok && o.OneStop()
}

// plan makes the worms of a packet.
func (d *Dispatcher) plan(id fabric.PacketID, now noc.Cycle) {
	p := d.packets.At(id)
	*d.messageOf(id) = message{first: None}
	source := p.Src
	to := d.packets.Only(id)
	self := to == int32(source)
	d.targets = d.targets[:0]
	if to < 0 {
		set := noc.FromWords(d.packets.Set(id))
		for n, ok := set.Next(0); ok; n, ok = set.Next(n + 1) {
			if self = self || n == source; n != source {
				d.targets = append(d.targets, n)
			}
		}
	} else if !self {
		d.targets = append(d.targets, noc.NodeID(to))
	}
	if d.planner != nil && len(d.targets) > 1 {
		d.usePlan(id, source, now)
	} else {
		d.separate(id, source)
	}
	if self {
		w := d.addWorm(id, source)
		w.Stops = append(w.Stops, source)
	}
}

// separate makes one worm per destination, in ascending order after the source, wrapping, so that
// not all nodes aim at node 0 first. With a startup, the injection ports share each.
func (d *Dispatcher) separate(id fabric.PacketID, source noc.NodeID) {
	k := 0
	for k < len(d.targets) && d.targets[k] < source {
		k++
	}
	for i := range d.targets {
		w := d.addWorm(id, source)
		if k+i == len(d.targets) {
			k -= len(d.targets)
		}
		w.Stops = append(w.Stops, d.targets[k+i])
		if d.config.Startup > 0 {
			w.round = int32(i / d.config.Ports)
		}
	}
}

// usePlan makes the worms of the planner's plan.
func (d *Dispatcher) usePlan(id fabric.PacketID, source noc.NodeID, now noc.Cycle) {
	plan, err := d.planner.Plan(multicast.Request{Source: source, Destinations: d.targets})
	if err != nil {
		panic(&noc.Failure{Err: fmt.Errorf("cycle %d, node %d: no plan for a multicast to %d nodes: %w", now, source, len(d.targets), err)})
	}
	d.messages[id].planned = true
	for i := range plan {
		p := &plan[i]
		if p.Tree != nil {
			panic(fmt.Sprintf("dispatch: cycle %d, node %d: worm %d of the plan is a tree; this network takes paths", now, source, i))
		}
		w := d.addWorm(id, p.From)
		w.after, w.round = int32(p.After), int32(p.Round)
		w.Stops = append(w.Stops, p.Stops...)
		w.Path, w.Routed = append(w.Path, p.Path...), p.Path == nil
		d.messages[id].forward = d.messages[id].forward || p.After >= 0
	}
}

// addWorm adds a worm to a message; the network routes it.
func (d *Dispatcher) addWorm(id fabric.PacketID, from noc.NodeID) *Worm {
	k, w := d.newWorm(id, d.packets.At(id), from)
	m := &d.messages[id]
	if w.index = m.left; m.left == 0 {
		m.first = k
	} else {
		d.worms[m.last].sibling = k
	}
	m.last = k
	m.left++
	return w
}

// Head reports that a node receives the header of a worm in cycle now, links away from the
// worm's sender. With CutThrough the node may forward it from the next cycle on.
func (d *Dispatcher) Head(id int32, node noc.NodeID, links int32, now noc.Cycle) {
	w := &d.worms[id]
	if d.config.CutThrough && d.messages[w.Packet].forward {
		d.forward(id, node, links, now, now+1)
	}
}

// Tail reports in cycle now that a node has all of a worm in cycle seen, and delivers it to the
// client.
func (d *Dispatcher) Tail(id int32, node noc.NodeID, links int32, now, seen noc.Cycle) {
	w := &d.worms[id]
	p := d.packets.At(w.Packet)
	a := d.sinks.Arrival(seen, p.Phits, now)
	// One by one: a literal would be made elsewhere and copied.
	a.Tag, a.Src, a.At, a.Class, a.Hops = p.Tag, p.Src, node, p.Class, uint16(w.Base+links)
	a.Offered, a.Injected, a.Arrived = p.Offered, w.injected, seen
	if d.packets.Only(w.Packet) < 0 {
		d.packets.Set(w.Packet)[node/64] &^= 1 << (node % 64)
		d.packets.Settle(w.Packet)
	}
	w.delivered++
	if !d.config.CutThrough && d.messages[w.Packet].forward {
		d.forward(id, node, links, now, seen)
	}
}

// forward lets a node send the worms of a message that start from it, when a worm reaches it.
func (d *Dispatcher) forward(id int32, node noc.NodeID, links int32, now, ready noc.Cycle) {
	packet, index, found := d.worms[id].Packet, d.worms[id].index, false
	for k := d.worms[id].sibling; k != None; k = d.worms[k].sibling { // plans list a worm after the one it follows
		if w := &d.worms[k]; w.after == index && w.From == node {
			found = true
			w.Base = d.worms[id].Base + links
		}
	}
	if !found {
		return
	}
	i := d.stationOf(node, d.worms[id].Class)
	s := &d.stations[i]
	s.forward.Push(forwardTask{packet, index, ready})
	tasks := s.forward.All()
	for k := len(tasks) - 1; k > 0 && d.comesBefore(tasks[k], tasks[k-1]); k-- {
		tasks[k], tasks[k-1] = tasks[k-1], tasks[k]
	}
	d.calendar.Add(ready, 0, int32(i))
}

// comesBefore orders the tasks of a node by the cycle in which they become ready, then by the
// packet's age, source, class and tag. The order of calls within a cycle thus has no effect.
func (d *Dispatcher) comesBefore(one, two forwardTask) bool {
	a, b := d.packets.At(one.packet), d.packets.At(two.packet)
	return cmp.Or(cmp.Compare(one.ready, two.ready), cmp.Compare(a.Offered, b.Offered), cmp.Compare(a.Src, b.Src),
		cmp.Compare(b.Class, a.Class), cmp.Compare(a.Tag, b.Tag)) < 0
}

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
	delivered int32 // stops that have the whole of it

	injected noc.Cycle // when its header left its sender
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
	w.Stops, w.Path = w.Stops[:0], w.Path[:0]
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
