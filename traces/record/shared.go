package record

import (
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// A reader-writer lock that is made by hand is a word, too. A reader adds a constant to it, and takes
// the constant away when it leaves; a writer exchanges zero for something else, and stores or
// exchanges zero when it leaves. A core that finds the lock taken reads the word, or compares it in
// vain. A word that is used otherwise once is no such lock. It is trusted when readers and writers, at
// least two cores, have taken and released it often enough. From then on records of a lock that
// readers share stand for these accesses, and a replay decides who comes first. Repeated reads of a
// core that accesses nothing else between them are left out.

// sharing is what is known of the use of a word as a reader-writer lock.
type sharing struct {
	refuted bool
	step    uint64 // that readers add; 0: not known yet
	free    bool   // the word has been zero since the step is known
	readers []int  // cores that have added the step
	writer  int    // core that has exchanged zero, plus 1, or 0
	whole   [2]int // times that readers and writers have taken and released it
}

func (s *sharing) trusted(shared bool) bool {
	return shared && !s.refuted && min(s.whole[0], s.whole[1]) > 0 && s.whole[0]+s.whole[1] >= trustedAfter
}

// atShared learns of a word that is no lock of one holder from an access of a thread, and returns
// what becomes of the access.
func (k *converter) atShared(t *thread, w *word, m *message, whole bool) use {
	s := &w.sharing
	trusted := s.trusted(w.shared)
	switch {
	case s.refuted:
		return anAccess
	case m.kind == kindLoad:
		return k.readShared(t, w, m, trusted)
	case !whole || !m.valued:
		k.refuteShared(w)
		return anAccess
	}
	ones := ^uint64(0) >> (64 - 8*w.bytes)
	found, left := m.before&ones, m.after&ones
	if s.step == 0 && found != 0 && left != 0 && found != left {
		s.step = (left - found) & ones
	}
	reads := slices.Index(s.readers, t.core)
	switch {
	case m.kind == kindAtomic && found == left:
		t.miss(w)
		if trusted && reads < 0 && s.writer != t.core+1 {
			t.spins, t.elsewhere = w, false
			return leftOut
		}
		return anAccess
	case s.step == 0 || !s.free:
		s.free = s.step != 0 && left == 0
		return anAccess
	case m.kind == kindAtomic && s.writer == 0 && reads < 0 && left == (found+s.step)&ones:
		s.readers = append(s.readers, t.core)
	case m.kind == kindAtomic && reads >= 0 && found == (left+s.step)&ones:
		s.readers = slices.Delete(s.readers, reads, reads+1)
		s.whole[0]++
		if !slices.Contains(w.lock.sharers, t) {
			return anAccess
		}
		k.unshare(t, &w.lock)
		return leftOut
	case m.kind == kindAtomic && s.writer == 0 && len(s.readers) == 0 && found == 0:
		s.writer = t.core + 1
	case s.writer == t.core+1 && left == 0:
		s.writer = 0
		s.whole[1]++
		if w.lock.holder == nil {
			return anAccess
		}
		k.release(t, &w.lock)
		return leftOut
	default:
		k.refuteShared(w)
		return anAccess
	}
	w.shared = w.shared || w.first != t.core
	if !trusted {
		return anAccess
	}
	t.spins = nil
	if s.writer == 0 {
		k.share(t, &w.lock, flag(m.flags&exchange != 0, uint8(traces.Exchanges)))
	} else {
		k.acquire(t, w.asWaited())
	}
	return leftOut
}

// readShared decides about a load of the word: it is left out if it repeats the thread's latest one.
func (k *converter) readShared(t *thread, w *word, m *message, trusted bool) use {
	if !trusted {
		return anAccess
	}
	spins := t.spins == w && !t.elsewhere
	t.spins, t.elsewhere = w, false
	if !spins {
		return unordered
	}
	k.cores[t.core].instructions -= uint64(m.instructions)
	return leftOut
}

// refuteShared decides that a word is no reader-writer lock. Who holds it releases it.
func (k *converter) refuteShared(w *word) {
	w.sharing.refuted = true
	for _, t := range slices.Clone(w.lock.sharers) {
		k.unshare(t, &w.lock)
	}
	if w.lock.holder != nil {
		k.release(w.lock.holder, &w.lock)
	}
}
