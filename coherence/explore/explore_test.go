package explore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/token"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"pgregory.net/rapid"
)

var single = cache.Config{Sets: 1, Ways: 1}

// mesi returns a chip of the directory protocol with one block.
func mesi(cores int, silent bool, defect string) Model {
	return Model{
		Name: fmt.Sprintf("directory, %d L1s", cores), Cores: cores, Blocks: 1, Outstanding: 1, OrderedInFlight: 2,
		Accesses:  []coherence.AccessKind{coherence.Load, coherence.Store},
		Evictions: true, Replacements: true,
		New: func(s coherence.System) coherence.Explorable {
			c := directory.Config{SilentS: silent, Transactions: 1, StallQueue: 1, WriteBacks: 1}
			p := directory.New(s, c, single, single, 1)
			p.Seed(defect)
			return p
		},
	}
}

// tokens returns a chip of the token protocol with one block.
func tokens(cores, count int, defect string) Model {
	m := mesi(cores, false, "")
	m.Name = fmt.Sprintf("token, %d L1s", cores)
	m.New = func(s coherence.System) coherence.Explorable {
		c := token.Default()
		c.Issues, c.Jitter = 1, 0
		p := token.New(s, c, single, single, 1)
		p.Scarce(count)
		p.Seed(defect)
		return p
	}
	return m
}

func with(m Model, change func(*Model)) Model {
	change(&m)
	return m
}

func run(t *testing.T, m Model, o Options) *Result {
	t.Helper()
	r := must.Get(Run(context.Background(), m, o))
	return r
}

// TestCounts pins the numbers of states and transitions of small models, all of them without a
// violation.
func TestCounts(t *testing.T) {
	named := func(m *Model) { m.Named = true }
	for _, x := range []struct {
		model       Model
		states      int
		transitions uint64
		depth       int
	}{
		{mesi(1, false, ""), 131, 243, 20},
		{with(mesi(2, false, ""), named), 8718, 23194, 41},
		{mesi(2, false, ""), 4392, 11716, 41},
		{mesi(2, true, ""), 5377, 14755, 39},
		{with(mesi(2, false, ""), func(m *Model) { m.History = true }), 5029, 13248, 41},
		{with(mesi(2, false, ""), func(m *Model) { m.Cramped = true }), 2797, 7021, 31},
		{with(mesi(1, false, ""), func(m *Model) { m.Blocks = 2 }), 1153, 2882, 25},
		{tokens(1, 2, ""), 7228, 65190, 24},
		{with(tokens(1, 2, ""), func(m *Model) { m.Cramped = true }), 20201, 197750, 40},
	} {
		r := run(t, x.model, Options{})
		if r.Violation != nil {
			t.Fatalf("%s: %v\n%s", x.model.Name, r.Violation.Why, r.Violation.Scenario())
		}
		if r.States != x.states || r.Transitions != x.transitions || r.Depth != x.depth || !r.Complete || !r.Live || r.Expanded != r.States {
			t.Errorf("%s: %d, %d, %d (complete %t, live %t), want %d states, %d transitions, depth %d",
				x.model.Name, r.States, r.Transitions, r.Depth, r.Complete, r.Live, x.states, x.transitions, x.depth)
		}
	}
}

// TestWorkers gets the same result, and the same way to a violation, from any number of workers.
func TestWorkers(t *testing.T) {
	for _, m := range []Model{mesi(2, true, ""), mesi(2, false, "drop-ack"), mesi(2, false, "keep-once"), tokens(1, 2, "")} {
		first := run(t, m, Options{Workers: 1})
		for _, workers := range []int{2, 5} {
			r := run(t, m, Options{Workers: workers})
			a, b := *first, *r
			a.Cells, b.Cells = nil, nil // those of each worker
			if a.Violation == nil || b.Violation == nil {
				if !reflect.DeepEqual(a, b) {
					t.Errorf("%s: %+v with one worker, %+v with %d", m.Name, a, b, workers)
				}
				continue
			}
			if one, other := a.Violation.Scenario(), b.Violation.Scenario(); one != other || a.States != b.States {
				t.Errorf("%s: with one worker\n%s\nwith %d\n%s", m.Name, one, workers, other)
			}
		}
	}
}

// TestBounds ends searches early, and says so.
func TestBounds(t *testing.T) {
	for _, o := range []Options{{States: 3000}, {Memory: 200_000}} {
		r := run(t, mesi(2, false, ""), o)
		if r.Complete || r.Live || r.States < 1000 || r.States == r.Expanded {
			t.Errorf("%+v: %+v", o, *r)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(ended, mesi(2, false, ""), Options{}); err == nil || r.Complete {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
	if _, err := Run(context.Background(), with(mesi(2, false, ""), func(m *Model) { m.Cores = 9 }), Options{}); err == nil ||
		!strings.Contains(err.Error(), "Cores is 9; 1 to 8 are allowed") {
		t.Errorf("nine cores: %v", err)
	}
}

// walk puts the machine into every state of a model, as found by a plain search that keeps whole
// states.
func walk(m *machine, visit func(state []byte)) int {
	start := string(m.keep())
	had, queue := map[string]bool{start: true}, []string{start}
	for ; len(queue) > 0; queue = queue[1:] {
		visit([]byte(queue[0]))
		m.load([]byte(queue[0]))
		for _, x := range m.steps(nil) {
			m.load([]byte(queue[0]))
			if done, err := m.do(x); done && err == nil {
				if next := string(m.keep()); !had[next] {
					had[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return len(had)
}

// TestPlainSearch compares the counts with those of the plain search, which knows no fingerprints,
// workers or renaming: it finds every state under all of its names.
func TestPlainSearch(t *testing.T) {
	for _, model := range []Model{mesi(2, false, ""), with(mesi(2, true, ""), func(m *Model) { m.History = true }), tokens(1, 2, "")} {
		r := run(t, model, Options{})
		m := newMachine(&model)
		canonical := map[string]int{}
		named := walk(m, func(state []byte) {
			m.load(state)
			if got := m.keep(); string(got) != string(state) {
				t.Fatalf("%s: state %v is %v after a round trip", model.Name, state, got)
			}
			canonical[string(m.save())]++
		})
		if len(canonical) != r.States {
			t.Errorf("%s: the plain search finds %d states, %d up to names; the search %d", model.Name, named, len(canonical), r.States)
		}
	}
}

// TestNames renames the cores in every state: what can happen then leads to the same states up to
// names.
func TestNames(t *testing.T) {
	model := mesi(2, false, "")
	m := newMachine(&model)
	after := func(state []byte) (list []string) {
		m.load(state)
		for _, x := range m.steps(nil) {
			m.load(state)
			if done, err := m.do(x); done && err == nil {
				list = append(list, string(m.save()))
			}
		}
		slices.Sort(list)
		return list
	}
	walk(m, func(state []byte) {
		m.load(state)
		m.mark()
		other := slices.Clone(m.encode([]uint8{1, 0}, []uint8{1, 0}))
		if a, b := after(state), after(other); !slices.Equal(a, b) {
			t.Fatalf("state %v has other successors than %v, its mirror image", state, other)
		}
	})
}

// TestScenario pins the way to a violation as text.
func TestScenario(t *testing.T) {
	r := run(t, mesi(2, false, "answer-early"), Options{})
	const want = `load C0 X
deliver >B0 GetS
deliver >M0 MemRd
dram X
deliver >B0 MemData
deliver >C0 DataE
deliver >B0 Unblock
load C1 X
deliver >B0 GetS
----
`
	if r.Violation == nil || r.Complete || r.Violation.Steps() != 9 {
		t.Fatalf("%+v", *r)
	}
	text := r.Violation.Scenario()
	if !strings.HasPrefix(text, want) || !strings.HasSuffix(text,
		"LAW BROKEN: cycle 0: block 0x0: cache 0 in state E: owns the block: true; the home, in state S, lists it: true\n") {
		t.Error(text)
	}
}

// TestStuck finds a state from which nothing ends, and tells it as one in which an agent waits.
func TestStuck(t *testing.T) {
	r := run(t, mesi(2, false, "drop-ack"), Options{})
	if r.Violation == nil || r.Violation.Why != errStuck || !strings.Contains(r.Violation.Scenario(), "acknowledgements to come") {
		t.Fatalf("%+v", *r)
	}
	if r := run(t, mesi(2, false, "drop-ack"), Options{SafetyOnly: true}); r.Violation != nil || r.Live {
		t.Errorf("without looking for it: %+v", *r)
	}
}

// TestEvents packs and unpacks messages.
func TestEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(limit int, what string) int { return rapid.IntRange(0, limit-1).Draw(t, what) }
		agent := func(what string) coherence.Agent {
			return coherence.Agent{Role: coherence.Role(n(3, what+" role")), Index: uint16(n(maxCores, what))}
		}
		m := coherence.Message{Block: coherence.Block(n(maxBlocks, "block")), Version: coherence.Version(n(16, "version")),
			Kind: uint8(n(32, "kind")), Flags: coherence.Flags(n(32, "flags")), From: agent("from"), Requestor: uint16(n(maxCores, "core")),
			Count: int16(n(2048, "count") - countBias)}
		m.Class = classOf(event(n(8, "class") << classAt))
		to := agent("to")
		e := pack(arrival, to, &m, uint8(m.Version))
		if got := e.message(); got != m || e.to() != to || e.sort() != arrival || e.ordered() {
			t.Fatalf("%+v to %v becomes %+v to %v", m, to, got, e.to())
		}
		names := []uint8{3, 0, 1, 2, 7, 6, 5, 4}
		back := make([]uint8, len(names))
		for i, n := range names {
			back[n] = uint8(i)
		}
		if got := e.renamed(names).renamed(back); got != e {
			t.Fatalf("%x renamed and back is %x", e, got)
		}
	})
}

// TestSeen compares the table of fingerprints with a map.
func TestSeen(t *testing.T) {
	s, want := newSeen(), map[fingerprint]uint32{}
	for i := range uint64(30_000) {
		f := fingerprint{i * i % 20_011, i % 3}
		number, fresh := s.add(f)
		old, known := want[f]
		if known == fresh || known && old != number {
			t.Fatalf("%v has number %d, fresh %t; it had %d, known %t", f, number, fresh, old, known)
		}
		want[f] = number
		if s.find(f) != number {
			t.Fatalf("%v is found as %d", f, s.find(f))
		}
	}
	if s.find(fingerprint{1, 77}) != unknown || len(want) != len(s.prints) {
		t.Errorf("%d fingerprints, want %d", len(s.prints), len(want))
	}
}

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
				if y.what == stepAccess && y.kind.IsWrite() {
					if writes++; writes > 10 {
						return // an event has room for few versions
					}
				}
				ordered := x.what == stepEvent && loaded.bag[x.event].ordered()
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
	if x.what == stepEvent {
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
