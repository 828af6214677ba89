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

// presence counts the cycles in which no phit is in a router: a phit is there from its write into a channel to
// its way through the crossbar, and both are known ahead of time. From the first of several packets to the last
// one's grant the router is not idle, so a saturated router has only end and here to keep.
type presence struct {
	gaps uint64    // idle cycles before from or, in an empty router, before end
	from noc.Cycle // end of the last gap: the first packet's write
	end  noc.Cycle // first cycle after the last tail in the crossbar
	here uint32    // packets sent to this router that have not been granted their last output
	sender
}

// sender is the state of a node's interface.
type sender struct {
	sending   bool  // a packet
	lastClass int8  // sent
	free      uint8 // classes for which it has a credit
}

// arrive notes a packet that is written from a cycle on. If there are others, the first of them is written no later:
// they were sent earlier, over links as long.
func (p *presence) arrive(first noc.Cycle) {
	if p.here++; p.here == 1 {
		p.from = max(first, p.end)
		p.gaps += uint64(p.from - p.end)
	}
}

// enter notes a packet from the node, which may be written before others that were sent earlier. Before those,
// nothing leaves, so that a gap in front of them is still there to be cut short.
func (p *presence) enter(first noc.Cycle) {
	p.arrive(first)
	if sooner := max(first, p.end); sooner < p.from {
		p.gaps -= uint64(p.from - sooner)
		p.from = sooner
	}
}

// depart notes that a packet that has just been granted has its tail in the crossbar in cycle tail. Packets that
// stay were written by then or follow at once: those that are sent to the router in this cycle come later.
func (p *presence) depart(tail noc.Cycle) {
	p.end = max(p.end, tail+1)
	p.here--
}

// idle is the number of idle cycles before now.
func (p *presence) idle(now noc.Cycle) uint64 {
	after := max(now, p.end)
	if p.here == 0 {
		return p.gaps + uint64(after-p.end)
	}
	return p.gaps - uint64(max(p.from, after)-after)
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
