package wormholeideal

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// standing is which headers wait between two cycles: it explains what waits, and finds headers that
// wait for each other.
type standing struct {
	*Network
	headers []header
}

// header is a header that waits for one of a queue's channels.
type header struct {
	position int32 // where it is
	queue    int32
	prefers  int32 // channel, where it has no choice
	since    noc.Cycle
}

// standing lists the headers that wait, worm by worm.
func (n *Network) standing() *standing {
	waiting := map[int32]header{} // by position to be crossed into
	for q := range n.waits {
		for _, r := range n.waits[q].requests {
			waiting[r.position] = header{n.stands(int32(q), &r), int32(q), r.prefers, r.since}
		}
	}
	d := &standing{Network: n}
	for id := range n.worms {
		if root := n.worms[id].root; n.positions.at(root).worm == int32(id) && n.positions.at(root).parent == none {
			n.visit(root, func(k int32) {
				if h, waits := waiting[k]; waits {
					d.headers = append(d.headers, h)
				}
			})
		}
	}
	return d
}

// visit visits a position and all behind it.
func (n *Network) visit(at int32, look func(int32)) {
	look(at)
	for c := n.positions.at(at).child; c != none; c = n.positions.at(c).sibling {
		n.visit(c, look)
	}
}

// planAt returns the worm that stretches over a position.
func (n *Network) planAt(k int32) *dispatch.Worm { return n.Dispatch.At(n.positions.at(k).worm) }

// Explain lists the headers that wait, what they hold and what they wait for, and the packets at
// the head of source queues that wait for the node to send others. Moving worms are not listed; the
// longest wait comes first.
func (n *Network) Explain() []noc.Stuck {
	var all []noc.Stuck
	d := n.standing()
	for i := range d.headers {
		all = append(all, d.stuck(&d.headers[i]))
	}
	slices.SortStableFunc(all, func(a, b noc.Stuck) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Src, b.Src), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.At, b.At),
			cmp.Compare(a.Holds, b.Holds), cmp.Compare(a.Waits, b.Waits))
	})
	return n.Queued(all)
}

// stuck describes a header that waits.
func (d *standing) stuck(h *header) noc.Stuck {
	at, x, plan := d.positions.at(h.position), &d.queues[h.queue], d.planAt(h.position)
	s := d.Stuck(plan.Packet)
	s.At, s.For, s.Since, s.Holds = noc.NodeID(at.router), noc.NodeID(at.router), h.since, fmt.Sprintf("injection port %d", plan.Port)
	if at.channel != none {
		s.Holds = d.name(at.channel)
	}
	choices := d.choices(h)
	if to := d.channels[choices[0]].to; to != none {
		s.For = noc.NodeID(to)
	}
	name, holder := d.name(choices[0]), d.holder(choices)
	switch {
	case x.kind == ejection && holder == "":
		s.Waits = fmt.Sprintf("sink %d of node %d: no free place", plan.Class, x.node)
	case x.kind == ejection:
		s.Waits = fmt.Sprintf("ejection into node %d: %s", x.node, holder)
	case len(choices) > 1:
		s.Waits = fmt.Sprintf("%s or any of %d others", name, len(choices)-1)
	case holder == "":
		s.Waits = name + ": free"
	default:
		s.Waits = name + ": " + holder
	}
	return s
}

// holder names the worm that has some channels, that of the lowest source and tag if there are
// several; "" if one of the channels is free.
func (d *standing) holder(channels []int32) string {
	var first *fabric.Packet
	for _, c := range channels {
		if d.holdings[c].holder == none {
			return ""
		}
		p := d.Packets.At(d.planAt(d.holdings[c].holder).Packet)
		if first == nil || p.Src < first.Src || p.Src == first.Src && p.Tag < first.Tag {
			first = p
		}
	}
	return fmt.Sprintf("held by packet %d of node %d", first.Tag, first.Src)
}

// choices lists the channels that a header may take, in the order of preference.
func (d *standing) choices(h *header) []int32 {
	return d.permitted(h.queue, h.prefers, d.positions.at(h.position).router, d.planAt(h.position), nil)
}

// Deadlock finds headers that wait for each other in a cycle and can never move: each waits for
// something that the worm of the next one holds, and gives back only after that one has moved. It
// is empty if every waiting header can move in the end, possibly after a client has freed a sink.
func (n *Network) Deadlock() (circle []noc.Stuck) {
	d := n.standing()
	for _, i := range circleOf(len(d.headers), d.blocker) {
		circle = append(circle, d.stuck(&d.headers[i]))
	}
	return circle
}

// blocker returns a header that has to move before another can, or none if that one has a way out:
// for each of the channels that it could take there must be one.
func (d *standing) blocker(who int32, stuck map[int32]bool) (found int32) {
	h := &d.headers[who]
	ofToken := d.queues[h.queue].kind == token
	for _, c := range d.choices(h) {
		if found = d.delays(d.holdings[c].holder, ofToken, stuck); found == none {
			break
		}
	}
	return found
}

// delays returns a stuck header that has to move before its worm gives back the channel, or the
// token, that it holds at a position; or none.
func (d *standing) delays(held int32, ofToken bool, stuck map[int32]bool) int32 {
	for i := range d.headers {
		h := d.headers[i].position
		if held != none && stuck[int32(i)] && d.positions.at(h).worm == d.positions.at(held).worm && d.keeps(h, held, ofToken) {
			return int32(i)
		}
	}
	return none
}

// keeps reports whether a worm gives back the channel or the token that it holds at a position only
// after a header of it, which waits at another, has moved.
func (d *standing) keeps(header, held int32, ofToken bool) bool {
	phits := int(d.positions.at(held).phits)
	if !ofToken {
		return d.stops(header, held, phits-1)
	}
	if _, below := d.below(header, held); below {
		return true
	}
	enough := d.enough(d.positions.at(held).router)
	return d.config.Tree.Release == Flits && phits > enough && d.stops(header, held, enough)
}

// stops reports whether the flits up to number flit cannot leave a position while a header stays in
// another one: the buffers between the header and the position, or one before it on the path to
// both, have no room for them.
func (d *standing) stops(header, held int32, flit int) bool {
	for at := held; at != none; at = d.positions.at(at).parent {
		steps, below := d.below(header, at)
		if below && at != held {
			steps++ // flits have to cross into this position first
		}
		if below {
			return steps*d.config.BufferPhits <= flit
		}
	}
	return false
}

// below returns the number of steps from a position down to another, if it is there.
func (d *standing) below(p, from int32) (steps int, found bool) {
	for ; p != none; p, steps = d.positions.at(p).parent, steps+1 {
		if p == from {
			return steps, true
		}
	}
	return 0, false
}
