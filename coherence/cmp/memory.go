package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// memory is the DRAM of all memory controllers.
type memory struct {
	drams []dram    // by controller
	due   noc.Cycle // when one of them has something to do; Never when none has
}

// request hands a controller's reads and writes to its DRAM.
func (m *memory) request(controller int, reads, writes []coherence.Block, now noc.Cycle) {
	if len(reads)+len(writes) == 0 {
		return
	}
	d := &m.drams[controller]
	for _, b := range reads {
		d.read(b)
	}
	for _, b := range writes {
		d.write(b)
	}
	d.serve(now)
	m.due = min(m.due, d.next(now))
}

// step serves the requests whose turn it is, and reports every read that has its data to the chip.
func (m *memory) step(s *System) {
	m.due = noc.Never
	for i := range m.drams {
		d := &m.drams[i]
		for b, ok := d.finished(s.now); ok; b, ok = d.finished(s.now) {
			s.agents.readDone(i, b)
		}
		d.serve(s.now)
		m.due = min(m.due, d.next(s.now))
	}
}
