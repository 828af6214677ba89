package closedloop

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// task is what a cycle brings.
type task uint8

const (
	advance task = iota // of a process, by number; of a stream, its next packets
	answer              // of a transfer, by tag
	finish              // of a server's work, by number
	release             // of its memory by a server, by number
	written             // what a node's memory takes, by node
)

// entry is a task in a cycle.
type entry struct {
	at    noc.Cycle
	task  task
	which int
}

// calendar holds the tasks to come, the first at the front. Those of the same cycle come in the order
// in which they were made.
type calendar []entry

// add notes a task.
func (c *calendar) add(at noc.Cycle, t task, which int) {
	behind, _ := slices.BinarySearchFunc(*c, at, func(e entry, at noc.Cycle) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	*c = slices.Insert(*c, behind, entry{at, t, which})
}

// next is the cycle of the first task, or noc.Never.
func (c calendar) next() noc.Cycle {
	if len(c) == 0 {
		return noc.Never
	}
	return c[0].at
}

// take is the first task if it is due.
func (c *calendar) take(now noc.Cycle) (e entry, due bool) {
	if c.next() > now {
		return entry{}, false
	}
	e = (*c)[0]
	*c = slices.Delete(*c, 0, 1)
	return e, true
}
