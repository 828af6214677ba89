package riscv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/order"
	"github.com/carousel-sim/carousel/traces/sample"
)

// Recording says how a program is recorded.
type Recording struct {
	Turn int // instructions of a hart before the next one works
	// Windows and WindowRecords are those of package record: of the recording only so many windows
	// are written, each with what caches hold at its begin. 0 writes everything.
	Windows       int
	WindowRecords uint64
	Workload      string // name in the metadata; "" for the program's
	GoOn          bool   // let the program run to its end, unrecorded, after the region
}

// DefaultRecording writes everything.
func DefaultRecording() Recording { return Recording{Turn: Turn, WindowRecords: 320_000} }

// Recorded is what came of a recording.
type Recorded struct {
	traces.Imported
	Status int  // of the program
	Exited bool // or else its region ended first
}

// Importer names the recorder in the files that it writes.
const Importer = "riscv 1"

// Record runs a program without a chip and writes the trace of its region. Harts work in turns, and
// every access takes effect at once; the order between cores is kept by edges, as package record
// does for programs without its library. Recordings of one program are equal byte by byte.
func Record(ctx context.Context, p *Program, c Recording, to traces.Destination) (Recorded, error) {
	switch {
	case c.Turn < 1 || c.Turn > 1<<30:
		return Recorded{}, fmt.Errorf("turn is %d, and must be from 1 to %d instructions", c.Turn, 1<<30)
	case c.Windows < 0 || c.Windows > 4096:
		return Recorded{}, fmt.Errorf("windows is %d, and must be from 1 to 4096, or 0 to write everything", c.Windows)
	case c.Windows == 0:
		return record(ctx, p, c, to)
	}
	folder, err := os.MkdirTemp("", "carousel-whole-")
	if err != nil {
		return Recorded{}, err
	}
	defer os.RemoveAll(folder)
	whole := filepath.Join(folder, "whole.trace")
	done, err := record(ctx, p, c, traces.ToFile(whole, traces.DefaultWriterConfig()))
	if err != nil {
		return Recorded{}, err
	}
	f, err := traces.Open(whole, traces.DefaultReaderConfig())
	if err != nil {
		return Recorded{}, err
	}
	defer f.Close()
	one, err := f.Window(0)
	if err != nil {
		return Recorded{}, err
	}
	defer one.Close()
	drawn, err := sample.Draw(one, sample.Config{Windows: c.Windows, Records: c.WindowRecords / uint64(p.Config.Threads), Cut: p.marked, Seed: 1, Limit: Limit()}, to)
	drawn.Input = done.Input
	done.Imported = drawn
	return done, err
}

// metadata describes the trace. warm says that it knows what caches hold at its begin.
func (p *Program) metadata(c Recording, warm bool) traces.Metadata {
	name := c.Workload
	if name == "" {
		name = p.Name
	}
	m := traces.DefaultMetadata(name, p.Config.Threads)
	region := "from the start to the end"
	if p.marked {
		region = "between markers"
	}
	m.Origin = strings.Join(append([]string{p.Name}, p.Config.Arguments...), " ") + ", RV64GC, executed by Carousel, " + region
	m.Importer, m.Target, m.Addresses = Importer, "riscv64", "mapped"
	m.EdgeBytes = order.Bytes
	m.Notes = []string{"pages have frames by a fixed permutation",
		fmt.Sprintf("harts worked in turns of %d instructions; order between threads is kept by edges; time asleep is left out, spinning is as recorded", c.Turn),
		fmt.Sprintf("a system call counts as %d instructions, one of futex as %d; accesses of the kernel are not in the trace", CallInstructions, FutexInstructions),
		"dependences lead to the latest load that an address or stored data come from, through registers or the thread's own stores"}
	if warm {
		limit := Limit()
		m.Windows, m.Timestamps = []traces.Window{{}}, &limit
		m.Drawn = "the region as one window"
	}
	return m
}

// recorder is the host of a machine that writes what its harts do.
type recorder struct {
	m       *Machine
	out     *traces.Writer
	finder  *order.Finder
	cores   []stream
	turn    uint64
	current int // core whose hart works
	skipped uint64
	// contended has the core that accessed a word by an atomic last.
	contended map[uint64]int
}

// stream is what a recorder writes of a core.
type stream struct {
	records  []traces.Record
	edges    []traces.Edge
	position uint64 // of the next record
	asleep   bool
	woken    bool   // by another core, since its latest record
	alarm    uint64 // cycle in which it wakes by itself
	ended    bool
}

// wakeAt returns the word that stands for what wakes a core, as if it were written and read.
func wakeAt(core int) uint64 { return 1<<60 + uint64(core)*order.Bytes }

func record(ctx context.Context, p *Program, c Recording, to traces.Destination) (Recorded, error) {
	m, err := p.Start(ctx, Limit())
	if err != nil {
		return Recorded{}, err
	}
	d := p.metadata(c, m.warm != nil)
	out, err := to(d)
	if err != nil {
		return Recorded{}, err
	}
	r := &recorder{m: m, out: out, finder: order.NewFinder(len(m.harts)), cores: make([]stream, len(m.harts)), turn: uint64(c.Turn), contended: map[uint64]int{}}
	if err := r.write(ctx); err != nil {
		out.Abort()
		return Recorded{}, err
	}
	if err := out.Close(); err != nil {
		return Recorded{}, err
	}
	if c.GoOn {
		if err := m.Finish(ctx); err != nil {
			return Recorded{}, err
		}
	}
	status, exited := m.Status()
	return Recorded{Imported: traces.Imported{Metadata: d, Totals: out.Totals()}, Status: status, Exited: exited}, nil
}

// write writes the whole trace.
func (r *recorder) write(ctx context.Context) error {
	for i, h := range r.m.harts {
		r.cores[i].asleep, r.cores[i].alarm = !h.awake(), never
		if h.sleep != nil && h.sleep.deadline != never {
			r.cores[i].alarm = h.sleep.deadline
		}
	}
	r.m.Bind(traces.Host{Now: r.now, Wake: r.wake, Gigahertz: 1})
	if r.m.warm != nil {
		if err := r.out.WriteTimestamps(0, r.m.warm); err != nil {
			return err
		}
	}
	if err := r.run(ctx); err != nil {
		return err
	}
	for i := range r.cores {
		if err := r.flush(i); err != nil {
			return err
		}
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
func (r *recorder) now() (n uint64) {
	for _, h := range r.m.harts {
		n += h.executed
	}
	return r.skipped + n/uint64(len(r.m.harts))
}

// wake notes that a core is woken: by another one, or by itself at some time.
func (r *recorder) wake(core int, cycle uint64) {
	s := &r.cores[core]
	switch {
	case core == r.current:
		s.alarm = cycle
	case s.asleep:
		s.asleep, s.woken, s.alarm = false, !r.m.over, never
		if by := &r.cores[r.current]; by.position > 0 {
			r.finder.Write(r.current, by.position-1, wakeAt(core), order.Bytes)
		}
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
			return errors.New("no hart of the program can go on")
		}
	}
	return nil
}

// work lets a core's hart work for a turn.
func (r *recorder) work(core int) error {
	r.current = core
	h, s := r.m.harts[core], &r.cores[core]
	var one [1]traces.Record
	for end := h.executed + r.turn; h.executed < end; {
		n, err := r.m.ReadRecords(core, one[:])
		switch {
		case errors.Is(err, traces.ErrAsleep):
			s.asleep = true
			return nil
		case errors.Is(err, io.EOF):
			s.ended = true
			return nil
		case err != nil:
			return err
		case n == 0:
			continue
		}
		if err := r.take(core, one[0]); err != nil {
			return err
		}
		if h.pending != nil { // everything is performed at once
			h.waits = false
			r.m.perform(h)
			if one[0].Kind == traces.Store {
				r.m.Visible(core)
			}
		}
		if one[0].Kind == traces.Atomic && r.contend(core, one[0].Address) {
			return nil
		}
	}
	return nil
}

// contend notes an atomic, and reports whether another core was the last one to access its word by
// one: then the turn ends, as package record has it.
func (r *recorder) contend(core int, address uint64) bool {
	before, ok := r.contended[address]
	r.contended[address] = core
	return ok && before != core
}

// take writes a record, with the edges that lead to it.
func (r *recorder) take(core int, record traces.Record) error {
	s := &r.cores[core]
	bytes := uint64(1) << record.Size
	after := func(address, bytes uint64) {
		for _, w := range r.finder.Read(core, s.position, address, bytes) {
			s.edges = append(s.edges, traces.Edge{At: s.position, Position: w.Position, Producer: w.Thread})
		}
	}
	if s.woken {
		s.woken = false
		after(wakeAt(core), order.Bytes)
	}
	if record.Kind == traces.Load || record.Kind == traces.Atomic {
		after(record.Address, bytes)
	}
	if record.Kind == traces.Store || record.Kind == traces.Atomic {
		r.finder.Write(core, s.position, record.Address, bytes)
	}
	s.records = append(s.records, record)
	s.position++
	if len(s.records) >= 1<<12 {
		return r.flush(core)
	}
	return nil
}

func (r *recorder) flush(core int) error {
	s := &r.cores[core]
	if err := r.out.WriteRecords(core, s.records); err != nil {
		return err
	}
	err := r.out.WriteEdges(core, s.edges)
	s.records, s.edges = s.records[:0], s.edges[:0]
	return err
}
