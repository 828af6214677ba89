package deadlock

import "math/bits"

// explorer visits states. Resources are numbered over all messages.
type explorer struct {
	names []string       // of resources
	index map[string]int // of names
	worms []worm
	users []int // messages that use each resource
	seen  map[state]bool
	limit int
}

// explore returns a state in which nothing can move though some message is not done, or nil.
func (e *explorer) explore() (*state, error) {
	open := []state{e.settle(state{})}
	e.seen[open[0]] = true
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		moved, done := false, true
		for m := range e.worms {
			done = done && s[m] == e.worms[m].all
			for wanted := e.wanted(s, m); wanted != 0; wanted &= wanted - 1 {
				p := bits.TrailingZeros64(wanted)
				if e.holder(s, e.worms[m].places[p].resource) >= 0 {
					continue
				}
				moved = true
				next := s
				next[m] |= 1 << p
				if next = e.settle(next); !e.seen[next] {
					if len(e.seen) == e.limit {
						return nil, ErrTooLarge
					}
					e.seen[next] = true
					open = append(open, next)
				}
			}
		}
		if !moved && !done {
			return &s, nil
		}
	}
	return nil, nil
}

// settle takes everything that only one message uses and that it can reach.
func (e *explorer) settle(s state) state {
	for changed := true; changed; {
		changed = false
		for m := range e.worms {
			for wanted := e.wanted(s, m); wanted != 0; wanted &= wanted - 1 {
				if p := bits.TrailingZeros64(wanted); e.users[e.worms[m].places[p].resource] == 1 {
					s[m] |= 1 << p
					changed = true
				}
			}
		}
	}
	return s
}

// wanted are the places of a message that come next: not taken, but the one before is.
func (e *explorer) wanted(s state, m int) uint64 {
	next := uint64(0)
	for p, place := range e.worms[m].places {
		if s[m]>>p&1 == 0 && (place.parent < 0 || s[m]>>place.parent&1 != 0) {
			next |= 1 << p
		}
	}
	return next
}

// holder is the message that has a resource, or -1. One that is done has nothing, and a token is
// given back when all headers below it have arrived.
func (e *explorer) holder(s state, resource int) int {
	for m, w := range e.worms {
		if s[m] == w.all {
			continue
		}
		for p, place := range w.places {
			if place.resource == resource && s[m]>>p&1 != 0 && (place.until == 0 || s[m]&place.until != place.until) {
				return m
			}
		}
	}
	return -1
}

// explain lists what everybody awaits in a state without moves.
func (e *explorer) explain(s state) []Wait {
	var list []Wait
	for m := range e.worms {
		for wanted := e.wanted(s, m); wanted != 0; wanted &= wanted - 1 {
			resource := e.worms[m].places[bits.TrailingZeros64(wanted)].resource
			list = append(list, Wait{m, e.names[resource], e.holder(s, resource)})
		}
	}
	return list
}
