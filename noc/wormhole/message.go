package wormhole

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// message is a packet that has left its source queue. Its worms stay, finished or not, until the message is
// complete.
type message struct {
	first   int32 // worm; the others follow as siblings
	last    int32
	left    int32 // worms not finished
	owed    int32 // destinations
	forward bool  // some worm starts from a stop of another
}

// plan makes the worms of a packet: one per destination, or those of the planner. Ordered packets take
// the first way always, for different plans would lead two packets along different paths to one node.
func (n *Network) plan(id int32, t noc.Cycle) {
	for int(id) >= len(n.messages) {
		n.messages = append(n.messages, message{first: none})
	}
	n.messages[id] = message{first: none, owed: int32(n.packets.Count(fabric.WormID(id)))}
	p := n.packets.At(fabric.WormID(id))
	source := p.Src
	n.targets = n.targets[:0]
	self := n.packets.Only(fabric.WormID(id)) == int32(source)
	if to := n.packets.Only(fabric.WormID(id)); to < 0 {
		set := noc.FromWords(n.packets.Set(fabric.WormID(id)))
		for d, ok := set.Next(0); ok; d, ok = set.Next(d + 1) {
			if self = self || d == source; d != source {
				n.targets = append(n.targets, d)
			}
		}
	} else if !self {
		n.targets = append(n.targets, noc.NodeID(to))
	}
	if n.planner != nil && len(n.targets) > 1 && !p.Ordered {
		n.usePlan(id, source)
	} else {
		n.separate(id, source)
	}
	if self {
		w := n.addWorm(id, source)
		w.stops = append(w.stops, source)
	}
}

// separate makes one worm per destination, in ascending order after the source, wrapping, so that not all
// nodes aim at node 0 first. With a startup, the injection ports share each.
func (n *Network) separate(id int32, source noc.NodeID) {
	k := 0
	for k < len(n.targets) && n.targets[k] < source {
		k++
	}
	for i := range n.targets {
		w := n.addWorm(id, source)
		w.stops = append(w.stops, n.targets[(k+i)%len(n.targets)])
		if n.config.Startup > 0 {
			w.round = int32(i / n.config.InjectionPorts)
		}
	}
}

// usePlan makes the worms of the planner's plan.
func (n *Network) usePlan(id int32, source noc.NodeID) {
	plan, err := n.planner.Plan(multicast.Request{Source: source, Destinations: n.targets})
	if err != nil {
		panic(fmt.Sprintf("wormhole: cycle %d, node %d: no plan for destinations %v: %v", n.now, source, n.targets, err))
	}
	for i := range plan {
		p := &plan[i]
		if p.Tree != nil {
			panic(fmt.Sprintf("wormhole: cycle %d, node %d: worm %d of the plan is a tree; this engine takes paths", n.now, source, i))
		}
		w := n.addWorm(id, p.From)
		w.after, w.round = int32(p.After), int32(p.Round)
		w.stops = append(w.stops, p.Stops...)
		w.path, w.routed = append(w.path, p.Path...), p.Path == nil
		n.messages[id].forward = n.messages[id].forward || p.After >= 0
	}
}

// addWorm adds a worm to a message; the network routes it.
func (n *Network) addWorm(id int32, from noc.NodeID) *worm {
	k := n.newWorm()
	w := &n.worms[k]
	m := &n.messages[id]
	if w.index = m.left; m.left == 0 {
		m.first = k
	} else {
		n.worms[m.last].sibling = k
	}
	m.last = k
	m.left++
	w.message, w.from, w.after, w.routed = id, from, none, true
	w.phits = int32(n.packets.At(fabric.WormID(id)).Phits) + int32(n.config.HeaderPhits)
	return w
}

// arriveHeader notes that a node takes the header of a worm in this cycle: under cut-through it may
// forward from the next cycle on.
func (n *Network) arriveHeader(id int32, node noc.NodeID) {
	if n.config.CutThrough {
		n.forward(id, node, n.now+1)
	}
}

// deliver hands a complete copy to a node; the tail came in cycle t.
func (n *Network) deliver(id int32, v visit, t noc.Cycle) {
	w := &n.worms[id]
	p := n.packets.At(fabric.WormID(w.message))
	n.sinks.Arrive(noc.Delivery{Tag: p.Tag, Src: p.Src, At: v.node, Class: p.Class, Offered: p.Offered,
		Injected: w.crossed[1], Arrived: t + 1, Hops: w.base + n.links(v.position)}, p.Phits, t)
	if packet := fabric.WormID(w.message); n.packets.Only(packet) < 0 {
		n.packets.Set(packet)[v.node/64] &^= 1 << (v.node % 64)
		n.packets.Settle(packet)
	}
	n.messages[w.message].owed--
	if !n.config.CutThrough {
		n.forward(id, v.node, t+1)
	}
}

// links is the number of links between routers up to a position.
func (n *Network) links(position int32) uint16 {
	if n.config.InjectionChannels && position > 0 {
		position--
	}
	return uint16(position)
}

// forward gives a node the errand of the worms of a message that start from it when a worm reaches it.
func (n *Network) forward(id int32, node noc.NodeID, ready noc.Cycle) {
	message := n.worms[id].message
	m := &n.messages[message]
	if !m.forward {
		return
	}
	index, found := n.worms[id].index, false
	for k := n.worms[id].sibling; k != none; k = n.worms[k].sibling { // plans list a worm after the one it follows
		if w := &n.worms[k]; w.after == index && w.from == node {
			found = true
			w.base = n.worms[id].base + n.links(n.position(id, node))
		}
	}
	if !found {
		return
	}
	s := &n.stations[node]
	at := len(s.forward)
	s.forward = append(s.forward, errand{})
	for ; at > int(s.first) && n.comesBefore(message, ready, s.forward[at-1]); at-- {
		s.forward[at] = s.forward[at-1]
	}
	s.forward[at] = errand{message, index, ready}
	n.calendar.add(ready, stationWakes, int32(node))
}

// comesBefore orders the errands of a node: as they become ready, then by the packet's age, source and
// class, so that the order of events within a cycle changes nothing.
func (n *Network) comesBefore(message int32, ready noc.Cycle, e errand) bool {
	if ready != e.ready {
		return ready < e.ready
	}
	a, b := n.packets.At(fabric.WormID(message)), n.packets.At(fabric.WormID(e.message))
	if a.Offered != b.Offered {
		return a.Offered < b.Offered
	}
	if a.Src != b.Src {
		return a.Src < b.Src
	}
	if a.Class != b.Class {
		return a.Class > b.Class
	}
	return a.Tag < b.Tag
}

// position is where a node takes a worm.
func (n *Network) position(id int32, node noc.NodeID) int32 {
	for _, v := range n.worms[id].visits {
		if v.node == node {
			return v.position
		}
	}
	return 0
}

// finish ends a worm whose tail has left the network, and its message with the last of them.
func (n *Network) finish(id int32) {
	message := n.worms[id].message
	m := &n.messages[message]
	if m.left--; m.left > 0 {
		return
	}
	for k := m.first; k != none; k = n.worms[k].sibling {
		n.worms[k].message = none
		n.free = append(n.free, k)
	}
	m.first = none
	n.packets.Free(fabric.WormID(message))
}
