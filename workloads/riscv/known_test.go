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
		records, edges := tracetest.Drain(t, must.Get(f.Window(0)), core, 512)
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
