package engine

import (
	"github.com/carousel-sim/carousel/noc"
)

// Totals are running sums over the whole network. PhitHops includes phits that follow a header that has
// crossed.
func (n *Network) Totals() noc.Totals {
	t := n.Interfaces.Totals()
	t.PhitHops, t.Buffered = n.phitHops, n.buffered()
	return t
}

// buffered is the number of phits that have left their nodes and not the network.
func (n *Network) buffered() (sum uint64) {
	for i := range n.worms {
		w := &n.worms[i]
		if !w.live || w.head == 0 {
			continue
		}
		sum += uint64(n.past(w, 1))
		if w.done {
			sum -= uint64(n.past(w, w.head))
		}
	}
	return sum
}

// past is the number of flits that crossed into a position before the current cycle; see tail.go.
func (n *Network) past(w *worm, position int32) int32 {
	depth := int32(n.config.BufferPhits)
	step := int64(n.config.BufferPhits - n.config.CreditCycles)
	latest := int64(0)
	for i := range w.phits {
		if m := i / depth; i%depth == 0 {
			switch k := position + m; {
			case k <= w.head:
				latest = max(latest, int64(w.crossed[k])-int64(m)*step)
			case !w.done:
				return i
			}
		}
		if int64(i)+latest >= int64(n.Clock) {
			return i
		}
	}
	return w.phits
}

// Activity appends the counters of every router.
func (n *Network) Activity(into []noc.Activity) []noc.Activity {
	first := len(into)
	for r := range n.routers {
		into = append(into, n.routers[r].Activity(n.Clock))
	}
	for c := range n.wiring.Channels {
		into[first+int(n.channels[c].from)].LinkPhits += n.channels[c].phits
	}
	return into
}

// Links appends the traffic of every link.
func (n *Network) Links(into []noc.Link) []noc.Link {
	for c := range n.wiring.Channels {
		ch := &n.channels[c]
		into = append(into, noc.Link{From: noc.NodeID(ch.from), To: noc.NodeID(ch.to), Port: uint8(ch.out), Phits: ch.phits})
	}
	return into
}

// Hardware describes one router, the largest.
func (n *Network) Hardware() noc.Hardware { return n.config.Hardware(n.wiring, nil, n.plans) }
