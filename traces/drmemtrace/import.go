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

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "drmemtrace 1"

// Import reads one file per thread, or per core. Files in folders window.0000, window.0001 and so on
// are windows.
func Import(files []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	l, err := arrange(files, c)
	if err != nil {
		return traces.Imported{}, err
	}
	done, err := l.write(c, to)
	if errors.Is(err, errInterleaved) && len(files) == 1 {
		if l.threads, err = threadsOf(files[0], c); err != nil {
			return traces.Imported{}, err
		}
		l.m.Cores, l.m.CoreNames = len(l.threads), nil
		for _, number := range l.threads {
			l.m.CoreNames = append(l.m.CoreNames, fmt.Sprintf("thread %d", number))
		}
		return l.write(c, to)
	}
	return done, err
}

// layout says which stream each file becomes.
type layout struct {
	m       traces.Metadata
	files   []string
	streams []int
	threads []uint64 // of one file that holds several
}

func (l *layout) write(c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	return assemble.Write(l.m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		var sum counts
		for i, path := range l.files {
			if err := importFile(path, l.streams[i], c, b, &sum, l.threads); err != nil {
				return nil, err
			}
		}
		if sum.encodings == 0 {
			b.Note("no encodings of instructions: atomic instructions stay loads and stores")
		}
		return sum.list(), nil
	})
}

// errInterleaved is the problem of a file that holds several threads, although it is of no core.
var errInterleaved = errors.New("threads are interleaved in one file")

// Named reports whether a file's name is that of a thread.
func Named(name string) bool {
	return strings.Contains(name, ".trace") || strings.Contains(name, ".memtrace")
}

var windowFolder = regexp.MustCompile(`^window\.\d+$`)

// place is where a file belongs.
type place struct{ window, core int }

// survey is what the first entries of all files say.
type survey struct {
	names, windows []string // of cores, and folders of windows
	places         []place
	count          map[string]int // files by window
	processes      map[uint64]int
	sharded        int
	target         string
	filtered       bool
}

// see takes the head of the next file.
func (s *survey) see(path string, head head) error {
	window := filepath.Base(filepath.Dir(path))
	if !windowFolder.MatchString(window) {
		window = ""
	}
	if !slices.Contains(s.windows, window) {
		s.windows = append(s.windows, window)
	}
	name := fmt.Sprintf("thread %d", head.thread)
	if head.fileType&coreSharded != 0 {
		name = fmt.Sprintf("core %d", s.count[window])
		s.sharded++
	}
	at := place{slices.Index(s.windows, window), slices.Index(s.names, name)}
	if window == "" || at.core < 0 { // outside windows, every file is a core of its own
		at.core = len(s.names)
		s.names = append(s.names, name)
	}
	if slices.Contains(s.places, at) {
		return fmt.Errorf("%s: %s has another file in this window", path, name)
	}
	s.places = append(s.places, at)
	s.count[window]++
	s.processes[head.process]++
	s.target, s.filtered = head.target(), s.filtered || head.fileType&filteredTypes != 0
	return nil
}

// arrange learns from the first entries what the files have in common, and which of them are of
// which window.
func arrange(files []string, c traces.ImportConfig) (*layout, error) {
	s := survey{count: map[string]int{}, processes: map[uint64]int{}}
	for i, path := range files {
		head, err := readHead(path, i, c)
		if err == nil {
			err = s.see(path, head)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case len(files) == 0:
		return nil, errors.New("no files given: name one per thread, or their folder")
	case len(s.windows) > 1 && slices.Contains(s.windows, ""):
		return nil, errors.New("some files are in folders of windows, and others are not; import them apart")
	case s.sharded != 0 && s.sharded != len(files):
		return nil, errors.New("some files are of cores, and others are of threads; import them apart")
	}
	l := &layout{m: traces.DefaultMetadata(c.Workload, len(s.names)), files: files}
	for _, at := range s.places {
		l.streams = append(l.streams, at.window*len(s.names)+at.core)
	}
	m := &l.m
	m.Origin, m.Importer, m.Addresses, m.Target, m.CoreNames = c.Origin, Version, "mapped", s.target, s.names
	m.Notes = []string{"no order between threads is kept: the format has none but times"}
	if s.filtered {
		m.Notes = append(m.Notes, "accesses that hit in a small cache were left out when the trace was recorded")
	}
	if s.sharded > 0 {
		m.Notes = append(m.Notes, "threads share cores as the file has scheduled them")
	}
	if len(s.windows) > 1 {
		for _, name := range s.windows {
			m.Windows = append(m.Windows, traces.Window{Name: name})
		}
		m.Notes = append(m.Notes, "windows start with empty caches, and their distance is not known")
	}
	switch {
	case len(s.processes) == 1:
	case len(s.processes) == len(files) && s.sharded == 0 && m.Windows == nil:
		m.AddressSpaces = len(files)
	default:
		return nil, fmt.Errorf("the %d files are of %d processes; import the threads of one process, or one thread of each", len(files), len(s.processes))
	}
	return l, nil
}

// importFile reads one file, as the stream of a core or as those of several threads.
func importFile(path string, stream int, c traces.ImportConfig, b *assemble.Builder, sum *counts, threads []uint64) error {
	in, err := packed.OpenEntries(path, stream%max(1, b.Cores()), entryBytes, c)
	if err != nil {
		return err
	}
	defer in.Close()
	t := &thread{in: in, core: stream, threads: threads, to: b, counts: sum, locks: map[uint64]lockKind{}}
	return t.read(c.Instructions)
}

// threadsOf lists the threads of a file in the order in which they begin.
func threadsOf(path string, c traces.ImportConfig) (list []uint64, err error) {
	in, err := packed.OpenEntries(path, 0, entryBytes, c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	seen := map[uint64]bool{}
	for {
		e, err := next(in)
		if errors.Is(err, traces.ErrHead) && len(list) > 0 {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if e.kind == typeThread && !seen[e.value] {
			seen[e.value] = true
			list = append(list, e.value)
		}
		if err := in.Pass(entryBytes); err != nil {
			return nil, err
		}
		if e.kind == typeFooter && in.Ended() {
			return list, nil
		}
	}
}

// counts are what the files held.
type counts struct {
	entries, instructions, turns, reads, writes, atomics, prefetches, flushes, empty, markers, windows, encodings uint64
}

func (n *counts) list() []traces.Count {
	return []traces.Count{{Name: "entries", N: n.entries}, {Name: "instructions", N: n.instructions},
		{Name: "further turns of string instructions", N: n.turns}, {Name: "reads", N: n.reads}, {Name: "writes", N: n.writes},
		{Name: "pairs of them that are atomics", N: n.atomics}, {Name: "prefetches, left out", N: n.prefetches}, {Name: "flushes, left out", N: n.flushes},
		{Name: "accesses of no bytes, left out", N: n.empty}, {Name: "markers", N: n.markers}, {Name: "borders of windows within a file, left out", N: n.windows}}
}

const entryBytes = 12

// entry is one of the file's.
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
	return e, nil
}
