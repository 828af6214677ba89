package coherence

import "github.com/carousel-sim/carousel/cache"

// Copy is an L1's line: what an access needs to know of it, and all that it changes when it hits, in 16 bytes, so that an
// access of a line takes one line of the host's cache. Most hits find theirs in the second cache of the host, or beyond.
type Copy struct {
	Version Version
	Block   Block // of a line that permits something
	Tokens  int16 // the protocol's own
	State   uint8 // the protocol's own; 0 permits nothing
	Miss    uint8 // one more than the number of the MSHR that waits for the block; 0 none
}

// MaxMisses is how many MSHRs an L1 may have, so that each has a number in its lines.
const MaxMisses = 255

// Rules say what accesses may do to lines, and count what they have done: one table serves all L1s of a chip, so that the
// few lines of it that are needed stay in the host's first cache.
type Rules [256]Rule

// Rule is what the rules say of a line in one state: 64 bytes.
type Rule struct {
	// Next is, for each kind of access, the state that a line is in afterwards; 0 where it does not satisfy the access.
	Next [8]uint8
	hits [AccessKinds]uint64
	_    [7 - AccessKinds]uint64
}

// Satisfies reports whether a line in a state satisfies an access.
func (r *Rules) Satisfies(state uint8, k AccessKind) bool { return r[state].Next[k&7] != 0 }

// Perform makes an access to a line, if the line satisfies it.
func (r *Rules) Perform(l *Copy, k AccessKind) bool {
	next := r[l.State].Next[k&7]
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
func (r *Rules) Hit(l *Copy, k AccessKind) bool {
	rule := &r[l.State]
	next := rule.Next[k&7]
	if next == 0 {
		return false
	}
	rule.hits[k]++
	l.State = next
	if k == Store || k == Atomic {
		l.Version++
	}
	return true
}

// HitsOf is how many accesses of a kind have hit lines in a state.
func (r *Rules) HitsOf(state uint8, k AccessKind) uint64 { return r[state].hits[k] }

// Hits is how many accesses of each kind have hit lines.
func (r *Rules) Hits() (sum [AccessKinds]uint64) {
	for s := range r {
		for k, n := range r[s].hits {
			sum[k] += n
		}
	}
	return sum
}

// Reach is what a core may do in its data cache by itself, because nobody else need know: use the block that was the
// last to be used in its set, if its line satisfies the access. Most accesses are such.
type Reach struct {
	*Rules
	latest []uint8 // per set: the way used last
	ways   int
	lines  []Copy // by frame
}

// NewReach is the reach into an array with the given lines, frame by frame.
func NewReach(a *cache.Array, rules *Rules, lines []Copy) Reach {
	return Reach{rules, a.Latest(), a.Ways(), lines[:a.Frames()]}
}

// NoReach reaches nothing.
var NoReach = Reach{Rules: new(Rules)}

// nothing stands for all that is out of reach.
var nothing Copy

// Find is the line of a block, or one that permits nothing when the block is out of reach.
func (r *Reach) Find(b Block) *Copy {
	if set := int(b) & (len(r.latest) - 1); set < len(r.latest) {
		if f := set*r.ways + int(r.latest[set]); f < len(r.lines) && r.lines[f].Block == b {
			return &r.lines[f]
		}
	}
	return &nothing
}
