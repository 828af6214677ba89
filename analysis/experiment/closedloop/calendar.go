package closedloop

import (
	"container/heap"

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

// entry is a task in a cycle. Those of the same cycle come in the order in which they were made.
type entry struct {
	at     noc.Cycle
	serial uint64
	task   task
	which  int
}

// calendar holds the tasks to come.
type calendar struct {
	entries []entry
	serial  uint64
}

func (c *calendar) Len() int      { return len(c.entries) }
func (c *calendar) Swap(i, j int) { c.entries[i], c.entries[j] = c.entries[j], c.entries[i] }
func (c *calendar) Push(x any)    { c.entries = append(c.entries, x.(entry)) }
func (c *calendar) Less(i, j int) bool {
	a, b := &c.entries[i], &c.entries[j]
	return a.at < b.at || a.at == b.at && a.serial < b.serial
}

func (c *calendar) Pop() any {
	last := len(c.entries) - 1
	e := c.entries[last]
	c.entries = c.entries[:last]
	return e
}

// add notes a task.
func (c *calendar) add(at noc.Cycle, t task, which int) {
	c.serial++
	heap.Push(c, entry{at, c.serial, t, which})
}

// next is the cycle of the first task, or noc.Never.
func (c *calendar) next() noc.Cycle {
	if len(c.entries) == 0 {
		return noc.Never
	}
	return c.entries[0].at
}

// take is the first task if it is due.
func (c *calendar) take(now noc.Cycle) (entry, bool) {
	if c.next() > now {
		return entry{}, false
	}
	return heap.Pop(c).(entry), true
}
