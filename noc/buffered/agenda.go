package buffered

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// release is router<<2*portBits | output<<portBits | input.
type release int32

// maxAgendas is enough for the longest packet.
const maxAgendas = 64

// agendas are what takes effect in the cycles to come, a list of each kind per cycle: as few cycles as the
// longest packet asks for, a power of two.
type agendas struct {
	mask     uint
	busy     uint64 // bit c&mask: there is something to do in cycle c
	releases [maxAgendas][]release
	heads    [maxAgendas][]address // channels whose head may ask for the switch
	credits  [maxAgendas][]address // usable for the channel across; the complement asks for a new bubble test
	refills  [maxAgendas][]address // credits usable at an interface
	senders  [maxAgendas][]int32   // routers whose interface falls idle
}

func newAgendas(phits int) agendas {
	return agendas{mask: 1<<bits.Len(uint(max(phits+readyDelay, writeDelay+readyDelay))) - 1}
}

// at is the index of the lists of a cycle after the current one, to which something is added.
func (a *agendas) at(c noc.Cycle) uint {
	i := uint(c) & a.mask & (maxAgendas - 1)
	a.busy |= 1 << i
	return i
}

// clear empties the lists of a cycle.
func (a *agendas) clear(i uint) {
	a.busy &^= 1 << i
	a.releases[i], a.heads[i], a.credits[i] = a.releases[i][:0], a.heads[i][:0], a.credits[i][:0]
	a.refills[i], a.senders[i] = a.refills[i][:0], a.senders[i][:0]
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
