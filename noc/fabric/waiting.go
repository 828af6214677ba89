package fabric

import "math/bits"

// Waiting counts the packets in the source queues and their destinations not yet sent. It walks all
// queues: it is for checks.
func (s *Sources) Waiting() (packets, destinations int) {
	for q, size := range s.size {
		for i := range int(size) {
			packets++
			id := s.rings[q*s.depth+(int(s.head[q])+i)%s.depth]
			for _, w := range s.worms.Set(id) {
				destinations += bits.OnesCount64(w)
			}
		}
	}
	return packets, destinations
}
