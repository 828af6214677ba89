package record

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// What a processor tells when it does something to a word of 4 bytes.
func does(kind kind, core uint16, address uint64, f flags) message {
	return message{kind: kind, thread: core, value: address, size: 2, instructions: 1, flags: f}
}

func takes(core uint16, address uint64) message {
	return does(kindAtomic, core, address, exchange|foundZero)
}

// frees is how the kernel's spin lock is released: by a store to the first of its bytes.
func frees(core uint16, address uint64) message {
	m := does(kindStore, core, address, leftZero)
	m.size = 0
	return m
}

// inMachine converts what two processors tell.
func inMachine(t *testing.T, told []message) (*tracetest.Trace, *converter) {
	t.Helper()
	m, k, err := converted(t, machineConfig("test"), encode(append([]message{hello}, told...)...))
	if err != nil {
		t.Fatal(err)
	}
	return m, k
}

// executed converts what two processors do that another executor than the plugin tells.
func executed(t *testing.T, told []message) *tracetest.Trace {
	t.Helper()
	var file bytes.Buffer
	out := must.Get(traces.NewWriter(&file, traces.DefaultMetadata("test", 2), traces.DefaultWriterConfig()))
	p := NewProcessors(2, out)
	for i := range told {
		must.Do(p.k.take(p.p, &told[i]))
	}
	must.Do(p.Close([]uint32{0, 0}))
	must.Do(out.Close())
	return slurp(t, tracetest.Open(t, file.Bytes()))
}

// known is how two processors show that a word is a lock.
func known(address uint64) (told []message) {
	for i := range uint16(trustedAfter) {
		told = append(told, takes(i%2, address), frees(i%2, address))
	}
	return told
}

// TestWordsAreLocks: once a word is known to be a lock, records of the lock stand for what is done
// to it, and order neither those who take it nor what they do meanwhile.
func TestWordsAreLocks(t *testing.T) {
	const word, beside = 0x7004, 0x7010
	told := append(known(word),
		takes(0, word), does(kindStore, 0, beside, 0),
		does(kindAtomic, 1, word, exchange|missed), does(kindLoad, 1, word, 0), does(kindLoad, 1, word, 0),
		frees(0, word), does(kindLoad, 0, word, 0),
		takes(1, word), does(kindLoad, 1, beside, 0), does(kindAtomic, 1, word, exchange|leftZero),
		does(kindLoad, 1, 0x9000, 0))
	told[len(told)-1].distance = 2 // it needs what has been read beside the word
	m, k := inMachine(t, told)
	before := trustedAfter // of these two records of each core are from known
	word4, lock := uint8(2), traces.LockWord|uint64(word)
	want := [][]traces.Record{
		{{Kind: traces.Lock, Address: lock, Instructions: 1}, {Kind: traces.Store, Address: beside, Instructions: 1, Size: word4},
			{Kind: traces.Unlock, Address: lock, Instructions: 1}, {Kind: traces.Load, Address: word, Instructions: 1, Size: word4}, {Kind: traces.End}},
		{{Kind: traces.Lock, Address: lock, Instructions: 2}, {Kind: traces.Load, Address: beside, Instructions: 1, Size: word4},
			{Kind: traces.Unlock, Address: lock, Instructions: 1}, {Kind: traces.Load, Address: 0x9000, Instructions: 1, Size: word4, Dependence: 1}, {Kind: traces.End}},
	}
	for core := range want {
		if have := m.Records[core][before:]; !reflect.DeepEqual(have, want[core]) {
			t.Errorf("core %d: %+v\nwant\n%+v", core, have, want[core])
		}
		if n := len(m.Edges[core]); n == 0 || m.Edges[core][n-1].At >= uint64(before) {
			t.Errorf("core %d: %v; only what comes before the word is known is ordered", core, m.Edges[core])
		}
	}
	if k.counts.locks != 2 {
		t.Errorf("%d locks", k.counts.locks)
	}
}

// TestWordsThatAreNoLocks: counters, flags that another core clears, and what is used in any other
// way stay what they are, and are ordered by edges.
func TestWordsThatAreNoLocks(t *testing.T) {
	const word = 0x7000
	pair := func(core uint16, a, b message) []message {
		a.thread, b.thread = core, core
		return []message{a, b}
	}
	wide := does(kindStore, 0, word, leftZero)
	wide.size = 3
	for name, round := range map[string]func(core uint16) []message{
		"counter": func(core uint16) []message {
			return pair(core, does(kindAtomic, 0, word, foundZero), does(kindAtomic, 0, word, leftZero))
		},
		"counter by exchanges": func(core uint16) []message {
			return slices.Concat(pair(core, takes(0, word), frees(0, word)),
				[]message{takes(core, word), does(kindAtomic, 1-core, word, exchange), does(kindAtomic, 1-core, word, exchange), does(kindAtomic, core, word, exchange|leftZero)})
		},
		"flag cleared by another": func(core uint16) []message {
			return []message{takes(core, word), frees(1-core, word)}
		},
		"found zero by adding": func(core uint16) []message {
			return pair(core, does(kindAtomic, 0, word, foundZero), frees(0, word))
		},
		"set by a store":   func(core uint16) []message { return pair(core, does(kindStore, 0, word, 0), frees(0, word)) },
		"taken twice":      func(core uint16) []message { return pair(core, takes(0, word), takes(0, word)) },
		"part of a larger": func(core uint16) []message { return pair(core, takes(0, word+4), wide) },
		"of one byte": func(core uint16) []message {
			a := takes(0, word)
			a.size = 0
			return pair(core, a, frees(0, word))
		},
		"computed away": func(core uint16) []message {
			return pair(core, takes(0, word), does(kindAtomic, 0, word, leftZero))
		},
	} {
		var told []message
		for i := range uint16(4 * trustedAfter) {
			told = append(told, round(i%2)...)
		}
		m, k := inMachine(t, told)
		if k.counts.locks != 0 {
			t.Errorf("%s: %d locks", name, k.counts.locks)
		}
		edges := len(m.Edges[0]) + len(m.Edges[1])
		if name == "counter by exchanges" && edges < 2*trustedAfter || name == "counter" && edges > 0 {
			t.Errorf("%s: %d edges", name, edges)
		}
	}
	var told []message // a lock that only one core takes
	for range 4 * trustedAfter {
		told = append(told, takes(0, word), frees(0, word))
	}
	if _, k := inMachine(t, told); k.counts.locks != 0 {
		t.Errorf("one core alone: %d locks", k.counts.locks)
	}
}

// TestRefutedLock: a word that is used otherwise while it is held is released in the trace there,
// and is no lock from then on.
func TestRefutedLock(t *testing.T) {
	const word = 0x7000
	told := append(known(word), takes(0, word), does(kindLoad, 0, 0x8000, 0), does(kindStore, 1, word, 0), takes(1, word), frees(1, word))
	m, k := inMachine(t, told)
	last := m.Records[0][trustedAfter:]
	if len(last) != 4 || last[0].Kind != traces.Lock || last[2].Kind != traces.Unlock || k.counts.locks != 1 {
		t.Errorf("%+v", last)
	}
	if n := len(m.Records[1]); m.Records[1][n-3].Kind != traces.Atomic {
		t.Errorf("%+v", m.Records[1])
	}
}

// TestLetGo: a core that waits for another while it holds a lock releases it in the trace, and the
// next one waits for the last record before the real release.
func TestLetGo(t *testing.T) {
	const word = 0x7000
	m, _ := inMachine(t, append(known(word), takes(0, word),
		does(kindStore, 1, 0x8000, 0), does(kindLoad, 0, 0x8000, 0), does(kindStore, 0, 0x9000, 0), frees(0, word),
		takes(1, word), frees(1, word)))
	var kinds []traces.Kind
	for _, r := range m.Records[0][trustedAfter:] {
		kinds = append(kinds, r.Kind)
	}
	if !slices.Equal(kinds, []traces.Kind{traces.Lock, traces.Unlock, traces.Load, traces.Store, traces.End}) {
		t.Errorf("%v", kinds)
	}
	n := len(m.Edges[1])
	if want := (traces.Edge{At: trustedAfter + 1, Position: trustedAfter + 3, Producer: 0}); n == 0 || m.Edges[1][n-1] != want {
		t.Errorf("%v, want %v at the end", m.Edges[1], want)
	}
}

// over makes an access one of 8 bytes.
func over(m message) message {
	m.size = 3
	return m
}

// TestWideAccesses: an access that writes into several words is no use of any of them as a lock,
// unless it leaves free ones free. One that reads them is.
func TestWideAccesses(t *testing.T) {
	const a, b = 0x7000, 0x7004
	both := append(known(a), known(b)...)
	for _, c := range []struct {
		name string
		does []message
		lock bool // what core 1 does to the second word in the end
	}{
		{"stored over", []message{over(does(kindStore, 0, a, 0))}, false},
		{"exchanged", []message{over(takes(0, a))}, false},
		{"read", []message{over(does(kindLoad, 0, a, 0))}, true},
		{"cleared while free", []message{over(does(kindStore, 0, a, leftZero))}, true},
		{"cleared while held", []message{takes(0, b), over(does(kindStore, 0, a, leftZero))}, false},
		{"stored over after the first is refuted", []message{does(kindStore, 0, a, 0), over(does(kindStore, 0, a, 0))}, false},
	} {
		m, _ := inMachine(t, slices.Concat(both, c.does, []message{takes(1, b), frees(1, b)}))
		n := len(m.Records[1])
		want := []traces.Kind{traces.Atomic, traces.Store}
		if c.lock {
			want = []traces.Kind{traces.Lock, traces.Unlock}
		}
		if r := m.Records[1][n-3:]; r[0].Kind != want[0] || r[1].Kind != want[1] {
			t.Errorf("%s: %+v, want %v", c.name, r, want)
		}
	}
}

// TestWideRelease: zero that the holder stores over more than the word stays in the trace, and the
// word is no lock any more.
func TestWideRelease(t *testing.T) {
	const word = 0x7000
	wide := over(does(kindStore, 0, word, leftZero))
	m, _ := inMachine(t, append(known(word), takes(0, word), wide, takes(1, word), frees(1, word)))
	lock := traces.LockWord | uint64(word)
	want := []traces.Record{{Kind: traces.Lock, Address: lock, Instructions: 1}, {Kind: traces.Unlock, Address: lock, Instructions: 1},
		{Kind: traces.Store, Address: word, Size: 3}, {Kind: traces.End}}
	if have := m.Records[0][trustedAfter:]; !reflect.DeepEqual(have, want) {
		t.Errorf("%+v\nwant\n%+v", have, want)
	}
	if n := len(m.Records[1]); m.Records[1][n-3].Kind != traces.Atomic {
		t.Errorf("%+v", m.Records[1])
	}
}

// TestSpins: of a core that finds a word taken, the loads that follow each other are left out. One
// after another access is in the trace: the core may have given up, or calls the function that
// spins, or an interrupt has come.
func TestSpins(t *testing.T) {
	const word, lower, beside = 0x7000, 0x6000, 0x9000
	other, load := does(kindLoad, 1, beside, 0), does(kindLoad, 1, word, 0)
	load.instructions = 7
	start := slices.Concat(known(lower), known(word), []message{takes(0, word), does(kindAtomic, 1, word, exchange|missed)})
	free := frees(0, word)
	for _, c := range []struct {
		name string
		does []message
		// want tells of each record whether it is of the word; the one after the loads has the
		// instructions of what is not left out.
		want []bool
	}{
		{"spins", []message{load, load, load, free, load, other}, []bool{false}},
		{"calls and spins", []message{other, load, load, load, free, load, other}, []bool{false, true, false}},
		{"is interrupted", []message{load, load, other, other, load, load, other}, []bool{false, false, true, false}},
		{"gives up", []message{other, load, other, load, free, other, load, other}, []bool{false, true, false, true, false, true, false}},
		{"looks at another lock, too", []message{does(kindLoad, 1, lower, 0), load, other}, []bool{false, true, false}},
		{"gives up, and reads it twice when it is free", []message{free, other, load, load, other}, []bool{false, true, true, false}},
	} {
		m, _ := inMachine(t, slices.Concat(start, c.does))
		var have []bool
		for _, r := range m.Records[1][2*trustedAfter:] {
			if r.Kind == traces.End {
				break
			}
			have = append(have, r.Address == word)
			want := uint32(1)
			if r.Address == word {
				want = 7
			} else if len(have) == 1 {
				want = 2 // with the attempt
			}
			if r.Instructions != want {
				t.Errorf("%s: %+v, want %d instructions", c.name, r, want)
			}
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: %v, want %v", c.name, have, c.want)
		}
	}
	// The fences between polls go with them; the one behind the last poll stays.
	fence := message{kind: kindFence, thread: 1, instructions: 1}
	m := executed(t, slices.Concat(start, []message{fence, load, fence, load, free, load, fence, other}))
	if r := m.Records[1][2*trustedAfter:]; r[0].Kind != traces.Fence || r[0].Instructions != 2 || r[1].Kind != traces.Load {
		t.Errorf("fences of polls: %+v", r)
	}
	// Of a load that crosses into the line of the word, the first piece has all instructions.
	cross := over(does(kindLoad, 1, word-4, 0))
	m, _ = inMachine(t, slices.Concat(start, []message{cross, other}))
	if r := m.Records[1][2*trustedAfter:]; r[0].Instructions != 2 || r[1].Address != word || r[1].Instructions != 0 || r[2].Instructions != 1 {
		t.Errorf("%+v", r)
	}
}
