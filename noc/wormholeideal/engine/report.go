package engine

import "github.com/carousel-sim/carousel/noc"

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
	for c, l := range n.wiring.Channels {
		into[first+int(l.From)].LinkPhits += n.channels[c].phits
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for c, l := range n.wiring.Channels {
		into = append(into, noc.Link{From: l.From, To: l.To, Port: uint8(l.Out), Phits: n.channels[c].phits})
	}
	return into
}

// Hardware describes one router, the largest.
func (n *Network) Hardware() noc.Hardware {
	if n.switches != nil {
		return n.config.Hardware(n.wiring, &n.switches.Multistage, n.plans)
	}
	return n.config.Hardware(n.wiring, nil, n.plans)
}
