package cmp

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// Performed is one record of a trace that has taken effect for good: a store or unlock when it
// becomes visible, everything else when it retires. Instruction fetches and ends of streams are not
// told.
//
// Versions stand for data, so this is all that a program needs to know the values it would have
// computed: a load reads what the latest store to its bytes up to Version wrote, and an atomic what
// came before the version that it made.
type Performed struct {
	Core   int
	Record uint64        // position in the core's stream, from 0
	Access traces.Record // kind, address and size
	// Version is that of the block when the load read it, or that the store or atomic made; 0 for
	// what accesses no memory, and for locks and barriers.
	Version uint64
	// Forwarded loads took their value from the store at position From of their own core, before it
	// became visible; they have no version.
	Forwarded bool
	From      uint64
	Cycle     noc.Cycle
}

// Watch calls f for every record as it takes effect; records of one core and kind come in program
// order. Call it before Run. A run that is watched gives the same results, more slowly.
func (s *System) Watch(f func(Performed)) {
	s.observer = f
	for i := range s.cores {
		c := &s.cores[i]
		c.reported, c.checked = f != nil, f != nil || s.audit.checking
	}
}

// notifyObserver reports one record to the observer.
func (c *core) notifyObserver(r traces.Record, index uint32, value uint64, forwarded bool) {
	p := Performed{Core: c.id, Record: c.input.whole(index), Access: r, Version: value, Forwarded: forwarded, Cycle: c.system.now}
	if forwarded {
		p.Version, p.From = 0, value
	}
	c.system.observer(p)
}
