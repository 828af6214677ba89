package riscv

import (
	"context"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// Reservations: what happens between LR of one hart and its SC.

// threads makes a program with a thread for each function, which writes what the thread does.
func threads(t *testing.T, list ...func(p *program)) []byte {
	p := &program{t: t}
	starts := make([]int, len(list))
	for i := 1; i < len(list); i++ {
		p.set(a0, cloneMemory|cloneThread)
		p.set(a1, 0)
		p.set(a2, 0)
		p.call(220)
		starts[i] = len(p.code)
		p.code = append(p.code, 0)
	}
	for i, do := range list {
		if i > 0 {
			p.code[starts[i]] = encode(t, "beq", 0, a0, zero, 4*(len(p.code)-starts[i]))
		}
		do(p)
	}
	return p.elf()
}

// everywhere executes a program without a chip, as recordings are made, and on chips with either
// memory model and every protocol. It looks at each end.
func everywhere(t *testing.T, content []byte, harts int, look func(where string, m *Machine)) {
	t.Helper()
	config := DefaultConfig()
	config.Threads = harts
	p := must.Get(Load("test", content, config))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	m := p.start()
	if err := m.run(ctx, func() bool { return false }); err != nil {
		t.Fatalf("without a chip the program ends with: %v", err)
	}
	look("without a chip", m)
	for seed := range uint64(6) {
		m = p.start()
		onChip(t, m, seed, seed > 2)
		look("on a chip", m)
	}
}

// increments adds 1 to the word at t0 so many times, by LR and SC.
func increments(p *program, n int) {
	p.set(t0, dataAt+64)
	p.set(a5, n)
	loop := len(p.code)
	p.R("lr.d", t1, t0, 0)
	p.I("addi", t1, t1, 1)
	for range 3 {
		p.I("addi", zero, zero, 0)
	}
	p.R("sc.d", t2, t0, t1)
	p.S("bne", t2, zero, 4*(loop-len(p.code)))
	p.I("addi", a5, a5, -1)
	p.S("bne", a5, zero, 4*(loop-len(p.code)))
	p.call(93)
}

// Harts that count in one word by LR and SC lose nothing.
func TestCountersByReservations(t *testing.T) {
	const harts, each = 4, 60
	count := func(p *program) { increments(p, each) }
	everywhere(t, threads(t, count, count, count, count), harts, func(where string, m *Machine) {
		if v, _ := m.memory.read(dataAt+64, 3); v != harts*each {
			t.Errorf("%s %d harts count to %d by LR and SC; want %d", where, harts, v, harts*each)
		}
	})
}

// SC fails if another hart has written the line of the reservation meanwhile, however it did, and
// succeeds if the other hart has only read it, or written another line. A system call of the hart
// itself ends its reservation, as under Linux.
func TestReservationsBreak(t *testing.T) {
	const word, flag = dataAt + 256, dataAt + 1024
	const words, value = s0, s1
	fence := func(p *program) { p.code = append(p.code, 3<<24|3<<20|0x0f) }
	set := func(p *program, v int) {
		fence(p)
		p.set(t0, v)
		p.S("sd", words, t0, flag-word)
	}
	wait := func(p *program, v int) {
		p.set(t1, v)
		p.I("ld", t0, words, flag-word)
		p.code = append(p.code, fenceReads<<24|3<<20|0x0f)
		p.S("bne", t0, t1, -8)
	}
	at := func(p *program, offset int) { p.I("addi", a2, words, offset) }
	nothing := func(*program) {}
	for _, c := range []struct {
		name       string
		other, own func(p *program)
		fails      bool
		want       uint64 // what the word has if SC fails
	}{
		{"a store", func(p *program) { p.S("sd", words, value, 0) }, nothing, true, 7},
		{"a store of the same value", func(p *program) { p.S("sd", words, zero, 0) }, nothing, true, 0},
		{"a store to another word of the line", func(p *program) { p.S("sw", words, value, 60) }, nothing, true, 0},
		{"a store that reaches into the line", func(p *program) { p.S("sd", words, value, -4) }, nothing, true, 0},
		{"a store that reaches out of the line", func(p *program) { p.S("sd", words, value, 60) }, nothing, true, 0},
		{"an AMO", func(p *program) { p.R("amoadd.d", t2, words, value) }, nothing, true, 7},
		{"an AMO on another word of the line", func(p *program) { at(p, 8); p.R("amoswap.w", t2, a2, value) }, nothing, true, 0},
		{"an SC", func(p *program) { p.R("lr.d", t2, words, 0); p.R("sc.d", t2, words, value) }, nothing, true, 7},
		{"an SC on another word of the line", func(p *program) { at(p, 16); p.R("lr.w", t2, a2, 0); p.R("sc.w", t2, a2, value) }, nothing, true, 0},
		{"the kernel's write", func(p *program) { p.set(a0, 1); at(p, 16); p.I("addi", a1, a2, 0); p.call(113) }, nothing, true, 0},
		{"an end of the thread, which clears a word",
			func(p *program) { set(p, 2); at(p, 8); p.I("addi", a0, a2, 0); p.call(96); p.call(93) },
			func(p *program) { p.I("ld", t2, words, 8); p.S("bne", t2, zero, -4) }, true, 0},
		{"a load", func(p *program) { p.I("ld", t2, words, 0) }, nothing, false, 0},
		{"an LR", func(p *program) { p.R("lr.d", t2, words, 0) }, nothing, false, 0},
		{"a store to the next line", func(p *program) { p.S("sd", words, value, 64) }, nothing, false, 0},
		{"a call of its own", nothing, func(p *program) { p.call(124) }, true, 0},
		{"an SC elsewhere of its own", nothing, func(p *program) { at(p, 128); p.R("sc.d", t2, a2, value) }, true, 0},
	} {
		content := threads(t, func(p *program) {
			p.set(words, word)
			p.set(a5, 100)
			p.S("sd", words, a5, 8)
			p.R("lr.d", t2, words, 0)
			set(p, 1)
			c.own(p)
			wait(p, 2)
			p.R("sc.d", a0, words, a5)
			p.call(94)
		}, func(p *program) {
			p.set(words, word)
			p.set(value, 7)
			wait(p, 1)
			c.other(p)
			set(p, 2)
			p.call(93)
		})
		everywhere(t, content, 2, func(where string, m *Machine) {
			want := c.want
			if !c.fails {
				want = 100
			}
			v, _ := m.memory.read(word, 3)
			if (m.status != 0) != c.fails || v != want {
				t.Errorf("%s: %s SC gives %d and leaves %d; want failure: %t, and %d", c.name, where, m.status, v, c.fails, want)
			}
		})
	}
}
