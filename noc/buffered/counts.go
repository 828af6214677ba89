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

// presence counts the cycles in which no phit is in a router: a phit is there from its write into a channel to its
// way through the crossbar. There is something while there are heads whose route is known, and until the last
// granted tail has crossed. What is written otherwise becomes a head two cycles later, in the order of the
// writes: so a gap is counted when the first head comes after it.
type presence struct {
	gaps  uint64
	heads uint32 // whose route is known
	sender
	end      noc.Cycle // first cycle after the last granted tail in the crossbar
	idleFrom noc.Cycle // the same, or noc.Never while there are heads
}

// sender is the state of a node's interface.
type sender struct {
	sending   bool  // a packet
	lastClass int8  // sent
	free      uint8 // classes for which it has a credit
}

// addHead notes a head that was written in a cycle, or could have been: it waited for a tail to cross.
func (p *presence) addHead(written noc.Cycle) {
	p.gaps += uint64(max(written, p.idleFrom) - p.idleFrom)
	p.heads++
	p.idleFrom = noc.Never
}

// depart notes that a head has been granted its last output and has its tail in the crossbar in cycle tail.
func (p *presence) depart(tail noc.Cycle) {
	p.end = max(p.end, tail+1)
	p.heads--
	p.idleFrom = p.end
	if p.heads > 0 {
		p.idleFrom = noc.Never
	}
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
