package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// wires are one bundle of wires in each router of a bank: the last word on it, and the bits that
// have flipped.
type wires struct {
	last  [64]noc.Word
	flips [64]uint64
}

// toggles are the wires of the routers of a bank, as noc.Toggles describes them; a bank has some
// only where flipped bits are counted. Nothing else looks at them, so they decide nothing. A packet
// is counted whole when its header is granted the move, like all activity: on each of these wires
// packets follow each other in the order of their grants, and none comes between the phits of
// another.
//
// What a link carries is also what is written into the input stage behind it, and what leaves a
// segment by its port to the output is what is written into the lane there, so these need no counts
// of their own.
type toggles struct {
	inject wires   // from the node into the local input stage
	stage  []wires // per port: out of the input stage
	branch []wires // per segment: from the input stage of its port
	lane   []wires // per segment and lane: into it
	turn   []wires // per segment: to the next one
	eject  []wires // per segment: to the output stage
	queue  []wires // per output and ring: out of the lane of its output stage
	output []wires // per output: behind its multiplexer
	dual   [64]uint64
	twice  []uint64 // per segment: routers in which the turning packet is read for the output in the same cycle
}

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) (err error) {
	if n.contents, err = fabric.NewContents(n.worms, n.config.PhitBits, n.whole, content); err != nil {
		return err
	}
	n.sources.Note(n.contents)
	n.leaveWords() // all are counted together
	for i := range n.banks {
		n.banks[i].toggles = &toggles{stage: make([]wires, n.ports), branch: make([]wires, n.segments),
			lane: make([]wires, 2*n.segments), turn: make([]wires, n.segments), eject: make([]wires, n.segments),
			queue: make([]wires, rings*n.ports), output: make([]wires, n.ports), twice: make([]uint64, n.segments)}
	}
	return nil
}

// pass lets n.packets of a router cross wires, and returns how many bits flip.
func (n *Network) pass(w *wires, r int) uint64 {
	h := &n.headers[n.packets[r].header()]
	switch { // copies differ in their headers alone
	case h.flags&(severalFlag|moreFlag) == 0:
		n.contents.AddressOnly(h.worm, int32(h.only()))
	case n.rows:
		n.contents.AddressSet(h.worm, n.worms.Row(h.row())...)
	default:
		n.contents.AddressSet(h.worm, h.owed)
	}
	flips := n.contents.Cross(h.worm, &w.last[r])
	w.flips[r] += flips
	return flips
}

// passInto counts n.packets of some routers on their way from the input stage of port p, and for
// the local one from the node, into lanes of segment s; lane are those of which it is lane 1.
func (n *Network) passInto(t *toggles, p, s int, set, lane uint64) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		if p == topology.Local {
			n.pass(&t.inject, r)
		}
		n.pass(&t.stage[p], r)
		n.pass(&t.branch[s], r)
		n.pass(&t.lane[2*s+int(lane>>r&1)], r)
	}
}

// passTurn counts n.packets of some routers on their way from segment s to lanes of the next one.
func (n *Network) passTurn(t *toggles, s, to int, set, lane uint64) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		flips := n.pass(&t.turn[s], r)
		if t.twice[s]>>r&1 != 0 {
			t.dual[r] += flips
		}
		n.pass(&t.lane[2*to+int(lane>>r&1)], r)
	}
	t.twice[s] = 0
}

// passOut counts n.packets of some routers on their way from segment s to the output stage.
func (n *Network) passOut(t *toggles, s int, set uint64) {
	for m := set; m != 0; m &= m - 1 {
		n.pass(&t.eject[s], first(m))
	}
}

// passSend counts n.packets of some routers on their way out of output stage p; lanes are those
// that leave ring 1's.
func (n *Network) passSend(t *toggles, p int, set, lanes uint64) {
	for m := set; m != 0; m &= m - 1 {
		r := first(m)
		n.pass(&t.queue[rings*p+int(lanes>>r&1)], r)
		n.pass(&t.output[p], r)
	}
}

// toggled is the flipped bits of a router.
func (n *Network) toggled(b *bank, r int) (a noc.Toggles) {
	t := b.toggles
	if t == nil {
		return a
	}
	sum := func(list []wires) (flips uint64) {
		for i := range list {
			flips += list[i].flips[r]
		}
		return flips
	}
	a.Counted = true
	a.BufferWrites[noc.InputStage] = t.inject.flips[r]
	for p := 1; p < n.ports; p++ {
		if in := &b.input[p]; in.upstream[r] >= 0 {
			up, _ := n.bankOf(int(in.upstream[r]))
			a.BufferWrites[noc.InputStage] += up.toggles.output[in.exit].flips[in.upstream[r]&63]
		}
	}
	a.Arrived = a.BufferWrites[noc.InputStage]
	a.BufferReads[noc.InputStage] = sum(t.stage)
	a.InputDemux, a.RingHop, a.RingDual = sum(t.branch), sum(t.turn), t.dual[r]
	a.BufferWrites[noc.RingSegment] = sum(t.lane)
	a.BufferWrites[noc.OutputStage] = sum(t.eject)
	a.BufferReads[noc.RingSegment] = a.RingHop - a.RingDual + a.BufferWrites[noc.OutputStage]
	a.BufferReads[noc.OutputStage] = sum(t.queue)
	a.Eject = t.output[topology.Local].flips[r]
	a.Link = sum(t.output) - a.Eject
	return a
}
