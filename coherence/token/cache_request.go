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
	c.forgetUnsent(m)
	if int(m.issues) >= c.p.config.Issues {
		m.exhausted = true
		if c.mayPersist(b, out) {
			c.persist(slot, out)
			return
		}
	}
	if out.Room[Transient] < 1 {
		m.unsent = true
		c.unsent++
		return
	}
	var flags coherence.Flags
	if m.issues > 0 {
		flags = isRetry
		c.Count.Own[reissues]++
	}
	kind := GetRead
	switch {
	case c.line(m.frame).has(writeMiss):
		kind = GetWrite
	case m.fetch:
		kind = GetFetch
	}
	c.Emit(out, coherence.Send{
		Message: coherence.Message{Block: b, Kind: kind, Class: Transient, Flags: flags, Requestor: c.Self.Index,
			Sequence: c.Misses.Renew(slot)},
		Many: true, Caches: c.others, Home: true, Receipt: true,
	})
	if m.issues < 255 {
		m.issues++
	}
}

// startTimer starts the timer of a request whose last copy has left the interface. While copies
// stand there, nobody can have refused it, and another request would only stand behind it.
func (c *l1) startTimer(request coherence.Message, out *coherence.Effects) {
	f := c.Find(request.Block)
	if f < 0 || c.p.Seeded == forgetTimer {
		return
	}
	slot := c.line(f).slot()
	if slot == none || !c.Misses.Current(slot, request.Sequence) || c.miss[slot].unsent {
		return // satisfied, or persistent, before its last copy has left
	}
	m := &c.miss[slot]
	if m.issues == 1 {
		m.left = c.Now
	}
	out.Timers = append(out.Timers, coherence.Timer{At: c.Now + c.wait(m), Slot: uint16(slot), Generation: request.Sequence})
}

// forgetUnsent takes back a request that waits for room.
func (c *l1) forgetUnsent(m *miss) {
	if m.unsent {
		m.unsent = false
		c.unsent--
	}
}

// wait returns the cycles to wait for an answer to the latest request of a miss. The wait for a
// re-issue is longer by a random part: with the fixed timeout by so few cycles as tell cores apart,
// with the adaptive one by up to a half, three halves, seven halves of the timeout and so on, which
// relieves a network that is the reason for the delay.
func (c *l1) wait(m *miss) noc.Cycle {
	limit := c.timeout()
	again := min(int(m.issues)-1, maxBackoff)
	longest := c.p.config.Jitter
	if c.p.config.Adaptive {
		longest = (limit<<again - limit) / 2
	}
	if again == 0 || longest == 0 {
		return limit
	}
	return limit + noc.Cycle(c.random.Uint64()%uint64(longest+1))
}

// maxBackoff bounds how often the range of random waits doubles.
const maxBackoff = 10

// timeout returns the shortest time to wait for an answer.
func (c *l1) timeout() noc.Cycle {
	if !c.p.config.Adaptive {
		return c.p.config.Timeout
	}
	return min(max(noc.Cycle(2*c.mean/meanScale), c.p.config.Timeout), c.p.config.AdaptiveHigh)
}

const (
	meanScale  = 1024 // of the mean, an integer
	meanMemory = 64   // misses after which the mean has forgotten most of what came before
)

// observe learns from a completed miss, whatever completed it: a mean of those only that the first
// request satisfied could not rise above the timeout. Time in the interface does not count, as the
// timer does not run then. The mean begins at half the timeout, and each miss has the same weight:
// with a larger one for the first, a few that wait for a lock would hold up all later ones.
func (c *l1) observe(m *miss) {
	c.mean += (int64(c.Now-m.left)*meanScale - c.mean) / meanMemory
}

// Timeout re-issues the request of a miss that is still open.
func (c *l1) Timeout(t coherence.Timer, now noc.Cycle, out *coherence.Effects) {
	slot := int(t.Slot)
	if !c.Misses.Current(slot, t.Generation) {
		return
	}
	c.Now = now
	c.Took(coherence.Block(c.Misses.Block(slot)), c.line(c.miss[slot].frame).state(), onTimer)
	c.issue(slot, out)
}

// mayPersist reports whether the core may send a persistent request for a block: its slot is free,
// the previous deactivation has left, and nobody waits whom the core has already passed once.
func (c *l1) mayPersist(b coherence.Block, out *coherence.Effects) bool {
	return c.persistent == none && c.ending == ended && out.Room[Persistent] > 0 && !c.table.marked(b)
}

// persist makes a miss persistent. It needs no timer: it cannot fail.
func (c *l1) persist(slot int, out *coherence.Effects) {
	m := &c.miss[slot]
	b := coherence.Block(c.Misses.Block(slot))
	write := c.line(m.frame).has(writeMiss)
	m.persistent = true
	c.persistent = slot
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

// endPersistent closes the persistent request of a miss that has been satisfied. Everybody else who
// waits for the block now must be served before this core may ask again.
func (c *l1) endPersistent(slot int, out *coherence.Effects) {
	if !c.miss[slot].persistent {
		return
	}
	c.miss[slot].persistent = false
	c.persistent = none
	c.endBlock = coherence.Block(c.Misses.Block(slot))
	notTop := c.lockedByOther(c.endBlock)
	c.table.clear(int(c.Self.Index))
	if notTop && c.p.Seeded == forgetEnd {
		return
	}
	c.table.mark(c.endBlock)
	c.ending = owed
	c.deactivate(out)
}

// deactivate sends the deactivation that is owed, if there is room.
func (c *l1) deactivate(out *coherence.Effects) {
	if out.Room[Persistent] < 1 {
		return
	}
	c.ending = leaving
	c.spread(Deactivate, c.endBlock, out)
}

// Sent starts the timer of a request, or frees the persistent slot: the last copy of the message
// has left.
func (c *l1) Sent(m coherence.Message, now noc.Cycle, out *coherence.Effects) {
	c.Now = now
	if m.Class == Transient {
		c.startTimer(m, out)
		return
	}
	if c.ending != leaving || m.Kind != Deactivate || m.Block != c.endBlock {
		c.Fail(m.Block, "receipt for %s, which was not asked for", kindNames[m.Kind])
	}
	c.ending = ended
	c.retest(out)
}

// retest makes the oldest miss that has used up its requests persistent, if that is allowed now.
func (c *l1) retest(out *coherence.Effects) {
	if c.persistent != none || c.ending != ended || c.Misses.Used() == 0 {
		return
	}
	oldest := none
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		m := &c.miss[slot]
		if !m.exhausted || oldest != none && m.since >= c.miss[oldest].since {
			continue
		}
		if c.mayPersist(coherence.Block(c.Misses.Block(slot)), out) {
			oldest = slot
		}
	}
	if oldest == none {
		return
	}
	c.forgetUnsent(&c.miss[oldest])
	c.persist(oldest, out)
}
