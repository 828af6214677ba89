package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// toggles are the wires of all routers, as noc.Toggles describes them. Nothing else looks at them,
// so they decide nothing. A packet is counted whole when its header is granted the move, like all
// activity: on each of these fabric.Wires packets follow each other in the order of their grants,
// and none comes between the phits of another.
type toggles struct {
	contents *fabric.Contents
	of       []routerWires
}

// routerWires are those of one router. What a link carries is also what is written into the input
// stage behind it, and what leaves a segment by its port to the output is what is written into the
// lane there, so these need no counts of their own.
type routerWires struct {
	inject fabric.Wires                  // from the node into the local input stage
	stage  [maxPorts]fabric.Wires        // out of the input stage
	branch [maxSegments]fabric.Wires     // from the input stage of its port into a segment
	lane   [2 * maxSegments]fabric.Wires // into a lane of a segment
	turn   [maxSegments]fabric.Wires     // out of a segment to the next one
	leave  [maxSegments]fabric.Wires     // out of a segment to the output stage
	queue  [maxSegments]fabric.Wires     // out of a lane of an output stage
	output [maxPorts]fabric.Wires        // behind its multiplexer
	dual   uint64
	twice  uint32 // segments whose turning packet is read for the output in the same cycle
}

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) error {
	contents, err := fabric.NewContents(n.Packets, n.config.PhitBits, n.rules.whole, content)
	if err != nil {
		return err
	}
	n.Sources.Note(contents)
	n.toggles = &toggles{contents: contents, of: make([]routerWires, n.Nodes())}
	return nil
}

// pass lets a packet cross wires, and returns how many bits flip.
func (t *toggles) pass(n *Network, w *fabric.Wires, k *packet) uint64 {
	switch { // copies differ in their headers alone
	case k.flags&(several|more) == 0:
		t.contents.AddressOnly(k.worm, int32(k.only()))
	case n.rows():
		t.contents.AddressSet(k.worm, n.words(k)...)
	default:
		t.contents.AddressSet(k.worm, k.owed)
	}
	return t.contents.Cross(k.worm, w)
}

// enter counts a packet on its way from input p, and for the local one from the node, to segment j.
func (t *toggles) enter(n *Network, s *router, p, j uint, k *packet) {
	w := &t.of[s.id]
	if p == topology.Local {
		t.pass(n, &w.inject, k)
	}
	t.pass(n, &w.stage[p&portBits], k)
	t.pass(n, &w.branch[j&segmentBits], k)
}

// write counts a packet on its way into a lane of segment j.
func (t *toggles) write(n *Network, s *router, j uint, lane uint8, k *packet) {
	t.pass(n, &t.of[s.id].lane[2*(j&segmentBits)+uint(lane&1)], k)
}

// turn counts a packet on its way from segment j to the next one.
func (t *toggles) turn(n *Network, s *router, j uint, k *packet) {
	w := &t.of[s.id]
	flips := t.pass(n, &w.turn[j&segmentBits], k)
	if w.twice>>j&1 != 0 {
		w.dual += flips
		w.twice &^= 1 << j
	}
}

// eject counts a packet on its way from segment j to the output stage.
func (t *toggles) eject(n *Network, s *router, j uint, k *packet) {
	t.pass(n, &t.of[s.id].leave[j&segmentBits], k)
}

// send counts a packet on its way out of lane l of the output stages.
func (t *toggles) send(n *Network, s *router, l uint, k *packet) {
	w := &t.of[s.id]
	t.pass(n, &w.queue[l&segmentBits], k)
	t.pass(n, &w.output[l&portBits], k)
}

// noteDual notes that a head turns of which a copy leaves segment j in the same cycle.
func (s *router) noteDual(j uint, k *packet) {
	n := s.net
	s.count.dualPhits += uint64(k.phits)
	if n.toggles != nil {
		n.toggles.of[s.id].twice |= 1 << j
	}
}

// flips returns the bits that have flipped in a router.
func (t *toggles) flips(n *Network, s *router) (a noc.Toggles) {
	w := &t.of[s.id]
	a.Counted = true
	a.Arrived = w.inject.Flips
	for p := 1; p < n.limits.Ports; p++ {
		if x := &s.port[p]; x.peer != nil {
			a.Arrived += t.of[x.peer.id].output[x.exit&portBits].Flips
		}
	}
	a.BufferWrites[noc.InputStage] = a.Arrived
	a.BufferReads[noc.InputStage] = fabric.FlipsOf(w.stage[:])
	a.InputDemux, a.RingHop, a.RingDual = fabric.FlipsOf(w.branch[:]), fabric.FlipsOf(w.turn[:]), w.dual
	a.BufferWrites[noc.RingSegment] = fabric.FlipsOf(w.lane[:])
	a.BufferWrites[noc.OutputStage] = fabric.FlipsOf(w.leave[:])
	a.BufferReads[noc.RingSegment] = a.RingHop - a.RingDual + a.BufferWrites[noc.OutputStage]
	a.BufferReads[noc.OutputStage] = fabric.FlipsOf(w.queue[:])
	a.Eject = w.output[topology.Local].Flips
	a.Link = fabric.FlipsOf(w.output[:]) - a.Eject
	return a
}
