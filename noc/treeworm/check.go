package treeworm

import (
	"fmt"
	"math/bits"
)

// CheckInvariants reports whether the state between two cycles is sound: destinations are neither lost nor
// doubled, and each channel and token is held by exactly the worm that has it. Built with the tag invariants
// it runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("treeworm: %w", err)
	}
	for i := range n.places {
		p := &n.places[i]
		held := 0
		for c := int(p.first); c < len(n.channels) && n.channels[c].place == int32(i); c++ {
			if free := p.free>>n.channels[c].member&1 != 0; free == (n.channels[c].holder != none) {
				return fmt.Errorf("treeworm: cycle %d: %s is free: %v, held by position %d", n.Clock, n.placeName(int32(i)), free, n.channels[c].holder)
			}
			held++
		}
		if held < bits.OnesCount64(p.free) {
			return fmt.Errorf("treeworm: cycle %d: %s has %d channels, %d of them free", n.Clock, n.placeName(int32(i)), held, bits.OnesCount64(p.free))
		}
	}
	return n.checkWorms()
}

// checkWorms: what a worm has taken names the worm as its holder.
func (n *Network) checkWorms() error {
	for i := range n.worms {
		w := &n.worms[i]
		if !w.live {
			continue
		}
		for p := w.first; p < w.first+w.size; p++ {
			x := &n.positions[p]
			if x.worm != int32(i) {
				return fmt.Errorf("treeworm: cycle %d: position %d of worm %d belongs to worm %d", n.Clock, p, i, x.worm)
			}
			keeps := x.crossed && (x.node == none && x.left > 0 || x.node != none && !x.settled)
			if keeps && n.channels[x.channel].holder != p {
				return fmt.Errorf("treeworm: cycle %d: a worm of node %d stretches over %s, which it does not hold",
					n.Clock, n.Dispatch.At(int32(i)).From, n.channelName(x.channel))
			}
			if x.token != none && n.channels[x.token].holder != p {
				return fmt.Errorf("treeworm: cycle %d: a worm of node %d branches with a token that it does not hold", n.Clock, n.Dispatch.At(int32(i)).From)
			}
		}
	}
	return nil
}
