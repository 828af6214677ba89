package coherence

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/noc"
)

// AccessKind is what a core wants of a block.
type AccessKind uint8

// The kinds of accesses.
const (
	Load     AccessKind = iota
	Store               // one write of the block
	Atomic              // a read-modify-write in one step
	Fetch               // instruction fetch
	Prefetch            // make the block writable; nothing is written and no completion follows
	AccessKinds
)

// String returns the kind's name in messages and scripts.
func (k AccessKind) String() string {
	return [...]string{"load", "store", "atomic", "fetch", "prefetch"}[k]
}

// IsWrite reports whether the access needs a writable block.
func (k AccessKind) IsWrite() bool { return writes>>k&1 != 0 }

const writes = 1<<Store | 1<<Atomic | 1<<Prefetch

// Access is one request of a core to its L1. Handle is the core's name for it.
type Access struct {
	Block  Block
	Handle uint32
	Kind   AccessKind
}

// Outcome is an L1's answer to an access.
type Outcome uint8

// The outcomes.
const (
	Hit     Outcome = iota // performed now
	Pending                // a completion with the access's handle will follow (none for Prefetch)
	Refused                // no MSHR, no frame or no room now; nothing was done: ask again later
)

// Completion ends a pending access.
type Completion struct {
	Handle  uint32
	Kind    AccessKind
	Version Version // read by a load, or made by a store
	// Supplier is the controller that sent the data, Issues how many requests it took (1: the first
	// sufficed), and Persistent whether the last of them was a persistent request.
	Supplier   Role
	Issues     uint8
	Persistent bool
	Merged     bool // joined a miss that another access had started
	// Overtaken marks a read whose block was invalidated before its data came: the version was
	// current at some time since the miss started, but need not be now. The block is in Lost when
	// the invalidation comes, and again with this completion.
	Overtaken bool
	Since     noc.Cycle // when that miss started
	// Waited is how many cycles of the miss passed until a time-out repeated the request that was
	// answered at last.
	Waited noc.Cycle
}

// Timer asks for a call of Timeout at cycle At. A controller recognises stale timers by Generation.
type Timer struct {
	At         noc.Cycle
	Slot       uint16
	Generation uint32
}

// Effects collect what a controller wants done, in order. The caller owns the buffer, sets the
// room, and empties it with Reset; controllers append.
type Effects struct {
	Sends       []Send
	Timers      []Timer
	Completions []Completion
	// Lost lists blocks that others have taken: this L1 could read them before and cannot now, or
	// their data has been invalidated on its way here. A core must repeat loads of them that it
	// performed, or has started, early.
	Lost []Block
	// Evicted lists blocks that this L1 has given up by itself. A core must treat them as lost. It
	// has read them early only if the victim buffer was full.
	Evicted []Block
	// Kept is set when an evicted block stays in the victim buffer because of speculative loads.
	// The caller then calls Settle whenever a load may have stopped being speculative.
	Kept bool
	// Reads and Writes ask the DRAM behind a memory controller for one block each. A read ends with
	// a call of MemoryDone; a write needs no answer.
	Reads, Writes []Block
	// Retry is set when something that made Access return Refused may have changed.
	Retry bool

	// Room is how many more messages of each class the outgoing queues take, ReadRoom how many
	// reads the DRAM queue takes. A Send counts as one message whatever its destinations.
	// Controllers count down as they append.
	Room     [noc.MaxClasses]int
	ReadRoom int
	// Reader is the core in front of the L1 that is called; without one, no load is speculative.
	Reader Reader
}

// Reader is what an L1 needs to know of its core.
type Reader interface {
	// Speculative reports whether the core holds the value of a block for a load that may still
	// have to be repeated: a load that was performed before an older one.
	Speculative(b Block) bool
}

// Speculative reports whether the core in front of the L1 has read a block speculatively.
func (e *Effects) Speculative(b Block) bool { return e.Reader != nil && e.Reader.Speculative(b) }

// Quiet reports whether nothing has been appended since the last Reset.
func (e *Effects) Quiet() bool {
	return len(e.Sends)+len(e.Timers)+len(e.Completions)+len(e.Lost)+len(e.Evicted)+len(e.Reads)+len(e.Writes) == 0 && !e.Retry && !e.Kept
}

// Unlimited is more room than any controller needs in one step.
const Unlimited = 1 << 30

// Reset empties the buffer and sets unlimited room. The reader stays.
func (e *Effects) Reset() {
	e.Sends, e.Timers, e.Completions = e.Sends[:0], e.Timers[:0], e.Completions[:0]
	e.Lost, e.Evicted, e.Reads, e.Writes = e.Lost[:0], e.Evicted[:0], e.Reads[:0], e.Writes[:0]
	e.Retry, e.Kept = false, false
	for i := range e.Room {
		e.Room[i] = Unlimited
	}
	e.ReadRoom = Unlimited
}

// Controller is a coherence controller as a pure state machine: what it is told goes in, what it
// wants done is appended to the effects. It never waits, sends, logs or allocates, and it processes
// each message in one step.
type Controller interface {
	// Accept processes a message. It returns false, having done nothing, only when the effects lack
	// the room that the message may need, or, for class 0, while the controller's own queue of such
	// messages is full; the message then stays at the head of its queue.
	Accept(m Message, now noc.Cycle, out *Effects) bool
	// Continue does work that was put off for lack of room. It is called when HasDeferred is true
	// and room has become free.
	Continue(now noc.Cycle, out *Effects)
	// HasDeferred reports whether work has been deferred; by an L1 for lack of room only.
	HasDeferred() bool
	// Line is the controller's copy of a block, for audits.
	Line(b Block) Line
	// VisitLines calls f for every block for which the controller holds anything.
	VisitLines(f func(b Block, l Line))
	// Counters are the controller's statistics so far; hits of L1s are in those of the protocol.
	Counters() Counters
	// Explain says in a sentence what the controller waits for, or "" when it waits for nothing.
	Explain() string
}

// CacheController is the L1 side of a core.
type CacheController interface {
	Controller
	// HitPath returns the core's own way to lines: what it performs is as if Access had performed
	// it.
	HitPath() HitPath
	// Access performs an access, starts a miss, or refuses. Unless it refuses, it defers nothing
	// without having other effects.
	Access(a Access, now noc.Cycle, out *Effects) (Outcome, Version)
	// Timeout is called at the time a Timer asked for.
	Timeout(t Timer, now noc.Cycle, out *Effects)
	// Sent is the receipt for a message whose last copy has left the interface.
	Sent(m Message, now noc.Cycle, out *Effects)
	// Settle gives up the blocks of the victim buffer that no speculative load has read any more,
	// as far as there is room, and reports whether it still keeps any.
	Settle(now noc.Cycle, out *Effects) (kept bool)
}

// MemoryController is a controller in front of DRAM.
type MemoryController interface {
	Controller
	// MemoryDone is called when a read that it asked for has its data.
	MemoryDone(b Block, now noc.Cycle, out *Effects)
}

// Line is one controller's copy of a block, as audits see it.
type Line struct {
	State    uint8 // protocol's state
	Count    int16 // of the protocol: tokens
	Version  Version
	Owner    bool
	Dirty    bool
	Valid    bool // the data may be read, given permission
	Readable bool
	Writable bool
	Busy     bool // a miss or transaction is open
	// Sharers are the cores that a directory lists for the block, the owner included. The set
	// belongs to the controller.
	Sharers noc.NodeSet
}

// MaxOwnCounters bounds the counters that a protocol may have of its own.
const MaxOwnCounters = 16

// Counters are one controller's statistics. Those that do not apply to a role stay 0.
type Counters struct {
	Hits, Misses              [AccessKinds]uint64 // by access kind; for banks, requests served or not
	Merges                    uint64              // accesses that joined an open miss
	Evictions                 uint64
	Upgrades                  uint64 // misses of writes for which the L1 had a readable copy
	Invalidations             uint64 // copies of an L1 that another controller took
	MemoryReads, MemoryWrites uint64
	// Own are the protocol's own, in the order of Description.Counters.
	Own [MaxOwnCounters]uint64
}

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
