package riscv

import (
	"os"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
)

// Litmus tests: two threads do a few accesses to the words x and y, many times in one program, each
// time in other lines, with other gaps and other copies in the caches.

// litmusStep is one step of a thread: a store of 1, a load, an exchange with 1, or a fence.
type litmusStep struct {
	what string // S, L, X or F
	word int    // x is 0, y is 1
}

// litmus is a test.
type litmus struct {
	name      string
	threads   [2][]litmusStep
	weak      func(a, b [2]uint64) bool // the outcome to watch for, of the loads of both threads
	tso       bool                      // total store order allows it; sequential consistency never does
	exchanges bool
}

var (
	zeros = func(a, b [2]uint64) bool { return a[0] == 0 && b[0] == 0 }
	stale = func(a, b [2]uint64) bool { return b[0] == 1 && b[1] == 0 }
	ones  = func(a, b [2]uint64) bool { return a[0] == 1 && b[0] == 1 }
)

var litmusTests = []litmus{
	{"SB", [2][]litmusStep{{{"S", 0}, {"L", 1}}, {{"S", 1}, {"L", 0}}}, zeros, true, false},
	{"SB+fences", [2][]litmusStep{{{"S", 0}, {"F", 0}, {"L", 1}}, {{"S", 1}, {"F", 0}, {"L", 0}}}, zeros, false, false},
	{"SB+exchanges", [2][]litmusStep{{{"X", 0}, {"L", 1}}, {{"X", 1}, {"L", 0}}}, zeros, false, true},
	{"MP", [2][]litmusStep{{{"S", 0}, {"S", 1}}, {{"L", 1}, {"L", 0}}}, stale, false, false},
	{"MP+exchange", [2][]litmusStep{{{"S", 0}, {"X", 1}}, {{"L", 1}, {"L", 0}}}, stale, false, true},
	{"LB", [2][]litmusStep{{{"L", 0}, {"S", 1}}, {{"L", 1}, {"S", 0}}}, ones, false, false},
	{"CoRR", [2][]litmusStep{{{"S", 0}}, {{"L", 0}, {"L", 0}}}, stale, false, false},
}

const (
	litmusWords   = dataAt + 4096 // two lines per run
	litmusResults = dataAt + 640<<10
)

// assemble makes the program of a test with so many runs.
func (l *litmus) assemble(t *testing.T, runs int, seed uint64) []byte {
	draw := random.Stream(seed)
	return started(t, func(p *program) { l.thread(p, 0, runs, &draw) }, func(p *program) { l.thread(p, 1, runs, &draw) })
}

// thread writes the code of one thread: for each run, it may look at the words, meets the other
// thread, waits a little, and does its steps.
func (l *litmus) thread(p *program, id, runs int, draw *random.Stream) {
	const meeting, words, results, count, value, spare = s0, s1, a5, a4, a3, t2
	p.set(meeting, dataAt)
	p.set(words, litmusWords)
	p.set(results, litmusResults+16*id)
	p.set(value, 1)
	p.set(count, 0)
	p.set(a6, int(draw.Remainder(1<<16)))
	p.set(a7, runs)
	loop := len(p.code)
	p.set(t0, 25173) // a random number in a6
	p.R("mul", a6, a6, t0)
	p.I("addi", a6, a6, 1849)
	p.I("slli", a6, a6, 48)
	p.I("srli", a6, a6, 48)
	for word := range 2 { // a quarter of the runs find each word in the cache
		p.I("andi", t0, a6, 0x300<<word&0x700)
		p.S("bne", t0, zero, 8)
		p.I("ld", spare, words, 64*word)
	}
	p.I("addi", count, count, 2)
	p.R("amoadd.d", spare, meeting, value)
	p.I("ld", t0, meeting, 0)
	p.code = append(p.code, fenceReads<<24|3<<20|0x0f) // fence r, rw
	p.S("blt", t0, count, -8)
	p.I("srli", t0, a6, 10) // 0 to 63 turns of nothing
	p.S("beq", t0, zero, 12)
	p.I("addi", t0, t0, -1)
	p.I("jal", zero, 0, -8)
	loaded := uint32(a0)
	for _, step := range l.threads[id] {
		at := 64 * step.word
		switch step.what {
		case "S":
			p.S("sd", words, value, at)
		case "L":
			p.I("ld", loaded, words, at)
			loaded++
		case "X":
			p.I("addi", t0, words, at)
			p.R("amoswap.d", spare, t0, value)
		case "F":
			p.code = append(p.code, 3<<24|3<<20|0x0f)
		}
	}
	p.S("sd", results, a0, 0)
	p.S("sd", results, a1, 8)
	p.I("addi", words, words, 128)
	p.I("addi", results, results, 32)
	p.I("addi", a7, a7, -1)
	p.S("bne", a7, zero, 4*(loop-len(p.code)))
	p.call(93)
}

// watched runs a test on a chip and returns in how many runs the outcome came up.
func (l *litmus) watched(t *testing.T, runs int, seed uint64, sequential, eager bool) (n int) {
	config := DefaultConfig()
	config.Threads = 2
	program, err := Load(l.name, l.assemble(t, runs, seed), config)
	if err != nil {
		t.Fatal(err)
	}
	m, err := program.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.eager = eager
	model, err := models.Lookup([]string{"mrr", "base"}[seed%2])
	if err != nil {
		t.Fatal(err)
	}
	network, err := model.New(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	chip := cmp.Default()
	chip.Core.SequentialConsistency = sequential
	chip.Protocol = cmp.Protocols[seed%uint64(len(cmp.Protocols))].Name
	s, err := cmp.New(chip, network, m, seed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	for run := range uint64(runs) {
		var values [2][2]uint64
		for i := range uint64(4) {
			values[i/2][i%2], _ = m.memory.read(litmusResults+32*run+8*i, 3)
		}
		if l.weak(values[0], values[1]) {
			n++
		}
	}
	return n
}

// Programs on the chip see what its memory model allows and nothing else: total store order, and on
// demand sequential consistency. With CAROUSEL_LONG each test runs a thousand times.
func TestLitmus(t *testing.T) {
	runs, seeds := 40, uint64(2)
	if os.Getenv("CAROUSEL_LONG") != "" {
		runs, seeds = 1000, 6
	}
	for i := range litmusTests {
		l := &litmusTests[i]
		for _, sequential := range []bool{false, true} {
			seen := 0
			for seed := range seeds {
				seen += l.watched(t, runs, seed+uint64(i), sequential, false)
			}
			if allowed := l.tso && !sequential; allowed != (seen > 0) {
				t.Errorf("%s, sequential consistency %t: the weak outcome came up in %d of %d runs; allowed: %t", l.name, sequential, seen, int(seeds)*runs, allowed)
			}
		}
	}
}

// The tests find an atomic that takes effect when it is dispatched, before older stores.
func TestLitmusFindsEarlyAtomics(t *testing.T) {
	found := false
	for i := range litmusTests {
		if l := &litmusTests[i]; l.exchanges {
			found = found || l.watched(t, 60, 1, false, true) > 0
		}
	}
	if !found {
		t.Error("no test shows the outcome that early atomics cause")
	}
}
