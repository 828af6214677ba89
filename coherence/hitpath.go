package coherence

import "github.com/carousel-sim/carousel/cache"

// CacheLine is an L1's line: what an access needs to know of it, and all that it changes when it
// hits. It has 16 bytes, so that an access needs one line of the host's cache.
type CacheLine struct {
	Version Version
	Block   Block // of a line that permits something
	Count   int16 // the protocol's own
	State   uint8 // the protocol's own; 0 permits nothing
	Miss    uint8 // one more than the number of the MSHR that waits for the block; 0 none
}

// MaxMisses is how many MSHRs an L1 may have, so that each has a number in its lines.
const MaxMisses = 255

// HitTable says which accesses hit lines in which states, and counts them. One table serves all L1s
// of a chip, so that its few rows in use stay in the host's first cache.
type HitTable [256]HitRow

// HitRow is what the table says of lines in one state, in 64 bytes.
type HitRow struct {
	// Next is, for each kind of access, the state of a line afterwards; 0 where the state does not
	// satisfy the access.
	Next [8]uint8
	hits [AccessKinds]uint64
	_    [7 - AccessKinds]uint64
}

// Satisfies reports whether a line in a state satisfies an access.
func (t *HitTable) Satisfies(state uint8, k AccessKind) bool { return t[state].Next[k&7] != 0 }

// Perform makes an access to a line and reports whether the line satisfies it.
func (t *HitTable) Perform(l *CacheLine, k AccessKind) bool {
	next := t[l.State].Next[k&7]
	if next == 0 {
		return false
	}
	l.State = next
	if k == Store || k == Atomic {
		l.Version++
	}
	return true
}

// Hit is Perform, and counts the access.
func (t *HitTable) Hit(l *CacheLine, k AccessKind) bool {
	row := &t[l.State]
	if !t.Perform(l, k) {
		return false
	}
	row.hits[k]++
	return true
}

// HitsOf returns how many accesses of a kind have hit lines in a state.
func (t *HitTable) HitsOf(state uint8, k AccessKind) uint64 { return t[state].hits[k] }

// Hits returns how many accesses of each kind have hit lines.
func (t *HitTable) Hits() (sum [AccessKinds]uint64) {
	for s := range t {
		for k, n := range t[s].hits {
			sum[k] += n
		}
	}
	return sum
}

// HitPath serves accesses to the most recently used way of a set without calling the L1. Such a hit
// changes no replacement state and sends no message, so the result equals Access.
type HitPath struct {
	*HitTable
	recent []uint8 // per set: the way used last
	ways   int
	lines  []CacheLine // by frame
}

// NewHitPath returns the hit path into an array with the given lines, frame by frame.
func NewHitPath(a *cache.Array, table *HitTable, lines []CacheLine) HitPath {
	return HitPath{table, a.MostRecent(), a.Ways(), lines[:a.Frames()]}
}

// noLine stands for every block that Find does not find.
var noLine CacheLine

// Find returns the line of a block, or one that permits nothing when the block is not the most
// recently used of its set.
func (p *HitPath) Find(b Block) *CacheLine {
	if set := int(b) & (len(p.recent) - 1); set < len(p.recent) {
		if f := set*p.ways + int(p.recent[set]); f < len(p.lines) && p.lines[f].Block == b {
			return &p.lines[f]
		}
	}
	return &noLine
}
