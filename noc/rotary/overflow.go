package rotary

import "github.com/carousel-sim/carousel/noc/fabric"

// overflow is what the lanes of unlimited output stages hold beyond their slots: a FIFO of headers per
// lane, beside the routers, so that these packets need no row of router.headers. The FIFOs are lists in
// one array, which grows to the most that has waited in the whole network and then no more. While a FIFO
// holds anything its lane is full: send refills the slot that it frees.
type overflow struct {
	lanes  []overflowLane // two per port of every router
	list   []overflowing
	unused int32 // the first of the list of unused entries, or none
}

type overflowLane struct{ first, last int32 } // none: empty

type overflowing struct {
	header
	next int32
}

const none = -1

func newOverflow(lanes int) *overflow {
	v := &overflow{lanes: make([]overflowLane, lanes), unused: none}
	for i := range v.lanes {
		v.lanes[i] = overflowLane{none, none}
	}
	return v
}

func (v *overflow) push(lane int, h *header) {
	k := v.unused
	if k == none {
		k = int32(len(v.list))
		v.list = append(v.list, overflowing{})
	} else {
		v.unused = v.list[k].next
	}
	v.list[k] = overflowing{*h, none}
	l := &v.lanes[lane]
	if l.first == none {
		l.first = k
	} else {
		v.list[l.last].next = k
	}
	l.last = k
}

// pop takes the first header of a lane; it can be read until the next push.
func (v *overflow) pop(lane int) *header {
	l := &v.lanes[lane]
	k := l.first
	l.first = v.list[k].next
	v.list[k].next, v.unused = v.unused, k
	return &v.list[k].header
}

// overflowLane is the index of a lane.
func (n *Network) overflowLane(id, p, ring int) int { return (id*n.ports+p)*rings + ring }

// spill moves the header of a packet that finds its lane full out of the router's rows.
func (n *Network) spill(id int, r *router, p, ring int, k packet) {
	h := &r.headers[k]
	n.overflow.push(n.overflowLane(id, p, ring), h)
	r.drop(k, h)
}

// refill gives the slot that a lane has just freed to the first header that waits beyond it. That one was
// granted in an earlier cycle, so it is there before the link is idle again.
func (n *Network) refill(id int, r *router, p, ring int) {
	lane := n.overflowLane(id, p, ring)
	if n.overflow.lanes[lane].first == none {
		return
	}
	o := &r.output[p]
	o.lanes[ring].push(n.outputLane(r, p, ring), r.newPacket(n.overflow.pop(lane)))
	o.free[ring]--
	r.leaving[ring] |= 1 << p
}

// eachOverflowing calls visit for the headers that wait beyond a lane, from the first.
func (n *Network) eachOverflowing(id, p, ring int, visit func(*header)) {
	for k := n.overflow.lanes[n.overflowLane(id, p, ring)].first; k != none; k = n.overflow.list[k].next {
		visit(&n.overflow.list[k].header)
	}
}

// eachHeader calls visit for the headers of all packets in router id.
func (n *Network) eachHeader(id int, visit func(*header)) {
	for k := range n.routers[id].headers {
		if h := &n.routers[id].headers[k]; h.worm != fabric.NoWorm {
			visit(h)
		}
	}
	for lane := 0; n.unlimited && lane < n.ports*rings; lane++ {
		n.eachOverflowing(id, lane/rings, lane%rings, visit)
	}
}
