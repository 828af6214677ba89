package fabric

// Queue is a first-in, first-out queue for the plain forms of networks and for what waits in front of
// networks. It reuses its memory, so that a warm network allocates nothing. The zero value is an empty
// queue.
type Queue[T any] struct {
	all   []T
	first int
}

// Len returns the number of elements.
func (q *Queue[T]) Len() int { return len(q.all) - q.first }

// Front returns the first element of a queue that is not empty.
func (q *Queue[T]) Front() T { return q.all[q.first] }

// All returns the elements from the first to the last; the slice is good until the next Push.
func (q *Queue[T]) All() []T { return q.all[q.first:] }

// Push appends an element.
func (q *Queue[T]) Push(v T) {
	if len(q.all) == cap(q.all) && 2*q.first >= len(q.all) && q.first > 0 { // use the room in front, which is worth the copy
		q.all = q.all[:copy(q.all, q.all[q.first:])]
		q.first = 0
	}
	q.all = append(q.all, v)
}

// Pop removes the first element of a queue that is not empty and returns it.
func (q *Queue[T]) Pop() T {
	v := q.all[q.first]
	if q.first++; q.first == len(q.all) {
		q.all, q.first = q.all[:0], 0
	}
	return v
}
