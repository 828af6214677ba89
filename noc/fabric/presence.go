package fabric

import "github.com/carousel-sim/carousel/noc"

// Presence counts the cycles in which something is in a router, for engines that look at a router
// only when something comes or goes.
type Presence struct {
	here    int32
	covered uint64
	from    noc.Cycle // of those that are here
	end     noc.Cycle // first cycle after those covered
}

// Enter notes one more from a cycle on, which is this one or the next.
func (p *Presence) Enter(from noc.Cycle) {
	if p.here == 0 || from < p.from {
		p.from = max(from, p.end)
	}
	p.here++
}

// Exit notes that one is here in cycle t for the last time.
func (p *Presence) Exit(t noc.Cycle) {
	p.here--
	if p.here == 0 && t >= p.from {
		p.covered += uint64(t - p.from + 1)
		p.end = t + 1
	}
}

// Busy returns the number of cycles before now with something here.
func (p *Presence) Busy(now noc.Cycle) uint64 {
	sum := p.covered
	if p.end > now {
		sum -= uint64(p.end - now)
	}
	if from := max(p.from, p.end); p.here > 0 && now > from {
		sum += uint64(now - from)
	}
	return sum
}
