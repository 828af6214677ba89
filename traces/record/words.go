package record

import "github.com/carousel-sim/carousel/traces"

// The recorder recognises the locks of a machine by how cores access a word of 4 or 8 bytes. A core
// takes it by an exchange (XCHG, CMPXCHG) that finds zero and leaves something else, and the same
// core releases it by storing zero, or exchanging for zero. Meanwhile others may try to take it: a
// CMPXCHG that does not find zero leaves the word as it is; an XCHG may leave a mark that a core
// waits. No other access writes the word. These are the spin locks of the kernel, its mutexes while
// no thread waits for them, and the mutexes of the C library.
//
// A word is trusted to be a lock when at least two cores have taken it, and it has been taken and
// released often enough. From then on Lock and Unlock records stand for the accesses that take and
// release it; attempts that find it taken, and the loads of a core that then spins on it, are left
// out. A spinning core accesses nothing else, so a load after another access stays: the core may
// have given up, or it calls the function that spins, or returns to it from an interrupt. Any other
// read of the word reads an order that a replay decides, so no edge leads to it. A word that is
// used otherwise once is no longer a lock.

// word is a place in memory that may be a lock.
type word struct {
	lock    lock
	address uint64
	bytes   uint64
	holder  int // core that has taken it, or noHolder
	first   int // core that has taken it first
	shared  bool
	whole   int // times that it has been taken and released
	again   int // times that a core that found it taken has exchanged again, without a read between
	refuted bool
	nonzero bool // of a program: what was written last
	sharing sharing
}

const noHolder = -1

// trustedAfter is how often a word has been taken and released before it is trusted.
const trustedAfter = 4

func (w *word) trusted() bool { return w.shared && w.whole >= trustedAfter && !w.refuted }

// mayLock reports whether a word is a lock, also one that readers share, or may turn out to be one.
func (w *word) mayLock() bool {
	return w != nil && (!w.refuted || w.sharing.free && !w.sharing.refuted)
}

func (w *word) overlaps(address, bytes uint64) bool {
	return address < w.address+w.bytes && w.address < address+bytes
}

// use says what an access to a word becomes in the trace.
type use uint8

const (
	anAccess  use = iota // it stays what it is
	unordered            // an access to which no edge leads
	leftOut              // nothing, or the record of a lock
)

// words are the words of each line that have been taken.
type words map[uint64][]*word

// at returns the first word that an access reaches into.
func (l words) at(address, bytes uint64) *word {
	for _, w := range l[address/traces.LineBytes] {
		if w.overlaps(address, bytes) {
			return w
		}
	}
	return nil
}

// In recordings of x86-64 programs it may not be known which value an atomic has found (values.go). The
// recorder then takes it that a word that nothing has written is zero, and what a store has left is not.
// If that is wrong, a later access refutes the word.

// sleepsOn takes a call of a program to sleep on a word or to wake others, and reports whether the records
// of a lock stand for it.
func (k *converter) sleepsOn(address uint64) bool {
	w := k.words.at(address, 4)
	if w == nil || w.refuted {
		return false
	}
	w.lock.waits = traces.Sleeps
	return w.trusted()
}

// atProgramWord is atWord for the accesses of programs.
func (k *converter) atProgramWord(t *thread, m *message, address, bytes uint64) use {
	if m.kind == kindLoad {
		return k.atWord(t, m, address, bytes)
	}
	w := k.words.at(address, bytes)
	if m.kind == kindAtomic && m.flags&exchange != 0 {
		held := w != nil && w.nonzero
		if m.valued {
			held = m.before != 0
		}
		fails := m.flags&missed != 0 || !m.valued || m.before == m.after
		m.flags = m.flags&^missed | flag(!held, foundZero) | flag(held && fails && m.flags&leftZero == 0, missed)
	}
	becomes := k.atWord(t, m, address, bytes)
	if w = k.words.at(address, bytes); w != nil {
		w.nonzero = m.flags&leftZero == 0
	}
	return becomes
}

// atWord learns of words from an access of a thread, and returns what becomes of it.
func (k *converter) atWord(t *thread, m *message, address, bytes uint64) use {
	w := k.words.at(address, bytes)
	t.elsewhere = t.elsewhere || w != t.spins
	if m.kind == kindLoad {
		t.missed = nil
	}
	takes := m.kind == kindAtomic && m.flags == exchange|foundZero
	if w == nil {
		if !takes || bytes < 4 {
			return anAccess
		}
		w = &word{lock: lock{number: traces.LockWord | address}, address: address, bytes: bytes, holder: noHolder, first: t.core}
		line := address / traces.LineBytes
		k.words[line] = append(k.words[line], w)
	}
	k.refuteOthers(t, w, m, address, bytes)
	whole, zeroes := address == w.address && bytes == w.bytes, m.flags&leftZero != 0
	switch {
	case w.refuted:
		return k.atShared(t, w, m, whole)
	case m.kind == kindLoad:
		return k.readWord(t, w, m)
	case whole && takes && w.holder == noHolder:
		return k.takeWord(t, w)
	case address == w.address && zeroes && m.kind == kindStore, whole && zeroes && m.flags&exchange != 0:
		if w.holder == t.core && bytes <= w.bytes {
			return k.freeWord(t, w)
		} else if w.holder == noHolder {
			return anAccess
		}
	case whole && m.flags == exchange|missed && w.holder != noHolder && w.holder != t.core:
		return w.miss(t)
	}
	k.refute(t, w)
	return k.atShared(t, w, m, whole)
}

func (k *converter) takeWord(t *thread, w *word) use {
	w.holder = t.core
	w.shared = w.shared || w.first != t.core
	if !w.trusted() {
		return anAccess
	}
	t.spins = nil
	k.acquire(t, w.asWaited())
	return leftOut
}

func (k *converter) freeWord(t *thread, w *word) use {
	w.holder = noHolder
	w.whole++
	t.freed = w
	if w.lock.holder == nil {
		return anAccess
	}
	k.release(t, &w.lock)
	return leftOut
}

// miss is an attempt of a thread to take a word that another one has.
func (w *word) miss(t *thread) use {
	t.miss(w)
	if !w.trusted() {
		return anAccess
	}
	t.spins, t.elsewhere = w, false
	return leftOut
}

// miss notes that an exchange of a thread has found a word taken.
func (t *thread) miss(w *word) {
	if t.missed == w && !t.elsewhere {
		w.again++
	}
	t.missed = w
}

// asWaited notes how cores wait for the word, as far as it is known.
func (w *word) asWaited() *lock {
	if l := &w.lock; w.again > trustedAfter && l.waits&traces.Sleeps == 0 {
		l.waits |= traces.Exchanges
	}
	return &w.lock
}

func (k *converter) readWord(t *thread, w *word, m *message) use {
	switch {
	case !w.trusted():
		return anAccess
	case t.spins != w:
		return unordered
	}
	spins := !t.elsewhere
	t.elsewhere = false
	if w.holder == noHolder {
		t.spins = nil // a core that still wants the word tries again
	}
	if !spins {
		return unordered
	}
	k.cores[t.core].instructions -= uint64(m.instructions)
	return leftOut
}

// refute decides that a word is not a lock. A core that holds it releases it.
func (k *converter) refute(t *thread, w *word) {
	w.refuted = true
	if w.lock.holder != nil {
		k.release(t, &w.lock)
	}
}

// refuteOthers decides that all words that an access writes into, but one, are not locks. Cleared
// memory has free words as before.
func (k *converter) refuteOthers(t *thread, than *word, m *message, address, bytes uint64) {
	if m.kind == kindLoad {
		return
	}
	clears := m.kind == kindStore && m.flags&leftZero != 0
	for _, w := range k.words[address/traces.LineBytes] {
		if w != than && w.overlaps(address, bytes) && !(clears && w.holder == noHolder) {
			k.refute(t, w)
			k.refuteShared(w)
		}
	}
}
