package riscv

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/litmus"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// The tests of package litmus as programs for RISC-V: each runs many times in one program, each time
// in other lines, with other gaps and other copies in the caches.

// Places of a run: a line for each variable, and a word for each register.
const (
	litmusWords     = dataAt + 4096
	litmusRunWords  = 6 * 64
	litmusResults   = dataAt + 640<<10
	litmusRunResult = 8 * 8
)

// registersOf lists the registers that a test loads, which are the words of its results.
func registersOf(l *litmus.Test) (list []string) {
	for _, ops := range l.Programs {
		for _, o := range ops {
			if o.Kind == traces.Load {
				list = append(list, o.Register)
			}
		}
	}
	return list
}

// assembleLitmus makes the program of a test with so many runs. Its atomics are pairs of LR and SC
// if pairs says so.
func assembleLitmus(t *testing.T, l *litmus.Test, runs int, seed uint64, pairs bool) []byte {
	draw := random.Stream(seed)
	p := &program{t: t}
	var starts []int
	for range l.Programs[1:] {
		p.set(a0, cloneMemory|cloneThread)
		p.set(a1, 0)
		p.set(a2, 0)
		p.call(220)
		starts = append(starts, len(p.code))
		p.code = append(p.code, 0)
	}
	for id := range l.Programs {
		if id > 0 { // the thread branches here where clone has returned 0
			p.code[starts[id-1]] = encode(t, "beq", 0, a0, zero, 4*(len(p.code)-starts[id-1]))
		}
		litmusThread(p, l, id, runs, &draw, pairs)
	}
	return p.elf()
}

// litmusThread writes the code of one thread: for each run, it may look at the variables, meets the
// other threads, waits a little, and does its steps.
func litmusThread(p *program, l *litmus.Test, id, runs int, draw *random.Stream, pairs bool) {
	const meeting, words, results, count, spare, one, two, loaded = s0, s1, a5, a4, t2, a2, a3, 18
	p.set(meeting, dataAt)
	p.set(words, litmusWords)
	p.set(results, litmusResults)
	p.set(one, 1)
	p.set(two, 2)
	p.set(count, 0)
	p.set(a6, int(draw.Remainder(1<<16)))
	p.set(a7, runs)
	loop := len(p.code)
	p.set(t0, 25173) // a random number in a6
	p.R("mul", a6, a6, t0)
	p.I("addi", a6, a6, 1849)
	p.I("slli", a6, a6, 48)
	p.I("srli", a6, a6, 48)
	for word := range l.Variables { // a quarter of the runs find each word in the cache
		p.I("srli", t0, a6, word)
		p.I("andi", t0, t0, 0x300)
		p.S("bne", t0, zero, 8)
		p.I("ld", spare, words, 64*word)
	}
	p.I("addi", count, count, len(l.Programs))
	p.R("amoadd.d", spare, meeting, one)
	p.I("ld", t0, meeting, 0)
	p.code = append(p.code, fenceReads<<24|3<<20|0x0f) // fence r, rw
	p.S("blt", t0, count, -8)
	p.I("srli", t0, a6, 10) // 0 to 63 turns of nothing
	p.S("beq", t0, zero, 12)
	p.I("addi", t0, t0, -1)
	p.I("jal", zero, 0, -8)
	var registers []string
	for _, o := range l.Programs[id] {
		switch at := 64 * o.Variable; o.Kind {
		case traces.Store:
			p.S("sd", words, []uint32{zero, one, two}[o.Value], at)
		case traces.Lock, traces.Unlock:
			litmusLock(p, o, at)
		case traces.Load:
			if o.Register == "" { // until the variable is written
				p.I("ld", spare, words, at)
				p.code = append(p.code, fenceReads<<24|3<<20|0x0f)
				p.S("beq", spare, zero, -8)
				continue
			}
			p.I("ld", loaded+uint32(len(registers)), words, at)
			registers = append(registers, o.Register)
		case traces.Atomic:
			p.I("addi", t0, words, at)
			if !pairs {
				p.R("amoadd.d", spare, t0, one)
				continue
			}
			p.R("lr.d", spare, t0, 0)
			p.R("add", spare, spare, one)
			p.R("sc.d", spare, t0, spare)
			p.S("bne", spare, zero, -12)
		case traces.Fence:
			p.code = append(p.code, 3<<24|3<<20|0x0f)
		}
	}
	for i, r := range registers {
		p.S("sd", results, loaded+uint32(i), 8*slices.Index(registersOf(l), r))
	}
	p.I("addi", words, words, litmusRunWords)
	p.I("addi", results, results, litmusRunResult)
	p.I("addi", a7, a7, -1)
	p.S("bne", a7, zero, 4*(loop-len(p.code)))
	p.call(93)
}

// litmusLock takes or releases a lock whose word counts those who share it; -1 is who has it alone.
func litmusLock(p *program, o litmus.Op, at int) {
	const words, spare = s1, t2
	p.I("addi", t0, words, at)
	switch {
	case o.Kind == traces.Unlock && o.Shared:
		p.I("addi", t1, zero, -1)
		p.R("amoadd.d", spare, t0, t1)
		return
	case o.Kind == traces.Unlock:
		p.S("sd", t0, zero, 0)
		return
	}
	p.R("lr.d", spare, t0, 0)
	if o.Shared {
		p.S("blt", spare, zero, -4)
		p.I("addi", t1, spare, 1)
	} else {
		p.S("bne", spare, zero, -4)
		p.I("addi", t1, zero, -1)
	}
	p.R("sc.d", spare, t0, t1)
	p.S("bne", spare, zero, -16)
}

// OnChip runs a source on a chip. It fails the test if the program does not end.
func OnChip(t testing.TB, router string, source traces.Source, seed uint64, change func(*cmp.Config)) cmp.Result {
	t.Helper()
	network := must.Get(must.Get(models.Lookup(router)).New(models.DefaultOptions()))
	chip := cmp.Default()
	if change != nil {
		change(&chip)
	}
	most := uint64(4 << 20) // ten times as many records as the longest program has
	if os.Getenv("CAROUSEL_LONG") != "" {
		most *= 64
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := must.Get(cmp.New(chip, network, source, seed)).Run(ctx, func(p cmp.Progress) {
		if p.Records > most {
			cancel()
		}
	})
	if ctx.Err() != nil {
		t.Fatalf("on %s: the program has not ended after %d records", router, most)
	}
	if err != nil {
		t.Fatalf("on %s: %v", router, err)
	}
	return r
}

// onChip runs a machine on a chip, whose router and protocol depend on the seed.
func onChip(t *testing.T, m *Machine, seed uint64, sequential bool) cmp.Result {
	t.Helper()
	return OnChip(t, []string{"mrr", "base"}[seed%2], m, seed, func(chip *cmp.Config) {
		chip.Core.SequentialConsistency = sequential
		chip.Protocol = cmp.Protocols[seed%uint64(len(cmp.Protocols))].Name
	})
}

// watched runs a test on a chip and returns in how many runs the outcome came up.
func watched(t *testing.T, l *litmus.Test, runs int, seed uint64, sequential, eager, pairs bool) (n int) {
	config := DefaultConfig()
	config.Threads = len(l.Programs)
	program, err := Load(l.Name, assembleLitmus(t, l, runs, seed, pairs), config)
	if err != nil {
		t.Fatal(err)
	}
	m, err := program.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.eager = eager
	onChip(t, m, seed, sequential)
	registers := registersOf(l)
	for run := range uint64(runs) {
		holds := true
		for _, e := range l.Outcome {
			address := litmusResults + litmusRunResult*run + 8*uint64(slices.Index(registers, e.Name))
			if !slices.Contains(registers, e.Name) {
				address = litmusWords + litmusRunWords*run + 64*uint64(slices.Index(l.Variables, e.Name))
			}
			v, _ := m.memory.read(address, 3)
			holds = holds && (v == uint64(e.Value)) != e.Not
		}
		if holds {
			n++
		}
	}
	return n
}

// hasAtomics reports whether a test has atomics.
func hasAtomics(l *litmus.Test) bool {
	return slices.ContainsFunc(l.Programs, func(ops []litmus.Op) bool {
		return slices.ContainsFunc(ops, func(o litmus.Op) bool { return o.Kind == traces.Atomic })
	})
}

// litmusTests returns the tests of package litmus, and the one that shows atomics that take effect
// before older stores of their thread.
func litmusTests() (all []litmus.Test, early *litmus.Test) {
	one := litmus.Parse("mp+atomic", "x = 1 | r1 = y\ny++ | r2 = x\noutcome r1 = 1 & r2 = 0\ntso forbidden\nsc forbidden")
	return append(litmus.Tests(), one), &one
}

// Programs on the chip see what its memory model allows and nothing else: total store order, and on
// demand sequential consistency. Atomics are instructions of their own, or pairs of LR and SC. With
// CAROUSEL_LONG each test runs six thousand times.
func TestLitmus(t *testing.T) {
	runs, seeds := 30, uint64(2)
	if os.Getenv("CAROUSEL_LONG") != "" {
		runs, seeds = 1000, 6
	}
	tests, _ := litmusTests()
	for i := range tests {
		l := &tests[i]
		for form := range 4 {
			sequential, pairs := form&1 != 0, form&2 != 0
			if pairs && !hasAtomics(l) {
				continue
			}
			seen := 0
			for seed := range seeds {
				seen += watched(t, l, runs, seed+uint64(i), sequential, false, pairs)
			}
			allowed := l.AllowedTSO
			if sequential {
				allowed = l.AllowedSC
			}
			if allowed != (seen > 0) {
				t.Errorf("%s, sequential consistency %t, LR and SC %t: the outcome came up in %d of %d runs; allowed: %t", l.Name, sequential, pairs, seen, int(seeds)*runs, allowed)
			}
		}
	}
}

// The tests find an atomic that takes effect when it is dispatched, before older stores.
func TestLitmusFindsEarlyAtomics(t *testing.T) {
	_, early := litmusTests()
	if watched(t, early, 60, 1, false, true, false) == 0 {
		t.Errorf("%s does not show atomics that take effect early", early.Name)
	}
}
