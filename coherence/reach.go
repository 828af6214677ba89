package coherence

import "github.com/carousel-sim/carousel/cache"

// Copy is what an access needs to know of an L1's line, and all that it changes when it hits.
type Copy struct {
	Version Version
	State   uint8 // the protocol's own; 0 permits nothing
}

// Rules say, for each kind of access and each state of a line, which state the line is in afterwards; 0 where it does
// not satisfy the access.
type Rules [8][256]uint8

// Perform makes an access to a line, if the line satisfies it.
func (r *Rules) Perform(l *Copy, k AccessKind) bool {
	next := r[k&7][l.State]
	if next == 0 {
		return false
	}
	l.State = next
	if k == Store || k == Atomic {
		l.Version++
	}
	return true
}

// Reach is what a core may do in its data cache by itself, because nobody else need know: use the block that was the
// last to be used in its set, if its line satisfies the access. Most accesses are such. The zero value reaches nothing.
type Reach struct {
	Rules
	latest  []latest // per set
	nothing Copy     // stands for all that is out of reach
	hits    [256][8]uint64
}

// latest is the block that was the last to be used in its set, and its line.
type latest struct {
	block Block
	line  *Copy
}

// Into lets the reach lead into an array with the given lines, frame by frame.
func (r *Reach) Into(a *cache.Array, rules Rules, copies []*Copy) {
	r.Rules = rules
	r.latest = make([]latest, len(a.Latest()))
	a.Follow(func(set int32, u cache.Use) { r.latest[set] = latest{Block(u.Block), copies[u.Frame]} })
}

// Find is the line of a block, or one that permits nothing when the block is out of reach.
func (r *Reach) Find(b Block) *Copy {
	if set := int(b) & (len(r.latest) - 1); set < len(r.latest) && r.latest[set].block == b {
		return r.latest[set].line
	}
	return &r.nothing
}

// Hit is Perform, and counts the access.
func (r *Reach) Hit(l *Copy, k AccessKind) bool {
	next := r.Rules[k&7][l.State]
	if next == 0 {
		return false
	}
	r.hits[l.State][k&7]++
	l.State = next
	if k == Store || k == Atomic {
		l.Version++
	}
	return true
}

// Hits is how many accesses of a kind have hit lines in a state.
func (r *Reach) Hits(state uint8, k AccessKind) uint64 { return r.hits[state][k&7] }
