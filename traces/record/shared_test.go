package record

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/traces"
)

// changes is an atomic or a store of 4 bytes that has found and left values.
func changes(kind kind, core uint16, address, before, after uint64, f flags) message {
	m := does(kind, core, address, f|flag(before == 0, foundZero)|flag(after == 0, leftZero))
	m.valued, m.before, m.after = true, before, after
	if kind == kindStore {
		m.flags &^= foundZero
	}
	return m
}

const minusOne = 1<<32 - 1

// reads and writes are what a reader and a writer do to a reader-writer lock that both have.
func reads(core uint16, address, others uint64) []message {
	return []message{does(kindLoad, core, address, 0), changes(kindAtomic, core, address, others, others+1, exchange)}
}

func leaves(core uint16, address, others uint64) message {
	return changes(kindAtomic, core, address, others+1, others, 0)
}

func writes(core uint16, address uint64) message {
	return changes(kindAtomic, core, address, 0, minusOne, exchange)
}

// knownShared is how two processors show that a word is a reader-writer lock.
func knownShared(address uint64) (told []message) {
	told = append(told, writes(0, address), changes(kindStore, 0, address, minusOne, 0, 0))
	for range trustedAfter + 1 {
		told = slices.Concat(told, reads(0, address, 0), reads(1, address, 1), []message{leaves(0, address, 1), leaves(1, address, 0)})
	}
	return append(told, writes(1, address), changes(kindStore, 1, address, minusOne, 0, 0))
}

// TestSharedWords: once a word is known to be a reader-writer lock, records stand for what is done
// to it. Readers are in no order with each other, and what both have read keeps its own order.
func TestSharedWords(t *testing.T) {
	const word, data = 0x7000, 0x9000
	known := knownShared(word)
	before := [2]int{}
	for core, records := range executed(t, known).Records {
		before[core] = len(records) - 1
	}
	fails := changes(kindAtomic, 0, word, minusOne, minusOne, exchange|missed)
	m := executed(t, slices.Concat(known,
		[]message{does(kindStore, 0, data, 0)},
		reads(0, word, 0), []message{leaves(0, word, 0)}, reads(1, word, 0), []message{does(kindLoad, 1, data, 0), leaves(1, word, 0)},
		[]message{writes(1, word), fails, does(kindLoad, 0, word, 0), does(kindLoad, 0, word, 0), changes(kindStore, 1, word, minusOne, 0, 0), writes(0, word), changes(kindStore, 0, word, minusOne, 0, 0)}))
	type event struct {
		kind traces.Kind
		size uint8
	}
	word4, shares := uint8(2), uint8(traces.Shared)
	want := [2][]event{
		{{traces.Store, word4}, {traces.Load, word4}, {traces.Lock, shares | traces.Exchanges}, {traces.Unlock, shares}, {traces.Lock, 0}, {traces.Unlock, 0}, {traces.End, 0}},
		// It waits for the store by an edge, and holds the lock no longer then.
		{{traces.Load, word4}, {traces.Lock, shares | traces.Exchanges}, {traces.Unlock, shares}, {traces.Load, word4}, {traces.Lock, 0}, {traces.Unlock, 0}, {traces.End, 0}},
	}
	for core := range want {
		var have []event
		for _, r := range m.Records[core][before[core]:] {
			have = append(have, event{r.Kind, r.Size})
		}
		if !slices.Equal(have, want[core]) {
			t.Errorf("core %d: %v\nwant\n%v", core, have, want[core])
		}
	}
	if !slices.ContainsFunc(m.Edges[1], func(e traces.Edge) bool { return int(e.At) == before[1]+3 && int(e.Position) == before[0] }) {
		t.Errorf("%v: two readers do not order what they read", m.Edges[1])
	}
}

// TestWordsThatAreNotShared: counters and what is used in another way stay atomics.
func TestWordsThatAreNotShared(t *testing.T) {
	const word = 0x7000
	for name, does := range map[string][]message{
		"stored by a reader": append(reads(0, word, 0), changes(kindStore, 0, word, 1, 0, 0)),
		"taken twice":        append(reads(0, word, 0), changes(kindAtomic, 0, word, 1, 2, 0)),
		"left by another":    append(reads(0, word, 0), leaves(1, word, 0)),
		"another step":       append(reads(0, word, 0), changes(kindAtomic, 1, word, 1, 7, 0)),
	} {
		m := executed(t, slices.Concat(knownShared(word), does, reads(1, word, 0), []message{leaves(1, word, 0)}))
		n := len(m.Records[1])
		if r := m.Records[1][n-3:]; r[0].Kind != traces.Atomic || r[1].Kind != traces.Atomic {
			t.Errorf("%s: %+v", name, r)
		}
	}
	var told []message // a count of references: threads only add to it and subtract from it
	for range 4 * trustedAfter {
		told = slices.Concat(told, reads(0, word, 0), reads(1, word, 1), []message{leaves(0, word, 1), leaves(1, word, 0)})
	}
	if m := executed(t, told); slices.ContainsFunc(m.Records[0], func(r traces.Record) bool { return r.Kind == traces.Lock && r.Size&traces.Shared != 0 }) {
		t.Error("a counter of references is a lock")
	}
}

// TestExchangedWords: where cores that find a word taken exchange it again instead of reading it, the
// records of its lock say so.
func TestExchangedWords(t *testing.T) {
	const word = 0x7000
	told := known(word)
	for range trustedAfter {
		told = append(told, takes(0, word))
		for range 3 {
			told = append(told, does(kindAtomic, 1, word, exchange|missed))
		}
		told = append(told, frees(0, word), takes(1, word), frees(1, word))
	}
	m := executed(t, told)
	n := len(m.Records[1])
	if r := m.Records[1][n-3]; r.Kind != traces.Lock || r.Size != traces.Exchanges {
		t.Errorf("%+v", r)
	}
}
