package litmus

import (
	"fmt"
	"slices"
	"sort"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
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
	edges   [][]traces.Edge
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
	p := &program{test: t, random: random.Stream(seed), records: make([][]traces.Record, len(t.Programs)), edges: make([][]traces.Edge, len(t.Programs)), marks: make([][]mark, len(t.Programs))}
	for run := range runs {
		p.words = append(p.words, p.place(layout))
		for core := range t.Programs {
			p.one(core, run, layout == Shared)
		}
		p.await(run)
	}
	return p
}

// trace returns the program as a trace.
func (p *program) trace() *traces.Memory { return traces.NewMemory(p.records, p.edges) }

// await lets the loads of a run that poll wait for the store to their variable.
func (p *program) await(run int) {
	type place struct{ core, at int }
	stores := make([]place, len(p.test.Variables))
	each := func(visit func(op Op, core, at int)) {
		for core, marks := range p.marks {
			first := sort.Search(len(marks), func(i int) bool { return int(marks[i].run) >= run })
			for i, m := range marks[first:] {
				if m.op >= 0 {
					visit(p.test.Programs[core][m.op], core, first+i)
				}
			}
		}
	}
	each(func(op Op, core, at int) {
		if op.Kind == traces.Store {
			stores[op.Variable] = place{core, at}
		}
	})
	each(func(op Op, core, at int) {
		if from := stores[op.Variable]; op.Kind == traces.Load && op.Register == "" && from.core != core {
			p.edges[core] = append(p.edges[core], traces.Edge{At: uint64(at), Producer: uint16(from.core), Position: uint64(from.at)})
		}
	})
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
			p.add(core, run, -1, traces.Record{Kind: traces.Store, Address: p.unusedWord(run, v), Size: 3, Instructions: 1})
		}
	}
	// In every fourth run, cores sleep at the barrier.
	meet := traces.Record{Kind: traces.Barrier, Address: barrier, Count: uint16(len(p.test.Programs)), Size: uint8(run % 4 / 3), Instructions: 1}
	p.add(core, run, -1, meet)
	for i, op := range p.test.Programs[core] {
		if noisy {
			p.noise(core, run)
		}
		r := traces.Record{Kind: op.Kind, Instructions: p.gap()}
		switch op.Kind {
		case traces.Fence:
		case traces.Lock, traces.Unlock: // for which cores wait in another way in each run
			r.Address = traces.LockWord | p.address(run, op.Variable)
			r.Size = [...]uint8{traces.Spins, traces.Sleeps, traces.Exchanges, traces.Sleeps | traces.Exchanges}[run%4]
			if op.Shared {
				r.Size |= traces.Shared
			}
		default:
			r.Address, r.Size = p.address(run, op.Variable), 3
			if r.Kind == traces.Atomic && run%2 == 1 { // tried again if another core comes first
				p.add(core, run, -1, traces.Record{Kind: traces.Load, Address: r.Address, Size: 3, Instructions: p.gap(), Count: traces.Tries})
			}
			if op.Kind == traces.Load && op.Register == "" {
				r.Count = traces.Polls
			}
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
	p.add(core, run, -1, traces.Record{Kind: kind, Address: p.unusedWord(run, p.random.Remainder(len(p.test.Variables))), Size: 3, Instructions: 1})
}

// unusedWord returns the address of a word in the block of a variable that holds no variable.
func (p *program) unusedWord(run, variable int) uint64 {
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

// observations are what the cores of a program have seen and written.
type observations struct {
	*program
	writes [pool * wordsPerBlock][]write // of each word
	loads  []load
}

// write is one store or atomic that has become visible.
type write struct {
	version uint64
	run     int32
	core    int32
	record  uint64
	atomic  bool
	value   int
}

// load is one load of the test that has retired.
type load struct {
	mark
	core      int32
	word      int
	forwarded bool
	seen      uint64 // the version, or the record of the store that the value came from
}

// witness records one access.
func (o *observations) witness(p cmp.Performed) {
	if !p.Access.Kind.IsAccess() {
		return
	}
	m := o.marks[p.Core][p.Record]
	word := int(p.Access.Address / 8)
	if p.Access.Kind == traces.Load {
		if m.op >= 0 && o.test.Programs[p.Core][m.op].Register != "" {
			l := load{mark: m, core: int32(p.Core), word: word, forwarded: p.Forwarded, seen: p.Version}
			if p.Forwarded {
				l.seen = p.From
			}
			o.loads = append(o.loads, l)
		}
		return
	}
	w := write{version: p.Version, run: m.run, core: int32(p.Core), record: p.Record, atomic: p.Access.Kind == traces.Atomic}
	if m.op >= 0 {
		w.value = o.test.Programs[p.Core][m.op].Value
	}
	o.writes[word] = append(o.writes[word], w)
}

// outcome is what the registers and variables of one run hold in the end.
type outcome map[string]int

// outcomes gives the result of every run. A value that a later run wrote would mean that the
// barrier between them has let a core through.
func (o *observations) outcomes() ([]outcome, error) {
	for word := range o.writes {
		o.count(o.writes[word])
	}
	all := make([]outcome, len(o.words))
	for run := range all {
		all[run] = outcome{}
		for i, name := range o.test.Variables {
			all[run][name] = 0
			for _, w := range o.writes[o.words[run][i]] {
				if int(w.run) == run {
					all[run][name] = w.value
				}
			}
		}
	}
	for _, l := range o.loads {
		w := o.read(l)
		value := 0
		switch {
		case w == nil || w.run < l.run: // what an earlier run has left counts as the initial value
		case w.run > l.run:
			return nil, fmt.Errorf("core %d reads in run %d what core %d writes in run %d, after the next barrier", l.core, l.run, w.core, w.run)
		default:
			value = w.value
		}
		all[l.run][o.test.Programs[l.core][l.op].Register] = value
	}
	return all, nil
}

// count sorts the writes of a word by version and lets atomics add one to what comes before them in
// the same run.
func (o *observations) count(writes []write) {
	slices.SortFunc(writes, func(a, b write) int { return int(int64(a.version) - int64(b.version)) })
	for i := range writes {
		if w := &writes[i]; w.atomic {
			w.value = 1
			if i > 0 && writes[i-1].run == w.run {
				w.value = writes[i-1].value + 1
			}
		}
	}
}

// read returns the write that a load has seen: the forwarded store, or the last one up to the
// version. It is nil when nothing has been written to the word by then.
func (o *observations) read(l load) *write {
	writes := o.writes[l.word]
	if l.forwarded {
		for i := range writes {
			if writes[i].core == l.core && writes[i].record == l.seen {
				return &writes[i]
			}
		}
		panic(fmt.Sprintf("litmus: core %d took a value from its record %d, which never became visible", l.core, l.seen))
	}
	n := sort.Search(len(writes), func(i int) bool { return writes[i].version > l.seen })
	if n == 0 {
		return nil
	}
	return &writes[n-1]
}

// holds reports whether an outcome is the one that the test watches for.
func (t *Test) holds(o outcome) bool {
	for _, e := range t.Outcome {
		if (o[e.Name] == e.Value) == e.Not {
			return false
		}
	}
	return true
}
