package explore

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/coherence"
)

// TestSnapshotIsWhole walks at random with two machines: one goes on from where it is, the other is
// put into the saved state before each step. A field that a snapshot forgets and that matters makes
// them part.
func TestSnapshotIsWhole(t *testing.T) {
	every := func(m *Model) {
		m.Accesses = []coherence.AccessKind{coherence.Load, coherence.Store, coherence.Fetch, coherence.Atomic, coherence.Prefetch}
		m.Outstanding, m.Blocks, m.Named = 2, 2, true
	}
	cramped := func(m *Model) { every(m); m.Cramped = true }
	for _, model := range []Model{with(mesi(3, false, ""), every), with(mesi(2, true, ""), cramped), with(tokens(2, 3, ""), every),
		with(tokens(2, 4, ""), cramped)} {
		rapid.Check(t, func(t *rapid.T) {
			whole, loaded := newMachine(&model), newMachine(&model)
			whole.load(slices.Clone(whole.keep())) // versions count from 1 in a state that is loaded
			writes := 0
			for range 150 {
				state := slices.Clone(whole.keep())
				loaded.load(state)
				if got := loaded.keep(); !slices.Equal(got, state) {
					t.Fatalf("%s: %v becomes %v", model.Name, state, got)
				}
				steps := loaded.steps(nil)
				x := steps[rapid.IntRange(0, len(steps)-1).Draw(t, "step")]
				y := whole.counterpart(loaded, x)
				if y.what == accesses && y.kind.IsWrite() {
					if writes++; writes > 10 {
						return // an event has room for few versions
					}
				}
				ordered := x.what == happens && loaded.bag[x.event].ordered()
				one, errOne := whole.do(y)
				two, errTwo := loaded.do(x)
				if one != two || errOne != nil || errTwo != nil {
					t.Fatalf("%s: %+v: %t, %v and %t, %v", model.Name, x, one, errOne, two, errTwo)
				}
				if !one { // refused: without a trace that matters
					whole.load(state)
					continue
				}
				if a, b := slices.Clone(whole.keep()), loaded.keep(); !slices.Equal(a, b) {
					t.Fatalf("%s: after %+v\n%v in one go\n%v from the saved state", model.Name, x, a, b)
				}
				if ordered { // numbers of ordered messages begin at 0 in every state that is loaded
					whole.load(slices.Clone(whole.keep()))
				}
			}
		})
	}
}

// counterpart returns the step of a machine that is the given step of one in the same state, whose
// events have been sorted and aged.
func (m *machine) counterpart(other *machine, x step) step {
	if x.what == happens {
		m.mark()
		m.writer.Marks = m.marks
		x.event = slices.IndexFunc(m.bag, func(e event) bool {
			if e.sort() != dram {
				e = e.aged(m.writer.Place(e.block(), coherence.Version(e.field(versionAt, 4))))
			}
			return e == other.bag[x.event]
		})
	}
	return x
}
