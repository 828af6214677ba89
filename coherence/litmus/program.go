package litmus

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// Layout says how the variables of a test lie in blocks.
type Layout uint8

// The layouts.
const (
	Apart    Layout = iota // each in a block of its own
	Together               // all in one block
	Shared                 // each in a block to whose other words the cores write too: false sharing
	Layouts
)

// String returns the layout's name in results.
func (l Layout) String() string {
	if l >= Layouts {
		return fmt.Sprintf("layout %d", uint8(l))
	}
	return [...]string{"apart", "together", "shared"}[l]
}

const (
	pool          = 12 // blocks that the variables of a simulation move about in
	wordsPerBlock = coherence.BlockBytes / 8
	barrier       = 1 // number of the barrier between two runs of a test
)

// program is a test repeated many times, as a trace.
type program struct {
	test    *Test
	random  random.Stream
	records [][]traces.Record
	// marks tell of each record of a core which run of the test it belongs to.
	marks [][]mark
	// words is where each variable lies in each run, as a word number.
	words [][maxVariables]int
}

// mark is what a record does for the test: instruction op of its core's program, in one of the
// runs. op is negative for what only stirs things up.
type mark struct {
	run int32
	op  int32
}

// newProgram makes up the given number of runs.
func newProgram(t *Test, layout Layout, runs int, seed uint64) *program {
	p := &program{test: t, random: random.Stream(seed), records: make([][]traces.Record, len(t.Programs)), marks: make([][]mark, len(t.Programs))}
	for run := range runs {
		p.words = append(p.words, p.place(layout))
		for core := range t.Programs {
			p.one(core, run, layout == Shared)
		}
	}
	return p
}

// place draws a place for every variable. Words from maxVariables on are for noise.
func (p *program) place(layout Layout) (words [maxVariables]int) {
	first, rotation := p.random.Remainder(pool), p.random.Remainder(maxVariables)
	for v := range p.test.Variables {
		block := first
		if layout != Together {
			block = (first + v) % pool
		}
		words[v] = block*wordsPerBlock + (v+rotation)%maxVariables
	}
	return words
}

// one adds one run of the test to a core's stream: first some of the variables are read, or words
// beside them written, so that their blocks lie about in all states; then all cores meet, and then
// comes the program, with gaps.
func (p *program) one(core, run int, noisy bool) {
	for v := range p.test.Variables {
		switch p.random.Remainder(4) {
		case 0, 1:
			p.add(core, run, -1, traces.Record{Kind: traces.Load, Address: p.address(run, v), Size: 3, Instructions: 1})
		case 2:
			p.add(core, run, -1, traces.Record{Kind: traces.Store, Address: p.beside(run, v), Size: 3, Instructions: 1})
		}
	}
	p.add(core, run, -1, traces.Record{Kind: traces.Barrier, Address: barrier, Count: uint16(len(p.test.Programs)), Instructions: 1})
	for i, op := range p.test.Programs[core] {
		if noisy {
			p.noise(core, run)
		}
		r := traces.Record{Kind: op.Kind, Instructions: p.gap()}
		if op.Kind != traces.Fence {
			r.Address, r.Size = p.address(run, op.Variable), 3
		}
		p.add(core, run, i, r)
	}
}

// noise writes or reads a word beside a variable.
func (p *program) noise(core, run int) {
	if p.random.Remainder(2) == 0 {
		return
	}
	kind := [...]traces.Kind{traces.Load, traces.Store}[p.random.Remainder(2)]
	p.add(core, run, -1, traces.Record{Kind: kind, Address: p.beside(run, p.random.Remainder(len(p.test.Variables))), Size: 3, Instructions: 1})
}

// beside returns the address of a word in the block of a variable where no variable is.
func (p *program) beside(run, variable int) uint64 {
	return (uint64(p.words[run][variable]/wordsPerBlock*wordsPerBlock) + maxVariables + uint64(p.random.Remainder(wordsPerBlock-maxVariables))) * 8
}

// gap returns how many instructions an access comes after the one before it.
func (p *program) gap() uint32 {
	most := [...]int{1, 1, 8, 64, 400}[p.random.Remainder(5)]
	return 1 + uint32(p.random.Remainder(most))
}

func (p *program) address(run, variable int) uint64 { return uint64(p.words[run][variable]) * 8 }

func (p *program) add(core, run, op int, r traces.Record) {
	p.records[core] = append(p.records[core], r)
	p.marks[core] = append(p.marks[core], mark{int32(run), int32(op)})
}
