package queue

import "math/bits"

// Lines are what waits in front of places that may be full, such as the nodes of a network: a queue
// for each class at each place. There are at most eight classes.
type Lines[T any] struct {
	classes int
	queues  []FIFO[T] // per place and class
	waiting []uint64  // places where something waits, as bits
	of      []uint8   // per place: classes of which something waits, as bits
	length  []int     // per place
	all     int
}

// NewLines returns empty lines.
func NewLines[T any](places, classes int) Lines[T] {
	return Lines[T]{classes: classes, queues: make([]FIFO[T], places*classes), waiting: make([]uint64, (places+63)/64),
		of: make([]uint8, places), length: make([]int, places)}
}

// Push puts an element at the end of its queue.
func (l *Lines[T]) Push(place, class int, v T) {
	l.queues[place*l.classes+class].Push(v)
	l.of[place] |= 1 << class
	l.waiting[place/64] |= 1 << (place % 64)
	l.length[place]++
	l.all++
}

// Len returns how many elements wait, LenAt how many of them at one place.
func (l *Lines[T]) Len() int            { return l.all }
func (l *Lines[T]) LenAt(place int) int { return l.length[place] }

// Empty reports whether nothing of a class waits at a place.
func (l *Lines[T]) Empty(place, class int) bool { return l.of[place]>>class&1 == 0 }

// Offer hands elements over, place by place, the highest class first and each queue in order, until
// accept refuses one of the queue.
func (l *Lines[T]) Offer(accept func(place int, v T) bool) {
	for i, word := range l.waiting {
		for ; word != 0; word &= word - 1 {
			l.offerAt(64*i+bits.TrailingZeros64(word), accept)
		}
	}
}

func (l *Lines[T]) offerAt(place int, accept func(place int, v T) bool) {
	for classes := l.of[place]; classes != 0; {
		class := bits.Len8(classes) - 1
		classes &^= 1 << class
		q := &l.queues[place*l.classes+class]
		for q.Len() > 0 && accept(place, q.Front()) {
			q.Pop()
			l.length[place]--
			l.all--
		}
		if q.Len() == 0 {
			l.of[place] &^= 1 << class
		}
	}
	if l.of[place] == 0 {
		l.waiting[place/64] &^= 1 << (place % 64)
	}
}
