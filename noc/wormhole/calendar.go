package wormhole

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
)

// kind is what happens in an event. Events of one cycle take effect kind by kind; within a kind their
// order changes nothing.
type kind uint8

const (
	portFalls     kind = iota // an injection port is free: index node*maxPorts + port
	ejectionFalls             // an ejection channel of a node is free
	channelFalls              // a channel is free
	tailLeaves                // a worm's tail leaves its last buffer
	stationWakes              // a node's startup ends
	headArrives               // a worm's header may ask for its next place
	kinds
)

// calendar holds what is due in the cycles to come: a list per cycle and kind, linked through one arena so
// that a busy cycle does not make its own lists grow.
type calendar struct {
	mask   uint64
	busy   []uint64 // bit c&mask: something is due in cycle c
	first  [][kinds]int32
	events []event
	free   int32
}

// event is the index of what it is about, and the next event of its list.
type event struct{ index, next int32 }

// newCalendar makes a calendar that reaches the given number of cycles ahead.
func newCalendar(reach int) calendar {
	size := max(64, 1<<bits.Len(uint(reach)))
	c := calendar{mask: uint64(size - 1), busy: make([]uint64, size/64), first: make([][kinds]int32, size), free: none}
	for i := range c.first {
		for k := range c.first[i] {
			c.first[i][k] = none
		}
	}
	return c
}

// add notes an event of a cycle from now on.
func (c *calendar) add(at noc.Cycle, k kind, index int32) {
	i := uint64(at) & c.mask
	e := c.free
	if e == none {
		e = int32(len(c.events))
		c.events = append(c.events, event{})
	} else {
		c.free = c.events[e].next
	}
	c.events[e] = event{index, c.first[i][k]}
	c.first[i][k] = e
	c.busy[i>>6] |= 1 << (i & 63)
}

// take is the index of an event of a cycle and kind, which it forgets; or none.
func (c *calendar) take(now noc.Cycle, k kind) int32 {
	list := &c.first[uint64(now)&c.mask][k]
	e := *list
	if e == none {
		return none
	}
	index := c.events[e].index
	*list, c.events[e].next, c.free = c.events[e].next, c.free, e
	return index
}

// clear notes that all events of a cycle have been taken.
func (c *calendar) clear(now noc.Cycle) {
	i := uint64(now) & c.mask
	c.busy[i>>6] &^= 1 << (i & 63)
}

// next is the first cycle from now on with an event, or noc.Never.
func (c *calendar) next(now noc.Cycle) noc.Cycle {
	start := uint64(now) & c.mask
	words := uint64(len(c.busy))
	word := c.busy[start>>6] >> (start & 63) << (start & 63)
	for n := range words + 1 {
		i := (start>>6 + n) % words
		if n > 0 {
			word = c.busy[i]
		}
		if n == words {
			word &= 1<<(start&63) - 1
		}
		if word != 0 {
			at := i<<6 + uint64(bits.TrailingZeros64(word))
			return now + noc.Cycle((at-start)&c.mask)
		}
	}
	return noc.Never
}
