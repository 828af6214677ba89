package dispatch

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Most packets go to one node and need no preparation. A station sends them here, one worm each:
// what its steps come to for them, without the steps.

// sendSingles sends a station's next packets as long as they are such and there are ports. It
// reports whether nothing else is to be done for the station, which has no startup to pay and
// nothing to forward.
func (d *Dispatcher) sendSingles(s *station, node noc.NodeID, lane int, now noc.Cycle) bool {
	ports := d.config.PortsOf[lane]
	for {
		waiting, free := d.waitingIn(node, lane), d.freePorts[node]&ports
		if waiting == 0 || free == 0 {
			return true
		}
		class := noc.Class(bits.TrailingZeros8(waiting))
		id := d.sources.Head(node, class)
		p, to := d.packets.At(id), d.packets.Only(id)
		switch {
		case waiting&(waiting-1) != 0, // the oldest is to be found
			to < 0,
			d.config.OwnWay && to == int32(node):
			return false
		}
		d.sources.Take(node, class)
		d.sources.Leave(id)
		k, w := d.newWorm(id, p, node)
		w.Stops = append(w.Stops, noc.NodeID(to))
		w.Port = int32(bits.TrailingZeros32(free))
		d.freePorts[node] &^= free & -free
		s.sent = now + 1
		*d.messageOf(id) = message{first: k, last: k, left: 1}
		d.launch = append(d.launch, k)
	}
}

// messageOf returns the message that a packet becomes.
func (d *Dispatcher) messageOf(id fabric.PacketID) *message {
	for int(id) >= len(d.messages) {
		d.messages = append(d.messages, message{first: None})
	}
	return &d.messages[id]
}
