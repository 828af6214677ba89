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
