package token

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
	}
	for r := range generates {
		if len(generates[r][Home]) > 0 {
			t.Errorf("%s: the highest class generates %v", coherence.Role(r), generates[r][Home])
		}
	}
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"token.tokens":       func(c *Config) { c.Tokens = MaxTokens + 1 },
		"token.timeout":      func(c *Config) { c.Timeout = 0 },
		"token.adaptive_low": func(c *Config) { c.Adaptive, c.AdaptiveLow = true, 9999 },
		"token.issues":       func(c *Config) { c.Issues = -1 },
		"token.evict_shared": func(c *Config) { c.EvictShared = "" },
		"token.bank_gives":   func(c *Config) { c.BankGives = "none" },
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
	for _, x := range []struct{ tokens, cores, want int }{{0, 16, 32}, {0, 17, 64}, {0, 1024, 2048}, {17, 16, 17}, {16, 16, 0}} {
		got, err := Config{Tokens: x.tokens}.TokensFor(x.cores)
		if got != x.want || (err == nil) != (x.want > 0) {
			t.Errorf("TokensFor(%d) with %d tokens is %d, %v; want %d", x.cores, x.tokens, got, err, x.want)
		}
	}
}

// TestAdaptiveTimeout starts at the configured timeout and follows 1.5 times the mean latency.
func TestAdaptiveTimeout(t *testing.T) {
	c := Default()
	c.Adaptive = true
	p := New(coherence.System{Cores: 2, Homes: oneBank()}, c, tinyL1, tinyL2, 4)
	l := p.newL1(0)
	if got := l.timeout(); got < 510 || got > 512 {
		t.Errorf("starts at %d, want 512", got)
	}
	for range 100 {
		l.now = 1000
		l.observe(&miss{issues: 1, issued: 800})
		l.observe(&miss{issues: 2, issued: 0})
		l.observe(&miss{issues: 1, persistent: true, issued: 0})
	}
	if got := l.timeout(); got < 298 || got > 302 {
		t.Errorf("after misses of 200 cycles it is %d, want 300", got)
	}
	for range 100 {
		l.observe(&miss{issues: 1, issued: 990})
	}
	if got := l.timeout(); got != 128 {
		t.Errorf("after misses of 10 cycles it is %d, want the lower limit", got)
	}
}

func oneBank() *coherence.Homes { return &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}} }

// TestManyCores runs a short stress on the largest chip.
func TestManyCores(t *testing.T) {
	c := Default()
	c.Timeout, c.Issues = 3000, 1
	s := cohtest.Stress{Seed: 1, Size: cohtest.Size{Cores: 200, Banks: 2, Memories: 1}, Blocks: 20, Operations: 120,
		Outstanding: 2, Writes: 30, Patience: 100_000}
	report, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect, nil))
	if err != nil || report.Counters.PersistentRequests == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	p := New(coherence.System{Cores: 1024, Homes: oneBank()}, Default(), tinyL1, tinyL2, 4)
	if l := p.newL1(1023); l.others.Count() != 1023 || l.others.Has(1023) || p.Tokens() != 2048 {
		t.Errorf("core 1023 of 1024 asks %d others with %d tokens", l.others.Count(), p.Tokens())
	}
}

// TestRecords compares the memory controller's hash table with a map.
func TestRecords(t *testing.T) {
	r := newRecords()
	for i := range 5000 {
		b := coherence.Block(i*i*7919) & 0xfff
		r.get(b, 4).dest = uint16(b)
	}
	if len(r.all) > 4096 || r.find(0x10000) != nil {
		t.Fatalf("%d records", len(r.all))
	}
	for i := range r.all {
		b := r.all[i].block
		if got := r.find(b); got != &r.all[i] || got.dest != uint16(b) || got.line.tokens != 4 {
			t.Fatalf("block %d: %+v", b, got)
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

// miss lets both cores write the next of 4096 blocks, in turn, and delivers everything.
func (r *roundTrips) miss() {
	r.next = (r.next + 1) & 4095
	for i := range r.caches {
		r.now += 1000
		r.effects.Reset()
		r.caches[i].Access(coherence.Access{Block: r.next, Kind: coherence.Store}, r.now, &r.effects)
		timers := r.effects.Timers
		r.collect()
		for head := 0; head < len(r.queue); head++ {
			s := &r.queue[head]
			if !s.Many {
				r.take(s.One, s.Message)
				continue
			}
			r.take(coherence.Agent{Index: uint16(1 - i)}, s.Message)
			r.take(coherence.Agent{Role: coherence.Bank}, r.queue[head].Message)
		}
		r.queue = r.queue[:0]
		for _, t := range timers {
			r.caches[i].Timeout(t, r.now, &r.effects)
		}
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
	case coherence.Memory:
		r.memory.Accept(m, r.now, &r.effects)
		for i := range r.effects.Reads {
			r.memory.MemoryDone(r.effects.Reads[i], r.now, &r.effects)
		}
	}
	r.collect()
}

func (r *roundTrips) collect() { r.queue = append(r.queue, r.effects.Sends...) }

func TestNoAllocation(t *testing.T) {
	r := newRoundTrips()
	for range 2 * 4096 {
		r.miss()
	}
	if n := testing.AllocsPerRun(5000, r.miss); n != 0 {
		t.Errorf("a miss allocates %v times", n)
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

// BenchmarkMiss is a write miss with everything that follows from it; one in two comes from memory or the
// bank, one from the other cache.
func BenchmarkMiss(b *testing.B) {
	r := newRoundTrips()
	for range 8192 {
		r.miss()
	}
	r.count = 0
	n := 0
	for b.Loop() {
		r.miss()
		n += 2
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/miss")
	b.ReportMetric(float64(r.count)/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkForeignRequest is what every broadcast costs at a cache that does not have the block.
func BenchmarkForeignRequest(b *testing.B) {
	r := newRoundTrips()
	m := coherence.Message{Block: 77, Kind: GetRead, Class: Transient}
	for b.Loop() {
		r.caches[1].Accept(m, r.now, &r.effects)
	}
}
