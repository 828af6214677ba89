package wormholeideal

// circleOf finds, among a number of headers that wait, those that wait for each other in a cycle
// and can never move, in the order in which each waits for the next. It is empty if all of them can
// move.
//
// stuck are those that are not known to be able to move. blocker names one of them that has to
// move before another can, or is negative if that other can move: it waits for something free, or
// for something that one outside stuck gives back. What can move still can when stuck shrinks.
func circleOf(waiting int, blocker func(who int32, stuck map[int32]bool) int32) []int32 {
	stuck := map[int32]bool{}
	for who := range int32(waiting) {
		stuck[who] = true
	}
	for before := -1; before != len(stuck); {
		before = len(stuck)
		for who := range int32(waiting) {
			if stuck[who] && blocker(who, stuck) < 0 {
				delete(stuck, who)
			}
		}
	}
	place := map[int32]int{} // in the chain
	var chain []int32
	for who := range int32(waiting) {
		for at := who; stuck[at]; at = blocker(at, stuck) {
			if first, again := place[at]; again {
				return chain[first:]
			}
			place[at] = len(chain)
			chain = append(chain, at)
		}
	}
	return nil
}
