package token

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/cohtest/roundtrip"
)

func TestDependencies(t *testing.T) {
	if err := cohtest.Dependencies(New(roundtrip.System(), Default(), tinyL1, tinyL2, 4)); err != nil {
		t.Error(err)
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
	p := New(roundtrip.System(), c, tinyL1, tinyL2, 4)
	l := p.newL1(0)
	if got := l.timeout(); got < 510 || got > 512 {
		t.Errorf("starts at %d, want 512", got)
	}
	for range 100 {
		l.Now = 1000
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
	report, err := s.Run(makerOf(c, tinyL1, tinyL2, 4, noDefect))
	if err != nil || report.Counters.Own[persistentRequests] == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	p := New(coherence.System{Cores: 1024, Homes: oneBank()}, Default(), tinyL1, tinyL2, 4)
	if l := p.newL1(1023); l.others.Count() != 1023 || l.others.Has(1023) || p.Tokens() != 2048 {
		t.Errorf("core 1023 of 1024 asks %d others with %d tokens", l.others.Count(), p.Tokens())
	}
}

// paperL1 and paperL2 are the paper's arrays.
var (
	paperL1 = cache.Config{Sets: 256, Ways: 2, Policy: cache.LRU}
	paperL2 = cache.Config{Sets: 64, Ways: 16, Policy: cache.TreePLRU}
)

// newRoundTrips lets both cores write each block, in turn.
func newRoundTrips() *roundtrip.Chip {
	return roundtrip.New(New(roundtrip.System(), Default(), paperL1, paperL2, 16), roundtrip.Access{Core: 0, Kind: coherence.Store},
		roundtrip.Access{Core: 1, Kind: coherence.Store})
}

func TestNoAllocation(t *testing.T) { newRoundTrips().TestNoAllocation(t) }

func BenchmarkHit(b *testing.B) { newRoundTrips().BenchmarkHit(b) }

// BenchmarkMiss is a write miss with everything that follows from it; one in two comes from memory
// or the bank, one from the other cache.
func BenchmarkMiss(b *testing.B) { newRoundTrips().BenchmarkMiss(b) }

// BenchmarkForeignRequest is what every broadcast costs at a cache that does not have the block.
func BenchmarkForeignRequest(b *testing.B) {
	newRoundTrips().BenchmarkRequest(b, coherence.Message{Block: 77, Kind: GetRead, Class: Transient})
}
