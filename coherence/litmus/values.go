package litmus

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/traces"
)

// values works out what the cores of a program have seen.
type values struct {
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

// witness takes down one access.
func (v *values) witness(p cmp.Performed) {
	if !p.Access.Kind.IsAccess() {
		return
	}
	m := v.marks[p.Core][p.Record]
	word := int(p.Access.Address / 8)
	if p.Access.Kind == traces.Load {
		if m.op >= 0 {
			l := load{mark: m, core: int32(p.Core), word: word, forwarded: p.Forwarded, seen: p.Version}
			if p.Forwarded {
				l.seen = p.From
			}
			v.loads = append(v.loads, l)
		}
		return
	}
	w := write{version: p.Version, run: m.run, core: int32(p.Core), record: p.Record, atomic: p.Access.Kind == traces.Atomic}
	if m.op >= 0 {
		w.value = v.test.Programs[p.Core][m.op].Value
	}
	v.writes[word] = append(v.writes[word], w)
}

// outcome is what the registers and variables of one run hold in the end.
type outcome map[string]int

// outcomes gives the result of every run. A value that a later run wrote would mean that the
// barrier between them has let a core through.
func (v *values) outcomes() ([]outcome, error) {
	for word := range v.writes {
		v.count(v.writes[word])
	}
	all := make([]outcome, len(v.words))
	for run := range all {
		all[run] = outcome{}
		for i, name := range v.test.Variables {
			all[run][name] = 0
			for _, w := range v.writes[v.words[run][i]] {
				if int(w.run) == run {
					all[run][name] = w.value
				}
			}
		}
	}
	for _, l := range v.loads {
		w := v.read(l)
		value := 0
		switch {
		case w == nil || w.run < l.run: // what an earlier run has left counts as the initial value
		case w.run > l.run:
			return nil, fmt.Errorf("core %d reads in run %d what core %d writes in run %d, after the next barrier", l.core, l.run, w.core, w.run)
		default:
			value = w.value
		}
		all[l.run][v.test.Programs[l.core][l.op].Register] = value
	}
	return all, nil
}

// count sorts the writes of a word by version and lets atomics add one to what comes before them in
// the same run.
func (v *values) count(writes []write) {
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
func (v *values) read(l load) *write {
	writes := v.writes[l.word]
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

// text returns an outcome in order of name, registers first: "r1=0 r2=1 x=1".
func (o outcome) text() string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if isRegister(a) != isRegister(b) {
			return strings.Compare(a[:1], "s")*2 - strings.Compare(b[:1], "s")
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s=%d", name, o[name])
	}
	return strings.Join(names, " ")
}
