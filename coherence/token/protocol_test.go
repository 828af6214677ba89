package token

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/noc"
)

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"token.tokens":         func(c *Config) { c.Tokens = MaxTokens + 1 },
		"token.timeout":        func(c *Config) { c.Timeout = 0 },
		"token.timeout is 64":  func(c *Config) { c.Timeout = 64 }, // no effect with adaptive timeouts
		"token.adaptive_start": func(c *Config) { c.AdaptiveStart = 0 },
		"token.adaptive_high":  func(c *Config) { c.AdaptiveHigh = c.AdaptiveStart - 1 },
		"token.issues":         func(c *Config) { c.Issues = -1 },
		"token.evict_shared":   func(c *Config) { c.EvictShared = "" },
		"token.bank_gives":     func(c *Config) { c.BankGives = "none" },
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

// answer lets an L1 learn that its only request was answered after a time.
func answer(l *l1, took noc.Cycle) {
	l.Now += took
	l.observe(&miss{first: request{1, l.Now - took}, latest: request{1, l.Now - took}}, 1)
}

// TestAdaptiveTimeout: the timeout is the configured one before the first answer, and then follows
// the mean time of answers and its deviation. One answer from memory, as the first of an empty cache
// is, does not set it, but the next request to memory is not repeated.
func TestAdaptiveTimeout(t *testing.T) {
	for _, start := range []noc.Cycle{1, 100, 192, 512, maxTimeout} {
		if e := latencyOf(start); e.timeout() != start {
			t.Errorf("an estimate with a timeout of %d has one of %d", start, e.timeout())
		}
	}
	l := New(twoCores(), Default(), tinyL1, tinyL2, 4).NewCache(0).(*l1)
	if got, want := l.timeout(), Default().AdaptiveStart; got != want {
		t.Errorf("it starts at %d, want %d", got, want)
	}
	answer(l, 350)
	if got := l.timeout(); got < 350 || got > 512 {
		t.Errorf("after one answer in 350 cycles it is %d, want 350 to 512", got)
	}
	for range 100 {
		answer(l, 60)
	}
	if got := l.timeout(); got != 90 {
		t.Errorf("after many answers in 60 cycles it is %d, want 90", got)
	}
	for range 100 {
		answer(l, 1000)
		answer(l, 3000)
	}
	if got := l.timeout(); got < 5500 || got > 6500 {
		t.Errorf("after answers in 1000 and in 3000 cycles it is %d, want about 2000 and four times 1000", got)
	}
}

// TestTimeoutsAreNotLearnt: a request that was lost leaves the estimate as it is; a late answer to
// the first request lengthens it, although the request was issued again.
func TestTimeoutsAreNotLearnt(t *testing.T) {
	l := New(twoCores(), Default(), tinyL1, tinyL2, 4).NewCache(0).(*l1)
	for range 100 {
		answer(l, 60)
	}
	again := &miss{issues: 2, first: request{1, l.Now}, latest: request{2, l.Now + 90}}
	l.Now += 150
	for range 100 {
		l.observe(again, 2)
		l.observe(again, 0) // a persistent request
	}
	if got := l.timeout(); got != 90 {
		t.Errorf("after answers to repeated requests in 60 cycles it is %d, want 90", got)
	}
	if got := again.waited(2); got != 90 {
		t.Errorf("a miss waited %d cycles for its timeout, want 90", got)
	}
	for range 100 {
		l.observe(again, 1)
	}
	if got := l.timeout(); got < 224 || got > 225 {
		t.Errorf("after late answers in 150 cycles it is %d, want 150 and a half", got)
	}
	if got := again.waited(1); got != 0 {
		t.Errorf("a miss with a late answer waited %d cycles for its timeout", got)
	}
}

// TestBackoff: the first wait is the timeout, and the ranges of the next ones double.
func TestBackoff(t *testing.T) {
	l := New(twoCores(), Default(), tinyL1, tinyL2, 4).NewCache(0).(*l1)
	start := l.timeout()
	for again, part := range []noc.Cycle{2, 3, 5, 9} {
		most := part * start / 2
		least, longest := noc.Never, noc.Cycle(0)
		for range 2000 {
			w := l.wait(&miss{issues: uint8(again + 1)})
			least, longest = min(least, w), max(longest, w)
		}
		if least < start || least > start+most/100 || longest > most || longest < most-most/100 {
			t.Errorf("issue %d waits for %d to %d cycles; want %d to %d", again+1, least, longest, start, most)
		}
	}
}

// TestTimerStartsWhenSent: the timer of a request starts when its last copy has left the interface,
// and not at all when the miss is over by then.
func TestTimerStartsWhenSent(t *testing.T) {
	p := New(twoCores(), Default(), tinyL1, tinyL2, 4)
	l := p.NewCache(0).(*l1)
	var out coherence.Effects
	request := func(now noc.Cycle) coherence.Message {
		out.Reset()
		if o, _ := l.Access(coherence.Access{Block: 5, Kind: coherence.Load}, now, &out); o != coherence.Pending {
			t.Fatalf("the access ends as %d", o)
		}
		if len(out.Timers) > 0 || len(out.Sends) != 1 || !out.Sends[0].Receipt {
			t.Fatalf("timers %v, messages %v", out.Timers, out.Sends)
		}
		return out.Sends[0].Message
	}
	first := request(10)
	out.Reset()
	l.Accept(coherence.Message{Block: 5, Kind: Tokens, Class: Response, Flags: coherence.HasData, Count: 1}, 40, &out)
	l.Evict(5, 45, &out)
	second := request(50)
	out.Reset()
	l.Sent(first, 60, &out)
	if len(out.Timers) > 0 {
		t.Errorf("a request whose miss is over starts %v", out.Timers)
	}
	l.Sent(second, 1000, &out)
	if want := 1000 + l.timeout(); len(out.Timers) != 1 || out.Timers[0].At != want {
		t.Errorf("the timers are %v; want one of cycle %d", out.Timers, want)
	}
}

func oneBank() *coherence.Homes { return &coherence.Homes{Banks: 1, MemoryOfBank: []uint16{0}} }

func twoCores() coherence.System { return coherence.System{Cores: 2, Homes: oneBank()} }

// TestManyCores runs a short stress on the largest chip.
func TestManyCores(t *testing.T) {
	c := Default()
	c.AdaptiveStart, c.Issues = 3000, 1
	s := cohtest.Stress{Seed: 1, Size: cohtest.Size{Cores: 200, Banks: 2, Memories: 1}, Blocks: 20, Operations: 120,
		Outstanding: 2, Writes: 30, OpenLimit: 100_000, New: makerOf(c, tinyL1, tinyL2, 4, noDefect)}
	report, err := s.Run()
	activated := func(c coherence.Cell) bool { return c.Event == events[coherence.Cache][onActivateTop] && c.Count > 0 }
	if err != nil || !slices.ContainsFunc(report.Cells, activated) {
		t.Errorf("%d operations, %d messages, none of them persistent, or %v", report.Operations, report.Messages, err)
	}
	p := New(coherence.System{Cores: 1024, Homes: oneBank()}, Default(), tinyL1, tinyL2, 4)
	if l := p.NewCache(1023).(*l1); l.others.Count() != 1023 || l.others.Has(1023) || p.tokens != 2048 {
		t.Errorf("core 1023 of 1024 asks %d others with %d tokens", l.others.Count(), p.tokens)
	}
}
