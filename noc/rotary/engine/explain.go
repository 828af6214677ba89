package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// explanation collects the packets of one router that wait.
type explanation struct {
	net  *Network
	b    *bank
	r    int
	list []noc.Stuck
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck {
	n.publish() // what the next cycle begins with
	e := explanation{net: n}
	n.asSets(e.all)
	return e.list
}

func (e *explanation) all() {
	n := e.net
	for id := range n.Nodes() {
		e.b, e.r = &n.banks[id>>6], id&63
		if e.r == 0 { // what the next step would do first
			e.b.advance(n)
			e.b.forgetPassed()
		}
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
}

func (e *explanation) id() int { return e.b.first + e.r }

func (e *explanation) add(k packet, since noc.Cycle, holds, waits string, owner int) {
	h := &e.net.headers[k.header()]
	e.addWorm(h.worm, e.net.members(h), since, holds, waits, owner)
}

func (e *explanation) addWorm(worm fabric.WormID, owed noc.NodeSet, since noc.Cycle, holds, waits string, owner int) {
	w := e.net.worms.At(worm)
	e.list = append(e.list, noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: owed, At: noc.NodeID(e.id()),
		Holds: holds, Waits: waits, For: noc.NodeID(owner), Since: min(since, e.net.now-1)})
}

// each calls visit for the packets of queue i that have arrived, with their place from the head.
func (e *explanation) each(f *fifos, i int, visit func(place int, k packet, since noc.Cycle)) {
	place := 0
	f.each(i, func(k packet, since noc.Cycle) {
		if since < e.net.now {
			visit(place, k, since)
		}
		place++
	})
}

func (e *explanation) port(p int) string { return e.net.grid.PortName(p) }

func (e *explanation) segmentName(s int) string {
	return fmt.Sprintf("ring %d segment %s", e.net.ringOf[s], e.port(int(e.net.portOf[s])))
}

func (e *explanation) output(p int) {
	n, o := e.net, &e.b.output[p]
	for ring := range rings {
		holds := fmt.Sprintf("output stage %s lane %d", e.port(p), ring)
		i := ring<<6 | e.r
		e.each(&o.lanes, i, func(place int, k packet, since noc.Cycle) {
			switch {
			case place > 0:
				e.add(k, since, holds, "head of "+holds, e.id())
			case o.idle>>e.r&1 == 0:
				e.add(k, since, holds, "link "+e.port(p)+": streaming another packet", e.id())
			case p == topology.Local && n.unlimited && !n.sinks.Room(noc.NodeID(e.id()), k.class()):
				e.add(k, since, holds, fmt.Sprintf("sink of class %d: no place", k.class()), e.id())
			case p != topology.Local && o.credits[e.r] == 0:
				peer := int(o.peer[e.r])
				e.add(k, since, holds, fmt.Sprintf("input stage %s of node %d: no free slot", e.port(int(o.entry)), peer), peer)
			}
		})
		if n.unlimited {
			n.eachOverflowing(e.id(), p, ring, func(k packet, since noc.Cycle) {
				if since < n.now {
					e.add(k, since, holds, "head of "+holds, e.id())
				}
			})
		}
	}
}

func (e *explanation) segment(s int) {
	n, x := e.net, &e.b.segment[s]
	for lane := range 2 {
		holds := fmt.Sprintf("%s lane %d", e.segmentName(s), lane)
		i := lane<<6 | e.r
		place := -1
		x.lanes.each(i, func(k packet, since noc.Cycle) {
			place++
			switch {
			case e.sinkFull(k): // it waits, though it turns meanwhile
				e.add(k, since, holds, fmt.Sprintf("sink of class %d: no place", k.class()), e.id())
			case since >= n.now:
			case place > 0:
				e.add(k, since, holds, "head of "+holds, e.id())
			case (x.toRing[lane]|x.toOutput[lane])&n.laneBlock>>e.r&1 != 0:
				e.add(k, since, holds, holds+": streaming another packet", e.id())
			default:
				e.add(k, since, holds, e.outputWish(s, k)+e.turnWish(s), e.id())
			}
		})
	}
}

// sinkFull reports whether a packet has arrived, and waits for a place in the sink.
func (e *explanation) sinkFull(k packet) bool {
	h := &e.net.headers[k.header()]
	return h.flags&(severalFlag|moreFlag) == 0 && h.only() == e.id() && !e.net.unlimited && !e.net.sinks.Room(noc.NodeID(e.id()), k.class())
}

// outputWish tells why the output that segment s drains to does not take a packet.
func (e *explanation) outputWish(s int, k packet) string {
	n, p := e.net, int(e.net.feeds[s])
	x, o := &e.b.segment[s], &e.b.output[p]
	name := "output stage " + e.port(p)
	some, all := n.compare(e.id(), p, k)
	if k&severalBit == 0 {
		all = true
	}
	switch {
	case !some && !n.aged(p, k):
		return name + ": not on its way; "
	case o.peer[e.r] < 0 && p != topology.Local:
		return name + ": edge of the mesh; "
	case x.outRoom>>e.r&1 == 0:
		return name + ": no free slot; "
	case p == topology.Local && !n.unlimited && !n.sinks.Room(noc.NodeID(e.id()), k.class()):
		return fmt.Sprintf("sink of class %d: no place for a copy; ", k.class())
	case n.shut(e.b, e.r, p, k.class(), &n.leavesOne):
		return fmt.Sprintf("node %d: no quota for class %d; ", o.peer[e.r], k.class())
	case x.outIdle>>e.r&1 == 0:
		return name + ": streaming another packet; "
	case some && !all && p != topology.Local && !n.maySplit(n.spaceOf(o, e.r, int(n.ringOf[s]))):
		return name + ": too few free slots to replicate; "
	}
	return name + ": free; "
}

// turnWish tells why the next segment of the ring does not take a header of segment s.
func (e *explanation) turnWish(s int) string {
	n, to := e.net, int(e.net.next[s])
	x, y := &e.b.segment[s], &e.b.segment[to]
	here, there := x.free.of(e.r, n.planes), y.free.of(e.r, n.planes)
	name := e.segmentName(to)
	switch {
	case (x.toRing[0]|x.toRing[1])>>e.r&1 != 0:
		return name + ": streaming another packet"
	case e.b.input[n.portOf[to]].holds[n.ringOf[to]]>>e.r&1 != 0:
		return name + ": held for input stage " + e.port(int(n.portOf[to]))
	case there < n.config.TurnSlots:
		return name + ": no free slot"
	case n.config.RingTurnBalance && there < here:
		return name + ": fewer free slots than here"
	}
	return name + ": free"
}

func (e *explanation) input(p int) {
	n, in := e.net, &e.b.input[p]
	holds := "input stage " + e.port(p)
	e.each(&in.stage, e.r, func(place int, k packet, since noc.Cycle) {
		switch {
		case place > 0:
			e.add(k, since, holds, "head of "+holds, e.id())
		case in.streaming>>e.r&1 != 0:
			e.add(k, since, holds, holds+": streaming another packet", e.id())
		case in.ordered>>e.r&1 != 0 && k&orderedBit != 0:
			e.add(k, since, holds, "the ordered packet before it to leave the rings", e.id())
		default:
			e.add(k, since, holds, fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(p), n.config.EnterSlots), e.id())
		}
	})
}

// source explains the heads of the source queues: they hold no place in the router yet.
func (e *explanation) source() {
	n, x := e.net, &e.b.router[e.r]
	for c := range n.config.Classes {
		if n.sources.Ready(noc.NodeID(e.id()))>>c&1 == 0 {
			continue
		}
		worm := n.sources.Head(noc.NodeID(e.id()), noc.Class(c))
		offered := n.worms.At(worm).Offered
		waits := fmt.Sprintf("ring 0 or 1 segment L: fewer than %d free slots", n.config.InjectSlots)
		switch {
		case offered >= n.now:
			continue
		case x.sourceBusy > n.now:
			waits = "interface: streaming another packet"
		case n.used(e.b, e.r) >= n.injectLimit:
			waits = fmt.Sprintf("rings of node %d: %d slots in use, the injection limit is %d", e.id(), n.used(e.b, e.r), n.injectLimit)
		case n.withQuota(e.b, e.r, 1<<c) == 0:
			waits = fmt.Sprintf("node %d: no quota for class %d", e.id(), c)
		case n.solvent(x) > n.now:
			waits = fmt.Sprintf("interface: owes for copies and packets until cycle %d", n.solvent(x))
		case n.config.CalmInjection && x.aged>>c != 0:
			waits = fmt.Sprintf("rings of node %d: aged packets of class %d or above", e.id(), c)
		}
		e.addWorm(worm, n.worms.Members(worm), offered, fmt.Sprintf("source queue of class %d", c), waits, e.id())
	}
}
