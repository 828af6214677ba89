package engine

import "github.com/carousel-sim/carousel/noc"

// counters are what a router's activity is made of; the rest follows from what its ports sent.
type counters struct {
	injected                  uint64 // phits from the node
	asked, nominated, granted uint64 // requests to input arbiters, their winners, the outputs' winners
	copies                    uint64 // made by branches
}

// presence counts the cycles in which no phit is in a router: a phit is there from its write into a
// channel to its way through the crossbar. There is something while there are heads whose route is
// known, and until the last granted tail has crossed. Other packets that are written become heads
// delays.ready cycles later, in the order of the writes, so a gap is counted at the first head
// after it.
type presence struct {
	gaps  uint64
	heads uint32 // whose route is known
	sender
	end noc.Cycle // first cycle after the last granted tail in the crossbar
}

// sender is the state of a node's interface.
type sender struct {
	sending   bool  // a packet
	lastClass int8  // sent
	free      uint8 // classes for which it has a credit
}

// addHead notes a head that was written in a cycle, or could have been: it waited for a tail to
// cross. Whether it is the first after a gap cannot be predicted, so there is no branch.
func (p *presence) addHead(written noc.Cycle) {
	gap := max(written, p.end) - p.end
	if p.heads > 0 {
		gap = 0
	}
	p.gaps += uint64(gap)
	p.heads++
}

// depart notes that a head has been granted its last output and has its tail in the crossbar in
// cycle tail.
func (p *presence) depart(tail noc.Cycle) {
	p.end = max(p.end, tail+1)
	p.heads--
}

// inside returns the number of phits in the network at the start of the current cycle. It is
// computed on demand: a packet counts as a whole from the cycle in which it is sent, copied or
// granted its exit, and the phits of its stream that have not passed yet are corrected for.
func (n *Network) inside() uint64 {
	sum := n.copied - n.Sinks.Phits() + n.Sinks.Streaming(n.Clock)
	// Of those that were granted in the last cycle nothing streams yet, until ejectDelay is over.
	if n.began+1 == n.Clock {
		sum -= (n.Sinks.Delivered() - n.ejected) * (ejectDelay - 1)
	}
	for _, r := range n.routers {
		sum += r.injected
	}
	n.wheel.All(n.Clock, func(ahead noc.Cycle, a *events) { sum -= uint64(len(a.senders)+a.copies) * uint64(ahead) })
	return sum
}
