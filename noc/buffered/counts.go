package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// counters are what a router's activity is made of; the rest follows from what its ports sent.
type counters struct {
	injected                  uint64 // phits from the node
	asked, nominated, granted uint64 // requests to input arbiters, their winners, the outputs' winners
	copies                    uint64 // made by branches
}

// presence counts the cycles in which some phit is in a router, from the first one's write into a channel
// to the last one's way through the crossbar, from arrivals and departures that are known ahead of time.
type presence struct {
	covered uint64    // cycles known to be busy, up to and including the cycle before end
	end     noc.Cycle // first cycle not yet known to be busy
	from    noc.Cycle // first busy cycle of the packets that are here or coming, noc.Never without any
	here    uint16    // packets sent to this router that have not been granted their last output
	sender            // fits in what would be padding
}

// sender is the state of a node's interface.
type sender struct {
	sending   bool  // a packet
	lastClass int8  // sent
	free      uint8 // classes for which it has a credit
}

// arrive notes a packet that is written from a cycle on.
func (p *presence) arrive(first noc.Cycle) {
	p.from = min(p.from, first)
	p.here++
}

// depart notes that a packet that has just been granted has its tail in the crossbar in cycle tail. Packets that
// stay were written by then or follow at once: those that are sent to the router in this cycle come later.
func (p *presence) depart(tail noc.Cycle) {
	p.covered += uint64(max(0, int64(tail+1-max(p.from, p.end)))) // no branch: a coin toss
	p.end = max(p.end, tail+1)
	p.here--
	from := p.from
	if p.here == 0 {
		from = noc.Never
	}
	p.from = from
}

// busy is the number of busy cycles before now.
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

// phitCount is the number of phits in the network, exact in each cycle although streams are noted as a
// whole when they are granted: net holds how many streams begin (-) and end (+) in the cycles to come.
type phitCount struct {
	noted int64
	cycle [fabric.Horizon]noc.Cycle
	net   [fabric.Horizon]int32
}

func (p *phitCount) enter(from noc.Cycle, phits uint64) {
	p.noted += int64(phits)
	p.add(from, -1)
	p.add(from+noc.Cycle(phits), +1)
}

func (p *phitCount) leave(from noc.Cycle, phits uint64) {
	p.noted -= int64(phits)
	p.add(from, +1)
	p.add(from+noc.Cycle(phits), -1)
}

func (p *phitCount) add(c noc.Cycle, streams int32) {
	i := c % fabric.Horizon
	if p.cycle[i] != c {
		p.cycle[i], p.net[i] = c, 0
	}
	p.net[i] += streams
}

// at is the number of phits in the network at the start of a cycle.
func (p *phitCount) at(now noc.Cycle) uint64 {
	sum := p.noted
	for i, c := range p.cycle {
		if c > now {
			sum -= int64(p.net[i]) * int64(c-now)
		}
	}
	return uint64(sum)
}
