package cmp

import (
	"errors"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// live connects a core to a source that executes its program while the chip runs. The core reads
// one record at a time, when the previous one has entered the window. Fetch stalls while the
// program sleeps or needs an access that the chip has not yet performed. Such a core does nothing
// else differently.
type live struct {
	source traces.Live // nil where records are replayed
	hold   hold
	slept  bool      // until its stream ended
	alarm  noc.Cycle // from here on a core that sleeps reads again
}

// hold is why a core reads no records.
type hold uint8

const (
	unheld     hold = iota
	performing      // until the latest operation has been performed
	sleeping
)

// errPerform: the latest record must be performed before the next one is known.
var errPerform = errors.New("the latest record has to be performed first")

// bind joins the chip to a live source.
func (s *System) bind(src traces.Source) {
	source, ok := src.(traces.Live)
	if !ok {
		return
	}
	for i := range s.cores {
		c := &s.cores[i]
		c.live = live{source: source, alarm: noc.Never}
		c.input.records, c.input.live = make([]traces.Record, 0, 1), true
	}
	source.Bind(traces.Host{
		Now: func() uint64 { return uint64(s.now) },
		Wake: func(core int, cycle uint64) {
			at := noc.Cycle(cycle)
			c := &s.cores[core]
			c.live.alarm = min(c.live.alarm, at)
			c.wakeAt(max(at, s.now))
			s.lastProgress = max(s.lastProgress, at) // all cores may be idle until then
		},
		Gigahertz: s.config.ClockGHz, Sequential: s.config.Core.SequentialConsistency,
	})
}

// held notes that a live source has no record for now, and reports whether that is what an error
// says.
func (c *core) held(err error) bool {
	switch {
	case err == errPerform:
		c.live.hold = performing
	case err == traces.ErrAsleep:
		c.live.hold = sleeping
	default:
		return false
	}
	return true
}

// released returns the cycle from which on the core may read the next record: Never while an event
// has to come first that wakes it. It is for cores that are held.
func (c *core) released() noc.Cycle {
	switch {
	case c.live.hold == sleeping:
		return c.live.alarm
	case c.empty():
		return 0
	}
	if o := c.op(c.end - 1); o.state == done {
		return o.ready
	}
	return noc.Never
}
