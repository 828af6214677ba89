package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// explanation collects the packets of one router that wait, in the words of the plain router.
type explanation struct {
	net  *Network
	s    *router
	list []noc.Stuck
}

// Explain implements noc.Network.
func (n *Network) Explain() []noc.Stuck {
	n.keepPast()
	n.publish() // what the next cycle begins with
	e := explanation{net: n}
	for id := range n.routers {
		e.s = &n.routers[id]
		for p := range n.limits.Ports {
			e.output(p)
		}
		for ring := range rings {
			for p := range n.limits.Ports {
				e.segment(uint(p + ring*maxPorts))
			}
		}
		for p := 1; p < n.limits.Ports; p++ {
			e.input(p)
		}
		e.source()
	}
	return e.list
}

func (e *explanation) add(k *packet, holds, waits string, owner int) {
	n := e.net
	w := n.Packets.At(k.worm)
	e.list = append(e.list, noc.Stuck{Tag: w.Tag, Class: w.Class, Src: w.Src, Dst: n.members(k), At: noc.NodeID(e.s.id),
		Holds: holds, Waits: waits, For: noc.NodeID(owner), Since: min(n.since(k), n.Clock-1)})
}

// since returns the cycle from which on a packet can be granted its next move, or could.
func (n *Network) since(k *packet) noc.Cycle {
	return n.Clock + noc.Cycle(int64(int32(k.since-uint32(n.Clock))))
}

func (e *explanation) id() int { return int(e.s.id) }

func (e *explanation) port(p int) string { return e.net.grid.PortName(p) }

func (e *explanation) segmentName(j uint) string {
	return fmt.Sprintf("ring %d segment %s", j/maxPorts, e.port(int(j&portBits)))
}

func (e *explanation) output(p int) {
	n, x := e.net, &e.s.port[p]
	for ring := range rings {
		holds := fmt.Sprintf("output stage %s lane %d", e.port(p), ring)
		for i := x.stage[ring].first; i != 0; i = n.pool[i].next {
			k := &n.pool[i]
			switch {
			case n.since(k) >= n.Clock:
			case i != x.stage[ring].first:
				e.add(k, holds, "head of "+holds, e.id())
			case busy(e.s.sent[p], n.Clock):
				e.add(k, holds, "link "+e.port(p)+": streaming another packet", e.id())
			case p == topology.Local && n.rules.unlimited && !n.Sinks.Room(noc.NodeID(e.s.id), noc.Class(k.class)):
				e.add(k, holds, sinkFull(k), e.id())
			case p != topology.Local && x.credits == 0:
				e.add(k, holds, fmt.Sprintf("input stage %s of node %d: no free slot", e.port(int(x.entry)), x.peer.id), int(x.peer.id))
			}
		}
	}
}

func sinkFull(k *packet) string { return fmt.Sprintf("sink of class %d: no place", k.class) }

func (e *explanation) segment(j uint) {
	n, s := e.net, e.s
	for lane := range uint(2) {
		holds := fmt.Sprintf("%s lane %d", e.segmentName(j), lane)
		q := &s.lane[j+lane*maxSegments]
		for i := q.first; i != 0; i = n.pool[i].next {
			k := &n.pool[i]
			switch {
			case e.waitsForSink(k): // though it turns meanwhile
				e.add(k, holds, sinkFull(k), e.id())
			case n.since(k) >= n.Clock:
			case i != q.first:
				e.add(k, holds, "head of "+holds, e.id())
			case n.rules.laneBlock && s.blocked(j+lane*maxSegments, n.Clock):
				e.add(k, holds, holds+": streaming another packet", e.id())
			default:
				e.add(k, holds, e.outputWish(j, k)+"; "+e.turnWish(j), e.id())
			}
		}
	}
}

// waitsForSink reports whether a packet has arrived, and waits for a place in the sink.
func (e *explanation) waitsForSink(k *packet) bool {
	return k.flags&(several|more) == 0 && k.only() == e.id() && !e.net.rules.unlimited &&
		!e.net.Sinks.Room(noc.NodeID(e.s.id), noc.Class(k.class))
}

// outputWish tells why the output that a segment drains to does not take a packet.
func (e *explanation) outputWish(j uint, k *packet) string {
	n, drain := e.net, uint(e.net.rules.ahead[j])
	p := int(drain & portBits)
	x := &e.s.port[p]
	name := "output stage " + e.port(p)
	some, all := n.compare(e.id(), p, k)
	refused := x.peer != nil && (p == topology.Local && e.s.refuses(p, k, &n.quotas.one) ||
		p != topology.Local && n.quotas.on && n.refusedBy(int(x.peer.id), int(x.entry), noc.Class(k.class), &n.quotas.one, false))
	switch {
	case !some && (p == topology.Local || !n.isAged(k)):
		return name + ": not on its way"
	case x.peer == nil:
		return name + ": edge of the mesh"
	case x.staged[drain/maxPorts] == n.rules.laneSlots:
		return name + ": no free slot"
	case refused && p == topology.Local:
		return sinkFull(k) + " for a copy"
	case refused:
		return fmt.Sprintf("node %d: no quota for class %d", x.peer.id, k.class)
	case busy(e.s.ejected[j], n.Clock):
		return name + ": streaming another packet"
	case some && !all && p != topology.Local && n.config.Multicast != rotary.Tree && !n.mayReplicate(e.s.space(drain)):
		return name + ": too few free slots to replicate"
	}
	return name + ": free"
}

// turnWish tells why the next segment of the ring does not take a header.
func (e *explanation) turnWish(j uint) string {
	n, next := e.net, uint(e.net.rules.ahead[j])
	name := e.segmentName(next)
	switch {
	case busy(e.s.turned[j], n.Clock):
		return name + ": streaming another packet"
	case e.s.held>>j&1 != 0:
		return name + ": held for input stage " + e.port(int(next&portBits))
	case int(e.s.used[next])+n.rules.turnSlots > n.rules.segmentSlots:
		return name + ": no free slot"
	case n.rules.balance && e.s.used[next] > e.s.used[j]:
		return name + ": fewer free slots than here"
	}
	return name + ": free"
}

func (e *explanation) input(p int) {
	n, x := e.net, &e.s.port[p]
	holds := "input stage " + e.port(p)
	for i := x.input.first; i != 0; i = n.pool[i].next {
		k := &n.pool[i]
		switch {
		case n.since(k) >= n.Clock:
		case i != x.input.first:
			e.add(k, holds, "head of "+holds, e.id())
		case busy(e.s.entered[p], n.Clock):
			e.add(k, holds, holds+": streaming another packet", e.id())
		case e.s.special.ordered>>p&1 != 0 && k.flags&ordered != 0:
			e.add(k, holds, "the ordered packet before it to leave the rings", e.id())
		default:
			e.add(k, holds, fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(p), n.config.EnterSlots), e.id())
		}
	}
}

// source explains the heads of the source queues. They hold no slot of the router yet.
func (e *explanation) source() {
	n, y := e.net, e.s.special
	for c := range n.config.Classes {
		if n.Sources.Ready(noc.NodeID(e.s.id))>>c&1 == 0 {
			continue
		}
		stuck := n.Stuck(n.Sources.Head(noc.NodeID(e.s.id), noc.Class(c)))
		if stuck.Since >= n.Clock {
			continue
		}
		waits := fmt.Sprintf("ring 0 or 1 segment %s: fewer than %d free slots", e.port(topology.Local), n.config.InjectSlots)
		switch {
		case busy(e.s.entered[topology.Local], n.Clock):
			waits = "interface: streaming another packet"
		case e.s.slotsInUse() >= n.limits.InjectLimit:
			waits = fmt.Sprintf("rings of node %d: %d slots in use, the injection limit is %d", e.s.id, e.s.slotsInUse(), n.limits.InjectLimit)
		case e.s.withQuota(1<<c) == 0:
			waits = fmt.Sprintf("node %d: no quota for class %d", e.s.id, c)
		case y.account.Solvent(n.config.PaceSlack) > n.Clock:
			waits = fmt.Sprintf("interface: owes for copies and packets until cycle %d", y.account.Solvent(n.config.PaceSlack))
		case n.config.CalmInjection && y.aged>>c != 0:
			waits = fmt.Sprintf("rings of node %d: aged packets of class %d or above", e.s.id, c)
		}
		stuck.At, stuck.Holds, stuck.Waits, stuck.For = noc.NodeID(e.s.id), fmt.Sprintf("source queue of class %d", c), waits, noc.NodeID(e.s.id)
		e.list = append(e.list, stuck)
	}
}
