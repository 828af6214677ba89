package cmp

// fifo is a queue in a ring that doubles when full; once grown to the load it allocates no more.
type fifo[T any] struct {
	ring       []T
	head, size int
}

func (q *fifo[T]) len() int { return q.size }

func (q *fifo[T]) push(v T) {
	if q.size == len(q.ring) {
		grown := make([]T, max(8, 2*len(q.ring)))
		n := copy(grown, q.ring[q.head:])
		copy(grown[n:], q.ring[:q.head])
		q.ring, q.head = grown, 0
	}
	q.ring[(q.head+q.size)&(len(q.ring)-1)] = v
	q.size++
}

func (q *fifo[T]) front() *T { return &q.ring[q.head] }

func (q *fifo[T]) pop() T {
	v := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.size--
	return v
}
