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
	words int
	now   noc.Cycle
	busy  uint64   // bit c%Horizon: some router wakes in cycle c
	slots []uint64 // Horizon rows of words
}

// NewWheel makes a wheel for the given number of routers, at cycle 0.
func NewWheel(routers int) *Wheel {
	w := noc.SetWords(routers)
	return &Wheel{words: w, slots: make([]uint64, w*Horizon)}
}

// Now is the wheel's cycle: the one whose slot Take returns.
func (w *Wheel) Now() noc.Cycle { return w.now }

// Wake asks that router r be stepped in cycle at. A cycle in the past means now; one beyond the horizon
// means the horizon's last cycle, at which the router finds nothing due and asks again.
func (w *Wheel) Wake(r noc.NodeID, at noc.Cycle) {
	if at < w.now {
		at = w.now
	} else if at >= w.now+Horizon {
		at = w.now + Horizon - 1
	}
	s := int(at % Horizon)
	w.slots[s*w.words+int(r>>6)] |= 1 << (r & 63)
	w.busy |= 1 << s
}

// Due is the current cycle's row: bit r%64 of word r/64 is set when router r is to be stepped. Wake calls
// for the current cycle show up in it.
func (w *Wheel) Due() []uint64 {
	s := int(w.now % Horizon)
	return w.slots[s*w.words : (s+1)*w.words]
}

// Next is the first cycle >= now with a router to step, or noc.Never when all sleep.
func (w *Wheel) Next() noc.Cycle {
	if w.busy == 0 {
		return noc.Never
	}
	turned := bits.RotateLeft64(w.busy, -int(w.now%Horizon))
	return w.now + noc.Cycle(bits.TrailingZeros64(turned))
}

// Finish clears the current cycle's row and advances by one cycle.
func (w *Wheel) Finish() {
	s := w.now % Horizon
	if w.busy>>s&1 != 0 {
		clear(w.Due())
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
