package cache

// LRU gives up the least recently used way, exactly.
const LRU Policy = 0

// lru has the rank of each frame in its set: 0 for the latest used way, ways-1 for the next victim.
type lru struct {
	ways int32
	rank []uint8
}

func newLRU(sets, ways int) replacement {
	l := &lru{int32(ways), make([]uint8, sets*ways)}
	for f := range l.rank {
		l.rank[f] = uint8(f % ways)
	}
	return l
}

func (l *lru) copyFrom(r replacement) { copy(l.rank, r.(*lru).rank) }

// of returns the ranks of a set.
func (l *lru) of(set int32) []uint8 { return l.rank[set*l.ways : (set+1)*l.ways] }

func (l *lru) fill(set, way int32) { l.touch(set, way) }

func (l *lru) touch(set, way int32) {
	ranks := l.of(set)
	old := ranks[way]
	for w, r := range ranks {
		if r < old {
			ranks[w] = r + 1
		}
	}
	ranks[way] = 0
}

// victim returns the least recently used of the allowed ways.
func (l *lru) victim(set int32, allowed uint64) int32 {
	victim, most := int32(0), -1
	for w, r := range l.of(set) {
		if allowed>>w&1 != 0 && int(r) > most {
			victim, most = int32(w), int(r)
		}
	}
	return victim
}

// The order of one way needs no byte.
func (l *lru) appendState(to []byte, set int) []byte {
	if l.ways == 1 {
		return to
	}
	return append(to, l.of(int32(set))...)
}

func (l *lru) setState(from []byte, set int) []byte {
	if l.ways == 1 {
		return from
	}
	return from[copy(l.of(int32(set)), from):]
}
