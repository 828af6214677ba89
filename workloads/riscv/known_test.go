package riscv

import (
	"bytes"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// atLoad returns a hart that is about to load t1 from a word, whose value t2 is compared with.
func atLoad(t *testing.T, behind func(p *program)) *hart {
	p := &program{t: t}
	p.I("ld", t1, t0, 0)
	behind(p)
	config := DefaultConfig()
	config.Threads = 1
	m := must.Get(Load("test", p.elf(), config)).start()
	h := m.harts[0]
	h.r[t0] = dataAt
	h.pending = m.memory.instruction(h.pc)
	return h
}

// Whether a hart does the same with another value, for what it does with the value.
func TestValuesThatDecideNothing(t *testing.T) {
	forgets := func(p *program) { p.I("addi", t1, zero, 0) }
	branches := func(p *program) { p.S("blt", zero, t1, 16); p.call(93); forgets(p) }
	for name, x := range map[string]struct {
		behind       func(p *program)
		found, other uint64
		same         bool
	}{
		"forgotten":             {forgets, 1, 2, true},
		"the same branch":       {branches, 5, 7, true},
		"another branch":        {branches, 0, 7, false},
		"equal after a shift":   {func(p *program) { p.I("srli", t1, t1, 4) }, 0x51, 0x5f, true},
		"behind a fence":        {func(p *program) { p.code = append(p.code, 3<<24|3<<20|0x0f); forgets(p) }, 1, 2, true},
		"behind another load":   {func(p *program) { p.I("ld", t2, t0, 8); forgets(p) }, 1, 2, true},
		"stored":                {func(p *program) { p.S("sd", t0, t1, 8); forgets(p) }, 1, 2, false},
		"behind a store":        {func(p *program) { p.S("sd", t0, zero, 8); forgets(p) }, 1, 2, false},
		"added to memory":       {func(p *program) { p.R("amoadd.d", zero, t0, t1); forgets(p) }, 1, 2, false},
		"an address":            {func(p *program) { p.I("ld", t2, t1, 0); forgets(p); p.set(t2, 0) }, dataAt, dataAt + 8, false},
		"an address of nothing": {func(p *program) { p.I("ld", t1, t1, 0); forgets(p) }, dataAt, 8, false},
		"an argument":           {func(p *program) { p.call(93); forgets(p) }, 1, 2, false},
		"for long": {func(p *program) {
			for range mostAhead {
				p.I("addi", t2, t2, 1)
			}
			forgets(p)
		}, 1, 2, false},
	} {
		h := atLoad(t, x.behind)
		h.m.memory.write(dataAt, 3, x.found)
		before := h.r
		if same := h.indifferent(dataAt, x.other); same != x.same {
			t.Errorf("%s: the hart does the same: %t", name, same)
		}
		if h.r != before || h.m.fault != nil {
			t.Errorf("%s: the hart has changed, fault %v", name, h.m.fault)
		}
	}
}

// What a hart knows is what it was ordered after: a load that is not ordered teaches nothing.
func TestUnorderedLoadsTeachNothing(t *testing.T) {
	h := atLoad(t, func(p *program) { p.S("bltu", t1, t2, 8); p.I("addi", t1, zero, 0) })
	var c stream
	for i, x := range []struct {
		value, least uint64
		knows        bool
	}{{5, 5, false}, {5, 9, true}, {7, 5, true}, {7, 6, false}, {8, 7, true}, {3, 7, false}} {
		h.m.memory.write(dataAt, 3, x.value)
		h.r[t2] = x.least
		if knows := c.knows(h, dataAt); knows != x.knows {
			t.Errorf("load %d, of %d by a hart that waits for %d: knows %t", i, x.value, x.least, knows)
		}
	}
	if h.pending.size = 2; c.knows(h, dataAt) {
		t.Error("a hart knows half of a word by the whole of it")
	}
}

// Of the loads of a thread that looks whether there is work left, those are ordered that find the
// first and the last value.
func TestLoadsThatDecideNothingAreNotOrdered(t *testing.T) {
	const tasks = 200
	content := threads(t, func(p *program) {
		p.set(t0, dataAt)
		p.set(t1, tasks)
		p.set(t2, -1)
		p.R("amoadd.d", zero, t0, t2)
		p.I("addi", t1, t1, -1)
		p.S("bne", t1, zero, -8)
		p.call(93)
	}, func(p *program) {
		p.set(t0, dataAt)
		p.I("ld", t1, t0, 0)
		p.set(t2, -tasks)
		p.S("bne", t1, t2, -12)
		p.call(93)
	})
	config := DefaultConfig()
	config.Threads = 2
	var b bytes.Buffer
	must.Get(Record(t.Context(), must.Get(Load("test", content, config)), record.DefaultConfig(), traces.ToStream(&b, traces.DefaultWriterConfig())))
	f := must.Get(traces.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()), traces.DefaultReaderConfig()))
	ordered, loads := 0, 0
	for core := range 2 {
		records, edges := tracetest.Drain(must.Get(f.Window(0)), core, 512)
		for _, r := range records {
			if r.Kind == traces.Load && r.Address == physical(dataAt) {
				loads++
			}
		}
		for _, e := range edges {
			if r := records[e.At]; r.Kind == traces.Load && r.Address == physical(dataAt) {
				ordered++
			}
		}
	}
	if loads < 10 || ordered < 1 || ordered > 2 {
		t.Errorf("%d of %d loads are ordered", ordered, loads)
	}
}

// What is behind a load decides whether it begins an attempt to change its word.
func TestAttemptsToChangeAWord(t *testing.T) {
	swaps := func(p *program, back int) { // compares with t1, writes s0, and goes back if that fails
		p.R("lr.d", t2, t0, 0)
		p.S("bne", t2, t1, 12)
		p.R("sc.d", s0, t0, s0)
		p.S("beq", s0, zero, 12)
		p.I("addi", t1, t2, 0)
		p.S("beq", zero, zero, back-4*5)
		p.call(93)
	}
	leaves := func(p *program) {
		p.R("lr.d", t2, t0, 0)
		p.S("bne", t2, t1, 8)
		p.R("sc.d", s0, t0, s0)
		p.call(93)
	}
	for name, x := range map[string]struct {
		behind       func(p *program)
		found, other uint64
		tries        bool
	}{
		"at once":         {func(p *program) { swaps(p, 0) }, 1, 2, true},
		"pop":             {func(p *program) { p.I("ld", s0, t1, 0); swaps(p, -4) }, dataAt + 8, dataAt + 16, true},
		"push":            {func(p *program) { p.S("sd", t0, t1, 8); swaps(p, -4) }, dataAt + 8, dataAt + 16, true},
		"or empty":        {func(p *program) { p.S("beq", t1, zero, 4*8); p.I("ld", s0, t1, 0); swaps(p, -8) }, dataAt + 8, 0, false},
		"empty at first":  {func(p *program) { p.S("beq", t1, zero, 4*7); swaps(p, 0) }, 1, 0, false},
		"never empty":     {func(p *program) { p.S("beq", t1, zero, 4*8); p.I("ld", s0, t1, 0); swaps(p, -8) }, dataAt + 8, dataAt, true},
		"another word":    {func(p *program) { p.I("addi", t0, t0, 8); swaps(p, 0) }, 1, 2, false},
		"gives up":        {leaves, 1, 2, false},
		"equal, no loop":  {leaves, 2, 2, false},
		"behind a system": {func(p *program) { p.call(172); swaps(p, 0) }, 1, 2, false},
	} {
		h := atLoad(t, x.behind)
		h.m.memory.write(dataAt, 3, x.found)
		var c stream
		*c.known(dataAt) = known{dataAt, x.other, 3}
		before := h.r
		if tries := c.tries(h, dataAt); tries != x.tries || tries != (c.attempt == dataAt) {
			t.Errorf("%s: the load begins an attempt: %t, of word %#x", name, tries, c.attempt)
		}
		if h.r != before || h.m.fault != nil || h.m.reserved != 0 {
			t.Errorf("%s: the hart has changed, fault %v, %d reservations", name, h.m.fault, h.m.reserved)
		}
		if x.tries { // also where it finds what it knew
			h.m.memory.write(dataAt, 3, x.other)
			if !c.tries(h, dataAt) {
				t.Errorf("%s: no attempt with the value that the hart knew", name)
			}
		}
	}
}

// A fetch-and-add decides a branch if the hart takes another one with the value before the addition
// before it.
func TestAdditionsThatDecide(t *testing.T) {
	for name, x := range map[string]struct {
		behind  func(p *program)
		found   uint64
		decides bool
	}{
		"the last one": {func(p *program) { p.S("bne", t1, t2, 8); p.call(93) }, 3, true},
		"one before":   {func(p *program) { p.S("bne", t1, t2, 8); p.call(93) }, 2, false},
		"an index":     {func(p *program) { p.I("slli", t1, t1, 3); p.R("add", t1, t1, t0); p.I("ld", t1, t1, 0) }, 3, false},
		"an index, bound": {func(p *program) {
			p.I("slli", s0, t1, 3)
			p.R("add", s0, s0, t0)
			p.I("ld", s0, s0, 0)
			p.S("bltu", t1, t2, 8)
			p.call(93)
		}, 3, true},
		"after a long way": {func(p *program) {
			for range mostAhead {
				p.I("addi", s0, s0, 1)
			}
			p.S("bne", t1, t2, 8)
		}, 3, false},
	} {
		h := atLoad(t, x.behind)
		in := *h.pending
		h.pc += uint64(in.bytes)
		h.r[t1], h.r[t2] = x.found, 3
		before := h.r
		if decides := h.decides(&in, x.found-1); decides != x.decides {
			t.Errorf("%s: it decides: %t", name, decides)
		}
		if in.rd = 0; h.decides(&in, x.found-1) {
			t.Errorf("%s: a value that is dropped decides", name)
		}
		if h.r != before || h.m.fault != nil {
			t.Errorf("%s: the hart has changed, fault %v", name, h.m.fault)
		}
	}
}

// Threads that change a word by compare-and-swaps are in no order there, and the last of those who
// add to a counter comes after the others.
func TestOrderOfAtomicsThatDecide(t *testing.T) {
	const rounds = 50
	body := func(p *program) {
		p.set(t0, dataAt)
		p.set(s1, rounds)
		p.I("ld", t1, t0, 0)
		p.I("addi", s0, t1, 1)
		p.R("lr.d", t2, t0, 0)
		p.S("bne", t2, t1, -12)
		p.R("sc.d", s0, t0, s0)
		p.S("bne", s0, zero, -20)
		p.I("addi", s1, s1, -1)
		p.S("bne", s1, zero, -28)
		p.I("addi", t0, t0, 128)
		p.set(t2, 1)
		p.R("amoadd.d", t1, t0, t2)
		p.S("bne", t1, t2, 8)
		p.I("addi", t1, zero, 0)
		p.call(93)
	}
	config := DefaultConfig()
	config.Threads = 2
	var b bytes.Buffer
	must.Get(Record(t.Context(), must.Get(Load("test", threads(t, body, body), config)), record.DefaultConfig(), traces.ToStream(&b, traces.DefaultWriterConfig())))
	f := must.Get(traces.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()), traces.DefaultReaderConfig()))
	attempts, kept, decided := 0, 0, 0
	for core := range 2 {
		records, edges := tracetest.Drain(must.Get(f.Window(0)), core, 512)
		for _, r := range records {
			if r.Kind == traces.Load && r.Count == traces.Tries && r.Address == physical(dataAt) {
				attempts++
			}
		}
		for _, e := range edges {
			switch records[e.At].Address {
			case physical(dataAt):
				kept++
			case physical(dataAt + 128):
				decided++
			}
		}
	}
	if attempts < rounds || kept > 4 || decided != 1 {
		t.Errorf("%d attempts, %d edges to their word, %d to the counter", attempts, kept, decided)
	}
}
