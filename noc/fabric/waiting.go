package fabric

// Waiting counts the packets in the source queues and their destinations not yet sent. It walks all
// queues: it is for checks.
func (s *Sources) Waiting() (packets, destinations int) {
	for _, q := range s.queues {
		id := q.first
		for range q.size {
			packets++
			destinations += s.worms.Count(id)
			id = WormID(s.worms.At(id).link)
		}
	}
	return packets, destinations
}
