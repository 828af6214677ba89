package controller

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Untimed is embedded by L1s whose protocol sets no timers and asks for no receipts.
type Untimed struct{}

// Timeout panics: no timer was asked for.
func (Untimed) Timeout(t coherence.Timer, now noc.Cycle, _ *coherence.Effects) {
	panic(fmt.Sprintf("cycle %d: a timer %+v, which was not asked for", now, t))
}

// Sent panics: no receipt was asked for.
func (Untimed) Sent(m coherence.Message, now noc.Cycle, _ *coherence.Effects) {
	panic(fmt.Sprintf("cycle %d: a receipt for %+v, which was not asked for", now, m))
}

// Running returns the list as it is: no timer runs.
func (Untimed) Running(list []coherence.Timer) []coherence.Timer { return list }
