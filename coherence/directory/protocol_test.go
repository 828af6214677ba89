package directory

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/noc"
)

// TestDependencies verifies that accepting a message only generates classes above its own, so that the
// classes cannot wait for each other in a circle.
func TestDependencies(t *testing.T) {
	for r := range generates {
		for in, list := range generates[r] {
			for _, out := range list {
				if out <= noc.Class(in) {
					t.Errorf("%s: %s generates %s", coherence.Role(r), classNames[in], classNames[out])
				}
			}
		}
		if len(generates[r][Done]) > 0 {
			t.Errorf("%s: the highest class generates %v", coherence.Role(r), generates[r][Done])
		}
	}
}

// TestCellsAreThoseOfTheModel compares the sizes of the tables with those that exhaustive search of a
// model of one block has found to be reachable: 29 pairs of state and message at an L1, 33 when read-only
// blocks are dropped silently, and 33 at a home.
func TestCellsAreThoseOfTheModel(t *testing.T) {
	for _, x := range []struct {
		silent      bool
		cache, home int
	}{{false, 29, 33}, {true, 33, 29}} {
		c := Default()
		c.SilentS = x.silent
		p := New(coherence.System{Cores: 2, Homes: oneBank()}, c, tinyL1, tinyL2, 4)
		n := [coherence.Roles]int{}
		for _, cell := range p.Cells() {
			switch cell.Event {
			case "load", "store", "evict", "stall", "victim":
			default:
				n[cell.Role]++
			}
		}
		// Without PutS a home lacks four pairs.
		if n[coherence.Cache] != x.cache || n[coherence.Bank] != x.home {
			t.Errorf("silent %t: %d pairs at an L1 and %d at a home, want %d and %d", x.silent, n[coherence.Cache], n[coherence.Bank], x.cache, x.home)
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"directory.transactions": func(c *Config) { c.Transactions = 0 },
		"directory.stall_queue":  func(c *Config) { c.StallQueue = MaxStalled + 1 },
		"directory.write_backs":  func(c *Config) { c.WriteBacks = -1 },
	} {
		c := Default()
		if err := c.Validate(); err != nil {
			t.Fatalf("the default: %v", err)
		}
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func oneBank() *coherence.Homes { return &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}} }

// TestManyCores runs a short stress on large chips, whose sets of sharers take several words.
func TestManyCores(t *testing.T) {
	for k, cores := range []int{64, 65, 200, 1024} {
		c := Default()
		c.SilentS = k%2 == 1
		s := cohtest.Stress{Seed: 1, Size: cohtest.Size{Cores: cores, Banks: 2, Memories: 1}, Blocks: 20, Operations: 1200,
			Outstanding: 2, Writes: 10, Patience: 100_000}
		if _, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect, nil)); err != nil {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// TestRecords compares the memory controller's hash table with a map.
func TestRecords(t *testing.T) {
	r := newRecords()
	want := map[coherence.Block]coherence.Version{}
	for i := range 5000 {
		b := coherence.Block(i*i*7919) & 0xfff
		r.get(b).version++
		want[b]++
	}
	if len(r.all) != len(want) || r.find(0x10000) != nil {
		t.Fatalf("%d records, want %d", len(r.all), len(want))
	}
	for b, v := range want {
		if got := r.find(b); got == nil || got.block != b || got.version != v {
			t.Fatalf("block %d: %+v, want version %d", b, got, v)
		}
	}
}

// paperL1 and paperL2 are the paper's arrays.
var (
	paperL1 = cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU}
	paperL2 = cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU}
)

// roundTrips lets two caches, a bank and a memory controller exchange blocks through a plain queue,
// without allocation of its own.
type roundTrips struct {
	caches  [2]coherence.CacheController
	bank    coherence.Controller
	memory  coherence.MemoryController
	queue   []coherence.Send
	effects coherence.Effects
	now     noc.Cycle
	next    coherence.Block
	count   int
}

func newRoundTrips() *roundTrips {
	p := New(coherence.System{Cores: 2, Homes: oneBank()}, Default(), paperL1, paperL2, 16)
	r := &roundTrips{bank: p.NewBank(0), memory: p.NewMemory(0)}
	r.caches = [2]coherence.CacheController{p.NewCache(0), p.NewCache(1)}
	return r
}

// miss lets core 0 read the next of 4096 blocks, core 1 read it and both write it, and delivers everything.
// Blocks leave both kinds of caches all the time.
func (r *roundTrips) miss() {
	r.next = (r.next + 1) & 4095
	for i := range 4 {
		r.now += 1000
		r.effects.Reset()
		kind := coherence.Load
		if i > 1 {
			kind = coherence.Store
		}
		r.caches[i&1].Access(coherence.Access{Block: r.next, Kind: kind}, r.now, &r.effects)
		r.queue = append(r.queue, r.effects.Sends...)
		for head := 0; head < len(r.queue); head++ {
			if s := r.queue[head]; !s.Many {
				r.take(s.One, s.Message)
			} else {
				for core, ok := s.Caches.Next(0); ok; core, ok = s.Caches.Next(core + 1) {
					r.take(coherence.Agent{Index: uint16(core)}, s.Message)
				}
			}
		}
		r.queue = r.queue[:0]
	}
}

func (r *roundTrips) take(a coherence.Agent, m coherence.Message) {
	r.effects.Reset()
	r.count++
	switch a.Role {
	case coherence.Cache:
		r.caches[a.Index].Accept(m, r.now, &r.effects)
	case coherence.Bank:
		r.bank.Accept(m, r.now, &r.effects)
		for r.bank.Owes() {
			r.bank.Continue(r.now, &r.effects)
		}
	case coherence.Memory:
		r.memory.Accept(m, r.now, &r.effects)
		for i := range r.effects.Reads {
			r.memory.MemoryDone(r.effects.Reads[i], r.now, &r.effects)
		}
	}
	r.queue = append(r.queue, r.effects.Sends...)
}

func TestNoAllocation(t *testing.T) {
	r := newRoundTrips()
	for range 2 * 4096 {
		r.miss()
	}
	if n := testing.AllocsPerRun(5000, r.miss); n != 0 {
		t.Errorf("a miss allocates %v times", n)
	}
	if c := r.bank.Counters(); c.Evictions < 4096 {
		t.Errorf("only %d blocks have left the bank", c.Evictions)
	}
	hit := coherence.Access{Block: r.next, Kind: coherence.Store}
	if n := testing.AllocsPerRun(1000, func() { r.caches[1].Access(hit, r.now, &r.effects) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
}

func BenchmarkHit(b *testing.B) {
	r := newRoundTrips()
	for i := range 256 {
		r.next = coherence.Block(i)
		r.miss()
	}
	for i := 0; b.Loop(); i++ {
		if o, _ := r.caches[1].Access(coherence.Access{Block: coherence.Block(1 + i&127)}, r.now, &r.effects); o != coherence.Hit {
			b.Fatal("not a hit")
		}
	}
}

// BenchmarkMiss is a miss with everything that follows from it: one in four from memory, with a recall, one
// read from the other cache, an upgrade, and a write from the other cache.
func BenchmarkMiss(b *testing.B) {
	r := newRoundTrips()
	for range 8192 {
		r.miss()
	}
	r.count = 0
	n := 0
	for b.Loop() {
		r.miss()
		n += 4
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/miss")
	b.ReportMetric(float64(r.count)/b.Elapsed().Seconds(), "messages/s")
}
