package dispatch

import (
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
		panic(fmt.Sprintf("dispatch: cycle %d, node %d: no plan for destinations %v: %v", now, source, d.targets, err))
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

// Head reports that a node receives the header of a worm in cycle now, after so many links from the
// worm's sender. With CutThrough the node may forward it from the next cycle on.
func (d *Dispatcher) Head(id int32, node noc.NodeID, links int32, now noc.Cycle) {
	w := &d.worms[id]
	if d.config.Receptions {
		w.heads = append(w.heads, reached{node, now + 1})
	}
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
	a.Offered, a.Injected, a.Arrived, a.Reception = p.Offered, w.injected, seen, w.reception(node, seen)
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
	if one.ready != two.ready {
		return one.ready < two.ready
	}
	a, b := d.packets.At(one.packet), d.packets.At(two.packet)
	switch {
	case a.Offered != b.Offered:
		return a.Offered < b.Offered
	case a.Src != b.Src:
		return a.Src < b.Src
	case a.Class != b.Class:
		return a.Class > b.Class
	}
	return a.Tag < b.Tag
}
