package buffered

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// CheckInvariants implements [noc.Checker]: destinations are neither lost nor doubled, credits
// match slots, and every ring keeps a free slot (rule 14).
func (n *Network) CheckInvariants() error {
	if owed := n.Packets.Destinations(); owed != n.Owed() {
		return fmt.Errorf("buffered: cycle %d: packets have %d destinations, %d are owed", n.Clock, owed, n.Owed())
	}
	for i := range n.routers {
		r := &n.routers[i]
		for port := range r.outputs {
			o := &r.outputs[port]
			for class := range o.credits {
				if o.peer < 0 {
					continue
				}
				taken, slots := n.taken(r, port, class), n.config.SpaceOf(class).Slots
				if o.credits[class] < 0 || o.credits[class]+o.returned[class]+taken != slots {
					return fmt.Errorf("buffered: cycle %d, node %d: %d credits for output %s class %d, %d on their way, %d of %d slots taken",
						n.Clock, i, o.credits[class], n.grid.PortName(port), class, o.returned[class], taken, slots)
				}
			}
		}
	}
	return n.checkRings()
}

// taken returns how many slots behind an output packets hold: those whose header has been granted
// the output, or sent by the interface, and has not left the channel behind.
func (n *Network) taken(r *router, port, class int) (slots int) {
	o := &r.outputs[port]
	in := &n.routers[o.peer].inputs[o.entry]
	if s := &in.stream; s.active() && s.leaving && s.class == class && s.next > 0 {
		slots-- // its header has left
	}
	slots += len(in.channels[class].entries)
	headers := []phit{in.wire}
	if port == topology.Local {
		headers = append(headers, r.sender.sending)
	} else {
		headers = append(append(headers, o.crossed), o.line...)
		for i := range r.inputs {
			if s := &r.inputs[i].stream; s.active() && s.output == port {
				headers = append(headers, phit{s.packet, s.next})
			}
		}
	}
	for _, f := range headers {
		if f.present() && f.index == 0 && f.packet.class == class {
			slots++
		}
	}
	return slots
}

// checkRings reports a ring of a torus in which no packet can go on because free slots are missing.
// The slot of a packet that is leaving is free.
func (n *Network) checkRings() error {
	if !n.grid.Wrap || !n.config.Bubble {
		return nil
	}
	for i := range n.routers {
		for port := 1; port < n.grid.Ports(); port++ {
			if dim, _ := n.grid.Direction(port); n.grid.Coordinate(noc.NodeID(i), dim) != 0 {
				continue
			}
			for class := range n.config.Classes {
				if n.mostFree(i, port, class) < n.config.SpaceOf(class).Ahead {
					return fmt.Errorf("buffered: cycle %d: the ring of class %d through output %s of node %d is full",
						n.Clock, class, n.grid.PortName(port), i)
				}
			}
		}
	}
	return nil
}

// mostFree returns the free slots of that channel which has most of them in the ring that an output
// belongs to.
func (n *Network) mostFree(start, port, class int) (most int) {
	for at := start; ; {
		r := &n.routers[at]
		o := &r.outputs[port]
		free := n.config.SpaceOf(class).Slots - n.taken(r, port, class)
		in := &n.routers[o.peer].inputs[o.entry]
		if s := &in.stream; s.active() && s.leaving && s.class == class && s.next == 0 {
			free++
		}
		most = max(most, free)
		if at = o.peer; at == start {
			return most
		}
	}
}
