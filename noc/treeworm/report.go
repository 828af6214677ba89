package treeworm

import "github.com/carousel-sim/carousel/noc"

// Totals are running sums over the whole network. PhitHops includes phits that follow a header that has
// crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.phitHops, n.buffered()
	return t
}

// buffered is the number of phits in buffers: at each position those that have come in, and not gone to all
// branches.
func (n *Network) buffered() (sum uint64) {
	for i := range n.worms {
		w := &n.worms[i]
		if !w.live {
			continue
		}
		for p := w.first; p < w.first+w.size; p++ {
			x := &n.positions[p]
			if x.node != none || !x.crossed {
				continue
			}
			gone := w.phits
			for c := x.first; c < x.first+x.count; c++ {
				gone = min(gone, n.entered(c, w.phits))
			}
			sum += uint64(n.entered(p, w.phits) - gone)
		}
	}
	return sum
}

// entered is the number of flits that crossed into a position before the current cycle.
func (n *Network) entered(p, phits int32) int32 {
	low, high := int32(0), phits
	for low < high {
		middle := (low + high) / 2
		if at, known := n.crossing(p, middle); known && at < n.Clock {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Activity appends the counters of every switch.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	first := len(into)
	for r := range n.routers {
		into = append(into, n.routers[r].Activity(n.Clock))
	}
	for _, c := range n.links {
		into[first+int(n.channels[c].from)].LinkPhits += n.channels[c].phits
	}
	return into
}

// Links appends the traffic of every link between switches.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for i, c := range n.links {
		w := &n.wiring.Channels[i]
		into = append(into, noc.Link{From: w.From, To: w.To, Port: uint8(w.Out), Phits: n.channels[c].phits})
	}
	return into
}

// Hardware describes one switch: a buffer per input and a crossbar.
func (n *Network) Hardware() noc.Hardware {
	ports := n.of.Arity
	if n.of.Bidirectional {
		ports *= 2
	}
	h := noc.Hardware{Ports: ports, PhitBits: n.config.PhitBits, VirtualChannels: 1, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = ports, n.config.BufferPhits
	if n.plans {
		h.DestinationBits = n.Nodes()
	}
	return h
}
