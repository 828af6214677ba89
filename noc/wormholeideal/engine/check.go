package engine

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
)

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither
// lost nor doubled, and each channel and token is held by exactly the worm that stretches over it.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	held, received := 0, n.received // kept, so that checks of every cycle do not allocate
	clear(received)
	for i := range n.worms {
		if root := n.worms[i].root; root != none {
			if err := n.checkRun(root, &held, received); err != nil {
				return err
			}
		}
	}
	for c := range n.channels {
		if n.channels[c].holder != none {
			held--
		}
	}
	if held != 0 && n.release == 0 {
		return fmt.Errorf("wormholeideal: cycle %d: %d channels are held by no worm that stretches over them", n.Clock, -held)
	}
	for node, p := range n.Exits {
		if idle := n.allocator.queues[p].free; idle < 0 || int(idle)+received[node] > n.Config.EjectionChannels {
			return fmt.Errorf("wormholeideal: cycle %d: node %d takes %d worms and has %d of %d ejection channels idle",
				n.Clock, node, received[node], idle, n.Config.EjectionChannels)
		}
	}
	return nil
}

// checkRun checks a run and all behind it, and counts the channels that they hold.
func (n *Network) checkRun(id int32, held *int, received []int) error {
	r := &n.run[id]
	for k := max(0, r.tail); int(k) < len(r.held); k++ {
		c := r.held[k]
		if c == none || r.split && int(k)+1 == len(r.held) && r.ahead == 0 {
			continue
		}
		*held++
		if n.channels[c].holder != id || n.channels[c].position != k {
			return fmt.Errorf("wormholeideal: cycle %d: a worm of node %d stretches over %s, which it does not hold",
				n.Clock, n.Dispatch.At(r.worm).From, n.Name(c))
		}
	}
	if r.token != none && r.back == noc.Never {
		*held++
		if n.channels[r.token].holder != id {
			return fmt.Errorf("wormholeideal: cycle %d: a worm of node %d branches with a token that it does not hold", n.Clock, n.Dispatch.At(r.worm).From)
		}
	}
	for _, v := range r.visits[r.over:] {
		received[v.node]++
	}
	if r.done && int(r.tail)+1 < len(r.held) {
		received[r.node]++
	}
	for c := r.child; c != none; c = n.run[c].sibling {
		if err := n.checkRun(c, held, received); err != nil {
			return err
		}
	}
	return nil
}
