package engine

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// inject lets the interface of a router that has something to send start a packet.
func (r *router) inject() {
	n, rare := r.net, r.rare
	starved := n.Clock-rare.served >= noc.Cycle(n.config.CalmPatience)
	most := n.limits.SegmentSlots - n.injectSlots(starved)
	admits := ringSet(choose(int(r.used[topology.Local]) <= most) | choose(int(r.used[topology.Local+maxPorts]) <= most)<<1)
	if admits == 0 && !starved && !rare.holds(topology.Local) { // it could neither inject nor request a hold
		return
	}
	permitted := r.permitted(starved)
	if permitted != 0 && admits == 0 {
		r.requestHold(starved)
		return
	}
	r.release(topology.Local)
	if permitted != 0 {
		r.injectFrom(r.chooseClass(permitted), admits)
	}
}

// injectSlots is rule 2: the free slots that a header from the node needs. The quotas leave a hole
// for a starved interface, as rule 2 does.
func (n *region) injectSlots(starved bool) int {
	if starved && n.config.HasQuota() {
		return min(n.config.InjectSlots, n.config.EnterSlots)
	}
	return n.config.InjectSlots
}

// permitted returns the classes with a packet that the rules 17 to 19 let the interface inject.
func (r *router) permitted(starved bool) classSet {
	n := r.net
	if r.atInjectLimit() {
		return 0
	}
	classes := classSet(n.Sources.Ready(noc.NodeID(r.id)))
	if calm := r.calmClass(starved); calm != none {
		classes &^= 2<<calm - 1
	}
	if r.holding.tight {
		for c := range classes.All() {
			if !n.admits(r, topology.Local, c, 2, false) {
				classes.Remove(c)
			}
		}
	}
	return classes
}

// atInjectLimit is rule 17.
func (r *router) atInjectLimit() bool {
	limits := &r.net.limits
	return limits.InjectLimit < limits.RingSlots() && r.slotsInUse() >= limits.InjectLimit
}

// calmClass is rule 19: the class up to which the aged packets on the rings of a router keep its
// interface from injecting, or none.
func (r *router) calmClass(starved bool) int {
	n, aged := r.net, r.rare.aged
	if !n.config.CalmInjection || aged == 0 {
		return none
	}
	if !starved {
		for c := range aged.All() {
			if n.Sinks.Room(noc.NodeID(r.id), c) { // the packet waits for the network, not for the node
				return n.config.Classes
			}
		}
	}
	return bits.Len8(uint8(aged)) - 1
}

// chooseClass is rule 16.
func (r *router) chooseClass(permitted classSet) noc.Class {
	class := arbiter.Next(uint64(permitted), int(r.rare.lastClass))
	r.rare.lastClass = int8(class)
	return noc.Class(class)
}

// injectFrom starts what leaves next of a class.
func (r *router) injectFrom(class noc.Class, admits ringSet) {
	n := r.net
	index := r.takePacket(class)
	k := &n.pool[index]
	if n.Sources.Ready(noc.NodeID(r.id)) == 0 {
		r.group.feeding.Remove(r.place())
	}
	r.rare.served = n.Clock
	r.pause(k.until(n.Clock))
	n.enterQuota(r, k)
	r.count.injectPhits += uint64(k.phits)
	n.buffered += uint64(k.phits)
	r.count.Enter(n.Clock + 1)
	r.intoRing(topology.Local, admits, index, k, n.Clock+2)
}

// takePacket makes a packet of what leaves next out of a source queue.
func (r *router) takePacket(class noc.Class) int32 {
	n := r.net
	if n.apart {
		return r.takeHead(class)
	}
	id, backwards := rotary.Take(&n.network.Interfaces, noc.NodeID(r.id), class, n.config.Multicast != rotary.Replicate, n.routes.tour)
	w := n.Packets.At(id)
	w.Inject(n.Clock)
	var f flags
	if backwards {
		f |= back
	}
	index := n.take()
	k := &n.pool[index]
	*k = packet{id: id, phits: uint8(w.Phits), class: class, flags: f}
	n.owe(r, k)
	n.route(r, k)
	return index
}

// pause keeps the interface of a router from being looked at until a cycle, or for as long as can
// be noted.
func (r *router) pause(until noc.Cycle) {
	n, g := r.net, r.group
	g.paused.Add(r.place())
	g.resume.On(min(until, n.Clock+fabric.Horizon-1)).Add(r.place())
}
