package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// send is rule 13: it lets the output stages of a router start a packet each, on the link or into
// the node.
func (r *router) send() {
	n := r.net
	heads := r.now.sendable()
	for p := range portsOf(heads).All() {
		if busy(r.sent[p], n.Clock) {
			continue
		}
		first, second := heads.Bit(segmentOf(0, p)), heads.Bit(segmentOf(1, p))
		both := first & second
		r.count.sendsLost += uint64(both)
		r.sendFrom(p, second^both&uint(r.stages[p].last))
	}
}

// sendFrom starts the head of a lane of output p.
func (r *router) sendFrom(p port, ring uint) {
	n := r.net
	p, ring = p&portBits, ring&1
	out, l := &r.stages[p], segmentOf(ring, p)
	index, k := n.pop(&out.stage[ring])
	r.now &^= staged(l) & k.ifLast()
	out.staged[ring]--
	r.full.Remove(n.before(l))
	out.last = uint8(ring)
	end := k.until(n.Clock)
	r.sent[p] = until(end)
	out.phits += uint64(k.phits)
	r.count.sends++
	r.count.Exit(end)
	if p == topology.Local {
		r.consume(index, k)
		return
	}
	if out.credits--; out.credits == 0 {
		r.now &^= credit(p)
	}
	n.cross(r.group, port(out.entry), out.peer, index, k)
}

// cross starts a packet on the link to an input of a router.
func (n *region) cross(from *group, entry port, r *router, index int32, k *packet) {
	ready := n.Clock + 1
	entry &= portBits
	k.hops++
	k.segmentsEntered = 0
	n.route(r, k)
	r.count.Enter(ready)
	if g := r.group; g != from { // else it finds out before it sleeps
		g.wake = min(g.wake, ready)
	}
	*r.due(ready, entries) |= waiting(entry)
	n.push(&r.stages[entry].input, index, k, ready)
}

// consume hands a packet to the node.
func (r *router) consume(index int32, k *packet) {
	n := r.net
	if n.apart {
		n.ejected = append(n.ejected, ejected{k.id, k.hops, noc.NodeID(r.id)})
	} else {
		w := n.Packets.At(k.id)
		n.Sinks.Deliver(w, k.hops, noc.NodeID(r.id), n.Clock, n.Clock+noc.Cycle(w.Phits))
		n.Packets.Deliver(k.id)
	}
	n.buffered -= uint64(k.phits)
	n.drop(index)
}
