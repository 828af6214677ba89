package drmemtrace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Import reads one file per thread, or per core. Files in folders window.0000, window.0001 and so on
// are windows.
func Import(files []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	l := &layout{config: c, files: files}
	if err := l.arrange(); err != nil {
		return traces.Imported{}, err
	}
	done, err := l.write(to)
	if errors.Is(err, errInterleaved) && len(files) == 1 {
		if err := l.split(); err != nil {
			return traces.Imported{}, err
		}
		return l.write(to)
	}
	return done, err
}

// errInterleaved is the problem of a file that holds several threads, although it is of no core.
var errInterleaved = errors.New("threads take turns in the file")

// layout says which stream each file becomes.
type layout struct {
	config    traces.ImportConfig
	m         traces.Metadata
	files     []string
	places    []place
	names     []string // of cores
	processes []uint64 // of cores
	windows   []string // their folders
	sharded   int      // files of cores
	again     []string // names of files whose thread another file has
	threads   []uint64 // of one file that holds several

	to     *assemble.Builder
	counts counts
	times  []clock // of streams
}

// place is where a file belongs.
type place struct{ window, core int }

func (l *layout) write(to traces.Destination) (traces.Imported, error) {
	l.m.Cores, l.m.CoreNames, l.m.AddressSpaces = len(l.names), l.names, 1
	if slices.ContainsFunc(l.processes, func(p uint64) bool { return p != l.processes[0] }) {
		l.m.AddressSpaces = len(l.names)
	}
	l.counts, l.times = counts{}, make([]clock, l.m.WindowCount()*len(l.names))
	return assemble.Write(l.m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		l.to = b
		for core, process := range l.processes {
			if l.m.AddressSpaces > 1 {
				b.Join(core, slices.Index(l.processes, process))
			}
		}
		for i, path := range l.files {
			if err := l.file(path, l.places[i]); err != nil {
				return nil, err
			}
		}
		if l.counts.encodings == 0 {
			b.Note("no encodings of instructions: atomic instructions stay loads and stores")
		}
		return l.counts.list(), l.order()
	})
}

// Named reports whether a file's name is that of a thread.
func Named(name string) bool {
	return strings.Contains(name, ".trace") || strings.Contains(name, ".memtrace")
}

var windowFolder = regexp.MustCompile(`^window\.\d+$`)

// see takes the head of the next file.
func (l *layout) see(path string, head head) error {
	window := filepath.Base(filepath.Dir(path))
	if !windowFolder.MatchString(window) {
		window = ""
	}
	if !slices.Contains(l.windows, window) {
		l.windows = append(l.windows, window)
	}
	at := place{window: slices.Index(l.windows, window)}
	name := fmt.Sprintf("thread %d", head.thread)
	if head.fileType&coreSharded != 0 {
		l.sharded++
		before := 0 // files of the window
		for _, p := range l.places {
			if p.window == at.window {
				before++
			}
		}
		name = fmt.Sprintf("core %d", before)
	}
	at.core = slices.Index(l.names, name)
	if window == "" && at.core >= 0 && l.processes[at.core] == head.process {
		l.again = append(l.again, name)
	}
	if window == "" || at.core < 0 { // outside windows, every file is a core of its own
		at.core = len(l.names)
		l.names, l.processes = append(l.names, name), append(l.processes, head.process)
	}
	if slices.Contains(l.places, at) {
		return fmt.Errorf("%s: %s has another file in this window", path, name)
	}
	if l.processes[at.core] != head.process {
		return fmt.Errorf("%s: %s is of process %d here, and of process %d in another window; import the windows apart", path, name, head.process, l.processes[at.core])
	}
	l.places = append(l.places, at)
	l.m.Target = head.target()
	if head.fileType&filteredTypes != 0 {
		l.note("accesses that hit in a small cache were left out when the trace was recorded")
	}
	return nil
}

func (l *layout) note(text string) {
	if !slices.Contains(l.m.Notes, text) {
		l.m.Notes = append(l.m.Notes, text)
	}
}

// arrange learns from the first entries what the files have in common, and which of them are of
// which window.
func (l *layout) arrange() error {
	l.m = traces.DefaultMetadata(l.config.Workload, 1)
	for i, path := range l.files {
		var h head
		c := l.config
		c.Passed = nil
		err := scan(path, i, c, func(e entry) bool {
			begun := about(e.kind) != other || e.kind == typeFooter || e.kind == typeEncoding
			if !begun {
				h.see(e)
			}
			return !begun
		})
		if err == nil {
			err = l.see(path, h)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case len(l.files) == 0:
		return errors.New("no files given: name one per thread, or their folder")
	case len(l.windows) > 1 && slices.Contains(l.windows, ""):
		return errors.New("some files are in folders of windows, and others are not; import them apart")
	case l.sharded != 0 && l.sharded != len(l.files):
		return errors.New("some files are of cores, and others are of threads; import them apart")
	}
	l.m.Origin, l.m.Importer, l.m.Addresses = l.config.Origin, "drmemtrace 2", "mapped"
	if l.again != nil {
		l.note(fmt.Sprintf("files of threads that other files have: %d, the first of %s; each file is a core, so leave out copies", len(l.again), l.again[0]))
	}
	if l.sharded > 0 {
		l.note("threads share cores as the file has scheduled them")
	}
	if len(l.windows) > 1 {
		for _, name := range l.windows {
			l.m.Windows = append(l.m.Windows, traces.Window{Name: name})
		}
		l.note("windows start with empty caches, and their distance is not known")
	}
	return nil
}

// file reads one file, as the stream of a core or as those of several threads.
func (l *layout) file(path string, at place) error {
	in, err := packed.OpenEntries(path, at.core, entryBytes, l.config)
	if err != nil {
		return err
	}
	defer in.Close()
	t := &thread{in: in, core: at.window*len(l.names) + at.core, of: l, locks: map[uint64]lockKind{}}
	return t.read(l.config.Instructions)
}

// mostThreads is the number of cores that a trace can have. A file with more threads is refused without a search for
// all of them, which would take long.
const mostThreads = 1 << 16

// split makes a core of each thread of the one file, in the order in which they begin.
func (l *layout) split() error {
	l.names, l.processes = nil, nil
	core := -1
	err := scan(l.files[0], 0, l.config, func(e entry) bool {
		switch e.kind {
		case typeThread:
			if core = slices.Index(l.threads, e.value); core < 0 {
				core = len(l.threads)
				l.threads, l.processes = append(l.threads, e.value), append(l.processes, 0)
				l.names = append(l.names, fmt.Sprintf("thread %d", e.value))
			}
		case typeProcess:
			if core >= 0 {
				l.processes[core] = e.value
			}
		}
		return len(l.threads) <= mostThreads
	})
	if errors.Is(err, traces.ErrHead) && len(l.threads) > 0 {
		return nil
	}
	return err
}

// scan shows the entries of a file to see, until it returns false or the file ends.
func scan(path string, core int, c traces.ImportConfig, see func(e entry) bool) error {
	in, err := packed.OpenEntries(path, core, entryBytes, c)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		e, err := next(in)
		if err != nil || !see(e) {
			return err
		}
		if err := in.Pass(entryBytes); err != nil || e.kind == typeFooter && in.Ended() {
			return err
		}
	}
}

type counts struct {
	entries, instructions, turns, reads, writes, atomics, prefetches, flushes, empty, markers, times, windows, encodings uint64
}

func (n *counts) list() []traces.Count {
	return []traces.Count{{Name: "entries", N: n.entries}, {Name: "instructions", N: n.instructions},
		{Name: "further turns of string instructions", N: n.turns}, {Name: "reads", N: n.reads}, {Name: "writes", N: n.writes},
		{Name: "pairs of them that are atomics", N: n.atomics}, {Name: "prefetches, left out", N: n.prefetches}, {Name: "flushes, left out", N: n.flushes},
		{Name: "accesses of no bytes, left out", N: n.empty}, {Name: "markers", N: n.markers}, {Name: "times among them", N: n.times},
		{Name: "borders of windows within a file, left out", N: n.windows}}
}

const entryBytes = 12

type entry struct {
	kind, size uint16
	value      uint64
}

// next returns the next entry; a file that ends before its footer is cut off.
func next(in *packed.Entries) (entry, error) {
	b, err := in.Next(entryBytes, fmt.Sprintf("an entry of %d, before its footer", entryBytes), "record or copy it again", "copy it again")
	if err != nil {
		return entry{}, err
	}
	e := entry{kind: binary.LittleEndian.Uint16(b), size: binary.LittleEndian.Uint16(b[2:]), value: binary.LittleEndian.Uint64(b[4:])}
	if in.Offset == 0 && e.kind != typeHeader {
		return e, in.Fault(0, traces.ErrNotATrace, "the file does not start with a header",
			"final traces are read: DynamoRIO makes them of raw ones; compression with lz4 or snappy must be undone first")
	}
	if in.Offset == 0 && e.value>>32 != 0 {
		return e, in.Fault(0, traces.ErrNotATrace, "the header does not fill 12 bytes: the trace may be of a 32-bit program, whose entries have 8", "record a 64-bit program")
	}
	return e, nil
}
