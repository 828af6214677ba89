package directory

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
)

// tiny are caches in which everything collides: an L1 of 4 blocks and a bank of 8.
var (
	tinyL1 = cache.Config{Sets: 2, Ways: 2, Policy: cache.LRU}
	tinyL2 = cache.Config{Sets: 2, Ways: 4, Policy: cache.TreePLRU}
)

// experiment is a random test and the chip it runs on.
type experiment struct {
	cohtest.Stress
	config Config
	l1, l2 cache.Config
}

func (e experiment) run(d defect, made **Protocol) (cohtest.Report, error) {
	return e.Run(makerOf(e.config, e.l1, e.l2, 4, d, made))
}

// stressCase is the k-th of an endless row of different random tests.
func stressCase(k int) experiment {
	c := Config{
		SilentS: k%2 == 1, Transactions: []int{16, 1, 2, 4}[k/2%4], StallQueue: []int{32, 1, 4}[k/3%3], WriteBacks: []int{16, 1, 2}[k/4%3],
	}
	l1, l2 := tinyL1, tinyL2
	if k%4 > 1 { // evictions all the time
		l1 = cache.Config{Sets: 1, Ways: 1, Policy: cache.LRU}
	}
	if k%3 == 2 { // recalls all the time
		l2 = cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	}
	s := cohtest.Stress{
		Seed: uint64(k), Size: cohtest.Size{Cores: []int{2, 3, 4, 8}[k/4%4], Banks: 1 << (k % 3), Memories: 1 + k/2%2},
		Blocks: []int{2, 5, 16, 64, 1}[k%5], Operations: 4000, Outstanding: 1 + k%6,
		Writes: 20 + 10*(k/2%4), Fetches: 10, Prefetches: 5, Cramped: []int{0, 30, 80}[k/2%3], Patience: 20_000,
	}
	if k%4 == 3 { // invalidations that meet requests of former sharers
		s.Blocks, s.Cores, s.Outstanding, s.Cramped = 2+k/4%3, 4+k/4%5, 2, 30
	}
	return experiment{s, c, l1, l2}
}

func makerOf(c Config, l1, l2 cache.Config, mshrs int, d defect, made **Protocol) cohtest.Maker {
	return func(s coherence.System) coherence.Protocol {
		p := New(s, c, l1, l2, mshrs)
		p.defect = d
		if made != nil {
			*made = p
		}
		return p
	}
}

// TestStress runs random accesses over chips with every option. CAROUSEL_STRESS_RUNS asks for more of
// them. Together they must take every cell of the transition tables; cells that are not in the tables
// panic.
func TestStress(t *testing.T) {
	n := 48
	if v := os.Getenv("CAROUSEL_STRESS_RUNS"); v != "" {
		if _, err := fmt.Sscan(v, &n); err != nil {
			t.Fatalf("CAROUSEL_STRESS_RUNS is %q; a number is allowed", v)
		}
	}
	type key struct {
		silent       bool
		role         coherence.Role
		state, event string
	}
	taken := map[key]uint64{}
	var total cohtest.Report
	for k := range n {
		e := stressCase(k)
		var p *Protocol
		report, err := e.run(noDefect, &p)
		if err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		total.Operations += report.Operations
		total.Messages += report.Messages
		total.Counters.Add(report.Counters)
		for _, x := range p.Cells() {
			taken[key{e.config.SilentS, x.Role, x.State, x.Event}] += x.Count
		}
	}
	for k, count := range taken {
		if count == 0 {
			t.Errorf("silent %t, %s: event %q in state %s never happened", k.silent, k.role, k.event, k.state)
		}
	}
	t.Logf("%d runs, %d cells, %d operations, %d message copies: %+v", n, len(taken), total.Operations, total.Messages, total.Counters)
}

// TestDefects seeds one mistake at a time: the random test must find it within a few runs.
func TestDefects(t *testing.T) {
	names := [defects]string{
		ackWhileBusy:    "eviction of a busy block is acknowledged",
		keepOvertaken:   "overtaking invalidation is forgotten",
		keepOnce:        "overtaken data stays readable",
		serveLate:       "overtaken data serves late accesses",
		trustStale:      "stale evicted data is trusted",
		upgradeDataless: "upgrade is always answered without data",
		dropAck:         "evicting sharer does not acknowledge",
		countTwice:      "acknowledgement counts twice",
		writeEarly:      "write before the acknowledgements",
		unblockEarly:    "unblock before the acknowledgements",
		forgetOwner:     "old owner is not listed as sharer",
		forgetReader:    "reader is not listed as sharer",
		forgetDirty:     "dirty data is taken for clean",
		forgetRecall:    "sharers are not recalled",
		skipAck:         "memory read overtakes memory write",
		askAgain:        "request before the eviction is acknowledged",
		invalidateSelf:  "writer is told to invalidate itself",
		forwardEvicted:  "evicted owner keeps the block it has given away",
		answerEarly:     "home serves a reader without waiting for the owner",
	}
	for d := noDefect + 1; d < defects; d++ {
		t.Run(names[d], func(t *testing.T) {
			t.Parallel()
			for k := range 40 {
				e := stressCase(k)
				e.Patience = 5000
				if _, err := e.run(d, nil); err != nil {
					line, _, _ := strings.Cut(err.Error(), "\n")
					t.Logf("case %d: %s", k, line)
					return
				}
			}
			t.Error("was not found")
		})
	}
}
