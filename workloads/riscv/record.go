package riscv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
	"github.com/carousel-sim/carousel/traces/record"
)

// Importer names the recorder in the files that it writes.
const Importer = "riscv 8"

// Record runs a program without a chip and writes the trace of its region. Harts work in turns,
// and every access takes effect at once; what becomes of locks, and of the order between cores,
// is up to record.Processors. Recordings of one program are equal byte by byte. Of the
// configuration, name, turn, windows and going on count.
func Record(ctx context.Context, p *Program, c record.Config, to traces.Destination) (record.Result, error) {
	if c.Turn < 1 || c.Turn > 1<<30 {
		return record.Result{}, fmt.Errorf("turn is %d, and must be from 1 to %d instructions", c.Turn, 1<<30)
	}
	if c.Windows == 0 {
		return recordTo(ctx, p, c, to)
	}
	c.Cores = p.Config.Threads
	return c.InWindows(p.marked, func(whole traces.Destination) (record.Result, error) { return recordTo(ctx, p, c, whole) }, to)
}

// metadata describes the trace. warm says that it knows what caches hold at its start.
func (p *Program) metadata(c record.Config, warm bool) traces.Metadata {
	m := traces.DefaultMetadata(cmp.Or(c.Workload, p.Name), p.Config.Threads)
	region := "from the start to the end"
	if p.marked {
		region = "between markers"
	}
	m.Origin = strings.Join(append([]string{p.Name}, p.Config.Arguments...), " ") + ", RV64GC, executed by Carousel, " + region
	m.Importer, m.Target, m.Addresses = Importer, "riscv64", "mapped"
	m.EdgeBytes, m.Symbols, m.Tickets, m.Tries = order.Bytes, p.variables, true, true
	m.Notes = []string{"physical addresses of pages follow from a fixed permutation",
		fmt.Sprintf("harts worked in turns of %d instructions; order between threads is kept by edges; time asleep is left out, and so are repeated polls", c.Turn),
		"words that were used as locks, also as reader-writer locks, are lock records, whose order a replay decides; counters at which threads met are barrier records",
		"a fetch-and-add takes a ticket if threads use its value as an index to read: in a replay the core that comes first takes the next ticket",
		fmt.Sprintf("a system call counts as %d instructions, one of futex as %d; accesses of the kernel are not in the trace", CallInstructions, FutexInstructions),
		"a dependence leads from an access to the latest load from which its address or its stored data come, through registers or through the thread's own stores"}
	if warm {
		limit := record.CacheLimit()
		m.Windows, m.Timestamps = []traces.Window{{}}, &limit
		m.Drawn = "the region as one window"
	}
	return m
}

// recorder is the host of a machine that writes what its harts do.
type recorder struct {
	m       *Machine
	out     *traces.Writer
	to      *record.Processors
	cores   []stream
	turn    uint64
	current int  // core whose hart works
	hides   bool // the call that it makes belongs to a lock
	yields  bool // its turn is over
	skipped uint64
	calls   map[uint64]record.Call // functions by address
	// contended has the core that accessed a word by an atomic last.
	contended map[uint64]int
}

// stream is what a recorder knows of a core.
type stream struct {
	reserved *record.Step // LR, until it is known whether SC follows
	left     uint32       // instructions of records that were left out
	within   *within      // a function whose accesses are left out; nil if none
	asleep   bool
	hidden   bool   // it sleeps in a call that belongs to a lock
	alarm    uint64 // cycle in which it wakes by itself
	ended    bool
	last     uint32 // instructions at its end
	loads    [mostLoads]visit
	next     int    // of loads
	pointer  uint64 // to the stack, at the latest fetch-and-add
	values   [1 << knownBits]known
	attempt  uint64          // address of the word that it is about to change
	trying   map[uint64]bool // where loads have begun attempts
}

func recordTo(ctx context.Context, p *Program, c record.Config, to traces.Destination) (done record.Result, err error) {
	m, err := p.Start(ctx)
	if err != nil {
		return done, err
	}
	done.Metadata = p.metadata(c, m.warm != nil)
	out, err := to(done.Metadata)
	if err != nil {
		return done, err
	}
	r := &recorder{m: m, out: out, to: record.NewProcessors(len(m.harts), out), cores: make([]stream, len(m.harts)), turn: uint64(c.Turn), contended: map[uint64]int{}}
	if err := r.write(ctx); err != nil {
		out.Abort()
		return done, err
	}
	if err := out.Close(); err != nil {
		return done, err
	}
	if done.Totals = out.Totals(); !m.exited {
		done.Reason = record.MarkerReached
	}
	if c.GoOn {
		err = m.Finish(ctx, math.MaxUint64)
	}
	if m.status != 0 {
		done.Status = ending(m.status)
	}
	return done, err
}

func (r *recorder) write(ctx context.Context) error {
	for i, h := range r.m.harts {
		r.cores[i].asleep, r.cores[i].alarm = !h.awake(), never
		if h.sleep != nil && h.sleep.deadline != never {
			r.cores[i].alarm = h.sleep.deadline
		}
	}
	r.m.Bind(traces.Host{Now: r.now, Wake: r.wake, Stopped: ctx.Err, Gigahertz: 1})
	r.watch()
	if r.m.warm != nil {
		if err := r.out.WriteTimestamps(0, r.m.warm); err != nil {
			return err
		}
	}
	if err := r.run(ctx); err != nil {
		return err
	}
	var ends []uint32
	for i := range r.cores {
		ends = append(ends, r.cores[i].last)
	}
	if err := r.to.Close(ends); err != nil {
		return err
	}
	var pages []traces.Page
	for i, p := range r.m.memory.pages {
		if p != nil {
			pages = append(pages, traces.Page{Virtual: uint64(i), Frame: physical(uint64(i)<<pageBits) >> pageBits})
		}
	}
	return r.out.WritePages(0, pages)
}

// now counts a cycle for as many instructions as there are harts, and the time in which all sleep.
func (r *recorder) now() uint64 { return r.skipped + r.m.executed() }

// wake notes that a core is woken: by the call of another one, or because a time has come.
func (r *recorder) wake(core int, cycle uint64) {
	s := &r.cores[core]
	if core == r.current {
		s.alarm = cycle
		return
	}
	s.asleep, s.alarm = false, never
	switch h := r.m.harts[r.current]; {
	case r.m.over || r.hides || h.pending == nil:
	case systemCalls[h.r[17]].name == "clone":
		r.to.Starts(r.current, core)
	default:
		r.to.Wakes(r.current, core)
	}
}

// run lets the harts work in turns.
func (r *recorder) run(ctx context.Context) error {
	for left := len(r.cores); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		idle, first := true, uint64(never)
		for i := range r.cores {
			s := &r.cores[i]
			if s.asleep && s.alarm <= r.now() {
				s.asleep, s.alarm = false, never
			}
			if s.asleep {
				first = min(first, s.alarm)
			}
			if s.ended || s.asleep {
				continue
			}
			idle = false
			if err := r.work(i); err != nil {
				return err
			}
			if s.ended {
				left--
			}
		}
		if idle && first != never {
			r.skipped += first - r.now()
		} else if idle && left > 0 {
			return errors.New("all threads of the program wait forever")
		}
	}
	return nil
}

// pairInstructions is how far SC may be behind its LR for a turn to end behind both: as far as the
// architecture guarantees that such loops come to an end.
const pairInstructions = 16

// work lets a core's hart work for a turn.
func (r *recorder) work(core int) error {
	r.current = core
	h, s := r.m.harts[core], &r.cores[core]
	var one [1]traces.Record
	for end := h.executed + r.turn; h.executed < end || s.reserved != nil && h.executed < end+pairInstructions; {
		n, err := r.m.ReadRecords(core, one[:])
		switch {
		case errors.Is(err, traces.ErrAsleep):
			s.asleep = true
			return r.reserve(core, nil)
		case err != nil:
			return err
		case n == 0:
			continue
		}
		if one[0].Kind == traces.End {
			s.ended, s.last = true, one[0].Instructions+s.left
			return r.reserve(core, nil)
		}
		r.yields = false
		if err := r.take(core, record.Step{Record: one[0]}); err != nil || r.yields {
			return err
		}
	}
	return nil
}

// contend notes an atomic. If another core was the last one to access its word by one the turn
// ends, as package record has it.
func (r *recorder) contend(core int, address uint64) {
	before, ok := r.contended[address]
	r.contended[address] = core
	r.yields = r.yields || ok && before != core
}

// take executes what a hart is at, whose record has been read, and writes the record.
func (r *recorder) take(core int, s record.Step) error {
	h, c := r.m.harts[core], &r.cores[core]
	in := h.pending
	switch {
	case s.Kind == traces.Fetch && c.reserved != nil: // it comes before the pair
		if c.reserved.Dependence > 0 {
			c.reserved.Dependence++
		}
		return r.put(core, &s)
	case in == nil: // a fetch, or where it falls asleep or wakes
		if c.hidden && s.Kind == traces.Fence {
			c.hidden, h.count = false, 0
			return nil
		}
		return r.tell(core, &s)
	case in.kind == call:
		return r.call(core, &s)
	case in.kind == fence || in.kind == load:
		if in.kind == load {
			address := h.r[in.r1&63] + uint64(in.imm)
			s.Again, s.Place = c.repeats(h), c.place(h, address)
			s.Tries = c.tries(h, address)
			s.Known = s.Tries || c.knows(h, address)
		}
		r.m.perform(h)
		return r.tell(core, &s)
	}
	c.forget()
	address := h.r[in.r1&63] + uint64(in.imm)
	s.Place = c.place(h, address)
	s.Before, _ = r.m.memory.read(address, in.size)
	succeeds := h.reserve == address/traces.LineBytes+1
	r.m.perform(h)
	if in.kind == store {
		r.m.Visible(core)
	}
	s.After, _ = r.m.memory.read(address, in.size)
	attempt := c.attempt
	if in.kind == atomic && in.raw>>27 != reserve {
		c.attempt = 0
	}
	*c.known(address) = known{address, s.After, in.size}
	if in.kind == store {
		return r.tell(core, &s)
	}
	switch function := in.raw >> 27; {
	case function == reserve:
		s.Exchange = true
		return r.reserve(core, &s)
	case function == conditional && succeeds && c.reserved != nil && c.reserved.Address == s.Address:
		s.Pair, s.Second = true, s.Instructions
		s.Instructions += c.reserved.Instructions
		c.reserved = nil
		s.Exchange, s.Tries = true, attempt == address
	case function == conditional || function == swap:
		s.Exchange = true
	default:
		c.pointer = h.r[stackPointer]
		s.Decides = function == addition && h.decides(in, 2*s.Before-s.After)
	}
	r.contend(core, s.Address)
	return r.tell(core, &s)
}

// reserve keeps an LR until it is known whether SC follows, and writes the one before.
func (r *recorder) reserve(core int, s *record.Step) error {
	c := &r.cores[core]
	before := c.reserved
	c.reserved = s
	if before == nil {
		return nil
	}
	r.contend(core, before.Address)
	return r.put(core, before)
}

func (r *recorder) tell(core int, s *record.Step) error {
	if err := r.reserve(core, nil); err != nil {
		return err
	}
	return r.put(core, s)
}

// Functions of atomics, as their upper bits.
const (
	addition = iota
	swap
	reserve
	conditional
)

// put writes a record with the instructions of those left out before it.
func (r *recorder) put(core int, s *record.Step) error {
	c := &r.cores[core]
	if c.within != nil {
		if s.Kind.IsAccess() {
			r.to.Skips(core, 1+int(truth(s.Pair)))
		}
		return nil
	}
	s.Instructions += c.left
	c.left = 0
	return r.to.Take(core, s)
}

// call executes a system call. Where it belongs to a lock, the lock's records stand for it.
func (r *recorder) call(core int, s *record.Step) error {
	h, c := r.m.harts[core], &r.cores[core]
	c.forget()
	s.Ends = s.Kind == traces.Atomic
	if err := r.reserve(core, nil); err != nil {
		return err
	}
	if name := systemCalls[h.r[17]].name; strings.HasPrefix(name, "futex") {
		operation := futexOperation(h.r[11])
		r.hides = r.to.Waits(core, physical(h.r[10]), operation != futexWait && operation != futexWaitBits)
	}
	if c.within != nil {
		err := r.tell(core, s)
		r.hides = true
		r.m.perform(h)
		r.hides = false
		return err
	}
	if !r.hides {
		if err := r.tell(core, s); err != nil {
			return err
		}
		r.m.perform(h)
		return nil
	}
	c.left += s.Instructions
	r.m.perform(h)
	h.count, c.hidden, r.hides = 0, h.sleep != nil, false
	return nil
}
