package dispatch

import (
	"math/bits"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// Most packets have one destination and need no preparation. A station sends each of them here as
// one worm. The result equals that of the general steps.

// sendSingles sends the next packets of a station while they have one destination and ports are
// free. The station has no startup and nothing to forward. It reports whether the station has
// nothing else to do.
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
		case waiting&(waiting-1) != 0, // several classes wait: find the oldest
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
