package fabric

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// Horizon is the number of cycles that a Wheel can hold. The cycles with work are one machine
// word, so that the next of them is one bit scan away.
const Horizon = 64

// Wheel holds what takes effect in each of the cycles to come: the current cycle and fewer than
// [Horizon] after it. T is what an engine keeps for one cycle, usually a list per kind of event; it
// stays allocated when the wheel comes round, so the caller of Take empties it. Later events belong
// in a [LongWheel] or a [Calendar].
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

// LongWheel is a wheel of any reach. It finds the next cycle with work more slowly.
type LongWheel[T any] struct {
	busy  []bool // in the slot of a cycle something is due
	slots []T
}

// NewLongWheel makes a wheel that reaches the given number of cycles ahead.
func NewLongWheel[T any](ahead int) LongWheel[T] {
	return LongWheel[T]{make([]bool, ahead+1), make([]T, ahead+1)}
}

// On returns what is due in a cycle, for the caller to add to.
func (w *LongWheel[T]) On(c noc.Cycle) *T {
	i := uint64(c) % uint64(len(w.slots))
	w.busy[i] = true
	return &w.slots[i]
}

// Take returns what is due in cycle now and takes it off the wheel; nil when there is nothing.
func (w *LongWheel[T]) Take(now noc.Cycle) *T {
	if i := uint64(now) % uint64(len(w.slots)); w.busy[i] {
		w.busy[i] = false
		return &w.slots[i]
	}
	return nil
}

// Next returns the first cycle from now on in which something is due, or noc.Never.
func (w *LongWheel[T]) Next(now noc.Cycle) noc.Cycle {
	for at := now; at < now+noc.Cycle(len(w.slots)); at++ {
		if w.busy[uint64(at)%uint64(len(w.slots))] {
			return at
		}
	}
	return noc.Never
}

// All calls look with everything on the wheel, for counts and checks.
func (w *LongWheel[T]) All(look func(due *T)) {
	for i := range w.slots {
		look(&w.slots[i])
	}
}

// Calendar holds what is due in the cycles to come, further ahead than a Wheel: a list of numbers
// per cycle and kind of event, linked through one arena so that a busy cycle does not make its
// own lists grow. The events of a cycle and kind come back in reverse order; engines must not
// depend on it.
type Calendar struct {
	kinds  uint64
	mask   uint64
	busy   []bool  // at c&mask: something is due in cycle c
	first  []int32 // per cycle and kind
	events []event
	free   int32
	size   int // events
}

// none ends a list of events.
const none = int32(-1)

// event is what it is about, and the next event of its list.
type event struct{ index, next int32 }

// NewCalendar makes a calendar that reaches the given number of cycles ahead.
func NewCalendar(reach, kinds int) Calendar {
	size := max(64, 1<<bits.Len(uint(reach)))
	return Calendar{kinds: uint64(kinds), mask: uint64(size - 1), busy: make([]bool, size), first: slices.Repeat([]int32{none}, size*kinds), free: none}
}

// Add notes an event of a cycle from now on, within reach.
func (c *Calendar) Add(at noc.Cycle, kind int, index int32) {
	i := uint64(at) & c.mask
	list := &c.first[i*c.kinds+uint64(kind)]
	e := c.free
	if e == none {
		e = int32(len(c.events))
		c.events = append(c.events, event{})
	} else {
		c.free = c.events[e].next
	}
	c.events[e] = event{index, *list}
	*list = e
	c.size++
	c.busy[i] = true
}

// Take returns the number of an event of cycle now and the given kind, which the calendar
// forgets; negative when there is none left.
func (c *Calendar) Take(now noc.Cycle, kind int) int32 {
	list := &c.first[(uint64(now)&c.mask)*c.kinds+uint64(kind)]
	e := *list
	if e == none {
		return none
	}
	index := c.events[e].index
	*list, c.events[e].next, c.free = c.events[e].next, c.free, e
	c.size--
	return index
}

// Finish notes that all events of a cycle have been taken.
func (c *Calendar) Finish(now noc.Cycle) { c.busy[uint64(now)&c.mask] = false }

// Next returns the first cycle from now on with an event, or noc.Never.
func (c *Calendar) Next(now noc.Cycle) noc.Cycle {
	for at := now; c.size > 0; at++ {
		if c.busy[uint64(at)&c.mask] {
			return at
		}
	}
	return noc.Never
}
