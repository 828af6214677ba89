package token

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// issue sends the next request of a miss: transient ones until they are used up, then a persistent
// one. While that is not allowed, transient requests go on.
func (c *l1) issue(slot int, out *coherence.Effects) {
	m := &c.miss[slot]
	b := coherence.Block(c.Misses.Block(slot))
	c.Postpone(slot, false)
	if int(m.issues) >= c.p.config.Issues {
		m.exhausted = true
		if c.mayPersist(b, out) {
			c.persist(slot, out)
			return
		}
	}
	if out.Room[Transient] < 1 {
		c.Postpone(slot, true)
		return
	}
	var flags coherence.Flags
	if m.issues > 0 {
		flags = isRetry
		c.Count.Own[reissues]++
	}
	kind := GetRead
	switch {
	case c.line(c.Miss[slot].Frame).has(writeMiss):
		kind = GetWrite
	case c.Miss[slot].Fetch:
		kind = GetFetch
	}
	m.latest = request{c.Misses.Renew(slot), c.Now}
	if m.issues == 0 {
		m.first = m.latest
	}
	c.Emit(out, coherence.Send{
		Message: coherence.Message{Block: b, Kind: kind, Class: Transient, Flags: flags, Requestor: c.Self.Index,
			Sequence: m.latest.number},
		Many: true, Caches: c.others, Home: true, Receipt: true,
	})
	if m.issues < 255 {
		m.issues++
	}
}

// startTimer starts the timer of a request whose last copy has left the interface. While copies
// wait there, no controller can have refused the request, and another one would only wait behind
// it.
func (c *l1) startTimer(request coherence.Message, out *coherence.Effects) {
	f := c.Find(request.Block)
	if f < 0 || c.p.Seeded == forgetTimer {
		return
	}
	slot := c.line(f).slot()
	if slot == none || !c.Misses.Current(slot, request.Sequence) || c.Miss[slot].Unsent {
		return // satisfied, or persistent, before its last copy has left
	}
	m := &c.miss[slot]
	m.latest.left = c.Now
	if m.issues == 1 {
		m.first.left = c.Now
	}
	out.Timers = append(out.Timers, coherence.Timer{At: c.Now + c.wait(m), Slot: uint16(slot), Generation: request.Sequence})
}

// Timeout re-issues the request of a miss that is still open.
func (c *l1) Timeout(t coherence.Timer, now noc.Cycle, out *coherence.Effects) {
	slot := int(t.Slot)
	if !c.Misses.Current(slot, t.Generation) {
		return
	}
	c.Now = now
	c.Took(coherence.Block(c.Misses.Block(slot)), c.line(c.Miss[slot].Frame).state(), onTimer)
	c.issue(slot, out)
}

// mayPersist reports whether the core may send a persistent request for a block: its slot is free,
// the previous deactivation has left, and no core waits that this core has already passed once.
func (c *l1) mayPersist(b coherence.Block, out *coherence.Effects) bool {
	return c.persistent == none && c.deactivation == deactivationNone && out.Room[Persistent] > 0 && !c.table.marked(b)
}

// persist makes a miss persistent. It needs no timer: it cannot fail.
func (c *l1) persist(slot int, out *coherence.Effects) {
	m := &c.miss[slot]
	b := coherence.Block(c.Misses.Block(slot))
	write := c.line(c.Miss[slot].Frame).has(writeMiss)
	m.persistent = true
	m.latest = request{0, c.Now}
	c.persistent = slot
	c.doublings = min(c.doublings+1, maxDoublings)
	c.Misses.Renew(slot)
	c.table.set(int(c.Self.Index), b, write)
	c.Count.Own[persistentRequests]++
	kind := ActivateRead
	if write {
		kind = ActivateWrite
	}
	c.spread(kind, b, out)
}

// spread sends a persistent message to every agent that may hold tokens of the block.
func (c *l1) spread(kind uint8, b coherence.Block, out *coherence.Effects) {
	c.Emit(out, coherence.Send{
		Message: coherence.Message{Block: b, Kind: kind, Class: Persistent, Requestor: c.Self.Index},
		Many:    true, Caches: c.others, Home: true, Memory: true,
		Ordered: c.p.Seeded != unordered, Receipt: kind == Deactivate,
	})
}

// endPersistent closes the persistent request of a miss that has been satisfied. All other cores
// that wait for the block now must be served before this core may send another one.
func (c *l1) endPersistent(slot int, out *coherence.Effects) {
	if !c.miss[slot].persistent {
		return
	}
	c.miss[slot].persistent = false
	c.persistent = none
	c.deactivated = coherence.Block(c.Misses.Block(slot))
	notTop := c.lockedByOther(c.deactivated)
	c.table.clear(int(c.Self.Index))
	if notTop && c.p.Seeded == forgetEnd {
		return
	}
	c.table.mark(c.deactivated)
	c.deactivation = deactivationOwed
	c.deactivate(out)
}

// deactivate sends the deactivation that is owed, if there is room.
func (c *l1) deactivate(out *coherence.Effects) {
	if out.Room[Persistent] < 1 {
		return
	}
	c.deactivation = deactivationLeaving
	c.spread(Deactivate, c.deactivated, out)
}

// Sent starts the timer of a request, or frees the persistent slot: the last copy of the message
// has left.
func (c *l1) Sent(m coherence.Message, now noc.Cycle, out *coherence.Effects) {
	c.Now = now
	if m.Class == Transient {
		c.startTimer(m, out)
		return
	}
	if c.deactivation != deactivationLeaving || m.Kind != Deactivate || m.Block != c.deactivated {
		c.Fail(m.Block, "receipt for %s, which was not asked for", kindNames[m.Kind])
	}
	c.deactivation = deactivationNone
	c.persistOldest(out)
}

// persistOldest makes the oldest miss that has used up its requests persistent, if that is allowed
// now.
func (c *l1) persistOldest(out *coherence.Effects) {
	if c.persistent != none || c.deactivation != deactivationNone || c.Misses.Used() == 0 {
		return
	}
	oldest := none
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		if !c.miss[slot].exhausted || oldest != none && c.Miss[slot].Since >= c.Miss[oldest].Since {
			continue
		}
		if c.mayPersist(coherence.Block(c.Misses.Block(slot)), out) {
			oldest = slot
		}
	}
	if oldest == none {
		return
	}
	c.Postpone(oldest, false)
	c.persist(oldest, out)
}
