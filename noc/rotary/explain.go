package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
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

func (e *explanation) port(p int) string { return e.net.grid.PortName(p) }

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
			case o.toNode && n.config.UnlimitedOutput && !n.Sinks.Room(noc.NodeID(e.r.id), s.packet.class):
				e.add(s.packet, s.since, holds, sinkFull(s.packet), e.r.id)
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
	return int(e.net.Packets.Only(k.id)) == e.r.id && !e.net.config.UnlimitedOutput && !e.net.Sinks.Room(noc.NodeID(e.r.id), k.class)
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
	case !n.config.UnlimitedOutput && o.lanes[s.ring].Len() == n.limits.LaneSlots:
		return name + ": no free slot"
	case !n.available(e.r, o, s.ring, k, 1) && o.toNode:
		return sinkFull(k) + " for a copy"
	case !n.available(e.r, o, s.ring, k, 1):
		return fmt.Sprintf("node %d: no quota for class %d", o.peer, k.class)
	case !s.toOS.idle(n.Clock):
		return name + ": streaming another packet"
	case some && !all && !o.toNode && n.config.Multicast != Tree && !n.mayReplicate(o):
		return name + ": too few free slots to replicate"
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
		case e.r.used() >= n.limits.InjectLimit:
			waits = fmt.Sprintf("rings of node %d: %d slots in use, the injection limit is %d", e.r.id, e.r.used(), n.limits.InjectLimit)
		case !n.admits(e.r, topology.Local, stuck.Class, 2, false):
			waits = fmt.Sprintf("node %d: no quota for class %d", e.r.id, class)
		case class <= n.calmClass(e.r, true):
			waits = fmt.Sprintf("rings of node %d: aged packets of class %d or above", e.r.id, class)
		}
		stuck.At, stuck.Holds, stuck.Waits, stuck.For = noc.NodeID(e.r.id), fmt.Sprintf("source queue of class %d", class), waits, noc.NodeID(e.r.id)
		e.list = append(e.list, stuck)
	}
}
