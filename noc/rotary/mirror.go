package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Mirror shows the state of an engine as plain routers, so that what packets wait for and what must
// hold are stated once. The engine fills it whenever it is asked to explain itself or to check its
// laws; it cannot be stepped.
type Mirror struct{ net *Network }

// Place names a buffer of a router: an input stage, a lane of an output stage, where Lane is the
// ring, or a lane of a segment.
type Place struct {
	Router           int
	Kind             noc.BufferKind
	Ring, Port, Lane int
}

// Standing is a packet in a buffer.
type Standing struct {
	Packet fabric.Packet
	Only   int       // its only destination, or with the path scheme the next one
	Set    []uint64  // all destinations, if it owes several
	Turns  int       // segments entered in its router
	Since  noc.Cycle // from here on it can be granted its next move
}

// NewMirror makes an empty mirror. It panics when the configuration is not valid.
func NewMirror(g topology.Grid, c Config) *Mirror {
	n, err := New(g, c)
	if err != nil {
		panic(err)
	}
	return &Mirror{n}
}

// Begin forgets all packets, and shows the interfaces of a network as they are.
func (m *Mirror) Begin(x fabric.Interfaces) {
	n := m.net
	for id := range n.routers {
		n.routers[id].eachQueue(func(q *fifo, _ int) {
			for q.Len() > 0 {
				s := q.Pop()
				n.Packets.Free(s.packet.id)
				n.packets.drop(s.packet)
				n.slots.drop(s)
			}
		})
	}
	x.Packets = n.Packets // copies in the routers have entries of their own here
	n.Interfaces = x
}

// Buffer shows until when a buffer is being read. Of the lanes of an output stage one stands for
// both.
func (m *Mirror) Buffer(at Place, until noc.Cycle) {
	r := &m.net.routers[at.Router]
	switch at.Kind {
	case noc.InputStage:
		if r.inputs[at.Port].read.until = until; at.Port == topology.Local {
			r.source.read.until = until
		}
	case noc.RingSegment:
		r.segments[at.Ring][at.Port].lanes[at.Lane].read.until = until
	case noc.OutputStage:
		r.outputs[at.Port].read.until = until
	}
}

// Put appends a packet to a buffer.
func (m *Mirror) Put(at Place, k Standing) {
	n, r := m.net, &m.net.routers[at.Router]
	p := n.packets.take(packet{phits: int(k.Packet.Phits), class: k.Packet.Class, turns: k.Turns, target: k.Only})
	if k.Set == nil {
		p.id = n.Packets.New(k.Packet, noc.NodeID(k.Only))
	} else {
		p.id = n.Packets.NewSeveral(k.Packet)
		copy(n.Packets.Set(p.id), k.Set)
	}
	s := n.slots.take(slot{packet: p, since: k.Since})
	switch at.Kind {
	case noc.InputStage:
		r.inputs[at.Port].Push(s)
	case noc.RingSegment:
		r.segments[at.Ring][at.Port].lanes[at.Lane].Push(s)
	case noc.OutputStage:
		r.outputs[at.Port].lanes[at.Lane].Push(s)
	}
}

// Segment shows until when a segment is being read to the ring and to its output.
func (m *Mirror) Segment(router, ring, port int, toRing, toOutput noc.Cycle) {
	s := &m.net.routers[router].segments[ring][port]
	s.toRing.until, s.toOS.until = toRing, toOutput
}

// Router shows what else a router knows: the holds, and the packets of each class that count for its
// quotas.
func (m *Mirror) Router(id int, holder [Rings]int, held [noc.MaxClasses]int) {
	r := &m.net.routers[id]
	r.holder, r.held = holder, held
}

// Explain is Explain of the network that is shown.
func (m *Mirror) Explain() []noc.Stuck { return m.net.Explain() }

// CheckInvariants verifies the laws of the network that is shown, but for law 5: an engine need not
// know where phits are.
func (m *Mirror) CheckInvariants() error {
	_, err := m.net.checkLaws()
	return m.net.inCycle(err)
}
