package wormhole

import "github.com/carousel-sim/carousel/noc"

// routerCounters are what a router has done. They are raised for all phits of a worm when its header does
// it.
type routerCounters struct {
	asked, granted    uint64 // requests to channels, when one is granted
	crossbar, ejected uint64
	written, read     uint64
	injected          uint64
	copies, lookups   uint64
	presence
}

// presence counts the cycles in which some worm is in a router: from the cycle after its header crossed
// into the buffer, or the one in which it came straight from the node, until its tail leaves.
type presence struct {
	here    int32
	covered uint64
	from    noc.Cycle // of the worms that are here
	end     noc.Cycle // first cycle after those covered
}

// enter notes a worm that is here from a cycle on, which is this one or the next.
func (p *presence) enter(from noc.Cycle) {
	if p.here == 0 || from < p.from {
		p.from = max(from, p.end)
	}
	p.here++
}

// exit notes that a worm is here in cycle t for the last time.
func (p *presence) exit(t noc.Cycle) {
	p.here--
	if p.here == 0 && t >= p.from {
		p.covered += uint64(t - p.from + 1)
		p.end = t + 1
	}
}

// busy is the number of cycles before now with a worm here.
func (p *presence) busy(now noc.Cycle) uint64 {
	sum := p.covered
	if p.end > now {
		sum -= uint64(p.end - now)
	}
	if from := max(p.from, p.end); p.here > 0 && now > from {
		sum += uint64(now - from)
	}
	return sum
}
