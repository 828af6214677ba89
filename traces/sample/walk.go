package sample

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// The estimate of time, in quarters of a cycle: an instruction is one.
const (
	cycle   = 4
	l1Ways  = 2
	l1Miss  = 75 * cycle
	l2Miss  = 260 * cycle // more, where the L2 does not have it either
	reorder = 64          // instructions behind a miss, in which others of data overlap with it
	turn    = 300 * cycle // by which a core may be ahead of the one that is furthest behind
)

// walk is a replay in estimated time.
type walk struct {
	file     *traces.File
	tracker  *timestamps.Tracker
	l1Ways   int // deeper in its set an access costs, in each cache
	l2Ways   int
	cores    []core
	locks    map[uint64]*lock
	barriers map[uint64][]int // cores that have arrived
	executed uint64
	missed   uint64  // accesses of all cores that missed in their L1
	spans    []Span  // windows to come
	survey   *survey // nil where windows are written
	out      output
	failure  error // of a core that others take along
	// latencies of misses differ at random. Otherwise cores that do the same would stay in step, use each block at
	// the same moment, and start windows in a state that a chip does not have.
	latencies random.Stream
}

// Span is a window, in records of all cores: it holds those from Open to Close, and those from Begin to
// End are measured.
type Span struct{ Open, Begin, End, Close uint64 }

// core is how far one core has come.
type core struct {
	clock    uint64
	position uint64 // records passed
	records  []traces.Record
	at       int // of records
	edges    traces.EdgeCursor
	due      []traces.Edge // of the next record, if asked is its position and one more
	asked    uint64
	met      int  // of due, those whose records have been passed
	created  bool // or started by itself
	ended    bool
	arrived  bool // at its barrier
	blocked  bool // and no core has moved since
	waits    string
	awaits   traces.Record        // an End that tells what it waits for; Count is 0 while it waits for nothing
	halted   uint64               // it has no work up to this position, unless an edge is met before
	since    uint64               // instructions since a miss with which others overlap
	covered  uint64               // latency of the longest of those
	missed   uint64               // of the latest accesses, those and what depends on them; the latest in bit 0
	clocks   [latestClocks]uint64 // after the latest records, by position
}

// lock is who holds an object, and since when it has been free.
type lock struct {
	holder int // none if it is free
	free   uint64
}

const (
	none         = -1
	recordsBatch = 1024
	latestClocks = 4096 // a turn has fewer records
)

func newWalk(f *traces.File, c Config) (*walk, error) {
	t, err := timestamps.NewTracker(f.Cores(), c.Limit)
	if err != nil {
		return nil, err
	}
	f.Rewind()
	start, limit, err := f.ReadTimestamps()
	if err != nil {
		return nil, err
	}
	if start != nil {
		t.Start(start, limit)
	}
	k := &walk{file: f, tracker: t, l1Ways: min(l1Ways, c.Limit.L1Ways), l2Ways: c.Limit.L2Ways,
		cores: make([]core, f.Cores()), locks: map[uint64]*lock{}, barriers: map[uint64][]int{}}
	for i := range k.cores {
		k.cores[i] = core{created: !f.Created(i), records: make([]traces.Record, 0, recordsBatch), edges: traces.NewEdgeCursor(f, i)}
	}
	return k, nil
}

// run is the loop: of the cores that may move, the one that is furthest behind runs, up to a turn
// ahead of the next.
func (k *walk) run() error {
	for {
		if err := k.borders(); err != nil || k.over() {
			return err
		}
		first, until := k.choose()
		if first == none {
			return k.finish()
		}
		before := mark{k.cores[first].clock, k.executed, k.missed}
		moved, err := k.advance(first, until)
		if k.survey != nil && moved { // a core that waits has an old clock
			k.survey.note(before)
		}
		if err = errors.Join(err, k.failure); err != nil {
			return err
		}
		if c := &k.cores[first]; k.survey != nil && c.ended && c.position > 1 { // an end alone is no core at work
			k.survey.ended = true
		}
		k.cores[first].blocked = !moved
		if moved {
			for i := range k.cores {
				k.cores[i].blocked = false
			}
		}
	}
}

// choose returns the core that is furthest behind of those that may move, and up to when it runs.
func (k *walk) choose() (first int, until uint64) {
	first = none
	next := ^uint64(0)
	for i := range k.cores {
		c := &k.cores[i]
		switch {
		case !c.created || c.ended || c.arrived || c.blocked:
		case first == none:
			first = i
		case c.clock < k.cores[first].clock:
			first, next = i, k.cores[first].clock
		default:
			next = min(next, c.clock)
		}
	}
	if first != none && next == ^uint64(0) { // the others wait for it
		next = k.cores[first].clock
	}
	return first, next + turn
}

// over reports whether the walk need not go on.
func (k *walk) over() bool {
	if k.survey != nil {
		return k.survey.ended && k.survey.untilFirstEnd
	}
	return len(k.spans) == 0 && len(k.out.open) == 0
}

// borders closes and opens windows. Several may be open, as one may hold what comes before the next one.
func (k *walk) borders() error {
	for i := 0; i < len(k.out.open); {
		if k.executed < k.out.open[i].close {
			i++
		} else if err := k.out.end(i, k.awaiting); err != nil {
			return err
		}
	}
	for len(k.spans) > 0 && k.executed >= k.spans[0].Open && k.survey == nil {
		// A barrier lets many cores pass at once, so a window may open late by a record of each of them: the measured part
		// then starts and ends as many records later, and is as long as planned.
		if err := k.out.start(max(k.spans[0].Close, k.executed+1), k.cores, k.tracker.Record()); err != nil {
			return err
		}
		k.spans = k.spans[1:]
	}
	return nil
}

// stop returns the number of executed records at which a window closes or opens next.
func (k *walk) stop() uint64 {
	at := uint64(math.MaxUint64)
	if len(k.spans) > 0 {
		at = k.spans[0].Open
	}
	for _, w := range k.out.open {
		at = min(at, w.close)
	}
	return at
}

// finish ends the last window with the trace, or says who waits for whom.
func (k *walk) finish() error {
	var stuck []string
	for i := range k.cores {
		if c := &k.cores[i]; c.created && !c.ended {
			stuck = append(stuck, fmt.Sprintf("core %d at record %d %s", i, c.position, c.waits))
		}
	}
	if len(stuck) > 0 {
		return fmt.Errorf("%w: %s", traces.ErrDeadlock, strings.Join(stuck[:min(len(stuck), 8)], ", "))
	}
	if k.survey != nil {
		return nil
	}
	return fmt.Errorf("the trace ends after %d records, before the end of the last window; draw fewer windows", k.executed)
}

// advance lets a core pass records until its clock is at a time, something stops it, or a window
// begins or ends, and reports whether it has passed any.
func (k *walk) advance(core int, until uint64) (moved bool, err error) {
	c, stop := &k.cores[core], k.stop()
	for c.clock <= until && k.executed < stop && !c.ended {
		if c.at == len(c.records) {
			n, err := k.file.ReadRecords(core, c.records[:cap(c.records)])
			if err != nil && !errors.Is(err, io.EOF) {
				return moved, err
			}
			if n == 0 {
				return moved, &traces.Error{Stream: traces.RecordStream, Core: core, Record: c.position, Offset: -1,
					Err: traces.ErrMissingStream, Problem: "the stream has no end record"}
			}
			c.records, c.at = c.records[:n], 0
		}
		r := c.records[c.at]
		if problem := traces.Illegal(&r, len(k.cores), math.MaxUint64); problem != "" {
			return moved, k.illegal(core, problem)
		}
		if met, err := k.edgesMet(core); err != nil || !met {
			return moved, err
		}
		if r.Kind > traces.Fence && !k.maySynchronise(core, &r) {
			return moved, nil
		}
		if err := k.pass(core, &r); err != nil {
			return moved, err
		}
		moved = true
	}
	return moved, nil
}

// illegal returns the error of a core's next record.
func (k *walk) illegal(core int, problem string) error {
	return &traces.Error{Stream: traces.RecordStream, Core: core, Record: k.cores[core].position, Offset: -1, Err: traces.ErrIllegal, Problem: problem}
}

// pass lets a core execute its next record.
func (k *walk) pass(core int, r *traces.Record) error {
	c := &k.cores[core]
	c.clock += uint64(r.Instructions)
	c.since += uint64(r.Instructions)
	switch address, uses := r.Memory(); {
	case r.Kind.IsAccess():
		c.clock += c.cost(r, k.latency(core, r.Kind, address))
	case uses: // the word of a lock, with which nothing overlaps
		c.clock += k.latency(core, r.Kind, address)
	}
	if k.survey != nil && k.survey.touched == 0 {
		if _, uses := r.Memory(); uses {
			k.survey.touched = k.executed + 1
		}
	}
	for _, w := range k.out.open {
		if err := k.out.record(w, core, c.position, r, c.due); err != nil {
			return err
		}
	}
	c.clocks[c.position%latestClocks], c.awaits = c.clock, traces.Record{}
	switch {
	case r.Kind == traces.Fence && r.Count == traces.Halts:
		c.halted = c.position + 1 + traces.HaltRecords
	case len(c.due) > 0:
		c.halted = 0
	}
	c.ended = r.Kind == traces.End
	c.position++
	c.at++
	k.executed++
	return nil
}

// latency returns how long an access takes.
func (k *walk) latency(core int, kind traces.Kind, address uint64) uint64 {
	l1, l2 := k.tracker.Access(core, kind, address)
	latency := uint64(0)
	if l1 >= k.l1Ways {
		latency = l1Miss/3 + uint64(k.latencies.Below(l1Miss*4/3)) // l1Miss on average
		k.missed++
	}
	if l2 >= k.l2Ways {
		latency += l2Miss
	}
	return latency
}

// cost returns how much longer a core takes for an access of some latency: nothing where it overlaps
// with a miss of at least as long, which it must not depend on. Instructions do not overlap.
func (c *core) cost(r *traces.Record, latency uint64) uint64 {
	depends := r.Dependence > 0 && r.Dependence <= 64 && c.missed>>(r.Dependence-1)&1 != 0
	c.missed <<= 1
	if depends {
		c.missed |= 1
	}
	switch {
	case r.Kind == traces.Fetch || latency == 0:
		return latency
	case depends || c.since >= reorder:
		c.since, c.covered, c.missed = 0, 0, 0
	}
	c.missed |= 1
	more := latency - min(latency, c.covered)
	c.covered = max(c.covered, latency)
	return more
}

// edgesMet reports whether all that the core's next record waits for has been passed. c.due are then its
// edges.
func (k *walk) edgesMet(core int) (bool, error) {
	c := &k.cores[core]
	if c.asked != c.position+1 {
		due, err := c.edges.Of(c.position)
		if err != nil {
			return false, err
		}
		c.due, c.asked, c.met = due, c.position+1, 0
	}
	for ; c.met < len(c.due); c.met++ {
		e := &c.due[c.met]
		if int(e.Producer) >= len(k.cores) {
			return false, k.illegal(core, fmt.Sprintf("waits for core %d of %d", e.Producer, len(k.cores)))
		}
		p := &k.cores[e.Producer]
		if p.position <= e.Position {
			c.waits = fmt.Sprintf("for record %d of core %d", e.Position, e.Producer)
			c.await(traces.AwaitsOrder, int(e.Producer))
			if c.position < c.halted {
				c.await(traces.AwaitsWork, int(e.Producer))
			}
			return false, nil
		}
		if p.position-e.Position <= latestClocks { // else long ago
			c.clock = max(c.clock, p.clocks[e.Position%latestClocks])
		}
	}
	return true, nil
}

// await notes what the core waits for, and which other core, or itself for any other one.
func (c *core) await(what uint16, other int) {
	c.awaits = traces.Record{Kind: traces.End, Count: what, Address: uint64(other)}
}

// awaiting returns the end of a core's part of a window that closes now.
func (k *walk) awaiting(core int) traces.Record {
	c := &k.cores[core]
	if !c.created {
		c.await(traces.AwaitsThreads, core)
	}
	if met, err := k.edgesMet(core); c.awaits.Count > traces.AwaitsThreads && met && err == nil {
		c.awaits = traces.Record{} // it goes on now
	}
	c.awaits.Kind = traces.End
	end := c.awaits
	if end.Count == traces.AwaitsOrder && c.records[c.at].Kind == traces.Join {
		end.Count = traces.AwaitsThreads
	}
	return end
}
