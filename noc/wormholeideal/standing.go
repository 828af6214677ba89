package wormholeideal

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Standing is where worms stand between two cycles: what they hold, and which headers wait. Both
// forms of a network draw it up; it explains what waits and finds headers that wait for each other.
type Standing struct {
	setup      *Setup
	interfaces *dispatch.Interfaces
	Places     []Place
	Holders    []int32 // per channel: place of the worm that has it, or None
	Waiting    []Header
}

// Place is a position of a worm.
type Place struct {
	Worm    int32 // the dispatcher's number
	Parent  int32 // place before, or None
	Channel int32 // that leads here; None for the memory of a node and for a node
	Router  int32 // of a header's place
}

// Header is a header that waits for one of a queue's channels.
type Header struct {
	Place   int32 // where it is
	Queue   int32
	Prefers int32 // channel, where it has no choice
	Since   noc.Cycle
}

// NewStanding makes one of no worms.
func NewStanding(s *Setup, x *dispatch.Interfaces) *Standing {
	d := &Standing{setup: s, interfaces: x, Holders: make([]int32, len(s.Channels))}
	for c := range d.Holders {
		d.Holders[c] = None
	}
	return d
}

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at
// the head of source queues that wait for the node to send others. Worms that are on their way are
// not listed; who has waited longest comes first.
func (d *Standing) Explain() []noc.Stuck {
	var all []noc.Stuck
	for i := range d.Waiting {
		all = append(all, d.stuck(&d.Waiting[i]))
	}
	slices.SortFunc(all, func(a, b noc.Stuck) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Src, b.Src), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.At, b.At),
			cmp.Compare(a.Holds, b.Holds), cmp.Compare(a.Waits, b.Waits))
	})
	return d.interfaces.Queued(all)
}

// stuck describes a header that waits.
func (d *Standing) stuck(h *Header) noc.Stuck {
	at, x := &d.Places[h.Place], &d.setup.Queues[h.Queue]
	plan := d.interfaces.Dispatch.At(at.Worm)
	s := d.interfaces.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(at.Router), noc.NodeID(at.Router), h.Since, fmt.Sprintf("injection port %d", plan.Port)
	if at.Channel != None {
		s.Holds = d.setup.Name(at.Channel)
	}
	choices := d.choices(h)
	if to := d.setup.Channels[choices[0]].To; to != None {
		s.For = noc.NodeID(to)
	}
	name, holder := d.setup.Name(choices[0]), d.holder(choices)
	switch {
	case x.Kind == Ejection && holder == "":
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.Node)
	case x.Kind == Ejection:
		s.Waits = fmt.Sprintf("ejection into node %d: %s", x.Node, holder)
	case len(choices) > 1:
		s.Waits = fmt.Sprintf("%s or any of %d others", name, len(choices)-1)
	case holder == "":
		s.Waits = name + ": free"
	default:
		s.Waits = name + ": " + holder
	}
	return s
}

// holder says whose worms have some channels, the one of the lowest source and tag if there are
// several; "" if one of the channels is free.
func (d *Standing) holder(channels []int32) string {
	var first *fabric.Worm
	for _, c := range channels {
		if d.Holders[c] == None {
			return ""
		}
		p := d.interfaces.Packets.At(d.interfaces.Dispatch.At(d.Places[d.Holders[c]].Worm).Packet)
		if first == nil || p.Src < first.Src || p.Src == first.Src && p.Tag < first.Tag {
			first = p
		}
	}
	return fmt.Sprintf("held by packet %d of node %d", first.Tag, first.Src)
}

// choices lists the channels that a header may take, in the order of preference.
func (d *Standing) choices(h *Header) []int32 {
	at := &d.Places[h.Place]
	return d.setup.Permitted(h.Queue, h.Prefers, at.Router, d.interfaces.Dispatch.At(at.Worm), nil)
}

// Deadlock finds headers that wait for each other in a circle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty when every waiting header has a way out, if only over a client that frees a sink.
func (d *Standing) Deadlock() (circle []noc.Stuck) {
	numbers := make([]int32, len(d.Waiting))
	for i := range numbers {
		numbers[i] = int32(i)
	}
	for _, i := range fabric.Circle(numbers, d.blocker) {
		circle = append(circle, d.stuck(&d.Waiting[i]))
	}
	return circle
}

// blocker returns a header that has to move before another can, or None if that one has a way out:
// for each of the channels that it could take there must be one.
func (d *Standing) blocker(who int32, stuck map[int32]bool) (found int32) {
	h := &d.Waiting[who]
	ofToken := d.setup.Queues[h.Queue].Kind == Token
	for _, c := range d.choices(h) {
		if found = d.delays(d.Holders[c], ofToken, stuck); found == None {
			break
		}
	}
	return found
}

// delays returns a stuck header that has to move before its worm gives back the channel, or the
// token, that it holds at a place; or None.
func (d *Standing) delays(held int32, ofToken bool, stuck map[int32]bool) int32 {
	for i := range d.Waiting {
		h := d.Waiting[i].Place
		if held != None && stuck[int32(i)] && d.Places[h].Worm == d.Places[held].Worm && d.keeps(h, held, ofToken) {
			return int32(i)
		}
	}
	return None
}

// keeps reports whether a worm gives back the channel or the token that it holds at a place only
// after a header of it, which waits at another, has moved.
func (d *Standing) keeps(header, held int32, ofToken bool) bool {
	phits := int(d.interfaces.Dispatch.At(d.Places[held].Worm).Phits)
	if !ofToken {
		return d.stops(header, held, phits-1)
	}
	if _, below := d.below(header, held); below {
		return true
	}
	enough := d.setup.Enough(d.Places[held].Router)
	return d.setup.Config.Tree.Release == Flits && phits > enough && d.stops(header, held, enough)
}

// stops reports whether flits up to some number cannot leave a place while a header stays in
// another one: the buffers from the place, or from one before it on the way to both, to the header
// have no room for so many.
func (d *Standing) stops(header, held int32, flit int) bool {
	for at := held; at != None; at = d.Places[at].Parent {
		steps, below := d.below(header, at)
		if below && at != held {
			steps++ // flits have to cross into this place first
		}
		if below {
			return steps*d.setup.Config.BufferPhits <= flit
		}
	}
	return false
}

// below returns the number of steps from a place down to another, if it is there.
func (d *Standing) below(p, from int32) (steps int, found bool) {
	for ; p != None; p, steps = d.Places[p].Parent, steps+1 {
		if p == from {
			return steps, true
		}
	}
	return 0, false
}
