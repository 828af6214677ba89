package wormhole

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// delayLine holds what takes effect some cycles later: always as many, so that it comes out in the
// order in which it went in.
type delayLine[T any] struct{ fabric.Queue[delayed[T]] }

type delayed[T any] struct {
	at   noc.Cycle
	what T
}

func (d *delayLine[T]) add(at noc.Cycle, what T) { d.Push(delayed[T]{at, what}) }

// next returns the first cycle in which something takes effect, or noc.Never.
func (d *delayLine[T]) next() noc.Cycle {
	if d.Len() == 0 {
		return noc.Never
	}
	return d.Front().at
}

// due reports whether something takes effect by cycle t, which take returns.
func (d *delayLine[T]) due(t noc.Cycle) bool { return d.next() <= t }

func (d *delayLine[T]) take() T { return d.Pop().what }
