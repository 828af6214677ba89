package cmp

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// A compare-and-swap that fails if another core has changed its word is tried again until it
// succeeds, and the chip decides whose attempt comes first. An attempt begins with a load
// (traces.Tries), whose value is final when it retires, and ends with the atomics of its word. An
// atomic fails if an atomic of another core has succeeded there since. It is then tried again after
// the time that the core took from the load to the atomic, for what it does between them, but for
// the time in which it waited for what other cores write.
//
// Attempts come to an end: each failure is due to another core's success, and the trace has only so
// many atomics. Nobody waits for a core while it tries again but those that would wait for its
// success anyway.

// attempt is how a core changes a word.
type attempt struct {
	loads   []uint32  // those in the window that begin attempts, as numbers of records
	word    uint64    // of the attempt, as the number of an object; 0: none
	left    int       // atomics that belong to it
	changes uint32    // of the word that the core knows
	since   noc.Cycle // when the load retired, or the core last went on behind an edge
	takes   noc.Cycle // from there to the first atomic; 0: not known yet
}

// atomicsOfAttempt is how many atomics belong to an attempt: a pair.
const atomicsOfAttempt = 2

// begin takes that a load has retired, and begins an attempt if it is one of those.
func (a *attempt) begin(c *core, o *operation, now noc.Cycle) {
	if len(a.loads) == 0 || a.loads[0] != o.index {
		return
	}
	word := traces.LockWord | o.address
	*a = attempt{loads: a.loads[:copy(a.loads, a.loads[1:])], word: word, left: atomicsOfAttempt, changes: c.system.tried.find(word).changes, since: now}
}

// reach takes that the core comes to an atomic of an address.
func (a *attempt) reach(address uint64, now noc.Cycle) {
	if a.word == traces.LockWord|address && a.takes == 0 {
		a.takes = max(1, now-a.since)
	}
}

// succeeds reports whether an atomic that has been performed succeeds. If it does not, it is tried
// again.
func (a *attempt) succeeds(c *core, o *operation, now noc.Cycle) bool {
	if len(c.system.tried) == 0 {
		return true
	}
	w := c.system.tried.known(traces.LockWord | o.address)
	if w == nil {
		return true
	}
	if a.word == w.id {
		if a.changes != w.changes {
			a.changes, o.state, o.ready = w.changes, waiting, now+a.takes
			return false
		}
		a.changes++
		if a.left--; a.left == 0 {
			a.word = 0
		}
	}
	w.changes++
	return true
}
