package record

// A thread that waits for a word to change reads it again and again. How often is a matter of time,
// so a recording has the first of these loads, which finds the old value, and the one that finds a
// new one; a replay waits at the latter. Loads between them are left out, with the fences and
// fetches beside them. A load is left out if it repeats an earlier one and no other thread has
// written the word since. Programs for RISC-V tell by their registers whether a load repeats an
// earlier one (Step.Again). In other recordings, a load repeats an earlier one of the same bytes if
// there are few instructions and nothing but fetches between the two.
//
// A load that comes after another thread's write is told to poll (traces.Polls) if it repeats an
// earlier one, or if a thread has repeated loads at its place in the program: it would poll there
// if it came earlier. Loads of a word that may be a lock do not poll: who comes first there is up to a
// replay, and while the word is not trusted, the recorded order makes threads wait that would not.

// polls are what is known of a thread's loads that may be polls.
type polls struct {
	address uint64 // of the thread's latest access, a load, plus 1, or 0
	size    uint8
	waits   bool // the load was again one of the same loop
	later   []message
}

const (
	pollInstructions = 12 // most of a poll, if registers are not known
	mostLater        = 8  // fences and fetches between two loads
)

// takePoll reports whether a message is part of a poll: it is left out, or is written later.
func (k *converter) takePoll(p *process, t *thread, m *message) bool {
	y := &t.polls
	switch {
	case (m.kind == kindFetch || m.kind == kindFence) && y.waits && len(y.later) < mostLater:
		y.later = append(y.later, *m)
		return true
	case m.kind != kindLoad:
		k.flush(p, t)
		*y = polls{later: y.later}
		return false
	}
	again := m.again || y.address == m.value+1 && y.size == m.size && t.instructionsOf(m) <= pollInstructions
	address := p.physical(m.value)
	free := !k.words.at(address, 1<<m.size).mayLock()
	if free && m.place != 0 && (m.again || again && y.waits) {
		k.polling[m.place] = true
	}
	m.polls = free && (m.again || again && y.waits || k.polling[m.place])
	if again && y.waits && len(t.waits) == 0 && free && !k.finder.Fresh(t.core, address, 1<<m.size) {
		for _, l := range append(y.later, *m) {
			if l.kind != kindFence { // it was an access, and others count how far it is back
				t.skip()
			}
		}
		y.later = y.later[:0]
		k.counts.polls++
		return true
	}
	k.flush(p, t)
	y.address, y.size, y.waits = m.value+1, m.size, again
	return false
}

// instructionsOf returns how many instructions a poll has.
func (t *thread) instructionsOf(m *message) uint32 {
	n := m.instructions
	for i := range t.polls.later {
		n += t.polls.later[i].instructions
	}
	return n
}

// flush writes what has been kept back: no poll has followed.
func (k *converter) flush(p *process, t *thread) {
	for i := range t.polls.later {
		k.takeNow(p, t, &t.polls.later[i])
	}
	t.polls.later = t.polls.later[:0]
}
