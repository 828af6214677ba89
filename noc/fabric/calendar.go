package fabric

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

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
