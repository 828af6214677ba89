package sample

import (
	"fmt"

	"github.com/carousel-sim/carousel/traces"
)

// maySynchronise reports whether a core may pass a record that is neither access nor fence, and
// does what the record does to others.
func (k *walk) maySynchronise(core int, r *traces.Record) bool {
	c := &k.cores[core]
	switch r.Kind {
	case traces.Lock:
		l := k.locks[r.Address]
		if l == nil {
			l = &lock{holder: none}
			k.locks[r.Address] = l
		}
		if l.holder != none {
			c.waits = fmt.Sprintf("for lock %d, held by core %d", r.Address, l.holder)
			c.await(traces.AwaitsThreads, l.holder)
			return false
		}
		l.holder, c.clock = core, max(c.clock, l.free)
	case traces.Unlock:
		if l := k.locks[r.Address]; l != nil {
			l.holder, l.free = none, c.clock
		}
	case traces.Barrier:
		return k.arrive(core, r)
	case traces.Create:
		o := &k.cores[r.Address]
		o.created, o.clock = true, max(o.clock, c.clock)
	case traces.Join:
		o := &k.cores[r.Address]
		if r.Count == traces.ByEdge {
			break
		}
		if !o.ended {
			c.waits = fmt.Sprintf("for the end of core %d", r.Address)
			c.await(traces.AwaitsThreads, int(r.Address))
			return false
		}
		c.clock = max(c.clock, o.clock)
	}
	return true
}

// arrive notes that a core is at a barrier. The last one to arrive takes the others along, so that
// no border of a window comes between them.
func (k *walk) arrive(core int, r *traces.Record) bool {
	c := &k.cores[core]
	list := append(k.barriers[r.Address], core)
	if len(list) < int(r.Count) {
		k.barriers[r.Address] = list
		c.arrived, c.waits = true, fmt.Sprintf("at barrier %d, where %d of %d have arrived", r.Address, len(list), r.Count)
		c.await(traces.AwaitsThreads, core)
		return false
	}
	delete(k.barriers, r.Address)
	latest := uint64(0)
	for _, i := range list {
		latest = max(latest, k.cores[i].clock)
	}
	for _, i := range list {
		o := &k.cores[i]
		o.clock = latest
		if i != core {
			o.arrived = false
			if err := k.pass(i, &o.records[o.at]); err != nil {
				k.failure = err
			}
		}
	}
	if k.survey != nil && len(list) == k.atWork() {
		k.survey.met(latest, k.executed+1) // the record of this core follows
	}
	return true
}

// atWork counts the cores that have begun, have not ended and do not wait for records or ends of others. A thread that
// starts all others often waits for their ends, and meets nobody.
func (k *walk) atWork() (n int) {
	for i := range k.cores {
		c := &k.cores[i]
		waits := c.met < len(c.due) && k.cores[c.due[c.met].Producer].position <= c.due[c.met].Position ||
			c.awaits.Count == traces.AwaitsThreads && c.records[c.at].Kind == traces.Join && !k.cores[c.awaits.Address].ended
		if c.created && !c.ended && !waits {
			n++
		}
	}
	return n
}
