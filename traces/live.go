package traces

import "errors"

// Live is implemented by sources that execute a program while its records are consumed, so that
// who consumes them, a chip or a recorder, decides by its time what the program reads.
//
// ReadRecords of a live source returns at most one record. It returns none and no error when the
// core's latest record must be performed first: the consumer asks again when it has been, and no
// earlier. It returns [ErrAsleep] when the core has nothing to do until the host is told to wake it.
type Live interface {
	Source
	// Bind gives the source its host. It is called once, before the first read.
	Bind(h Host)
	// Visible tells that the oldest store of a core, of those that it was not told of, is visible to
	// all cores.
	Visible(core int)
}

// Host is what a live source knows of who consumes its records.
type Host struct {
	// Now returns the cycle.
	Now func() uint64
	// Wake makes a core that sleeps read again, in the given cycle or later.
	Wake       func(core int, cycle uint64)
	Gigahertz  float64 // cycles per nanosecond
	Sequential bool    // loads are performed in order with stores: sequential consistency
}

// ErrAsleep is returned by live sources for a core that sleeps.
var ErrAsleep = errors.New("the core sleeps")
