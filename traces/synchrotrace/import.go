package synchrotrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/assemble"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "synchrotrace 1"

// known is what the first reading of a thread finds.
type known struct {
	ends     []uint64             // by event: records of the thread up to and with it
	sections map[uint64][]section // by lock, in order
}

// importer is the state of an import.
type importer struct {
	files   []string
	config  traces.ImportConfig
	names   names
	threads []known
	created map[int]bool
	to      *assemble.Builder
	counts  [4]uint64
	skipped uint64
	moved   uint64 // edges that stand at a lock
	empty   uint64 // edges to events without records
}

// Import reads the files of all threads, given one by one or as their folder.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	var none traces.Imported
	files := paths
	if c.Head == 0 {
		var err error
		if files, err = list(paths); err != nil {
			return none, err
		}
	}
	p := &importer{files: files, config: c, threads: make([]known, len(files))}
	m := traces.DefaultMetadata(c.Workload, len(files))
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, Version, "unknown", "mapped"
	m.Notes = append([]string{"the order of accesses within an event, and repeated ones, are not in the format"}, packed.CutNotes(files...)...)
	var err error
	if c.Head > 0 {
		p.names = names{}
	} else if p.names, err = readNames(filepath.Join(filepath.Dir(files[0]), "sigil.pthread.out"), len(files)); errors.Is(err, fs.ErrNotExist) {
		m.Notes = append(m.Notes, "there was no sigil.pthread.out: threads start together, and barriers are left out")
	} else if err != nil {
		return none, err
	}
	for core := range files {
		m.CoreNames = append(m.CoreNames, fmt.Sprintf("thread %d", core+1))
		if err := p.count(core); err != nil {
			return none, err
		}
	}
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		p.to, p.created = b, map[int]bool{}
		for core := range files {
			if err := p.write(core); err != nil {
				return nil, err
			}
		}
		return p.list(), nil
	})
}

// list is what the files held.
func (p *importer) list() []traces.Count {
	return []traces.Count{{Name: "computations", N: p.counts[compute]},
		{Name: "communications", N: p.counts[communication]}, {Name: "calls", N: p.counts[call]}, {Name: "calls left out", N: p.skipped},
		{Name: "instruction markers and totals", N: p.counts[marker]}, {Name: "edges that stand at a lock", N: p.moved},
		{Name: "edges to events without a record, left out", N: p.empty}}
}

// count reads a thread for the positions of its events.
func (p *importer) count(core int) error {
	if core == 0 {
		p.created = map[int]bool{}
	}
	k := &p.threads[core]
	t := &thread{names: &p.names, created: p.created, out: sink{record: func(traces.Record) {}, edge: func(uint64, *span) {}}}
	err := p.each(core, t, func() string {
		for uint64(len(k.ends)) < t.events {
			k.ends = append(k.ends, t.position)
		}
		return ""
	})
	t.end()
	k.sections = t.sections
	return err
}

// write reads a thread again and writes its records.
func (p *importer) write(core int) error {
	problem := ""
	note := func(text string) {
		if problem == "" {
			problem = text
		}
	}
	t := &thread{names: &p.names, created: p.created}
	var edges []traces.Edge // of critical sections, in which they may move
	settle := func() {
		slices.SortStableFunc(edges, func(a, b traces.Edge) int { return cmp.Compare(a.At, b.At) })
		for _, e := range edges {
			note(p.to.Order(core, e.At, e.Producer, e.Position))
		}
		edges = edges[:0]
	}
	t.out.record = func(r traces.Record) {
		if r.Kind.IsAccess() {
			note(p.to.Access(core, r, 1<<r.Size))
		} else {
			note(p.to.Append(core, r))
		}
	}
	t.out.edge = func(at uint64, s *span) {
		if e, there, problem := p.edge(at, s, t.held); problem != "" {
			note(problem)
		} else if there {
			edges = append(edges, e)
		}
	}
	err := p.each(core, t, func() string {
		if len(t.held) == 0 {
			settle()
		}
		return problem
	})
	if err != nil {
		return err
	}
	t.end()
	settle()
	if problem != "" {
		return &traces.Error{File: p.files[core], Core: core, Offset: -1, Err: traces.ErrIllegal, Problem: problem}
	}
	p.to.Execute(core, t.pending)
	for i := range t.counts {
		p.counts[i] += t.counts[i]
	}
	p.skipped += t.skipped
	return nil
}

// edge returns the edge to what a span names, for a record while some locks are held; there is none
// to an event without records.
func (p *importer) edge(at uint64, s *span, held []lock) (e traces.Edge, there bool, problem string) {
	if p.config.Head > 0 {
		return e, false, ""
	}
	if s.thread > uint64(len(p.threads)) {
		return e, false, fmt.Sprintf("thread %d does not exist; there are %d", s.thread, len(p.threads))
	}
	k := &p.threads[s.thread-1]
	if s.event >= uint64(len(k.ends)) {
		return e, false, fmt.Sprintf("event %d of thread %d does not exist", s.event, s.thread)
	}
	end := k.ends[s.event]
	if end == 0 {
		p.empty++
		return e, false, ""
	}
	if common := k.common(held, s.event); common >= 0 {
		at = held[common].position
		p.moved++
	}
	return traces.Edge{At: at, Producer: uint16(s.thread - 1), Position: end - 1}, true, ""
}

// common returns the first of some locks in whose critical sections an event of the thread lies, or
// -1.
func (k *known) common(held []lock, event uint64) int {
	return slices.IndexFunc(held, func(l lock) bool {
		of := k.sections[l.object]
		i := sort.Search(len(of), func(i int) bool { return of[i].last >= event })
		return i < len(of) && of[i].first <= event
	})
}

// each is the loop over a thread's lines; after is called after each event.
func (p *importer) each(core int, t *thread, after func() string) error {
	from, err := packed.OpenEntries(p.files[core], core, 0, p.config)
	if err != nil {
		return err
	}
	defer from.Close()
	lines := from.Lines()
	lines.Limit = limitLine
	for e := (event{}); ; {
		line, err := lines.Text()
		if errors.Is(err, traces.ErrHead) {
			return nil
		}
		if err != nil || line == nil {
			return err
		}
		if !lines.Whole {
			return lines.Fault(traces.ErrTruncated, "the line has no newline: the file may be truncated")
		}
		problem := cmp.Or(e.parse(line), t.numbered(&e, core, p.config.Head > 0))
		if problem == "" {
			t.step(&e)
			problem = after()
		}
		if problem != "" {
			return lines.Fault(traces.ErrIllegal, problem)
		}
		if p.to != nil && p.to.Err() != nil {
			return p.to.Err()
		}
	}
}

const limitLine = 1 << 22

var eventsFile = regexp.MustCompile(`^sigil\.events\.out-(\d+)(\..*)?$`)

// list finds the files of threads 1 to n.
func list(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, errors.New("no files given: name one per thread, or their folder")
	}
	byThread := map[int]string{}
	for _, path := range paths {
		found := eventsFile.FindStringSubmatch(filepath.Base(path))
		if found == nil {
			return nil, fmt.Errorf("%s: files of threads are named sigil.events.out-N, with or without .gz", path)
		}
		n, err := strconv.Atoi(found[1])
		if err != nil || n < 1 || byThread[n] != "" {
			return nil, fmt.Errorf("%s: threads have numbers from 1, each once", path)
		}
		byThread[n] = path
	}
	var files []string
	for n := 1; n <= len(byThread); n++ {
		if byThread[n] == "" {
			return nil, fmt.Errorf("the file of thread %d is missing: there are %d files", n, len(byThread))
		}
		files = append(files, byThread[n])
	}
	return files, nil
}

// Named reports whether a file's name is that of a thread.
func Named(name string) bool { return eventsFile.MatchString(name) }

// readNames reads sigil.pthread.out.
func readNames(path string, threads int) (names, error) {
	n := names{threads: map[uint64]int{}, barriers: map[uint64]uint16{}}
	b, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return n, err
	}
	offset := 0
	for line := range bytes.Lines(b) {
		problem := n.line(strings.TrimSpace(string(line)), threads)
		if problem != "" {
			return n, &traces.Error{File: path, Core: -1, Offset: int64(offset), Err: traces.ErrIllegal, Problem: problem}
		}
		offset += len(line)
	}
	return n, nil
}

func (n *names) line(text string, threads int) string {
	var list []uint64
	if text == "" || strings.HasPrefix(text, "Total ") && strings.Contains(text, ":") {
		return "" // counts that older recorders write
	}
	barrier := strings.HasPrefix(text, "**")
	for _, word := range strings.Split(strings.TrimSuffix(strings.TrimLeft(text, "#*"), ","), ",") {
		v, err := strconv.ParseUint(word, 0, 64)
		if err != nil || len(list) > 0 && (v == 0 || v > uint64(threads)) {
			return fmt.Sprintf("%.60q is neither ##ADDRESS,THREAD nor **ADDRESS,THREAD,..., with threads from 1 to %d", text, threads)
		}
		list = append(list, v)
	}
	switch {
	case barrier && len(list) > 1:
		n.barriers[list[0]] = uint16(len(list) - 1)
	case strings.HasPrefix(text, "##") && len(list) == 2:
		n.threads[list[0]] = int(list[1] - 1)
	default:
		return fmt.Sprintf("%.60q is neither ##ADDRESS,THREAD nor **ADDRESS,THREAD,...", text)
	}
	return ""
}
