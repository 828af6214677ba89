package fabric

// Circle finds, among those that wait, some that wait for each other in a cycle and can never
// move, in the order in which each waits for the next. It is empty if all of them can move.
//
// stuck are those that are not known to be able to move. blocker names one of them that has to
// move before another can, or is negative if that other can move: it waits for something free, or
// for something that one outside stuck gives back. What can move still can when stuck shrinks.
func Circle(waiting []int32, blocker func(who int32, stuck map[int32]bool) int32) []int32 {
	stuck := map[int32]bool{}
	for _, who := range waiting {
		stuck[who] = true
	}
	for found := true; found; {
		found = false
		for _, who := range waiting {
			if stuck[who] && blocker(who, stuck) < 0 {
				delete(stuck, who)
				found = true
			}
		}
	}
	for _, who := range waiting {
		if stuck[who] {
			return follow(who, func(at int32) int32 { return blocker(at, stuck) })
		}
	}
	return nil
}

// follow returns the circle that following a chain from a start ends in.
func follow(start int32, next func(int32) int32) []int32 {
	place := map[int32]int{}
	var chain []int32
	for at := start; ; at = next(at) {
		if first, again := place[at]; again {
			return chain[first:]
		}
		place[at] = len(chain)
		chain = append(chain, at)
	}
}
