package wormholeideal

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// oracle watches a network cycle by cycle. It takes from it where headers cross and nothing else:
// it moves every other flit by the words of rule 5, and holds tails to that. It notes which requests wait
// for one channel, and that none is overtaken (rule 7).
type oracle struct {
	n      *Network
	places map[int32]*place
	asked  map[int32][]request // per queue: what waited after the cycle before
	err    error
}

// place is a position with the cycles in which flits have crossed into it.
type place struct {
	position
	children []*place
	before   *place // nil behind the memory of a node
	times    []noc.Cycle
}

func newOracle(n *Network) *oracle {
	return &oracle{n: n, places: map[int32]*place{}, asked: map[int32][]request{}}
}

// look judges the cycle that the network has just simulated.
func (o *oracle) look() {
	if o.err != nil {
		return
	}
	t := o.n.Clock - 1
	o.adopt(t)
	for moved := true; moved; {
		moved = false
		for _, p := range o.places {
			if o.mayCross(p, t) {
				p.times = append(p.times, t)
				moved = true
			}
		}
	}
	o.judgeTails(t)
	o.judgeRequests(t)
}

// adopt takes over positions and the headers' crossings. A worm that ended in this cycle has left
// its positions as they were.
func (o *oracle) adopt(t noc.Cycle) {
	all := o.n.positions.all
	for k := range all {
		if all[k].worm != none && o.places[int32(k)] == nil {
			o.places[int32(k)] = &place{position: all[k]}
		}
	}
	for _, k := range o.numbers() { // children are numbers of places, too, though they may have come and gone
		for c := all[k].child; c != none; c = all[c].sibling {
			if o.places[c] == nil {
				o.places[c] = &place{position: all[c]}
			}
		}
	}
	for k, p := range o.places {
		worm := p.worm
		p.position, p.children = all[k], nil
		p.worm = worm
		for c := p.child; c != none; c = all[c].sibling {
			p.children = append(p.children, o.places[c])
		}
		if p.depth > 1 {
			p.before = o.places[p.parent]
		}
		if p.header == t && len(p.times) == 0 {
			p.times = append(p.times, t)
		}
	}
}

func (o *oracle) numbers() (all []int32) {
	for k := range o.places {
		all = append(all, k)
	}
	return all
}

// mayCross reports whether the next flit can cross into a place in cycle t: the header has, no
// other flit does in this cycle, the flit is in the place before, and there is room.
func (o *oracle) mayCross(p *place, t noc.Cycle) bool {
	i, c := len(p.times), &o.n.config
	if i == 0 || i == int(p.phits) || p.times[i-1] == t {
		return false
	}
	if p.before != nil && (len(p.before.times) <= i || p.before.times[i] == t) {
		return false
	}
	if leaves := i - c.BufferPhits; p.node == none && leaves >= 0 {
		for _, child := range p.children {
			if len(child.times) <= leaves || child.times[leaves]+noc.Cycle(c.CreditCycles) > t {
				return false
			}
		}
		return len(p.children) > 0
	}
	return true
}

// judgeTails compares tails, and forgets worms that have ended.
func (o *oracle) judgeTails(t noc.Cycle) {
	for k, p := range o.places {
		complete := len(p.times) == int(p.phits)
		if p.depth > 0 && (p.tail <= t) != complete || complete && p.times[p.phits-1] != p.tail {
			o.err = fmt.Errorf("cycle %d: %d of %d flits have crossed into position %d, the last in %v; the tail is said to cross in cycle %d",
				t, len(p.times), p.phits, k, p.times, p.tail)
		}
	}
	for k := range o.places {
		if o.n.positions.all[k].worm == none {
			delete(o.places, k)
		}
	}
}

// judgeRequests finds requests that were overtaken at a channel that the oldest gets.
func (o *oracle) judgeRequests(t noc.Cycle) {
	for q := range o.n.waits {
		x := &o.n.waits[q]
		last, of := o.asked[int32(q)], &o.n.queues[q]
		o.asked[int32(q)] = slices.Clone(x.requests)
		if of.count > 1 || of.kind == ejection || !o.n.config.Oldest() || len(last) == 0 || len(x.requests) == 0 || x.requests[0] != last[0] {
			continue // several may be served at once, or the first was
		}
		if to := o.n.holdings[of.first].holder; to != none && o.n.positions.at(to).header == t {
			o.err = fmt.Errorf("cycle %d: a header is overtaken at %s", t, o.n.name(of.first))
		}
	}
}
