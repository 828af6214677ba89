package cmp

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// When a core has something to do next, so that the cycles before need not be simulated, and what
// keeps it from retiring.

// next returns the first cycle after now in which the core can do something by itself.
func (c *core) next(now noc.Cycle) noc.Cycle {
	if c.every {
		return now + 1
	}
	at := noc.Never
	if c.stores.mayDrain() {
		at = max(c.stores.ready, now+1)
	}
	if now < c.ahead {
		return min(at, c.ahead)
	}
	if at == now+1 || c.canDispatch() || c.canRetire(now) {
		if !c.empty() {
			return now + 1
		}
		return c.skipPlain(now)
	}
	if !c.empty() {
		if o := c.oldest(); o.state == done || o.kind == traces.Atomic && o.ready > now {
			at = min(at, max(o.ready, now+1))
		}
	}
	if !c.refused {
		at = min(at, c.nextIssue(now))
	}
	if c.live.hold != unheld {
		at = min(at, max(c.released(), now+1))
	}
	return at
}

// mayDispatch reports whether the window has room and there is something to dispatch. A record that
// has yet to be read counts.
func (c *core) mayDispatch() bool {
	return (!c.loaded && (c.live.hold == unheld || c.released() <= c.system.now+1) || c.plain > 0) && c.dispatched-c.retired < uint64(c.capacity) && !c.failed
}

// canDispatch reports whether dispatch would make progress in the next cycle as things stand.
func (c *core) canDispatch() bool {
	if c.dispatched-c.retired >= uint64(c.capacity) {
		return false
	}
	if c.plain > 0 || !c.loaded {
		return c.mayDispatch()
	}
	if c.waitsFor >= 0 && c.waitsUntil == noc.Never {
		return false
	}
	switch c.input.record.Kind {
	case traces.End:
		return false
	case traces.Fetch:
		return c.fetching != fetchPending && (c.fetching == fetchDone || !c.refused)
	}
	return true
}

// canRetire reports whether retirement would make progress in the next cycle as things stand.
func (c *core) canRetire(now noc.Cycle) bool {
	if c.retired == c.dispatched {
		return c.loaded && c.input.record.Kind == traces.End && c.plain == 0 && c.stores.buffered() == 0
	}
	if c.empty() || c.plainAhead() > 0 {
		return true
	}
	o := c.oldest()
	if o.state == passive {
		return c.stores.buffered() < int(c.storeBuffer)
	}
	switch o.kind {
	case traces.Load:
		return o.state == done && o.ready <= now+1
	case traces.Fence:
		return c.stores.buffered() == 0
	case traces.Atomic:
		return o.state == done && o.ready <= now+1 || o.state == waiting && o.ready <= now+1 && c.stores.buffered() == 0 && c.sync.mayAdvance(c.refused)
	}
	return c.stores.buffered() == 0 && c.sync.mayAdvance(c.refused)
}

// nextIssue returns the first cycle in which a waiting load may issue.
func (w *window) nextIssue(now noc.Cycle) noc.Cycle {
	at := noc.Never
	for i := max(w.scan, w.first); i < w.end; i++ {
		o := w.op(i)
		if o.kind != traces.Load && o.state != passive {
			break
		}
		if o.state == free || o.state == waiting {
			at = min(at, max(o.ready, w.producerReady(o, i, now), now+1))
			if at == now+1 {
				return at
			}
		}
	}
	return at
}

// long returns the number of plain instructions from which skipPlain is worth its cost.
func (c *core) long() uint64 { return 4 * uint64(c.width) }

// skipPlain accounts for a long run of plain instructions at once: with nothing else in the window,
// each cycle dispatches and retires a full width of them.
func (c *core) skipPlain(now noc.Cycle) noc.Cycle {
	width, plain := uint64(c.width), min(c.plain, c.branch-c.dispatched)
	if plain < c.long() || c.dispatched-c.retired != width {
		return now + 1
	}
	cycles := plain/width - 1
	c.dispatched += cycles * width
	c.retired += cycles * width
	c.plain -= cycles * width
	c.ahead = now + noc.Cycle(cycles) + 1
	if c.idleFrom == now {
		c.account.charge(c, 1)
	}
	c.idleFrom = c.ahead
	if c.stores.mayDrain() {
		return max(c.stores.ready, now+1)
	}
	return c.ahead
}

// cause returns what keeps the oldest instruction from retiring.
func (c *core) cause() Stall {
	if !c.empty() && c.plainAhead() == 0 {
		switch o := c.oldest(); {
		case o.state == passive || o.kind == traces.Fence:
			return StallStoreBuffer
		case o.kind == traces.Load || o.kind == traces.Atomic:
			return StallLoad
		}
		return StallSync
	}
	if c.waitsFor >= 0 && c.input.record.Kind != traces.Join {
		return StallDependence
	}
	if c.waitsFor >= 0 || c.live.hold == sleeping {
		return StallSync
	}
	if c.loaded && c.input.record.Kind == traces.End && c.stores.buffered() > 0 {
		return StallStoreBuffer
	}
	return StallFetch
}
