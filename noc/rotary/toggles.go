package rotary

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CountToggles implements noc.ToggleCounter.
func (n *Network) CountToggles(content func(noc.Packet) []noc.Word) (err error) {
	n.content, err = fabric.NewPhits(n.Packets, n.config.PhitBits, n.config.Multicast != Replicate, content)
	if err != nil {
		return fmt.Errorf("rotary: %w", err)
	}
	n.Sources.Note(n.content)
	for id := range n.routers {
		n.routers[id].activity.Toggles.Counted = true
	}
	return nil
}

// countFlips counts the bits that one phit of a stream flips on the wires that it crosses.
func (n *Network) countFlips(s *stream) {
	r, w := s.router, n.content.Word(s.packet.worm, s.next)
	t := &r.activity.Toggles
	switch s.hop {
	case injecting:
		n.arrive(r, topology.Local, w)
		fallthrough
	case entering:
		in := &r.inputs[s.port]
		t.BufferReads[noc.InputStage] += in.wires.read.Pass(w)
		t.InputDemux += in.wires.ring[s.ring].Pass(w)
	case turning:
		flips := r.segments[s.ring][s.port].ringWire.Pass(w)
		t.RingHop += flips
		if s.dual {
			t.RingDual += flips
		} else { // a read that feeds the output as well is counted there
			t.BufferReads[noc.RingSegment] += flips
		}
	case ejecting:
		flips := r.outputs[s.port].lanes[s.ring].write.Pass(w) // which are those of the segment's port
		t.BufferReads[noc.RingSegment] += flips
		t.BufferWrites[noc.OutputStage] += flips
	case crossing, consuming:
		o := &r.outputs[s.port]
		t.BufferReads[noc.OutputStage] += o.lanes[s.ring].read.Pass(w)
		flips := o.wire.Pass(w)
		if s.hop == consuming {
			t.Eject += flips
			return
		}
		t.Link += flips
		n.arrive(&n.routers[o.peer], o.entry, w)
	}
	if s.hop <= turning {
		t.BufferWrites[noc.RingSegment] += r.segments[s.ring][s.port].lanes[s.lane].wire.Pass(w)
	}
}

// arrive counts a phit that is written into an input stage.
func (n *Network) arrive(r *router, p int, w noc.Word) {
	flips := r.inputs[p].wires.write.Pass(w)
	r.activity.Toggles.BufferWrites[noc.InputStage] += flips
	r.activity.Toggles.Arrived += flips
}
