package rotary

import (
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// explanation collects the packets of one router that wait.
type explanation struct {
	net  *Network
	r    *router
	list []noc.Stuck
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck {
	n.publish() // what the next cycle begins with
	e := explanation{net: n}
	for id := range n.routers {
		e.r = &n.routers[id]
		for p := range e.r.outputs {
			e.output(p)
		}
		for ring := range e.r.segments {
			for p := range e.r.segments[ring] {
				e.segment(&e.r.segments[ring][p])
			}
		}
		for p := range e.r.inputs {
			e.input(p)
		}
		e.source()
	}
	return e.list
}

func (e *explanation) add(k *packet, since noc.Cycle, holds, waits string, owner int) {
	stuck := e.net.Stuck(k.id)
	stuck.At, stuck.Holds, stuck.Waits, stuck.For, stuck.Since = noc.NodeID(e.r.id), holds, waits, noc.NodeID(owner), min(since, e.net.Clock-1)
	e.list = append(e.list, stuck)
}

func (e *explanation) port(p int) string {
	if e.net.grid == nil {
		return strconv.Itoa(p)
	}
	return e.net.grid.PortName(p)
}

func (e *explanation) segmentName(ring, p int) string {
	return fmt.Sprintf("ring %d segment %s", ring, e.port(p))
}

func (e *explanation) output(p int) {
	n, o := e.net, &e.r.outputs[p]
	for ring := range o.lanes {
		holds := fmt.Sprintf("output stage %s lane %d", e.port(p), ring)
		for i, s := range o.lanes[ring].All() {
			switch {
			case s.since >= n.Clock:
			case i > 0:
				e.add(s.packet, s.since, holds, "head of "+holds, e.r.id)
			case !o.read.idle(n.Clock):
				e.add(s.packet, s.since, holds, "link "+e.port(p)+": streaming another packet", e.r.id)
			case !o.toNode && n.routers[o.peer].inputs[o.entry].free == 0:
				e.add(s.packet, s.since, holds, fmt.Sprintf("input stage %s of node %d: no free slot", e.port(o.entry), o.peer), o.peer)
			}
		}
	}
}

func sinkFull(k *packet) string { return fmt.Sprintf("sink of class %d: no place", k.class) }

func (e *explanation) segment(s *segment) {
	n := e.net
	for lane := range s.lanes {
		l := &s.lanes[lane]
		holds := fmt.Sprintf("%s lane %d", e.segmentName(s.ring, s.port), lane)
		for i, at := range l.All() {
			switch {
			case e.waitsForSink(at.packet): // though it turns meanwhile
				e.add(at.packet, at.since, holds, sinkFull(at.packet), e.r.id)
			case at.since >= n.Clock:
			case i > 0:
				e.add(at.packet, at.since, holds, "head of "+holds, e.r.id)
			case !l.read.idle(n.Clock):
				e.add(at.packet, at.since, holds, holds+": streaming another packet", e.r.id)
			default:
				e.add(at.packet, at.since, holds, e.outputWish(s, at.packet)+"; "+e.turnWish(s), e.r.id)
			}
		}
	}
}

// waitsForSink reports whether a packet has arrived, and waits for a place in the sink.
func (e *explanation) waitsForSink(k *packet) bool {
	return int(e.net.Packets.Only(k.id)) == e.r.id && !e.net.Sinks.Room(noc.NodeID(e.r.id), k.class)
}

// outputWish tells why the output that a segment drains to does not take a packet.
func (e *explanation) outputWish(s *segment, k *packet) string {
	n, p := e.net, e.net.limits.Next(s.ring, s.port)
	o := &e.r.outputs[p]
	name := "output stage " + e.port(p)
	some, all := n.serves(e.r, p, k)
	switch {
	case !some && (o.toNode || !n.mayMisroute(k)):
		return name + ": not on its way"
	case !o.toNode && o.peer == none:
		return name + ": edge of the mesh"
	case o.lanes[s.ring].Len() == n.limits.LaneSlots:
		return name + ": no free slot"
	case !n.hasRoom(e.r, o, k, 1) && o.toNode:
		return sinkFull(k) + " for a copy"
	case !n.hasRoom(e.r, o, k, 1):
		return fmt.Sprintf("node %d: no quota for class %d", o.peer, k.class)
	case !s.toOS.idle(n.Clock):
		return name + ": streaming another packet"
	case some && !all && !o.toNode && !n.alwaysCopies() && !n.mayReplicate(e.r, o):
		return name + ": too few free slots to replicate, or aged packets on the rings"
	}
	return name + ": free"
}

// turnWish tells why the next segment of the ring does not take a header.
func (e *explanation) turnWish(s *segment) string {
	n := e.net
	next := &e.r.segments[s.ring][n.limits.Next(s.ring, s.port)]
	name := e.segmentName(next.ring, next.port)
	switch {
	case !s.toRing.idle(n.Clock):
		return name + ": streaming another packet"
	case e.r.holder[next.ring] == next.port:
		return name + ": held for input stage " + e.port(next.port)
	case n.free(next) < n.config.TurnSlots:
		return name + ": no free slot"
	case n.config.RingTurnBalance && n.free(next) < n.free(s):
		return name + ": fewer free slots than here"
	}
	return name + ": free"
}

func (e *explanation) input(p int) {
	n, in := e.net, &e.r.inputs[p]
	holds := "input stage " + e.port(p)
	for i, s := range in.All() {
		switch {
		case s.since >= n.Clock:
		case i > 0:
			e.add(s.packet, s.since, holds, "head of "+holds, e.r.id)
		case !in.read.idle(n.Clock):
			e.add(s.packet, s.since, holds, holds+": streaming another packet", e.r.id)
		default:
			e.add(s.packet, s.since, holds, fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(p), n.config.EnterSlots), e.r.id)
		}
	}
}

// source explains the heads of the source queues. They hold no slot of the router yet.
func (e *explanation) source() {
	n, x := e.net, &e.r.source
	for class := range n.config.Classes {
		if n.Sources.Ready(noc.NodeID(e.r.id))>>class&1 == 0 {
			continue
		}
		stuck := n.Sources.Stuck(noc.NodeID(e.r.id), noc.Class(class))
		if stuck.Since >= n.Clock {
			continue
		}
		waits := fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(topology.Local), n.config.InjectSlots)
		switch {
		case !x.read.idle(n.Clock):
			waits = "interface: streaming another packet"
		case n.atInjectLimit(e.r):
			waits = fmt.Sprintf("rings of node %d: %d slots in use, the injection limit is %d", e.r.id, e.r.used(), n.limits.InjectLimit)
		case !n.admits(e.r, topology.Local, stuck.Class, 2, false):
			waits = fmt.Sprintf("node %d: no quota for class %d", e.r.id, class)
		case class <= n.calmClass(e.r, true):
			waits = fmt.Sprintf("rings of node %d: aged packets of class %d or above", e.r.id, class)
		case class <= n.calmClass(e.r, n.Clock >= x.served+noc.Cycle(n.config.CalmPatience)):
			waits = fmt.Sprintf("rings of node %d: aged packets of lower classes, for %d cycles at most", e.r.id, n.config.CalmPatience)
		}
		stuck.At, stuck.Holds, stuck.Waits, stuck.For = noc.NodeID(e.r.id), fmt.Sprintf("source queue of class %d", class), waits, noc.NodeID(e.r.id)
		e.list = append(e.list, stuck)
	}
}

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
	Only   int      // its only destination, or with the path scheme the next one
	Set    []uint64 // all destinations, if it owes several
	// SegmentsEntered is the segments that it has entered in its router.
	SegmentsEntered int
	Since           noc.Cycle // from here on it can be granted its next move
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
	p := n.packets.take(packet{phits: int(k.Packet.Phits), class: k.Packet.Class, segmentsEntered: k.SegmentsEntered, target: k.Only})
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

// Router shows what else a router knows: the holds, the packets of each class that count for its
// quotas, and when its interface sent last.
func (m *Mirror) Router(id int, holder [Rings]int, held Quota, served noc.Cycle) {
	r := &m.net.routers[id]
	r.holder, r.held, r.source.served = holder, held, served
}

// Explain is Explain of the network that is shown.
func (m *Mirror) Explain() []noc.Stuck { return m.net.Explain() }

// CheckInvariants verifies the laws of the network that is shown, but for law 5: an engine need not
// know where phits are.
func (m *Mirror) CheckInvariants() error {
	_, err := m.net.checkLaws()
	return m.net.inCycle(err)
}
