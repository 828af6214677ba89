package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// agenda is what takes effect in one cycle.
type agenda struct {
	releases []release
	heads    []address // channels whose head may ask for the switch
	credits  []address // usable for the channel across; the complement asks for a new bubble test
	refills  []address // credits usable at an interface
	senders  []int32   // routers whose interface falls idle
}

func (a *agenda) clear() {
	a.releases, a.heads, a.credits = a.releases[:0], a.heads[:0], a.credits[:0]
	a.refills, a.senders = a.refills[:0], a.senders[:0]
}

// release is router<<2*portBits | output<<portBits | input.
type release int32

// agendas are those of the cycles to come: as few as the longest packet asks for, a power of two.
type agendas struct {
	row  []agenda
	mask uint
	busy uint64 // bit c&mask: there is something to do in cycle c
}

func newAgendas(phits int) agendas {
	size := 1 << bits.Len(uint(max(phits+readyDelay, writeDelay+readyDelay)))
	return agendas{row: make([]agenda, size), mask: uint(size - 1)}
}

// at is the agenda of a cycle after the current one.
func (a *agendas) at(c noc.Cycle) *agenda {
	i := uint(c) & a.mask
	a.busy |= 1 << i
	return &a.row[i]
}

// take is the agenda of the current cycle, nil if it is empty.
func (a *agendas) take(now noc.Cycle) *agenda {
	i := uint(now) & a.mask
	if a.busy>>i&1 == 0 {
		return nil
	}
	a.busy &^= 1 << i
	return &a.row[i]
}

// next is the first cycle from now on with something to do.
func (a *agendas) next(now noc.Cycle) noc.Cycle {
	if a.busy == 0 {
		return noc.Never
	}
	i := uint(now) & a.mask
	turned := a.busy>>i | a.busy<<(a.mask+1-i)
	return now + noc.Cycle(bits.TrailingZeros64(turned))
}
