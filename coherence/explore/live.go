package explore

// edge is a step that happens by itself, from one state to another.
type edge struct{ from, to uint32 }

// checkLive verifies that from every state a quiescent one can be reached by steps that happen by
// themselves. It walks backward from the quiescent states; what it does not meet is stuck.
func (s *search) checkLive() {
	n := len(s.parents)
	first := make([]uint32, n+1) // of each state's predecessors
	for _, e := range s.edges {
		first[e.to+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	predecessors := make([]uint32, len(s.edges))
	place := append([]uint32(nil), first[:n]...)
	for _, e := range s.edges {
		predecessors[place[e.to]] = e.from
		place[e.to]++
	}
	reached := append([]uint64(nil), s.quiet...)
	queue := make([]uint32, 0, n)
	for i := range uint32(n) {
		if reached[i/64]>>(i%64)&1 != 0 {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, p := range predecessors[first[queue[0]]:first[queue[0]+1]] {
			if reached[p/64]>>(p%64)&1 == 0 {
				reached[p/64] |= 1 << (p % 64)
				queue = append(queue, p)
			}
		}
	}
	for i := range uint32(n) {
		if reached[i/64]>>(i%64)&1 == 0 {
			s.report(&broken{parent: i, step: -1, why: errStuck})
			return
		}
	}
	s.result.Live = true
}
