package fabric

import "math/bits"

import "github.com/carousel-sim/carousel/noc"

// Horizon is the number of cycles ahead that a Wheel can hold. It is one machine word, so that the next
// busy cycle is one bit scan away.
const Horizon = 64

// Wheel remembers which of a fixed number of routers must be stepped in which of the next Horizon
// cycles. Waking a router twice for one cycle is the same as waking it once, and waking it for a cycle
// in which it has nothing to do is harmless: stepping a sleeping router is a no-op by law.
type Wheel struct {
	now  noc.Cycle
	busy uint64 // bit c%Horizon: some router wakes in cycle c
	// rows has a row per 64 routers: bit r%64 of word c%Horizon, router r wakes in cycle c.
	rows [][Horizon]uint64
}

// NewWheel makes a wheel for the given number of routers, at cycle 0.
func NewWheel(routers int) *Wheel {
	return &Wheel{rows: make([][Horizon]uint64, noc.SetWords(routers))}
}

// Now is the wheel's cycle: the one whose routers Due lists.
func (w *Wheel) Now() noc.Cycle { return w.now }

// Wake asks that router r be stepped in cycle at. A cycle in the past means now; one beyond the horizon
// means the horizon's last cycle, at which the router finds nothing due and asks again.
func (w *Wheel) Wake(r noc.NodeID, at noc.Cycle) {
	if at < w.now {
		at = w.now
	} else if at >= w.now+Horizon {
		at = w.now + Horizon - 1
	}
	s := at % Horizon
	w.rows[r>>6][s] |= 1 << (r & 63)
	w.busy |= 1 << s
}

// Words is the number of groups of 64 routers.
func (w *Wheel) Words() int { return len(w.rows) }

// Due is the routers 64*i to 64*i+63 that are to be stepped in the current cycle, as bits. Wake calls for
// the current cycle show up in it.
func (w *Wheel) Due(i int) uint64 { return w.rows[i][w.now%Horizon] }

// Next is the first cycle >= now with a router to step, or noc.Never when all sleep.
func (w *Wheel) Next() noc.Cycle {
	if w.busy == 0 {
		return noc.Never
	}
	turned := bits.RotateLeft64(w.busy, -int(w.now%Horizon))
	return w.now + noc.Cycle(bits.TrailingZeros64(turned))
}

// Finish clears the current cycle and advances by one.
func (w *Wheel) Finish() {
	s := w.now % Horizon
	if w.busy>>s&1 != 0 {
		for i := range w.rows {
			w.rows[i][s] = 0
		}
		w.busy &^= 1 << s
	}
	w.now++
}

// SkipTo advances to a cycle not later than Next.
func (w *Wheel) SkipTo(c noc.Cycle) {
	if c > w.Next() {
		panic("fabric: the wheel would skip over a cycle with work in it")
	}
	w.now = c
}
