package virtualchannel

import "fmt"

// CheckInvariants tells whether the state between two cycles is sound: destinations are neither lost nor
// doubled, and credits, flits and their ways add up for every channel. Built with the tag invariants it
// runs after every cycle.
func (n *Network) CheckInvariants() error {
	if err := n.CheckDestinations(); err != nil {
		return fmt.Errorf("virtualchannel: %w", err)
	}
	return n.checkCredits()
}

// checkCredits: what the sender knows to be free, flits here and on their way, and credits on their way make
// up each channel, and its owner sends to it.
func (n *Network) checkCredits() error {
	if n.underWay == nil {
		n.underWay = make([]int, len(n.front))
	}
	under := n.underWay
	clear(under)
	for i := range n.agenda {
		for _, ch := range n.agenda[i].flits {
			under[ch]++
		}
		for _, ch := range n.agenda[i].credits {
			under[ch]++
		}
	}
	for i := range n.channel {
		ch, c := uint32(i), &n.channel[i]
		feeder := n.port[n.inputOf(c)].feeder
		if feeder == none {
			continue
		}
		if sum := int(n.credits[ch]) + n.front[ch].here() + under[ch]; sum != n.config.BufferPhits {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s has %d credits, %d flits and %d on their way, together not %d",
				n.Clock, c.router, n.name(ch), n.credits[ch], n.front[ch].here(), under[ch], n.config.BufferPhits)
		}
		up := n.owner[ch]
		free := n.port[feeder].free>>c.number&1 != 0
		if free != (up == n.nowhere) || !free && n.front[up].to() != ch {
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s belongs to channel %d, which sends elsewhere, or is free: %v",
				n.Clock, c.router, n.name(ch), up, free)
		}
	}
	return n.checkSets()
}

// checkSets: the sets of routers say what each channel's numbers say, so a channel asks for the switch exactly when it
// could move; and a header that could get a virtual channel asks for one.
func (n *Network) checkSets() error {
	for _, ch := range n.asking {
		n.underWay[ch] = -1 // nothing else does
	}
	for i := range n.port {
		for ch := n.port[i].sleeper; ch != n.nowhere; ch = n.channel[ch].next {
			if n.underWay[ch] = -1; n.granted(&n.channel[ch]) {
				return fmt.Errorf("virtualchannel: cycle %d, node %d: %s sleeps, though it could get a virtual channel", n.Clock,
					n.channel[ch].router, n.name(ch))
			}
		}
	}
	for i := range n.channel {
		ch, c, x := uint32(i), &n.channel[i], &n.lanes[i>>6]
		has := func(set uint64) bool { return set>>(ch&63)&1 != 0 }
		output := 0
		for i, set := range x.output {
			output |= int(set>>(ch&63)&1) << i
		}
		place := i >> 6 % n.places
		live := n.banks[i>>6/n.places].live[place>>6]>>(place&63)&1 != 0
		switch {
		case live != (x.active != 0), has(x.some) != (n.front[ch].here() > 0), has(x.active) != (c.stage == active), has(x.waiting) != (c.stage == waiting), n.lucky != nil && n.lucky[i>>6] != 0,
			c.stage == active && has(x.room) != (n.credits[n.front[ch].to()] > 0),
			c.stage >= waiting && n.portAt(int(c.router), output) != c.out:
			return fmt.Errorf("virtualchannel: cycle %d, node %d: sets of %s do not say what it does: %d flits, stage %d, to channel %d",
				n.Clock, c.router, n.name(ch), n.front[ch].here(), c.stage, n.front[ch].to())
		case (c.stage == waiting) != (n.underWay[ch] < 0):
			return fmt.Errorf("virtualchannel: cycle %d, node %d: %s waits for a channel: %v, but asks for one or sleeps: %v", n.Clock, c.router,
				n.name(ch), c.stage == waiting, n.underWay[ch] < 0)
		}
	}
	return nil
}
