package engine

import "fmt"

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither lost nor
// doubled, and each channel is held by exactly the worm that stretches over it. Built with the tag
// invariants it runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("wormholeideal: %w", err)
	}
	return n.checkHolders()
}

// checkHolders: a channel's holder has it among its positions, and a worm's positions name their holder.
func (n *Network) checkHolders() error {
	held := 0
	for i := range n.worms {
		w := &n.worms[i]
		if !w.live {
			continue
		}
		for k := max(1, w.tail); k <= w.head; k++ {
			c := w.held[k]
			if c == none {
				continue
			}
			held++
			if n.channels[c].holder != int32(i) {
				return fmt.Errorf("wormholeideal: cycle %d: a worm of node %d stretches over %s, which it does not hold",
					n.Clock, n.Dispatch.At(int32(i)).From, n.channelName(c))
			}
		}
	}
	for c := range n.channels {
		if n.channels[c].holder != none {
			held--
		}
	}
	if held != 0 && n.config.CreditCycles == 0 {
		return fmt.Errorf("wormholeideal: cycle %d: %d channels are held by no worm that stretches over them", n.Clock, -held)
	}
	for node := range n.receivers {
		if idle := n.receivers[node].idle; idle < 0 || int(idle) > n.config.EjectionChannels {
			return fmt.Errorf("wormholeideal: cycle %d: node %d has %d of %d ejection channels idle", n.Clock, node, idle, n.config.EjectionChannels)
		}
	}
	return nil
}
