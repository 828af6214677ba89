package fabric

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// Horizon is the number of cycles that a Wheel can hold. The cycles with work are one machine
// word, so that the next of them is one bit scan away.
const Horizon = 64

// Wheel holds what takes effect in each of the cycles to come: the current cycle and fewer than
// [Horizon] after it. T is what an engine keeps for one cycle, usually a list per kind of event; it
// stays allocated when the wheel comes round, so the caller of Take empties it. Later events belong
// in a [Calendar].
type Wheel[T any] struct {
	busy  uint64 // bit c&mask: something is due in cycle c
	mask  uint64
	slots [Horizon]T
}

// NewWheel makes a wheel that reaches the given number of cycles ahead, at most Horizon-1. It
// turns over as few cycles as that takes, so that what was written lately is still in the cache.
func NewWheel[T any](ahead int) Wheel[T] {
	if ahead < 0 || ahead >= Horizon {
		panic("fabric: a wheel cannot reach that far")
	}
	return Wheel[T]{mask: 1<<bits.Len(uint(ahead)) - 1}
}

// On returns what is due in a cycle, for the caller to add to.
func (w *Wheel[T]) On(c noc.Cycle) *T {
	i := uint64(c) & w.mask & (Horizon - 1)
	w.busy |= 1 << i
	return &w.slots[i]
}

// At returns what is due in a cycle and does not mark the cycle. A caller that adds to it must also
// call On.
func (w *Wheel[T]) At(c noc.Cycle) *T { return &w.slots[uint64(c)&w.mask&(Horizon-1)] }

// Due reports whether something is due in cycle now.
func (w *Wheel[T]) Due(now noc.Cycle) bool { return w.busy>>(uint64(now)&w.mask&(Horizon-1))&1 != 0 }

// Take returns what is due in cycle now and takes it off the wheel; nil when there is nothing.
func (w *Wheel[T]) Take(now noc.Cycle) *T {
	i := uint64(now) & w.mask & (Horizon - 1)
	if w.busy>>i&1 == 0 {
		return nil
	}
	w.busy &^= 1 << i
	return &w.slots[i]
}

// Next returns the first cycle from now on in which something is due, or noc.Never. Nothing may
// be due before now.
func (w *Wheel[T]) Next(now noc.Cycle) noc.Cycle {
	if w.busy == 0 {
		return noc.Never
	}
	i := uint64(now) & w.mask
	turned := w.busy>>i | w.busy<<(w.mask+1-i)
	return now + noc.Cycle(bits.TrailingZeros64(turned))
}

// All calls look with everything on the wheel and the number of cycles until it is due, for
// counts and checks.
func (w *Wheel[T]) All(now noc.Cycle, look func(ahead noc.Cycle, due *T)) {
	for ahead := range noc.Cycle(w.mask + 1) {
		look(ahead, w.At(now+ahead))
	}
}
