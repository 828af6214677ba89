package engine

import "fmt"

// CheckInvariants reports whether the state between two cycles is sound: the laws of package buffered
// hold, and what is noted in more than one place agrees.
func (n *Network) CheckInvariants() error {
	if err := n.mirrored().CheckInvariants(); err != nil {
		return err
	}
	return n.checkNotes()
}

// checkCycle is CheckInvariants for builds with the tag invariants, after every cycle. To show the
// state to plain routers takes longer than the cycle, so their laws are verified in one of 32.
func (n *Network) checkCycle() error {
	if n.Clock%32 == 0 {
		return n.CheckInvariants()
	}
	return n.checkNotes()
}

// checkNotes verifies what is noted in more than one place.
func (n *Network) checkNotes() error {
	if err := n.checkDestinations(); err != nil {
		return err
	}
	return n.checkReady()
}

// checkReady: the heads noted as ready are those that ask for an idle output with space for them,
// and a router that can grant something is due.
func (n *Network) checkReady() error {
	for node := range n.routers {
		r, before, word := *n.routers[node], n.routers[node].ready, n.due[node/64]
		n.findReady(&r)
		due := n.due[node/64]
		n.due[node/64] = word
		if before != r.ready {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are noted as ready, %x are", n.Clock, node, before, r.ready)
		}
		if due != word {
			return fmt.Errorf("buffered: cycle %d, node %d: channels %x are ready, but the router does not look", n.Clock, node, r.ready)
		}
	}
	return nil
}

// checkDestinations: what sources accepted is delivered, queued or in a channel, and every packet
// is in one place.
func (n *Network) checkDestinations() error {
	owed, packets := 0, 0
	for ch := range n.channels {
		c := &n.channels[ch]
		for i := range int(c.size) {
			packets++
			owed += n.Packets.Count(n.packetAt(ch, i).packet.id())
		}
	}
	queued, waiting := n.Sources.Waiting()
	if total := n.Owed(); owed+waiting != total {
		return fmt.Errorf("buffered: cycle %d: %d destinations in channels and %d in source queues, %d are owed", n.Clock, owed, waiting, total)
	}
	if live := n.Packets.Live(); packets+queued != live {
		return fmt.Errorf("buffered: cycle %d: %d packets in channels and %d in source queues, %d are alive", n.Clock, packets, queued, live)
	}
	return nil
}

// mustSplit panics unless a branch takes some but not all destinations of its packet.
func mustSplit(from, branch []uint64) {
	some, rest, foreign := uint64(0), uint64(0), uint64(0)
	for i := range from {
		some |= branch[i]
		rest |= from[i] &^ branch[i]
		foreign |= branch[i] &^ from[i]
	}
	if some == 0 || rest == 0 || foreign != 0 {
		panic(fmt.Sprintf("buffered: a packet for %x cannot be split into a branch for %x", from, branch))
	}
}
