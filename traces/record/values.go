package record

import "github.com/carousel-sim/carousel/traces"

// QEMU tells what an atomic has left in memory, but not what it found there. That is what the latest
// write has left, if it was an atomic, too, or a store of zero. What the first atomic of a word has
// found is not known.

// values are, by line, the words that atomics have changed.
type values map[uint64][]value

type value struct {
	address, bytes, left uint64
	known                bool
}

// follow takes a store or an atomic, and says in its message what it found and left, if that is
// known.
func (v values) follow(m *message, address, bytes uint64) {
	if m.kind == kindLoad || m.kind == kindFetch || m.valued {
		return
	}
	list := v[address/traces.LineBytes]
	left, known := m.after, m.leaves
	if m.flags&leftZero != 0 {
		left, known = 0, true
	}
	found := false
	for i := range list {
		w := &list[i]
		switch {
		case w.address == address && w.bytes == bytes:
			m.before, m.after, m.valued = w.left, left, w.known && known
			w.left, w.known, found = left, known, true
		case w.address < address+bytes && address < w.address+w.bytes:
			w.known = false
		}
	}
	if m.kind == kindAtomic && !found {
		v[address/traces.LineBytes] = append(list, value{address, bytes, left, known})
	}
}
