package riscv

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
)

// Programs that write the code that they execute: a function that returns a number, which changes
// from round to round. The sum of what it returns is the exit status.

const (
	codeRounds = 9
	codeSum    = codeRounds * (codeRounds + 1) / 2
)

// mapCode maps a page for code and puts its address into s0.
func mapCode(p *program) {
	p.set(a0, 0)
	p.set(a1, pageBytes)
	p.set(a2, 7) // to read, write and execute
	p.set(a3, 0x22)
	p.set(a4, -1)
	p.set(a5, 0)
	p.call(222)
	p.I("addi", s0, a0, 0)
	p.set(t0, int(encode(p.t, "jalr", zero, ra, 0, 0)))
	p.S("sw", s0, t0, 4)
	p.set(t1, int(encode(p.t, "addi", a0, zero, 0, 0))) // what the function begins with
	p.set(s1, 1<<20)                                    // and what makes its number one larger
	p.set(a6, 0)                                        // the sum
	p.set(a5, codeRounds)
}

// endRounds goes to another round, or ends the program.
func endRounds(p *program, loop int) {
	p.R("add", a6, a6, a0)
	p.I("addi", a5, a5, -1)
	p.S("bne", a5, zero, 4*(loop-len(p.code)))
	p.I("addi", a0, a6, 0)
	p.call(94)
}

// writesOwnCode is a program that calls a function before it writes it anew for each round.
func writesOwnCode(t *testing.T) []byte {
	p := &program{t: t}
	mapCode(p)
	p.S("sw", s0, t1, 0)
	p.I("fence.i", 0, 0, 0)
	p.I("jalr", ra, s0, 0)
	loop := len(p.code)
	p.R("addw", t1, t1, s1)
	p.S("sw", s0, t1, 0)
	p.I("fence.i", 0, 0, 0)
	p.I("jalr", ra, s0, 0)
	endRounds(p, loop)
	return p.elf()
}

// writesForAnother is a program whose second thread executes the function that the first writes.
// Two flags say how many rounds have begun and ended.
func writesForAnother(t *testing.T) []byte {
	const begun, ended = dataAt + 64, dataAt + 128
	waitFor := func(p *program, flag int, value uint32) {
		p.set(t0, flag)
		p.I("ld", t2, t0, 0)
		p.code = append(p.code, fenceReads<<24|3<<20|0x0f)
		p.S("bne", t2, value, -8)
	}
	setFlag := func(p *program, flag int, value uint32) {
		p.code = append(p.code, 3<<24|fenceWrites<<20|0x0f)
		p.set(t0, flag)
		p.S("sd", t0, value, 0)
	}
	p := &program{t: t}
	mapCode(p)
	p.set(a0, cloneMemory|cloneThread)
	p.set(a1, 0)
	p.call(220)
	p.set(a5, codeRounds)
	p.set(a3, 0) // the round
	at := len(p.code)
	p.code = append(p.code, 0)
	loop := len(p.code) // the writer
	p.I("addi", a3, a3, 1)
	p.R("addw", t1, t1, s1)
	p.S("sw", s0, t1, 0)
	setFlag(p, begun, a3)
	waitFor(p, ended, a3)
	p.S("bne", a3, a5, 4*(loop-len(p.code)))
	p.call(93)
	p.code[at] = encode(t, "beq", 0, a0, zero, 4*(len(p.code)-at))
	loop = len(p.code) // the reader
	p.I("addi", a3, a3, 1)
	waitFor(p, begun, a3)
	p.I("fence.i", 0, 0, 0)
	p.I("jalr", ra, s0, 0)
	setFlag(p, ended, a3)
	endRounds(p, loop)
	return p.elf()
}

// A program that writes code, for itself or for another core, and then executes FENCE.I, executes
// what it has written: in a recording, and on a chip with either core and with either memory
// model. The two cores take the same cycles.
func TestWrittenCode(t *testing.T) {
	config := DefaultConfig()
	config.Threads = 2
	for name, content := range map[string][]byte{"own code": writesOwnCode(t), "for another core": writesForAnother(t)} {
		p := must.Get(Load("test", content, config))
		c := record.DefaultConfig()
		c.GoOn = true
		done := must.Get(Record(t.Context(), p, c, traces.ToFile(t.TempDir()+"/trace", traces.DefaultWriterConfig())))
		if done.Status != ending(codeSum) {
			t.Errorf("%s: recorded, the program ends with %s; want %s", name, done.Status, ending(codeSum))
		}
		for _, sequential := range []bool{false, true} {
			var results [2]cmp.Result
			for i := range results {
				m := p.start()
				results[i] = OnChip(t, "mrr", m, 1, func(chip *cmp.Config) {
					chip.Core.Plain, chip.Core.SequentialConsistency = i == 0, sequential
				})
				if m.status != codeSum {
					t.Errorf("%s, plain core %t, sequential %t: the program ends with %s; want %s", name, i == 0, sequential, ending(m.status), ending(codeSum))
				}
			}
			if results[0].Digest != results[1].Digest || results[0].Cycles != results[1].Cycles {
				t.Errorf("%s, sequential %t: the plain core takes %d cycles, digest %x; the fast one %d, %x", name, sequential,
					results[0].Cycles, results[0].Digest, results[1].Cycles, results[1].Digest)
			}
		}
	}
}
