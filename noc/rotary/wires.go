package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Wires are all bundles of wires of a network, as [noc.Toggles] describes them, and what the
// packets hold that cross them. Nothing else looks at them, so they decide nothing.
//
// A packet is counted whole when its header is granted a move: on each bundle packets follow each
// other in the order of their grants, and none comes between the phits of another. Before it is
// counted, the header must have the destinations that it owes (Address).
type Wires struct {
	*fabric.Contents
	grid    topology.Grid
	routers []routerWires
}

// routerWires are those of one router, by ring and port. What a link carries is also what is
// written into the input stage behind it, and what leaves a segment to its output is what is
// written into the lane there, so these need no counts of their own.
type routerWires struct {
	inject fabric.Wires                     // from the node into the local input stage
	stage  [maxPorts]fabric.Wires           // out of the input stage
	branch [Rings][maxPorts]fabric.Wires    // from there into a segment
	lane   [Rings][maxPorts][2]fabric.Wires // into a lane of a segment
	turn   [Rings][maxPorts]fabric.Wires    // out of a segment to the next one
	leave  [Rings][maxPorts]fabric.Wires    // out of a segment to the output stage
	queue  [Rings][maxPorts]fabric.Wires    // out of a lane of an output stage
	output [maxPorts]fabric.Wires           // behind its multiplexer
	dual   uint64                           // flips of packets that turn and are copied to the output meanwhile
}

// CountWires makes the wires of a network, for content as noc.ToggleCounter tells it.
func CountWires(g topology.Grid, c Config, x *fabric.Interfaces, content func(noc.Packet) []noc.Word) (*Wires, error) {
	contents, err := fabric.NewContents(x.Packets, c.PhitBits, c.Multicast != Replicate, content)
	if err != nil {
		return nil, fmt.Errorf("rotary: %w", err)
	}
	x.Sources.Note(contents)
	return &Wires{Contents: contents, grid: g, routers: make([]routerWires, g.Nodes())}, nil
}

// Enter counts a packet on its way from input p, and for the local one from the node, to the
// segment of a ring.
func (w *Wires) Enter(id fabric.WormID, router, ring, p int) {
	r := &w.routers[router]
	if p == topology.Local {
		w.Cross(id, &r.inject)
	}
	w.Cross(id, &r.stage[p])
	w.Cross(id, &r.branch[ring][p])
}

// Write counts a packet on its way into a lane of a segment.
func (w *Wires) Write(id fabric.WormID, router, ring, p, lane int) {
	w.Cross(id, &w.routers[router].lane[ring][p][lane])
}

// Turn counts a packet on its way from a segment to the next one, which is copied to the output
// meanwhile if it is dual.
func (w *Wires) Turn(id fabric.WormID, router, ring, p int, dual bool) {
	r := &w.routers[router]
	if flips := w.Cross(id, &r.turn[ring][p]); dual {
		r.dual += flips
	}
}

// Eject counts a packet on its way from a segment to the output stage.
func (w *Wires) Eject(id fabric.WormID, router, ring, p int) {
	w.Cross(id, &w.routers[router].leave[ring][p])
}

// Send counts a packet on its way out of the lane of a ring of output stage p.
func (w *Wires) Send(id fabric.WormID, router, ring, p int) {
	w.Cross(id, &w.routers[router].queue[ring][p])
	w.Cross(id, &w.routers[router].output[p])
}

// Link returns the bits that have flipped on the link of an output.
func (w *Wires) Link(router, p int) uint64 { return w.routers[router].output[p].Flips }

// Toggles returns the bits that have flipped in a router.
func (w *Wires) Toggles(router int) (t noc.Toggles) {
	r := &w.routers[router]
	t.Counted = true
	t.Arrived = r.inject.Flips
	for p := 1; p < w.grid.Ports(); p++ {
		if peer, exit, ok := w.grid.Neighbour(noc.NodeID(router), p); ok {
			t.Arrived += w.Link(int(peer), exit)
		}
	}
	t.BufferWrites[noc.InputStage] = t.Arrived
	t.BufferReads[noc.InputStage] = fabric.FlipsOf(r.stage[:])
	t.RingDual = r.dual
	for ring := range r.turn {
		t.InputDemux += fabric.FlipsOf(r.branch[ring][:])
		t.RingHop += fabric.FlipsOf(r.turn[ring][:])
		t.BufferWrites[noc.OutputStage] += fabric.FlipsOf(r.leave[ring][:])
		t.BufferReads[noc.OutputStage] += fabric.FlipsOf(r.queue[ring][:])
		for p := range r.lane[ring] {
			t.BufferWrites[noc.RingSegment] += fabric.FlipsOf(r.lane[ring][p][:])
		}
	}
	t.BufferReads[noc.RingSegment] = t.RingHop - t.RingDual + t.BufferWrites[noc.OutputStage]
	t.Eject = w.Link(router, topology.Local)
	t.Link = fabric.FlipsOf(r.output[:]) - t.Eject
	return t
}

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) (err error) {
	n.wires, err = CountWires(n.grid, n.config, &n.Interfaces, content)
	return err
}

// countFlips counts the bits that the packet of a stream flips.
func (n *Network) countFlips(s *stream) {
	w, id, at, before := n.wires, s.packet.worm, s.router.id, n.limits.Next(1-s.ring, s.port)
	switch s.hop {
	case injecting, entering:
		w.Enter(id, at, s.ring, s.port)
	case turning:
		w.Turn(id, at, s.ring, before, s.dual)
	case ejecting:
		w.Eject(id, at, s.ring, before)
	case crossing, consuming:
		w.Send(id, at, s.ring, s.port)
	}
	if s.hop <= turning {
		w.Write(id, at, s.ring, s.port, s.lane)
	}
}
