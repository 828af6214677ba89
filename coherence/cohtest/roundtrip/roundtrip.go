// Package roundtrip shows what the controllers of a protocol allocate and cost: a [Chip] of two
// cores, a bank and a memory controller exchanges blocks through a plain queue that allocates
// nothing itself.
//
// It is for tests and benchmarks of protocols. Nothing here checks laws: coherence/cohtest does.
package roundtrip

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Access is one access of a round.
type Access struct {
	Core int
	Kind coherence.AccessKind
}

// Chip is the smallest chip with all controllers.
type Chip struct {
	Caches [2]coherence.CacheController
	Bank   coherence.Controller
	Memory coherence.MemoryController

	round    []Access
	queue    []coherence.Send
	effects  coherence.Effects
	now      noc.Cycle
	next     coherence.Block
	timers   []coherence.Timer
	messages int
}

// blocks are more than fit the caches of a usual configuration.
const blocks = 4096

// System returns a chip as a protocol has to know it.
func System() coherence.System {
	return coherence.System{Cores: 2, Homes: &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}}
}

// New returns the chip of a protocol that was made for System. A round is what happens to each
// block, one after the other: misses, if the blocks before have filled the caches.
func New(p coherence.Protocol, round ...Access) *Chip {
	return &Chip{Caches: [2]coherence.CacheController{p.NewCache(0), p.NewCache(1)}, Bank: p.NewBank(0), Memory: p.NewMemory(0), round: round}
}

// Round does a round with the next block and delivers every message that follows from it.
func (r *Chip) Round() {
	r.next = (r.next + 1) % blocks
	for _, a := range r.round {
		r.now += 1000
		r.effects.Reset()
		r.Caches[a.Core].Access(coherence.Access{Block: r.next, Kind: a.Kind}, r.now, &r.effects)
		r.queue = append(r.queue, r.effects.Sends...)
		for i := range r.queue { // all of it leaves before anything arrives
			if r.queue[i].Receipt {
				r.Caches[a.Core].Sent(r.queue[i].Message, r.now, &r.effects)
			}
		}
		timers := append(r.timers[:0], r.effects.Timers...)
		r.timers = timers
		for head := 0; head < len(r.queue); head++ {
			r.deliver(r.queue[head])
		}
		r.queue = r.queue[:0]
		for _, t := range timers {
			r.Caches[a.Core].Timeout(t, r.now, &r.effects)
		}
	}
}

// deliver delivers the copies of a message.
func (r *Chip) deliver(s coherence.Send) {
	if !s.Many {
		r.take(s.One, s.Message)
		return
	}
	for core, ok := s.Caches.Next(0); ok; core, ok = s.Caches.Next(core + 1) {
		r.take(coherence.Agent{Role: coherence.Cache, Index: uint16(core)}, s.Message)
	}
	if s.Home {
		r.take(coherence.Agent{Role: coherence.Bank}, s.Message)
	}
	if s.Memory {
		r.take(coherence.Agent{Role: coherence.Memory}, s.Message)
	}
}

// take passes a message to a controller and queues what it sends.
func (r *Chip) take(a coherence.Agent, m coherence.Message) {
	r.effects.Reset()
	r.messages++
	switch a.Role {
	case coherence.Cache:
		r.Caches[a.Index].Accept(m, r.now, &r.effects)
	case coherence.Bank:
		r.Bank.Accept(m, r.now, &r.effects)
		for r.Bank.HasDeferred() {
			r.Bank.Continue(r.now, &r.effects)
		}
	case coherence.Memory:
		r.Memory.Accept(m, r.now, &r.effects)
		for _, b := range r.effects.Reads {
			r.Memory.MemoryDone(b, r.now, &r.effects)
		}
	}
	r.queue = append(r.queue, r.effects.Sends...)
}

// Warm does two rounds with every block.
func (r *Chip) Warm() {
	for range 2 * blocks {
		r.Round()
	}
}

// TestNoAllocation holds that a round, and a hit, allocate nothing.
func (r *Chip) TestNoAllocation(t *testing.T) {
	t.Helper()
	r.Warm()
	if n := testing.AllocsPerRun(5000, r.Round); n != 0 {
		t.Errorf("a round allocates %v times", n)
	}
	last := r.round[len(r.round)-1]
	hit := coherence.Access{Block: r.next, Kind: last.Kind}
	if n := testing.AllocsPerRun(1000, func() { r.Caches[last.Core].Access(hit, r.now, &r.effects) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
}

// BenchmarkHit measures reads of the core whose access ends a round.
func (r *Chip) BenchmarkHit(b *testing.B) {
	for range 256 {
		r.Round()
	}
	c := r.Caches[r.round[len(r.round)-1].Core]
	for i := 0; b.Loop(); i++ {
		if o, _ := c.Access(coherence.Access{Block: coherence.Block(1 + i&127)}, r.now, &r.effects); o != coherence.Hit {
			b.Fatal("not a hit")
		}
	}
}

// BenchmarkMiss measures rounds, with everything that follows from them, per access.
func (r *Chip) BenchmarkMiss(b *testing.B) {
	r.Warm()
	r.messages = 0
	n := 0
	for b.Loop() {
		r.Round()
		n += len(r.round)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/miss")
	b.ReportMetric(float64(r.messages)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkRequest measures what a request of another core costs at an L1 that does not have the
// block.
func (r *Chip) BenchmarkRequest(b *testing.B, m coherence.Message) {
	for b.Loop() {
		r.Caches[1].Accept(m, r.now, &r.effects)
	}
}
