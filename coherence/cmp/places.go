package cmp

import "github.com/carousel-sim/carousel/noc"

// Interfaces of finite size. Each router's interface has, for each message class, the same number of places
// for messages on their way out and for packets on their way in.
//
// A message takes its place when its controller makes it, and gives it back when the network has taken its
// last packet and the agents at its own router have accepted their copies. A packet takes its place before
// it leaves the network (noc.Network.LimitSink) and gives it back when the last agent for which it came has
// accepted it. An ordered message that comes early moves to the buffer that restores the order, which has
// room of its own: a sender has at most two such messages under way to one agent.
//
// Why nothing can wait in a circle. An agent accepts a message of class c only when there is a place for
// whatever that makes it send at once, which is of classes above c only; work that it puts off needs no
// message to wait (Generates lists the first, the protocols' packages argue the second). The highest class
// makes nothing be sent, so its packets always find a place in the end; hence so do the messages of the
// class below it, and so on down to the lowest. What remains is that the network itself delivers a class
// whose sinks have room while those of lower classes are full, which is the network's law.

// place is a packet's place in the receiving interface, while some agent has not accepted it.
type place struct {
	node  noc.NodeID
	class noc.Class
	left  int32 // agents that have yet to accept, and one while copies are delivered
}

// places are the finite sizes of all interfaces; without a bound they stay empty.
type places struct {
	bound int
	out   []int32 // per router and class: messages on their way out
	in    []place
	free  []int32
}

func newPlaces(bound int, network noc.Network, classes int) places {
	p := places{bound: bound}
	if bound == 0 {
		return p
	}
	p.out = make([]int32, network.Nodes()*classes)
	for n := range network.Nodes() {
		for c := range classes {
			network.LimitSink(noc.NodeID(n), noc.Class(c), bound)
		}
	}
	return p
}

// room states what an agent may send.
func (s *System) room(agent int) {
	first := int(s.plan.routers[agent]) * s.protocol.classes
	for c := range s.protocol.classes {
		s.effects.Room[c] = s.places.bound - int(s.places.out[first+c])
	}
}

// enterInterface takes a place for a message that has been made.
func (s *System) enterInterface(f *flight) {
	if s.places.bound > 0 {
		f.placed = true
		s.places.out[int(f.router)*s.protocol.classes+int(f.send.Class)]++
	}
}

// leaveInterface gives the place of a message back once nothing of it is left in its sender's interface.
func (s *System) leaveInterface(f *flight) {
	if f.placed && !f.unsent && f.local == 0 {
		f.placed = false
		s.places.out[int(f.router)*s.protocol.classes+int(f.send.Class)]--
	}
}

// arriveAt notes the place of a packet that has come, and returns its number. Whoever delivers it holds the place
// until it has delivered all copies.
func (s *System) arriveAt(node noc.NodeID, class noc.Class) int32 {
	if s.places.bound == 0 {
		return none
	}
	return s.newPlace(node, class)
}

func (s *System) newPlace(node noc.NodeID, class noc.Class) int32 {
	p := &s.places
	var i int32
	if n := len(p.free); n > 0 {
		i = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		i = int32(len(p.in))
		p.in = append(p.in, place{})
	}
	p.in[i] = place{node, class, 1}
	return i
}

// acceptedFrom notes that one agent has accepted a packet in a place, or that all copies of it have been delivered.
func (s *System) acceptedFrom(i int32) {
	if i != none {
		s.leavePlace(i)
	}
}

func (s *System) leavePlace(i int32) {
	p := &s.places.in[i]
	if p.left--; p.left == 0 {
		s.network.FreeSink(p.node, p.class)
		s.places.free = append(s.places.free, i)
	}
}

// acceptedBy notes that an agent has accepted its copy of a message.
func (s *System) acceptedBy(agent int, i int32) {
	f := &s.flights.all[i]
	if f.placed && s.plan.routers[agent] == f.router {
		f.local--
		s.leaveInterface(f)
	}
}
