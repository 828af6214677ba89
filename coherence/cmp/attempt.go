package cmp

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// A compare-and-swap that fails if another core has changed its word is tried again until it
// succeeds, and the chip decides whose attempt comes first. An attempt begins with a load
// (traces.Tries), whose value is final when it retires, and ends with the atomics of its word. An
// atomic fails if an atomic of another core has succeeded there since. It is then tried again after
// the time of the instructions from the load to the atomic. If the core has loaded something else
// between the two, as the next element of a stack, it reads another block first: what it needs then
// depends on what the word has become. Of the trace, that is what the core that has changed the word
// accessed last before its own atomic, as the element that it has put on the stack.
//
// Attempts come to an end: each failure is due to another core's success, and the trace has only so
// many atomics. Nobody waits for a core while it tries again but those that would wait for its
// success anyway.

// attempt is how a core changes a word.
type attempt struct {
	loads    []uint32        // those in the window that begin attempts, as numbers of records
	word     uint64          // of the attempt, as the number of an object; 0: none
	changes  uint32          // of the word that the core knows
	left     uint8           // atomics that belong to it
	reads    bool            // the core has loaded from another block since
	position uint16          // of the load, among micro-operations
	touched  coherence.Block // accessed last since, plus 1; 0: none
	takes    noc.Cycle       // for the instructions from there to the first atomic
}

// atomicsOfAttempt is how many atomics belong to an attempt: a pair.
const atomicsOfAttempt = 2

// pass takes that a load retires, and begins an attempt if it is one of those that do.
func (a *attempt) pass(c *core, o *operation) {
	switch {
	case len(a.loads) > 0 && a.loads[0] == o.index:
		word := traces.LockWord | o.address
		c.result.Attempts++
		*a = attempt{loads: a.loads[:copy(a.loads, a.loads[1:])], word: word, left: atomicsOfAttempt, changes: c.system.tried.find(word).changes, position: o.position}
	case a.word != 0 && blockAt(o.address) != blockAt(a.word&^traces.LockWord):
		a.touched, a.reads = blockAt(o.address)+1, true
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
		if a.left == atomicsOfAttempt {
			a.takes = 1 + noc.Cycle(o.position-a.position)/noc.Cycle(c.width)
		}
		if a.changes != w.changes {
			a.changes, o.state, o.ready = w.changes, waiting, now+a.takes
			if a.reads && w.touched > 0 {
				o.ready = now
				c.sync = synchronisation{phase: reread, block: w.touched - 1}
			}
			return false
		}
		a.changes++
		w.touched = a.touched
		if a.left--; a.left == 0 {
			a.word = 0
		}
	}
	w.changes++
	return true
}
