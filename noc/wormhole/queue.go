package wormhole

import "github.com/carousel-sim/carousel/noc"

// fifo is a queue of flits. It reuses its memory.
type fifo struct {
	flits []flit
	first int
}

func (q *fifo) len() int     { return len(q.flits) - q.first }
func (q *fifo) front() *flit { return &q.flits[q.first] }

func (q *fifo) push(f flit) {
	if q.first > 0 && len(q.flits) == cap(q.flits) {
		q.flits = q.flits[:copy(q.flits, q.flits[q.first:])]
		q.first = 0
	}
	q.flits = append(q.flits, f)
}

func (q *fifo) pop() flit {
	f := q.flits[q.first]
	if q.first++; q.first == len(q.flits) {
		q.flits, q.first = q.flits[:0], 0
	}
	return f
}

// delayLine holds what takes effect some cycles later: always as many, so that it comes out in the
// order in which it went in. It reuses its memory.
type delayLine[T any] struct {
	list  []delayed[T]
	first int
}

type delayed[T any] struct {
	at   noc.Cycle
	what T
}

func (d *delayLine[T]) add(at noc.Cycle, what T) {
	if d.first > 0 && len(d.list) == cap(d.list) {
		d.list = d.list[:copy(d.list, d.list[d.first:])]
		d.first = 0
	}
	d.list = append(d.list, delayed[T]{at, what})
}

// next returns the first cycle in which something takes effect, or noc.Never.
func (d *delayLine[T]) next() noc.Cycle {
	if d.first == len(d.list) {
		return noc.Never
	}
	return d.list[d.first].at
}

// due reports whether something takes effect by cycle t, which take returns.
func (d *delayLine[T]) due(t noc.Cycle) bool { return d.next() <= t }

func (d *delayLine[T]) take() T {
	what := d.list[d.first].what
	if d.first++; d.first == len(d.list) {
		d.list, d.first = d.list[:0], 0
	}
	return what
}

// pending lists what has not taken effect.
func (d *delayLine[T]) pending() []delayed[T] { return d.list[d.first:] }
