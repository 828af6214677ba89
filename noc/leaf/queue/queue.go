// Package queue holds first-in, first-out queues for what waits in simulated networks and chips, or in
// front of them.
//
// A [FIFO] is one queue; [Lines] are the queues of clients in front of a network that may refuse what
// they offer. Laws: a queue keeps its order, whatever was pushed and popped before, and allocates only
// while it grows to its longest.
package queue

// FIFO is a first-in, first-out queue. The zero value is an empty one.
type FIFO[T any] struct {
	all   []T
	first int
}

// Reserve makes room in an empty queue that never has more than most elements, so that it allocates
// no more.
func (q *FIFO[T]) Reserve(most int) { q.all = make([]T, 0, 2*most) }

// Len returns the number of elements.
func (q *FIFO[T]) Len() int { return len(q.all) - q.first }

// Front returns the first element of a queue that is not empty.
func (q *FIFO[T]) Front() T { return q.all[q.first] }

// All returns the elements from the first to the last; the slice is good until the next Push.
func (q *FIFO[T]) All() []T { return q.all[q.first:] }

// Push appends an element.
func (q *FIFO[T]) Push(v T) {
	if len(q.all) == cap(q.all) && 2*q.first >= len(q.all) && q.first > 0 { // use the room in front, which is worth the copy
		q.all = q.all[:copy(q.all, q.all[q.first:])]
		q.first = 0
	}
	q.all = append(q.all, v)
}

// Pop removes the first element of a queue that is not empty and returns it.
func (q *FIFO[T]) Pop() T {
	v := q.all[q.first]
	if q.first++; q.first == len(q.all) {
		q.all, q.first = q.all[:0], 0
	}
	return v
}
