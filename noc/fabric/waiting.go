package fabric

import "github.com/carousel-sim/carousel/noc"

// Waiting counts the packets in the source queues and their destinations not yet sent. It walks all
// queues: it is for checks.
func (s *Sources) Waiting() (packets, destinations int) {
	for _, q := range s.queues {
		id := q.first
		for range q.size {
			packets++
			destinations += s.packets.Count(id)
			id = PacketID(s.packets.At(id).link)
		}
	}
	return packets, destinations
}

// Stuck begins the explanation of the head of a queue that is not empty: what it is, and since when.
func (s *Sources) Stuck(n noc.NodeID, c noc.Class) noc.Stuck { return s.packets.stuck(s.Head(n, c)) }
