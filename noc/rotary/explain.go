package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// explanation collects the packets of one router that wait.
type explanation struct {
	net  *Network
	id   int
	r    *router
	list []noc.Stuck
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck {
	e := explanation{net: n}
	for id := range n.routers {
		e.id, e.r = id, &n.routers[id]
		n.catchUp(e.r) // what the next step would do first
		for p := range n.ports {
			e.output(p)
		}
		for s := range n.segments {
			e.segment(s)
		}
		for p := 1; p < n.ports; p++ {
			e.input(p)
		}
		e.source()
	}
	return e.list
}

func (e *explanation) add(h *header, holds, waits string, owner int) {
	w := e.net.worms.At(h.worm)
	e.list = append(e.list, noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: e.net.worms.Members(h.worm), At: noc.NodeID(e.id),
		Holds: holds, Waits: waits, For: noc.NodeID(owner), Since: min(h.ready, e.net.now-1)})
}

// each calls visit for the headers of a queue that have arrived, with their place from the head.
func (e *explanation) each(q queue, list rowsOf, visit func(place int, h *header)) {
	for k := range int(q.size) {
		if h := &e.r.headers[*list.at(q.head + uint8(k))&row]; h.ready < e.net.now {
			visit(k, h)
		}
	}
}

func (e *explanation) port(p int) string { return e.net.grid.PortName(p) }

func (e *explanation) segmentName(s int) string {
	return fmt.Sprintf("ring %d segment %s", e.net.ringOf[s], e.port(int(e.net.portOf[s])))
}

func (e *explanation) output(p int) {
	n, o := e.net, &e.r.output[p]
	for ring := range rings {
		holds := fmt.Sprintf("output stage %s lane %d", e.port(p), ring)
		e.each(o.lanes[ring], n.outputLane(e.r, p, ring), func(place int, h *header) {
			switch {
			case place > 0:
				e.add(h, holds, "head of "+holds, e.id)
			case o.busy > n.now:
				e.add(h, holds, "link "+e.port(p)+": streaming another packet", e.id)
			case p == topology.Local && n.unlimited && !n.sinks.Room(noc.NodeID(e.id), h.class):
				e.add(h, holds, fmt.Sprintf("sink of class %d: no place", h.class), e.id)
			case p != topology.Local && o.credits == 0:
				e.add(h, holds, fmt.Sprintf("input stage %s of node %d: no free slot", e.port(int(o.entry)), o.peer), int(o.peer))
			}
		})
		if n.unlimited {
			n.eachOverflowing(e.id, p, ring, func(h *header) { e.add(h, holds, "head of "+holds, e.id) })
		}
	}
}

func (e *explanation) segment(s int) {
	n, seg := e.net, &e.r.segment[s]
	for lane := range seg.lanes {
		holds := fmt.Sprintf("%s lane %d", e.segmentName(s), lane)
		list := n.segmentLane(e.r, s, lane)
		for k := range int(seg.lanes[lane].size) { // these wait, though they turn meanwhile
			if h := &e.r.headers[*list.at(seg.lanes[lane].head + uint8(k))&row]; e.sinkFull(h) {
				e.add(h, holds, fmt.Sprintf("sink of class %d: no place", h.class), e.id)
			}
		}
		e.each(seg.lanes[lane], list, func(place int, h *header) {
			switch {
			case e.sinkFull(h):
			case place > 0:
				e.add(h, holds, "head of "+holds, e.id)
			case e.r.hidden>>bitOf(s, lane)&1 != 0:
				e.add(h, holds, holds+": streaming another packet", e.id)
			default:
				e.add(h, holds, e.outputWish(s, h)+e.turnWish(s), e.id)
			}
		})
	}
}

// sinkFull tells whether a packet has arrived, and waits for a place in the sink.
func (e *explanation) sinkFull(h *header) bool {
	return int(h.only) == e.id && !e.net.unlimited && !e.net.sinks.Room(noc.NodeID(e.id), h.class)
}

// outputWish tells why the output that segment s drains to does not take a header.
func (e *explanation) outputWish(s int, h *header) string {
	n, p := e.net, int(e.net.feeds[s])
	o := &e.r.output[p]
	name := "output stage " + e.port(p)
	some, all := h.ports>>p&1 != 0, true
	if h.only == several {
		some, all = n.compare(e.id, p, h)
	}
	switch {
	case !some && (p == topology.Local || int(h.turns) <= n.missLimit || h.origin&orderedFlag != 0):
		return name + ": not on its way; "
	case o.peer < 0 && p != topology.Local:
		return name + ": edge of the mesh; "
	case o.free[n.ringOf[s]] == 0 && !n.unlimited:
		return name + ": no free slot; "
	case p == topology.Local && !n.unlimited && !n.sinks.Room(noc.NodeID(e.id), h.class):
		return fmt.Sprintf("sink of class %d: no place for a copy; ", h.class)
	case n.shut(e.r, p, h.class, 1):
		return fmt.Sprintf("node %d: no place for class %d; ", o.peer, h.class)
	case e.r.outIdle>>s&1 == 0:
		return name + ": streaming another packet; "
	case some && !all && !n.maySplit(o, int(n.ringOf[s])):
		return name + ": too few free slots to replicate; "
	}
	return name + ": free; "
}

// turnWish tells why the next segment of the ring does not take a header of segment s.
func (e *explanation) turnWish(s int) string {
	n, to := e.net, int(e.net.next[s])
	here, there := e.r.free[s], e.r.free[to]
	name := e.segmentName(to)
	switch {
	case e.r.ringIdle>>s&1 == 0:
		return name + ": streaming another packet"
	case int(e.r.holder[n.ringOf[to]]) == int(n.portOf[to]):
		return name + ": held for input stage " + e.port(int(n.portOf[to]))
	case int(there) < n.config.TurnSlots:
		return name + ": no free slot"
	case n.config.RingTurnBalance && there < here:
		return name + ": fewer free slots than here"
	}
	return name + ": free"
}

func (e *explanation) input(p int) {
	n, in := e.net, &e.r.input[p]
	holds := "input stage " + e.port(p)
	e.each(in.queue, n.inputLane(e.r, p), func(place int, h *header) {
		switch {
		case place > 0:
			e.add(h, holds, "head of "+holds, e.id)
		case in.busy > n.now:
			e.add(h, holds, holds+": streaming another packet", e.id)
		case in.ordered && h.origin&orderedFlag != 0:
			e.add(h, holds, "the ordered packet before it to leave the rings", e.id)
		default:
			e.add(h, holds, fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(p), n.config.EnterSlots), e.id)
		}
	})
}

// source explains the heads of the source queues: they hold no place in the router yet.
func (e *explanation) source() {
	n := e.net
	for c := range n.config.Classes {
		if n.sources.Ready(noc.NodeID(e.id))>>c&1 == 0 {
			continue
		}
		worm := n.sources.Head(noc.NodeID(e.id), noc.Class(c))
		h := header{worm: worm, ready: n.worms.At(worm).Offered}
		waits := fmt.Sprintf("ring 0 or 1 segment L: fewer than %d free slots", n.config.InjectSlots)
		switch {
		case h.ready >= n.now:
			continue
		case e.r.sourceBusy > n.now:
			waits = "interface: streaming another packet"
		case int(e.r.used) >= n.injectLimit:
			waits = fmt.Sprintf("rings of node %d: %d slots in use, the injection limit is %d", e.id, e.r.used, n.injectLimit)
		case n.roomy(e.id, e.r, 1<<c) == 0:
			waits = fmt.Sprintf("node %d: fewer than 2 places for class %d", e.id, c)
		case n.settled(e.r) > n.now:
			waits = fmt.Sprintf("interface: owes for copies and packets until cycle %d", n.settled(e.r))
		case n.config.CalmInjection && e.r.lost>>c != 0:
			waits = fmt.Sprintf("rings of node %d: lost packets of class %d or above", e.id, c)
		}
		e.add(&h, fmt.Sprintf("source queue of class %d", c), waits, e.id)
	}
}
