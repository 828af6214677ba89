package traces

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// replay replays a source without timing: every core runs until an edge, lock, barrier, creation or
// join stops it, and goes on when the others have let it. It returns what it found on the way, and
// the first thing that is wrong: an illegal record, an access outside the memory, a lock released
// by a core that does not hold it, a barrier that never fills, or cores that wait for each other.
//
// A replay in program order that meets every edge exists exactly when edges are acyclic together
// with program order. Accesses stop no core by themselves, so each core's records are read first,
// and only its synchronisation is kept for the replay.
type replay struct {
	// creations tells that the source knows which cores are created.
	creations bool
	cores     []replayCore
	locks     map[uint64]int // holder + 1
	barriers  map[uint64]*replayBarrier
}

type replayBarrier struct {
	count, arrived uint16
	generation     uint64
}

// replayCore is one core's position in the replay.
type replayCore struct {
	*scanned
	at         int    // of sync
	position   uint64 // of the next record
	edges      EdgeCursor
	edgeNumber uint64 // of the next edge
	lastAt     uint64
	held       []uint64
	ended      bool
	created    bool // or started by itself
	joined     bool // at its barrier
	generation uint64
	waits      string
}

func newReplay(s Source) *replay {
	p := &replay{cores: make([]replayCore, s.Cores()), locks: map[uint64]int{},
		barriers: map[uint64]*replayBarrier{}}
	for i := range p.cores {
		p.cores[i] = replayCore{scanned: &scanned{}, created: true, edges: NewEdgeCursor(s, i)}
		if known, ok := s.(Creations); ok {
			p.cores[i].created = !known.Created(i)
			p.creations = true
		}
	}
	return p
}

// replay is the loop.
func (p *replay) replay() (Survey, error) {
	for {
		progress, running := false, false
		for core := range p.cores {
			c := &p.cores[core]
			if c.ended {
				continue
			}
			before, joined := c.position, c.joined
			if err := p.advance(core); err != nil {
				return p.survey(), err
			}
			progress = progress || c.position != before || c.joined != joined
			running = running || !c.ended
		}
		if !running {
			return p.survey(), p.finish()
		}
		if !progress {
			return p.survey(), p.stuck()
		}
	}
}

func (p *replay) survey() Survey {
	s := Survey{Totals: make([]CoreTotals, len(p.cores))}
	for i := range p.cores {
		s.Totals[i] = p.cores[i].totals
		s.Dependent += p.cores[i].dependent
	}
	return s
}

// advance runs a core until it is stopped or has ended.
func (p *replay) advance(core int) error {
	c := &p.cores[core]
	if !c.created {
		c.waits = "for its creation"
		return nil
	}
	for !c.ended {
		next := &c.sync[c.at]
		met, err := p.edgesMet(core, next.position)
		if err != nil || !met {
			return err
		}
		c.position = next.position
		passed, err := p.record(core, &next.Record)
		if err != nil || !passed {
			return err
		}
		c.at++
		c.position++
		c.waits = ""
	}
	return nil
}

func (p *replay) fault(s Stream, core int, record uint64, condition error, problem string) error {
	return &Error{Stream: s, Core: core, Record: record, Offset: -1, Err: condition, Problem: problem}
}

// edgesMet reports whether everything that the core's records up to a position wait for has been
// passed; if not, the core stands at the first one that waits.
func (p *replay) edgesMet(core int, until uint64) (bool, error) {
	c := &p.cores[core]
	for {
		e, err := c.edges.peek()
		if err != nil || e == nil {
			return err == nil, err
		}
		if e.At < c.lastAt || int(e.Producer) >= len(p.cores) || int(e.Producer) == core {
			return false, p.fault(EdgeStream, core, c.edgeNumber, ErrIllegal, fmt.Sprintf("edge at %d on core %d record %d: edges are ordered and name another core", e.At, e.Producer, e.Position))
		}
		if e.At > until {
			return true, nil
		}
		if q := &p.cores[e.Producer]; q.position <= e.Position {
			if q.ended {
				return false, p.fault(EdgeStream, core, c.edgeNumber, ErrIllegal, fmt.Sprintf("the edge waits for record %d of core %d, which has only %d", e.Position, e.Producer, q.position))
			}
			c.position = max(c.position, e.At)
			c.waits = fmt.Sprintf("for core %d to pass record %d (edge %d)", e.Producer, e.Position, c.edgeNumber)
			return false, nil
		}
		c.lastAt = e.At
		c.edges.at++
		c.edgeNumber++
		c.totals.Edges++
	}
}

// stuck describes what each core waits for when none can go on.
func (p *replay) stuck() error {
	var all []string
	first := -1
	for core := range p.cores {
		if c := &p.cores[core]; !c.ended {
			if first < 0 {
				first = core
			}
			if len(all) < 8 {
				all = append(all, fmt.Sprintf("core %d waits at record %d %s", core, c.position, c.waits))
			}
		}
	}
	return p.fault(RecordStream, first, p.cores[first].position, ErrDeadlock, strings.Join(all, ", "))
}

// finish checks what must hold when all cores have ended.
func (p *replay) finish() error {
	var open []uint64
	for object, b := range p.barriers {
		if b.arrived > 0 {
			open = append(open, object)
		}
	}
	if len(open) > 0 {
		return p.fault(RecordStream, -1, 0, ErrIllegal, fmt.Sprintf("barrier %d is open at the end", slices.Min(open)))
	}
	for core := range p.cores {
		c := &p.cores[core]
		if e := c.edges; e.at < len(e.buffer) {
			return p.fault(EdgeStream, core, c.edgeNumber, ErrIllegal, fmt.Sprintf("the edge is at record %d, beyond the end", e.buffer[e.at].At))
		}
	}
	return nil
}

// record lets a core take one record of synchronisation and reports whether it could.
func (p *replay) record(core int, r *Record) (bool, error) {
	c := &p.cores[core]
	switch r.Kind {
	case Lock:
		return p.lock(core, r.Address)
	case Unlock:
		return p.unlock(core, r.Address)
	case Barrier:
		return p.barrier(core, r)
	case Create:
		if p.creations && p.cores[r.Address].created {
			return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("core %d is created again", r.Address))
		}
		p.cores[r.Address].created = true
	case Join:
		if r.Count == 0 && !p.cores[r.Address].ended {
			c.waits = fmt.Sprintf("for the end of core %d", r.Address)
			return false, nil
		}
	case End:
		if len(c.held) > 0 {
			return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("the stream ends while it holds lock %d", c.held[0]))
		}
		c.ended = true
	}
	return true, nil
}

// mostCount bounds the counts of records.
var mostCount = [Kinds]uint16{Load: Tries, Atomic: math.MaxUint16, Fence: Halts, Join: ByEdge, Barrier: math.MaxUint16, End: AwaitsOrder}

// Illegal returns what is wrong with a record by itself, in a trace of that many cores and after
// that many accesses of its core; "" is nothing.
func Illegal(r *Record, cores int, accesses uint64) string {
	switch {
	case r.Kind >= Kinds:
		return fmt.Sprintf("kind %d does not exist", r.Kind)
	case (r.Kind == Lock || r.Kind == Unlock) && r.Size > Waits:
		return fmt.Sprintf("cores wait for the lock in way %d; the highest one is 7", r.Size)
	case r.Kind == Barrier && r.Size&^(Sleeps|Exchanges) != 0:
		return fmt.Sprintf("cores wait at the barrier in way %d; the ways are 0, 1, 4 and 5", r.Size)
	case !r.Kind.IsAccess() && (r.Dependence != 0 || r.Size != 0 && r.Kind != Lock && r.Kind != Unlock && r.Kind != Barrier):
		return "a " + r.Kind.String() + " has neither size nor dependence"
	case r.Kind.IsAccess() && r.Size > 6:
		return fmt.Sprintf("an access of 2^%d bytes; the largest is a line, 2^6", r.Size)
	case r.Kind.IsAccess() && r.Address%LineBytes+1<<r.Size > LineBytes:
		return "the access crosses a line; write one record per line"
	case uint64(r.Dependence) > accesses:
		return fmt.Sprintf("the dependence of %d accesses reaches before the first", r.Dependence)
	case r.Kind == Barrier && (r.Count == 0 || int(r.Count) > cores):
		return fmt.Sprintf("a barrier for %d of %d cores", r.Count, cores)
	case r.Count > mostCount[r.Kind]:
		return fmt.Sprintf("a %s with a count of %d; the highest one is %d", r.Kind, r.Count, mostCount[r.Kind])
	case (r.Kind == Create || r.Kind == Join || r.Kind == End && r.Count > 0) && r.Address >= uint64(cores):
		return fmt.Sprintf("%s of core %d of %d", r.Kind, r.Address, cores)
	}
	return ""
}

func (p *replay) lock(core int, object uint64) (bool, error) {
	c := &p.cores[core]
	switch holder := p.locks[object] - 1; holder {
	case -1:
		p.locks[object] = core + 1
		c.held = append(c.held, object)
		return true, nil
	case core:
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("lock %d is taken again by its holder", object))
	default:
		c.waits = fmt.Sprintf("for lock %d, held by core %d", object, holder)
		return false, nil
	}
}

func (p *replay) unlock(core int, object uint64) (bool, error) {
	c := &p.cores[core]
	if p.locks[object]-1 != core {
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("lock %d is released by a core that does not hold it", object))
	}
	delete(p.locks, object)
	c.held = slices.DeleteFunc(c.held, func(held uint64) bool { return held == object })
	return true, nil
}

// barrier counts a core in, and lets it through when the barrier has opened since.
func (p *replay) barrier(core int, r *Record) (bool, error) {
	c := &p.cores[core]
	b := p.barriers[r.Address]
	if b == nil {
		b = &replayBarrier{}
		p.barriers[r.Address] = b
	}
	if c.joined {
		if b.generation == c.generation {
			return false, nil
		}
		c.joined = false
		return true, nil
	}
	if b.arrived == 0 {
		b.count = r.Count
	}
	if b.count != r.Count {
		return false, p.fault(RecordStream, core, c.position, ErrIllegal, fmt.Sprintf("barrier %d is for %d cores here and for %d elsewhere", r.Address, r.Count, b.count))
	}
	if b.arrived++; b.arrived == b.count {
		b.arrived = 0
		b.generation++
		return true, nil
	}
	c.joined, c.generation = true, b.generation
	c.waits = fmt.Sprintf("at barrier %d, where %d of %d have arrived", r.Address, b.arrived, b.count)
	return false, nil
}
