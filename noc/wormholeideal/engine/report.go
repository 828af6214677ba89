package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Totals are running sums over the whole network. PhitHops includes flits that follow a header that
// has crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.phitHops, 0
	for i := range n.worms {
		if root := n.worms[i].root; root != none {
			t.Buffered += n.buffered(root, n.Clock)
		}
	}
	return t
}

// buffered returns the number of flits in the buffers of a run and of all behind it: those that
// have come in and not gone to all branches.
func (x *runs) buffered(id int32, now noc.Cycle) (sum uint64) {
	r := &x.run[id]
	first, last := int32(0), int32(len(r.held))-1
	if r.base == 0 {
		first = 1
	}
	if last < first {
		return 0
	}
	gone := int32(0)
	switch {
	case r.done:
		gone = x.entered(id, last, now)
	case r.split:
		gone = r.phits
		for c := r.child; c != none; c = x.run[c].sibling {
			gone = min(gone, x.entered(c, 0, now))
			sum += x.buffered(c, now)
		}
	}
	return sum + uint64(x.entered(id, first, now)-gone)
}

// entered returns the number of flits that crossed into a position before cycle now.
func (x *runs) entered(id, position int32, now noc.Cycle) int32 {
	low, high := int32(0), x.run[id].phits
	for low < high {
		middle := (low + high) / 2
		if at, known := x.crossing(id, position, middle); known && at < now {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	first := len(into)
	for r := range n.routers {
		into = append(into, n.routers[r].Activity(n.Clock))
	}
	for c, l := range n.Wiring.Channels {
		into[first+int(l.From)].LinkPhits += n.channels[c].phits
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for c, l := range n.Wiring.Channels {
		into = append(into, noc.Link{From: l.From, To: l.To, Port: uint8(l.Out), Phits: n.channels[c].phits})
	}
	return into
}

// Explain lists the headers that wait and the packets at the head of source queues.
func (n *Network) Explain() []noc.Stuck { return n.standing().Explain() }

// Deadlock finds headers that wait for each other in a circle and can never move.
func (n *Network) Deadlock() []noc.Stuck { return n.standing().Deadlock() }

// standing draws up where worms stand.
func (n *Network) standing() *wormholeideal.Standing {
	d := wormholeideal.NewStanding(n.Setup, &n.Interfaces)
	first := make([]int32, len(n.run)) // places of runs
	for i := range n.worms {
		if root := n.worms[i].root; root != none {
			n.stand(d, root, none, first)
		}
	}
	ejections := make([]int32, n.Nodes()) // that are held
	receive := func(node noc.NodeID, place int32) {
		d.Holders[n.Queues[n.Exits[node]].First+ejections[node]] = place
		ejections[node]++
	}
	for id := range n.run {
		r := &n.run[id]
		if r.worm == none {
			continue
		}
		for _, v := range r.visits[r.over:] {
			receive(v.node, first[id]+v.position)
		}
		if r.done && int(r.tail)+1 < len(r.held) {
			receive(noc.NodeID(r.node), first[id]+int32(len(r.held))-1)
		}
	}
	return d
}

// stand adds a run, which begins behind a place, and all behind it.
func (n *Network) stand(d *wormholeideal.Standing, id, place int32, first []int32) {
	r := &n.run[id]
	first[id] = int32(len(d.Places))
	for k, c := range r.held {
		d.Places = append(d.Places, wormholeideal.Place{Worm: r.worm, Parent: place, Channel: c, Router: r.router})
		place = int32(len(d.Places)) - 1
		if c != none && int32(k) >= r.tail && !(r.split && k+1 == len(r.held) && r.ahead == 0) {
			d.Holders[c] = place
		}
	}
	if r.waits != none {
		d.Waiting = append(d.Waiting, wormholeideal.Header{Place: place, Queue: r.waits, Prefers: r.wants, Since: r.since})
	}
	if r.token != none && r.back >= n.Clock {
		d.Holders[r.token] = place
	}
	for c := r.child; c != none; c = n.run[c].sibling {
		n.stand(d, c, place, first)
	}
}
