package verify

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// paperL1 and paperL2 are the arrays of the MRR paper.
var (
	paperL1 = cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU}
	paperL2 = cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU}
)

// makers make the protocols with their default options.
var makers = []struct {
	name string
	make func(s coherence.System, l1, l2 cache.Config) coherence.Protocol
}{
	{"token", func(s coherence.System, l1, l2 cache.Config) coherence.Protocol {
		return token.New(s, token.Default(), l1, l2, 16)
	}},
	{"directory", func(s coherence.System, l1, l2 cache.Config) coherence.Protocol {
		return directory.New(s, directory.Default(), l1, l2, 16)
	}},
	{"msi", func(s coherence.System, l1, l2 cache.Config) coherence.Protocol { return msi.New(s, l1, l2, 16) }},
}

// TestDependencies: messages cause messages of higher classes only, so that classes cannot wait for
// each other in a circle, in networks or for the credits of interfaces (coherence/cmp/flight.go).
func TestDependencies(t *testing.T) {
	for _, m := range makers {
		p := m.make(twoCores(), tinyL1, tinyL2).Describe()
		for r := range coherence.Roles {
			for in, class := range p.Classes {
				for _, out := range p.Generates[r][in] {
					if int(out) <= in || int(out) >= len(p.Classes) {
						t.Errorf("%s: %s at a %s generates class %d", m.name, class, r, out)
					}
				}
			}
		}
	}
}

// TestManyCores runs a short random test on large chips, whose sets of sharers take several words.
// Package token has one of its own, with fewer accesses, each of which asks all cores.
func TestManyCores(t *testing.T) {
	for _, m := range makers[1:] {
		for k, cores := range []int{64, 65, 200} {
			s := cohtest.Stress{Seed: uint64(k), Size: cohtest.Size{Cores: cores, Banks: 2, Memories: 1}, Blocks: 20, Operations: 600,
				Outstanding: 2, Writes: 10, OpenLimit: 100_000, New: func(s coherence.System) coherence.Protocol { return m.make(s, tinyL1, tinyL2) }}
			if _, err := s.Run(); err != nil {
				t.Errorf("%s, %d cores: %v", m.name, cores, err)
			}
		}
	}
}

// roundTrip is the smallest chip with all controllers. They exchange blocks through a plain queue
// that allocates nothing itself, so that it shows what the controllers allocate and cost.
type roundTrip struct {
	caches [2]coherence.CacheController
	bank   coherence.Controller
	memory coherence.MemoryController

	queue     []coherence.Send
	receivers []coherence.Agent
	effects   coherence.Effects
	now       noc.Cycle
	next      coherence.Block
	timers    []coherence.Timer
	messages  int
}

// blocks are more than fit the paper's arrays.
const blocks = 4096

var oneHome = &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}}

// twoCores returns that chip as a protocol has to know it.
func twoCores() coherence.System {
	return coherence.System{Cores: 2, Homes: oneHome}
}

func newRoundTrip(p coherence.Protocol) *roundTrip {
	return &roundTrip{caches: [2]coherence.CacheController{p.NewCache(0), p.NewCache(1)}, bank: p.NewBank(0), memory: p.NewMemory(0)}
}

// round is what happens to each block, one after the other: a read from memory, one from the other
// cache, an upgrade, and a write from the other cache. Blocks leave both kinds of caches all the
// time.
var round = [...]struct {
	core int
	kind coherence.AccessKind
}{{0, coherence.Load}, {1, coherence.Load}, {0, coherence.Store}, {1, coherence.Store}}

// round does a round with the next block and delivers every message that follows from it.
func (r *roundTrip) round() {
	r.next = (r.next + 1) % blocks
	for _, a := range round {
		r.now += 1000
		r.effects.Reset()
		r.caches[a.core].Access(coherence.Access{Block: r.next, Kind: a.kind}, r.now, &r.effects)
		r.queue = append(r.queue, r.effects.Sends...)
		for i := range r.queue { // all of it leaves before anything arrives
			if r.queue[i].Receipt {
				r.caches[a.core].Sent(r.queue[i].Message, r.now, &r.effects)
			}
		}
		r.timers = append(r.timers[:0], r.effects.Timers...)
		for head := 0; head < len(r.queue); head++ {
			s := r.queue[head]
			r.receivers = s.AppendReceivers(r.receivers[:0], oneHome)
			for _, a := range r.receivers {
				r.take(a, s.Message)
			}
		}
		r.queue = r.queue[:0]
		for _, t := range r.timers {
			r.caches[a.core].Timeout(t, r.now, &r.effects)
		}
	}
}

// take passes a message to a controller and queues what it sends.
func (r *roundTrip) take(a coherence.Agent, m coherence.Message) {
	r.effects.Reset()
	r.messages++
	switch a.Role {
	case coherence.Cache:
		r.caches[a.Index].Accept(m, r.now, &r.effects)
	case coherence.Bank:
		r.bank.Accept(m, r.now, &r.effects)
		for r.bank.HasDeferred() {
			r.bank.Continue(r.now, &r.effects)
		}
	case coherence.Memory:
		r.memory.Accept(m, r.now, &r.effects)
		for _, b := range r.effects.Reads {
			r.memory.MemoryDone(b, r.now, &r.effects)
		}
	}
	r.queue = append(r.queue, r.effects.Sends...)
}

// warm does two rounds with every block.
func (r *roundTrip) warm() {
	for range 2 * blocks {
		r.round()
	}
}

// TestNoAllocation: once the caches are full, neither a round nor a hit allocates anything, while
// blocks leave the bank all the time.
func TestNoAllocation(t *testing.T) {
	for _, m := range makers {
		r := newRoundTrip(m.make(twoCores(), paperL1, paperL2))
		r.warm()
		if n := must.Allocations(5000, r.round); n != 0 {
			t.Errorf("%s: a round allocates %v times", m.name, n)
		}
		hit := coherence.Access{Block: r.next, Kind: coherence.Store}
		if n := must.Allocations(1000, func() { r.caches[1].Access(hit, r.now, &r.effects) }); n != 0 {
			t.Errorf("%s: a hit allocates %v times", m.name, n)
		}
		if c := r.bank.Counters(); c.Evictions < blocks {
			t.Errorf("%s: only %d blocks have left the bank", m.name, c.Evictions)
		}
	}
}

// BenchmarkMiss measures rounds, with everything that follows from them, per access.
func BenchmarkMiss(b *testing.B) {
	for _, m := range makers {
		b.Run(m.name, func(b *testing.B) {
			r := newRoundTrip(m.make(twoCores(), paperL1, paperL2))
			r.warm()
			r.messages = 0
			n := 0
			for b.Loop() {
				r.round()
				n += len(round)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/miss")
			b.ReportMetric(float64(r.messages)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
