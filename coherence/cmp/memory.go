package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/leaf/random"
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

// writesBeforeReads is how many waiting writes make the server take one before the next read.
const writesBeforeReads = 16

// dram is the memory behind one controller: a server that moves one block at a time at the
// controller's share of the bandwidth. A read has its data Latency cycles after its service starts;
// a write only takes bandwidth. Time is kept in parts of a cycle, so that a block may take 6.4
// cycles without floating point.
type dram struct {
	parts   uint64 // parts of a cycle
	service uint64 // parts per block
	latency noc.Cycle
	perturb noc.Cycle
	random  random.Stream
	queue   int

	free   uint64 // first part at which the server is idle
	reads  queue.FIFO[coherence.Block]
	writes queue.FIFO[coherence.Block]
	done   []dramDone // ordered by time, then by start
}

type dramDone struct {
	at    noc.Cycle
	block coherence.Block
}

func newDRAM(c Config, seed uint64) dram {
	return dram{
		parts: uint64(c.Memory.BytesPerCycle), service: uint64(coherence.BlockBytes * c.Place.MemoryControllers),
		latency: c.ReadLatency(), perturb: c.Perturb, random: random.Stream(seed), queue: c.Memory.Queue,
	}
}

// room returns how many more reads may be queued.
func (d *dram) room() int { return d.queue - d.reads.Len() }

func (d *dram) read(b coherence.Block)  { d.reads.Push(b) }
func (d *dram) write(b coherence.Block) { d.writes.Push(b) }

// serve starts every waiting request whose turn comes in cycle now.
func (d *dram) serve(now noc.Cycle) {
	for d.reads.Len()+d.writes.Len() > 0 && d.free < uint64(now+1)*d.parts {
		d.free = max(d.free, uint64(now)*d.parts) + d.service
		if d.reads.Len() == 0 || d.writes.Len() >= writesBeforeReads {
			d.writes.Pop()
			continue
		}
		at := now + d.latency
		if d.perturb > 0 {
			at = at - d.perturb + noc.Cycle(d.random.Uint64()%(2*uint64(d.perturb)+1))
		}
		at = max(at, now+1)
		d.done = append(d.done, dramDone{at, d.reads.Pop()})
		for i := len(d.done) - 1; i > 0 && d.done[i-1].at > at; i-- {
			d.done[i-1], d.done[i] = d.done[i], d.done[i-1]
		}
	}
}

// finished takes the next read whose data is there in cycle now.
func (d *dram) finished(now noc.Cycle) (coherence.Block, bool) {
	if len(d.done) == 0 || d.done[0].at > now {
		return 0, false
	}
	b := d.done[0].block
	d.done = d.done[:copy(d.done, d.done[1:])]
	return b, true
}

// next returns the first cycle in which the memory has something to do.
func (d *dram) next(now noc.Cycle) noc.Cycle {
	at := noc.Never
	if len(d.done) > 0 {
		at = d.done[0].at
	}
	if d.reads.Len()+d.writes.Len() > 0 {
		at = min(at, max(now+1, noc.Cycle(d.free/d.parts)))
	}
	return at
}

// stream derives an independent seed for one purpose and node.
func stream(seed uint64, purpose string, node int) uint64 {
	h := seed ^ 0xcbf29ce484222325
	for i := range len(purpose) {
		h = (h ^ uint64(purpose[i])) * 0x100000001b3
	}
	r := random.Stream(h + uint64(node)*random.Gamma)
	return r.Uint64()
}
