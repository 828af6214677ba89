package cmp

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// AddressError reports that a trace touches memory that the chip does not have.
type AddressError struct {
	Core    int
	Record  uint64
	Address uint64
	Bytes   uint64
}

// Error names the place and the fix.
func (e *AddressError) Error() string {
	return fmt.Sprintf("core %d, record %d: address %#x is outside the %d bytes of memory; set chip.memory.bytes to more, or import the trace again with physical addresses below it",
		e.Core, e.Record, e.Address, e.Bytes)
}

// recordsPerBatch and edgesPerBatch size a core's read buffers. They are small, so that those of all cores stay in
// the caches of the host.
const (
	recordsPerBatch = 64
	edgesPerBatch   = 32
)

// input reads one core's records and edges, one at a time.
type input struct {
	records []traces.Record
	at      int
	taken   uint64         // records so far
	record  *traces.Record // the latest that next has moved to; good until it moves on
	source  traces.Source
	core    int

	edges    []traces.Edge
	edgeAt   int
	edge     traces.Edge
	haveEdge bool
	edgesEnd bool
	failed   error // of reading edges; the next call of next returns it

	live  bool // the source is, and gives one record at a time
	alone bool // every access stands alone: dependences are ignored
}

func newInput(src traces.Source, core int, k CoreConfig) input {
	return input{source: src, core: core, alone: k.Dependences == Ignore, records: make([]traces.Record, 0, recordsPerBatch),
		edges: make([]traces.Edge, 0, edgesPerBatch)}
}

// whole returns the position of a record from its lower half, which operations and stores keep: the
// one nearest to the latest record.
func (in *input) whole(index uint32) uint64 {
	return in.taken + uint64(int64(int32(index-uint32(in.taken))))
}

// index returns the position of the latest record.
func (in *input) index() uint64 { return in.taken - 1 }

// next moves to the next record. Reading past the End record is an error of the trace.
func (in *input) next() error {
	if in.at == len(in.records) || !in.haveEdge && !in.edgesEnd {
		if err := in.refill(); err != nil {
			return err
		}
	}
	in.record = &in.records[in.at]
	in.at++
	in.taken++
	return nil
}

// refill reads records, and edges, when none are buffered.
func (in *input) refill() error {
	if in.failed != nil {
		return in.failed
	}
	if in.at == len(in.records) {
		n, err := in.source.ReadRecords(in.core, in.records[:cap(in.records)])
		if n == 0 {
			if in.live && err == nil {
				return errPerform
			}
			if err == nil || errors.Is(err, io.EOF) {
				return fmt.Errorf("core %d: the stream ends after %d records without an end record: %w", in.core, in.taken, io.ErrUnexpectedEOF)
			}
			return err
		}
		in.records, in.at = in.records[:n], 0
		for i := 0; in.alone && i < n; i++ {
			in.records[i].Dependence = 0
		}
	}
	if !in.haveEdge && !in.edgesEnd {
		return in.nextEdge()
	}
	return nil
}

// edgeDue reports whether in.edge must be met before the latest record.
func (in *input) edgeDue() bool { return in.haveEdge && in.edge.At < in.taken }

// edgeMet moves to the next edge. next returns a read error instead of another record.
func (in *input) edgeMet() {
	in.haveEdge = false
	in.failed = in.nextEdge()
}

func (in *input) nextEdge() error {
	if in.edgeAt == len(in.edges) {
		n, err := in.source.ReadEdges(in.core, in.edges[:cap(in.edges)])
		if n == 0 {
			in.edgesEnd = err == nil && !in.live || errors.Is(err, io.EOF)
			if err == nil || in.edgesEnd {
				return nil
			}
			return err
		}
		in.edges, in.edgeAt = in.edges[:n], 0
	}
	in.edge, in.haveEdge = in.edges[in.edgeAt], true
	in.edgeAt++
	return nil
}

// live connects a core to a source that executes its program while the chip runs. The core reads
// one record at a time, when the previous one has entered the window. Fetch stalls while the
// program sleeps or needs an access that the chip has not yet performed. Such a core does nothing
// else differently.
type live struct {
	source traces.Live // nil where records are replayed
	hold   hold
	slept  bool      // until its stream ended
	alarm  noc.Cycle // from here on a core that sleeps reads again
}

// hold is why a core reads no records.
type hold uint8

const (
	unheld     hold = iota
	performing      // until the latest operation has been performed
	sleeping
)

// errPerform: the latest record must be performed before the next one is known.
var errPerform = errors.New("the latest record has to be performed first")

// bind joins the chip to a live source.
func (s *System) bind(src traces.Source) {
	source, ok := src.(traces.Live)
	if !ok {
		return
	}
	for i := range s.cores {
		c := &s.cores[i]
		c.live = live{source: source, alarm: noc.Never}
		c.input.records, c.input.live = make([]traces.Record, 0, 1), true
	}
	source.Bind(traces.Host{
		Now: func() uint64 { return uint64(s.now) },
		Wake: func(core int, cycle uint64) {
			at := noc.Cycle(cycle)
			c := &s.cores[core]
			c.live.alarm = min(c.live.alarm, at)
			c.wakeAt(max(at, s.now))
			s.lastProgress = max(s.lastProgress, at) // all cores may be idle until then
		},
		Measure:   func() { s.part, s.mayReach = part{to: math.MaxUint64}, s.now+1 },
		Stopped:   func() error { return s.stopped() },
		Gigahertz: s.config.ClockGHz, Sequential: s.config.Core.SequentialConsistency, Futex: s.config.Core.Futex,
	})
}

// held notes that a live source has no record for now, and reports whether that is what an error
// says.
func (c *core) held(err error) bool {
	switch {
	case err == errPerform:
		c.live.hold = performing
	case err == traces.ErrAsleep:
		c.live.hold = sleeping
	default:
		return false
	}
	return true
}

// released returns the cycle from which on the core may read the next record: Never while an event
// has to come first that wakes it. It is for cores that are held.
func (c *core) released() noc.Cycle {
	switch {
	case c.live.hold == sleeping:
		return c.live.alarm
	case c.empty():
		return 0
	}
	if o := c.op(c.end - 1); o.state == done {
		return o.ready
	}
	return noc.Never
}
