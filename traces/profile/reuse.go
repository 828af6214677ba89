package profile

// tree finds reuse distances exactly. Time is a counter that goes up with every access that is not
// to the newest block; a mark stands at the time of every block's last access, and a Fenwick tree
// adds up marks, so that the marks after a block's own are the blocks touched since (Bennett and
// Kruskal, 1975). When the time runs out, the marks move together.
type tree struct {
	last   map[uint64]*[pageBlocks]uint32 // time of a block's last access, by page; 0 is never
	number uint64
	page   *[pageBlocks]uint32 // of the page looked up last
	marks  []uint32            // the Fenwick tree, from 1
	blocks []uint64            // by time
	now    uint32
	live   uint64
}

const firstTimes = 1 << 12

func newTree() *tree {
	return &tree{last: map[uint64]*[pageBlocks]uint32{}, marks: make([]uint32, firstTimes+1), blocks: make([]uint64, firstTimes+1)}
}

// at returns the place of a block's time.
func (t *tree) at(block uint64) *uint32 {
	if n := block / pageBlocks; t.page == nil || t.number != n {
		t.number = n
		if t.page = t.last[n]; t.page == nil {
			t.page = new([pageBlocks]uint32)
			t.last[n] = t.page
		}
	}
	return &t.page[block%pageBlocks]
}

// access counts an access and returns its reuse distance, or that it is the first.
func (t *tree) access(block uint64) (distance uint64, cold bool) {
	last := t.at(block)
	before := *last
	if before != 0 && before == t.now {
		return 0, false
	}
	if before != 0 {
		distance = t.live - t.below(before)
		t.add(before, ^uint32(0))
	} else {
		t.live++
	}
	*last = 0
	if int(t.now) == len(t.blocks)-1 {
		t.compact()
		last = t.at(block)
	}
	t.now++
	*last = t.now
	t.blocks[t.now] = block
	t.add(t.now, 1)
	return distance, before == 0
}

// below counts the marks up to a time.
func (t *tree) below(time uint32) (sum uint64) {
	for ; time > 0; time &= time - 1 {
		sum += uint64(t.marks[time])
	}
	return sum
}

func (t *tree) add(time, value uint32) {
	for ; int(time) < len(t.marks); time += time & -time {
		t.marks[time] += value
	}
}

// compact gives the marks the first times, and leaves room for as many again, at least.
func (t *tree) compact() {
	kept := t.blocks[:1]
	for time := 1; time <= int(t.now); time++ {
		if block := t.blocks[time]; *t.at(block) == uint32(time) {
			kept = append(kept, block)
			*t.at(block) = uint32(len(kept) - 1)
		}
	}
	t.now = uint32(len(kept) - 1)
	if n := len(t.blocks) - 1; len(kept) > n/2 {
		t.blocks, t.marks = make([]uint64, 2*n+1), make([]uint32, 2*n+1)
		copy(t.blocks, kept)
	}
	for time := range t.marks {
		t.marks[time] = 0
		if time != 0 && time <= int(t.now) {
			t.marks[time] = 1
		}
	}
	for time := uint32(1); int(time) < len(t.marks); time++ { // sums, in one pass
		if up := time + time&-time; int(up) < len(t.marks) {
			t.marks[up] += t.marks[time]
		}
	}
}
