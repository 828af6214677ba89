package timestamps

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// Tracker follows an execution and knows at any time what caches up to a limit hold. Its memory
// grows with the blocks touched.
type Tracker struct {
	limit  traces.CacheLimit
	caches []tracked // two per core: data, instructions
	l2     stack
	known  map[uint32]int32 // place of a block among blocks
	blocks []block
	words  int      // of a set of caches
	holds  []uint64 // per block, as many words: caches that may hold it
	time   uint64   // of the latest touch, counted in touches
	latest uint32   // block of the latest touch, and one more
}

// tracked is an L1.
type tracked struct {
	stacks []stack // by the log2 of the sets
	latest uint32  // block touched last, and one more; 0 when that has been removed
	place  int32   // of that block
}

// block is what is known of a block of memory.
type block struct {
	time    uint64 // of its latest touch
	writer  int32  // core that wrote it last, or none
	cache   uint16 // that touched it last
	written bool   // since it was last fetched into the L2
}

const none = -1

// NewTracker returns a tracker of an execution that begins with empty caches.
func NewTracker(cores int, limit traces.CacheLimit) (*Tracker, error) {
	if err := limit.Validate(); err != nil {
		return nil, err
	}
	t := &Tracker{limit: limit, caches: make([]tracked, 2*cores), l2: newStack(limit.L2Sets, limit.L2Ways),
		known: map[uint32]int32{}, words: (2*cores + 63) / 64}
	for i := range t.caches {
		t.caches[i] = tracked{stacks: stacksUpTo(limit.L1Sets, limit.L1Ways)}
	}
	return t, nil
}

// Start makes the execution begin with what a record of caches up to a limit gives, in place of empty
// caches. It is called once, before the first access. Of larger caches than those of the limit, what
// the record does not give is missing; which core wrote a block last is known where that core has an
// entry.
func (t *Tracker) Start(r *traces.Timestamps, limit traces.CacheLimit) {
	for i := range r.Entries {
		e := &r.Entries[i]
		t.time++
		place := t.place(e.Block)
		t.l2.touch(e.Block, t.time)
		b := &t.blocks[place]
		b.cache, b.time, b.written = e.Cache, t.time, e.Flags&traces.Written != 0
		if e.Flags&traces.Wrote != 0 {
			b.writer = int32(e.Cache / 2)
		}
		t.holds[int(place)*t.words+int(e.Cache)/64] |= 1 << (e.Cache % 64)
	}
	deeper := map[traces.Depth]int{} // ways by entry and sets
	for _, d := range r.Depths {
		deeper[traces.Depth{Entry: d.Entry, Sets: d.Sets}] = int(d.Ways)
	}
	for k := range t.caches[0].stacks {
		later := make([]int, len(t.caches)<<k) // entries of a cache and set so far
		for i := len(r.Entries) - 1; i >= 0; i-- {
			e := &r.Entries[i]
			n := &later[int(e.Cache)<<k+int(e.Block)&(1<<k-1)]
			depth, ok := deeper[traces.Depth{Entry: uint32(i), Sets: uint8(k)}]
			if !ok {
				depth = *n
			}
			if depth < min(limit.L1Ways, t.limit.L1Ways) {
				t.caches[e.Cache].stacks[k].put(e.Block, depth, uint64(i+1))
			}
			*n = min(*n+1, limit.L1Ways)
		}
	}
}

// Access follows one access of a core to a byte address, or to that of a lock's word. It returns
// how deep the block was in its sets of the L1 and of the L2 of the limit, with the limit's ways
// where it was not there.
func (t *Tracker) Access(core int, kind traces.Kind, address uint64) (l1, l2 int) {
	number := uint32(address / traces.LineBytes)
	cache := 2 * core
	if kind == traces.Fetch {
		cache++
	}
	write := kind != traces.Load && kind != traces.Fetch
	c := &t.caches[cache]
	if t.latest == number+1 && c.latest == t.latest {
		if b := &t.blocks[c.place]; b.cache == uint16(cache) && (!write || b.writer == int32(core) && b.written) {
			return 0, 0 // nothing has happened since the same access
		}
	}
	t.time++
	place := t.place(number)
	for i := range c.stacks {
		l1 = c.stacks[i].touch(number, t.time)
	}
	b := &t.blocks[place]
	if l2 = t.l2.touch(number, t.time); l2 == t.limit.L2Ways {
		b.written = false
	}
	t.remove(place, number, cache, write)
	if write {
		b.writer, b.written = int32(core), true
	}
	b.cache, b.time = uint16(cache), t.time
	c.latest, c.place, t.latest = number+1, place, number+1
	return l1, l2
}

// place returns where a block is among those known.
func (t *Tracker) place(number uint32) int32 {
	place, ok := t.known[number]
	if !ok {
		place = int32(len(t.blocks))
		t.known[number] = place
		t.blocks = append(t.blocks, block{writer: none})
		for range t.words {
			t.holds = append(t.holds, 0)
		}
	}
	return place
}

// remove takes a block from the caches that may not have it after the touch of a cache, which has
// it.
func (t *Tracker) remove(place int32, number uint32, cache int, write bool) {
	holds := t.holds[int(place)*t.words:][:t.words]
	for w := range holds {
		for word := holds[w]; word != 0; word &= word - 1 {
			other := 64*w + bits.TrailingZeros64(word)
			if other == cache || !write && other != cache^1 {
				continue
			}
			o := &t.caches[other]
			for i := range o.stacks {
				o.stacks[i].remove(number)
			}
			if o.latest == number+1 {
				o.latest = 0
			}
			holds[w] &^= word & -word
		}
	}
	holds[cache/64] |= 1 << (cache % 64)
}

// Record returns what a window that begins now needs.
func (t *Tracker) Record() *traces.Timestamps {
	var list []timed
	for i := range t.caches {
		top := &t.caches[i].stacks[len(t.caches[i].stacks)-1]
		for at, key := range top.places {
			if key != 0 {
				list = append(list, timed{traces.Timestamp{Block: key - 1, Cache: uint16(i)}, top.times[at]})
			}
		}
	}
	for _, key := range t.l2.places {
		if key == 0 {
			continue
		}
		b := &t.blocks[t.known[key-1]]
		stacks := t.caches[b.cache].stacks
		if stacks[len(stacks)-1].depth(key-1) == t.limit.L1Ways {
			list = append(list, timed{traces.Timestamp{Block: key - 1, Cache: b.cache}, b.time})
		}
	}
	slices.SortFunc(list, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	r := &traces.Timestamps{Entries: make([]traces.Timestamp, len(list))}
	seen := make(map[uint32]bool, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i].Timestamp
		b := &t.blocks[t.known[e.Block]]
		if b.writer == int32(e.Cache/2) {
			e.Flags |= traces.Wrote
		}
		if b.written && !seen[e.Block] {
			e.Flags |= traces.Written
		}
		seen[e.Block] = true
		r.Entries[i] = e
	}
	r.Depths = t.depths(r.Entries)
	return r
}

// timed is an entry with the time of its touch.
type timed struct {
	traces.Timestamp
	time uint64
}

// depths lists the depths that the order of entries does not give.
func (t *Tracker) depths(entries []traces.Timestamp) (list []traces.Depth) {
	for k := range t.caches[0].stacks {
		later := make([]uint8, len(t.caches)<<k) // entries of a cache and set so far
		for i := len(entries) - 1; i >= 0; i-- {
			e := &entries[i]
			n := &later[int(e.Cache)<<k+int(e.Block)&(1<<k-1)]
			depth := t.caches[e.Cache].stacks[k].depth(e.Block)
			if int(*n) != depth {
				list = append(list, traces.Depth{Entry: uint32(i), Sets: uint8(k), Ways: uint8(depth)})
			}
			*n = min(*n+1, uint8(t.limit.L1Ways))
		}
	}
	slices.SortFunc(list, func(a, b traces.Depth) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Sets, b.Sets))
	})
	return list
}

// stack is the sets of a cache with some number of sets, each up to the limit's ways deep: its
// blocks in the order of their last touch, the latest first. A place is 0 where a block has been
// removed and one more than the number of the block elsewhere.
type stack struct {
	places []uint32
	times  []uint64 // of the last touches, by place; nil if they are not needed
	ways   int
	mask   uint32
}

func newStack(sets, ways int) stack {
	return stack{places: make([]uint32, sets*ways), ways: ways, mask: uint32(sets - 1)}
}

// stacksUpTo returns a stack for each power of two of sets up to a number of them. The last has
// times.
func stacksUpTo(sets, ways int) []stack {
	list := make([]stack, bits.Len(uint(sets)))
	for i := range list {
		list[i] = newStack(1<<i, ways)
	}
	list[len(list)-1].times = make([]uint64, sets*ways)
	return list
}

// set returns the places of a block's set.
func (s *stack) set(block uint32) []uint32 {
	first := int(block&s.mask) * s.ways
	return s.places[first : first+s.ways]
}

// touch puts a block first in its set and returns how deep it was, the number of ways when it was
// not there. What stood before it moves down by one place, up to the first hole.
func (s *stack) touch(block uint32, now uint64) (depth int) {
	set, key := s.set(block), block+1
	if set[0] == key {
		if s.times != nil {
			s.times[int(block&s.mask)*s.ways] = now
		}
		return 0
	}
	hole := -1
	depth = len(set)
	for i, k := range set {
		if k == key {
			depth = i
			break
		}
		if k == 0 && hole < 0 {
			hole = i
		}
	}
	last := min(depth, len(set)-1)
	if hole >= 0 {
		if depth < len(set) {
			set[depth] = 0
		}
		last = hole
	}
	copy(set[1:last+1], set[:last])
	set[0] = key
	if s.times != nil {
		times := s.times[int(block&s.mask)*s.ways:]
		copy(times[1:last+1], times[:last])
		times[0] = now
	}
	return depth
}

// put puts a block at a depth that is free.
func (s *stack) put(block uint32, depth int, touched uint64) {
	s.set(block)[depth] = block + 1
	if s.times != nil {
		s.times[int(block&s.mask)*s.ways+depth] = touched
	}
}

// remove leaves a hole where a block was.
func (s *stack) remove(block uint32) {
	set, key := s.set(block), block+1
	for i, k := range set {
		if k == key {
			set[i] = 0
			return
		}
	}
}

// depth returns how deep a block is, the number of ways when it is not there.
func (s *stack) depth(block uint32) int {
	set, key := s.set(block), block+1
	for i, k := range set {
		if k == key {
			return i
		}
	}
	return len(set)
}
