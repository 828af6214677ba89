package rotary

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// send is rule 13: it lets the output stages of a router start a packet each, on the link or into
// the node.
func (n *Network) send(r *router) {
	for p := range r.outputs {
		o := &r.outputs[p]
		if !o.read.idle(n.Clock) {
			continue
		}
		able := [Rings]bool{n.maySend(r, o, 0), n.maySend(r, o, 1)}
		lane := 0
		switch {
		case able[0] && able[1]:
			lane = 1 - o.last
			r.activity.ArbRequests[noc.OutputLane]++
		case able[1]:
			lane = 1
		case !able[0]:
			continue
		}
		r.activity.ArbRequests[noc.OutputLane]++
		r.activity.ArbGrants[noc.OutputLane]++
		n.sendFrom(r, p, lane)
	}
}

// maySend reports whether the head of a lane finds room behind the output.
func (n *Network) maySend(r *router, o *output, lane int) bool {
	q := &o.lanes[lane]
	if q.Len() == 0 || !q.Front().headerHere(n.Clock) {
		return false
	}
	// A place in the node's sink is reserved already.
	return o.toNode || n.routers[o.peer].inputs[o.entry].free > 0
}

// sendFrom starts the head of a lane of output p.
func (n *Network) sendFrom(r *router, p, lane int) {
	o := &r.outputs[p]
	from := o.lanes[lane].Pop()
	from.left = true
	r.slotsUsed--
	o.last = lane
	k := from.packet
	o.read.until = k.until(n.Clock)
	if p == topology.Local {
		n.phits.buffered -= uint64(k.phits)
		n.start(stream{hop: consuming, router: r, port: p, ring: lane, packet: k, from: from})
		return
	}
	k.hops++
	k.segmentsEntered = 0
	next := &n.routers[o.peer]
	to := n.slots.take(slot{packet: k, since: n.Clock + o.cycles, enters: n.Clock + o.cycles})
	next.inputs[o.entry].Push(to)
	next.slotsUsed++
	n.start(stream{hop: crossing, router: r, port: p, ring: lane, packet: k, from: from, to: to, delay: o.cycles})
}
