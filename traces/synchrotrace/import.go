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

type importer struct {
	files   []string
	config  traces.ImportConfig
	names   names
	threads []*thread
	created map[int]bool
	to      *assemble.Builder
	moved   uint64 // edges that stand at a lock
	empty   uint64 // edges to events without records
}

// Import reads the files of all threads, given one by one or as their folder.
func Import(paths []string, c traces.ImportConfig, to traces.Destination) (done traces.Imported, err error) {
	p := &importer{files: paths, config: c, created: map[int]bool{}}
	if c.Head == 0 {
		if p.files, err = list(paths); err != nil {
			return done, err
		}
	}
	m := traces.DefaultMetadata(c.Workload, len(p.files))
	m.Origin, m.Importer, m.Target, m.Addresses = c.Origin, "synchrotrace 1", "unknown", "mapped"
	m.Notes = append([]string{"the order of accesses within an event, and repeated ones, are not in the format"}, packed.CutNotes(p.files...)...)
	if c.Head == 0 {
		if p.names, err = readNames(filepath.Join(filepath.Dir(p.files[0]), "sigil.pthread.out"), len(p.files)); errors.Is(err, fs.ErrNotExist) {
			m.Notes = append(m.Notes, "there was no sigil.pthread.out: threads start together, and barriers are left out")
		} else if err != nil {
			return done, err
		}
	}
	for core := range p.files {
		m.CoreNames = append(m.CoreNames, fmt.Sprintf("thread %d", core+1))
	}
	return assemble.Write(m, to, func(b *assemble.Builder) ([]traces.Count, error) {
		p.to = b
		for core := range p.files {
			t := &thread{importer: p, core: core, sections: map[uint64][]section{}, sets: [][]lock{nil}}
			p.threads = append(p.threads, t)
			if err := p.each(t); err != nil {
				return nil, err
			}
		}
		for core, t := range p.threads {
			if err := p.order(core, t.waits); err != nil {
				return nil, err
			}
		}
		return p.list(), nil
	})
}

func (p *importer) list() []traces.Count {
	var counts [marker + 1]uint64
	var skipped uint64
	for _, t := range p.threads {
		for kind, n := range t.counts {
			counts[kind] += n
		}
		skipped += t.skipped
	}
	return []traces.Count{{Name: "computations", N: counts[compute]},
		{Name: "communications", N: counts[communication]}, {Name: "calls", N: counts[call]}, {Name: "calls left out", N: skipped},
		{Name: "instruction markers and totals", N: counts[marker]}, {Name: "edges that stand at a lock", N: p.moved},
		{Name: "edges to events without a record, left out", N: p.empty}}
}

// order writes the edges of a thread, in the order of the records that wait.
func (p *importer) order(core int, waits []wait) error {
	for i := range waits {
		if p.config.Head > 0 { // there are no other threads
			return nil
		}
		w, problem := &waits[i], ""
		switch {
		case int(w.thread) > len(p.threads):
			problem = fmt.Sprintf("thread %d does not exist; there are %d", w.thread, len(p.threads))
		case w.event >= uint64(len(p.threads[w.thread-1].ends)):
			problem = fmt.Sprintf("event %d of thread %d does not exist", w.event, w.thread)
		case int(w.thread) == core+1:
			problem = fmt.Sprintf("thread %d waits for itself; it must be another one", w.thread)
		}
		if problem != "" {
			return &traces.Error{File: p.files[core], Core: core, Offset: w.start, Err: traces.ErrIllegal, Problem: problem}
		}
		k := p.threads[w.thread-1]
		if w.end = k.ends[w.event]; w.end == 0 {
			p.empty++
		} else if common := k.common(p.threads[core].sets[w.held], w.event); common != nil {
			w.at = common.position
			p.moved++
		}
	}
	slices.SortStableFunc(waits, func(a, b wait) int { return cmp.Compare(a.at, b.at) })
	for _, w := range waits {
		if w.end > 0 {
			p.to.Order(core, w.at, w.thread-1, w.end-1)
		}
	}
	return p.to.Err()
}

// common returns the first of some locks in whose critical sections an event of the thread lies, or nil.
func (t *thread) common(held []lock, event uint64) *lock {
	i := slices.IndexFunc(held, func(l lock) bool {
		of := t.sections[l.object]
		i := sort.Search(len(of), func(i int) bool { return of[i].last >= event })
		return i < len(of) && of[i].first <= event
	})
	if i < 0 {
		return nil
	}
	return &held[i]
}

// each is the loop over a thread's lines.
func (p *importer) each(t *thread) error {
	from, err := packed.OpenEntries(p.files[t.core], t.core, 0, p.config)
	if err != nil {
		return err
	}
	defer from.Close()
	lines := from.Lines()
	lines.Limit = limitLine
	for e := (event{}); ; {
		line, err := lines.Text()
		if line == nil && err == nil || errors.Is(err, traces.ErrHead) {
			return t.end()
		}
		if err != nil {
			return err
		}
		if !lines.Whole {
			return lines.Fault(traces.ErrTruncated, "the line has no newline: the file may be truncated")
		}
		problem := cmp.Or(e.parse(line), t.numbered(&e, p.config.Head > 0))
		if problem == "" {
			e.start = lines.Start
			t.step(&e)
			problem = t.problem
		}
		if problem != "" {
			return lines.Fault(traces.ErrIllegal, problem)
		}
		if err := p.to.Err(); err != nil {
			return err
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
