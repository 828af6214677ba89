package traces

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Verify reads all of the file and proves that it can be replayed: every block and checksum, the
// page maps, the totals, and what a replay demands. The streams are rewound before and after. Cores
// are read by as many goroutines as there are processors.
func (f *File) Verify() (Survey, error) { return f.VerifyBy(runtime.GOMAXPROCS(0), nil) }

// VerifyBy is Verify with a number of goroutines, which changes nothing but the time that it takes.
// Of several errors it returns that of the lowest core. The totals of a trace with several windows
// are their sums. see, unless it is nil, is shown all records, window by window: those of a core in
// their order, those of different cores at the same time.
func (f *File) VerifyBy(workers int, see func(window, core int, batch []Record)) (Survey, error) {
	f.Rewind()
	defer f.Rewind()
	if f.Windows() == 1 {
		return f.verifyWindow(workers, see)
	}
	all := Survey{Totals: make([]CoreTotals, f.metadata.Cores)}
	for window := range f.Windows() {
		one, err := f.Window(window)
		if err != nil {
			return all, err
		}
		survey, err := one.verifyWindow(workers, see)
		one.zstd.Close()
		if err != nil {
			return all, err
		}
		all.add(survey)
	}
	return all, nil
}

// verifyWindow verifies the streams of one window.
func (f *File) verifyWindow(workers int, see func(window, core int, batch []Record)) (Survey, error) {
	p := newReplay(f)
	for _, err := range f.EachCore(workers, func(own *File, core int) (err error) {
		p.cores[core].scanned, err = own.verifyCore(core, see)
		return err
	}) {
		if err != nil {
			return p.survey(), f.place(err)
		}
	}
	if _, _, err := f.ReadTimestamps(); err != nil {
		return p.survey(), err
	}
	if err := f.ReadState(func([]byte) error { return nil }); err != nil {
		return p.survey(), err
	}
	survey, err := p.replay()
	if err != nil {
		return survey, f.place(err)
	}
	for core, t := range survey.Totals {
		if f.totals != nil && t != f.totals[core] {
			return survey, f.fault(f.size, ErrCorrupt, fmt.Sprintf("core %d has %+v, and the totals say %+v", core, t, f.totals[core]), copyHint)
		}
	}
	return survey, nil
}

// EachCore calls do for every core, by so many goroutines, each of which has the file as its own. It
// returns the errors by core.
func (f *File) EachCore(workers int, do func(own *File, core int) error) []error {
	cores := f.metadata.Cores
	failed := make([]error, cores)
	var next atomic.Int64
	var all sync.WaitGroup
	for range max(1, min(workers, cores)) {
		all.Go(func() {
			own := f.Again()
			defer own.zstd.Close()
			for core := int(next.Add(1)) - 1; core < cores; core = int(next.Add(1)) - 1 {
				failed[core] = do(own, core)
			}
		})
	}
	all.Wait()
	return failed
}

// Again returns the same file with reading positions and buffers of its own, for another
// goroutine. It is good until f is closed, and closed by itself.
func (f *File) Again() *File {
	own := &File{name: f.name, from: f.from, size: f.size, config: f.config, metadata: f.metadata, allTotals: f.allTotals, index: f.index, blocks: f.blocks,
		version: f.version, own: f.own, whole: f.whole.rows.streams(), zstd: newDecoder()}
	own.stand(f.window)
	return own
}

// verifyCore checks all of a core but its edges and the order of its synchronisation.
func (f *File) verifyCore(core int, see func(window, core int, batch []Record)) (*scanned, error) {
	var seen func(batch []Record)
	if see != nil {
		seen = func(batch []Record) { see(f.window, core, batch) }
	}
	s := scan(f, core, f.config.MemoryBytes, seen)
	// The core has been read: its buffers can go.
	f.spare = f.records[core].decoder
	f.records[core] = recordStream{blockStream: blockStream{rows: f.records[core].rows}}
	if s.err != nil {
		return s, s.err
	}
	pages, err := f.ReadPages(core)
	if err != nil {
		return s, err
	}
	s.totals.Created = f.Created(core)
	if f.window == 0 { // which has the page maps of all
		s.totals.Pages = uint64(len(pages))
	}
	s.totals.Timestamps, s.totals.States = f.entries(TimestampStream, core), f.entries(StateStream, core)
	return s, nil
}

// place adds the file's name and the block's offset to an error of a replay.
func (f *File) place(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	placed := *e
	placed.File, placed.Window = f.name, f.windowNumber()
	if e.Core >= 0 && e.Offset < 0 && e.Stream != 0 {
		placed.Offset = f.offsetOf(f.rows[e.Stream][e.Core], e.Record)
	}
	return &placed
}

// offsetOf returns the offset of the block with an entry of a stream, or -1; rows are the stream's.
func (f *File) offsetOf(rows []int32, entry uint64) int64 {
	offset := int64(-1)
	for _, i := range rows {
		if r := &f.index[i]; r.first <= entry {
			offset = int64(r.offset)
		}
	}
	return offset
}

// Survey is what one pass over a source finds.
type Survey struct {
	Totals []CoreTotals // per core, pages left out
	// Dependent is the number of accesses that are known to depend on a load.
	Dependent uint64
}

// Sum adds the totals of all cores.
func (s Survey) Sum() CoreTotals {
	var sum CoreTotals
	for _, t := range s.Totals {
		sum = sum.Plus(t)
	}
	return sum
}

// add joins what another window holds.
func (s *Survey) add(o Survey) {
	for core, t := range o.Totals {
		s.Totals[core] = s.Totals[core].Plus(t)
	}
	s.Dependent += o.Dependent
}

// placed is a record with its position in its core's stream.
type placed struct {
	Record
	position uint64
}

// scanned is what one core's records hold.
type scanned struct {
	totals    CoreTotals
	sync      []placed // lock to end
	dependent uint64   // accesses with a dependence
	err       error
}

// scan reads all of a core's records, checks each by itself, and shows them to see, unless that is
// nil. Memory grows with synchronisation records, not with accesses.
func scan(s Source, core int, memory uint64, see func(batch []Record)) *scanned {
	found := &scanned{}
	cores, accesses := s.Cores(), uint64(0)
	fault := func(condition error, at uint64, problem string) error {
		return &Error{Stream: RecordStream, Core: core, Record: at, Offset: -1, Err: condition, Problem: problem}
	}
	ended := false
	found.err = Batches(s, core, func(batch []Record) error {
		for i := range batch {
			r, at := &batch[i], found.totals.Records+uint64(i)
			if ended {
				return fault(ErrIllegal, at, "a record follows the end")
			}
			if problem := Illegal(r, cores, accesses); problem != "" {
				return fault(ErrIllegal, at, problem)
			}
			if address, uses := r.Memory(); uses && address >= memory {
				return addressError("", core, at, -1, address, memory)
			}
			if r.Kind.IsAccess() {
				accesses++
				if r.Dependence > 0 {
					found.dependent++
				}
				continue
			}
			ended = r.Kind == End
			if r.Kind != Fence {
				found.sync = append(found.sync, placed{*r, at})
			}
		}
		found.totals.count(batch)
		if see != nil {
			see(batch)
		}
		return nil
	})
	if found.err == nil && !ended {
		found.err = fault(ErrMissingStream, found.totals.Records, "the stream has no end record")
	}
	return found
}
