package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// flight is one message between its creation and its acceptance by the last destination. Its index
// is the tag of its network packet.
type flight struct {
	send        coherence.Send
	router      noc.NodeID // where it starts
	home        noc.NodeID // where its block's home bank is; of a message to many that goes there too
	created     noc.Cycle
	copies      int32 // agents that have yet to accept it
	local       int32 // those of them at the sender's router; counted while it holds a credit
	unsent      bool  // a network packet has yet to be taken by the network
	holdsCredit bool  // of the sender's interface
	cast        Cast
	live        bool
	dst         noc.NodeSet // routers of the network packet
}

const none = int32(-1)

// flights is the arena of messages on their way.
type flights struct {
	all   []flight
	free  []int32
	nodes int
}

// add takes a free flight; its router set is empty and has room for the whole network.
func (a *flights) add(s coherence.Send, router noc.NodeID, now noc.Cycle) int32 {
	var i int32
	if n := len(a.free); n > 0 {
		i = a.free[n-1]
		a.free = a.free[:n-1]
		dst := a.all[i].dst
		dst.Clear()
		a.all[i] = flight{dst: dst}
	} else {
		i = int32(len(a.all))
		a.all = append(a.all, flight{dst: noc.NewNodeSet(a.nodes)})
	}
	f := &a.all[i]
	f.send, f.router, f.created, f.live = s, router, now, true
	return i
}

// accepted notes that one agent has taken its copy.
func (a *flights) accepted(i int32) {
	f := &a.all[i]
	if f.copies--; f.copies == 0 && !f.unsent {
		f.live = false
		a.free = append(a.free, i)
	}
}

// inboxes hold the messages that wait for an agent: one FIFO per agent and class, as linked lists
// in one arena.
type inboxes struct {
	classes    int
	busy       []uint64 // agents with a message, as bits
	messages   int      // of all agents
	head, tail []int32  // per agent and class
	waiting    []uint8  // per agent: bit c set when class c has a message in its list
	nodes      []inboxNode
	free       int32
}

type inboxNode struct {
	flight int32
	next   int32
	slot   int32 // slot in the receiving interface, or none
}

func newInboxes(agents, classes int) inboxes {
	b := inboxes{classes: classes, head: make([]int32, agents*classes), tail: make([]int32, agents*classes),
		waiting: make([]uint8, agents), free: none, busy: make([]uint64, (agents+63)/64)}
	for i := range b.head {
		b.head[i] = none
	}
	return b
}

// has reports whether an agent has a message.
func (b *inboxes) has(agent int) bool { return b.busy[agent/64]>>(agent%64)&1 != 0 }

// push puts a message at the end of its list.
func (b *inboxes) push(agent int, class noc.Class, flight, slot int32) {
	b.messages++
	b.busy[agent/64] |= 1 << (agent % 64)
	n := b.free
	if n == none {
		n = int32(len(b.nodes))
		b.nodes = append(b.nodes, inboxNode{})
	} else {
		b.free = b.nodes[n].next
	}
	b.nodes[n] = inboxNode{flight: flight, next: none, slot: slot}
	q := agent*b.classes + int(class)
	if b.head[q] == none {
		b.head[q] = n
	} else {
		b.nodes[b.tail[q]].next = n
	}
	b.tail[q] = n
	b.waiting[agent] |= 1 << class
}

// first returns the flight at the head of a non-empty list, and its slot.
func (b *inboxes) first(agent int, class noc.Class) (flight, slot int32) {
	n := &b.nodes[b.head[agent*b.classes+int(class)]]
	return n.flight, n.slot
}

// pop takes the first message out of a list.
func (b *inboxes) pop(agent int, class noc.Class) {
	q := agent*b.classes + int(class)
	n := b.head[q]
	if b.head[q] = b.nodes[n].next; b.head[q] == none {
		if b.waiting[agent] &^= 1 << class; b.waiting[agent] == 0 {
			b.busy[agent/64] &^= 1 << (agent % 64)
		}
	}
	b.messages--
	b.nodes[n].next = b.free
	b.free = n
}

// Interfaces of finite size. Each router's interface has, for each message class, a number of
// credits for messages on their way out and one of slots for packets on their way in.
//
// A message takes a credit when its controller makes it. It returns the credit when the network has
// taken its last packet and the agents at its own router have accepted their copies. A packet takes
// a slot before it leaves the network (noc.Network.LimitSink) and returns it when the last agent
// for which it came has accepted it. An ordered message that comes early moves to the buffer that
// restores the order, whose size is not limited: a sender has at most two such messages in flight
// to one agent.
//
// Why there is no deadlock. An agent accepts a message of class c only when there is a credit for
// whatever it sends at once because of it, which is of classes above c only (Generates lists it).
// Deferred work makes no message wait, as the protocols' packages argue. The highest class causes
// no message, so its packets always find a slot in the end. Hence so do the messages of the class
// below it, and so on down to the lowest. It remains that the network delivers a class whose sinks
// have room while those of lower classes are full, which is the network's law. Without a bound of
// the slots the network always delivers.

// slot holds a packet in the receiving interface, while some agent has not accepted it.
type slot struct {
	node  noc.NodeID
	class noc.Class
	left  int32 // agents that have yet to accept, and one while copies are delivered
}

// credits are the free room of all interfaces; without bounds they stay empty.
type credits struct {
	bound int                   // messages on their way out per router and class; 0 is none
	room  [][noc.MaxClasses]int // per router and class: how many more messages on their way out
	slots int                   // packets on their way in per router and class; 0 is no bound
	in    []slot
	free  []int32
}

func newCredits(c Config, network noc.Network, classes int) credits {
	p := credits{bound: c.InterfaceQueue, slots: c.InterfaceSlots}
	if p.bound > 0 {
		p.room = make([][noc.MaxClasses]int, network.Nodes())
		for n := range p.room {
			for c := range classes {
				p.room[n][c] = p.bound
			}
		}
	}
	if p.slots > 0 {
		for n := range network.Nodes() {
			for c := range classes {
				network.LimitSink(noc.NodeID(n), noc.Class(c), p.slots)
			}
		}
	}
	return p
}

// setRoom sets how much an agent may send.
func (n *nic) setRoom(agent int) {
	n.chip.agents.effects.Room = n.credits.room[n.plan.routers[agent]]
}

// takeCredit takes the credit of a message that has been made.
func (n *nic) takeCredit(f *flight) {
	if n.credits.bound > 0 {
		f.holdsCredit = true
		n.credits.room[f.router][f.send.Class]--
	}
}

// returnCredit returns the credit of a message once nothing of it is left in its sender's
// interface.
func (n *nic) returnCredit(f *flight) {
	if f.holdsCredit && !f.unsent && f.local == 0 {
		f.holdsCredit = false
		n.credits.room[f.router][f.send.Class]++
	}
}

// newSlotAt returns the slot of a packet that has arrived. The caller holds the slot until all
// copies of the packet are delivered.
func (n *nic) newSlotAt(node noc.NodeID, class noc.Class) int32 {
	p := &n.credits
	if p.slots == 0 {
		return none
	}
	i := int32(len(p.in))
	if n := len(p.free); n > 0 {
		i = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		p.in = append(p.in, slot{})
	}
	p.in[i] = slot{node, class, 1}
	return i
}

// acceptedFrom notes that one agent has accepted the packet in a slot, or that all copies of it
// have been delivered.
func (n *nic) acceptedFrom(i int32) {
	if i == none {
		return
	}
	p := &n.credits.in[i]
	if p.left--; p.left == 0 {
		n.network.FreeSink(p.node, p.class)
		n.credits.free = append(n.credits.free, i)
	}
}

// acceptedBy notes that an agent has accepted its copy of a message.
func (n *nic) acceptedBy(agent int, i int32) {
	f := &n.flights.all[i]
	if f.holdsCredit && n.plan.routers[agent] == f.router {
		f.local--
		n.returnCredit(f)
	}
}
