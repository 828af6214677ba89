package ttmetal

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// where names a processor.
type where struct {
	node      Node
	processor string
}

// running is a process that is being read.
type running struct {
	Process
	started map[string]uint64 // zones by name: the latest time of their beginning
	states  [2][states]Event  // by network
	set     [2][states]bool
}

// reader gathers the processes of a file.
type reader struct {
	*decoder
	processes   map[where]*running
	first, last uint64 // times
	chip        *int64
	ignored     int
	left        int // events that may still be read
}

// Parse reads one file. The name is for the trace and for messages.
func Parse(name string, from io.Reader) (*Trace, error) { return parse(name, from, limitEvents) }

// parse reads one file with so many events at most.
func parse(name string, from io.Reader, limit int) (*Trace, error) {
	d, err := newDecoder(name, from)
	if err != nil {
		return nil, err
	}
	r := &reader{decoder: d, left: limit, processes: map[where]*running{}, first: math.MaxUint64}
	if err := r.all(); err != nil {
		return nil, err
	}
	if len(r.processes) == 0 {
		return nil, d.fault(traces.ErrIllegal, "there is no event of a processor")
	}
	return r.trace()
}

// all reads events until the array ends.
func (r *reader) all() error {
	for {
		o, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = r.take(o)
		}
		if err != nil {
			return err
		}
	}
}

// take puts an event into its process.
func (r *reader) take(o *object) error {
	at := Node{o.SX, o.SY}
	if o.Proc == "" || at == nowhere {
		r.ignored++
		return nil
	}
	switch {
	case r.left == 0:
		return r.illegal("more than %d events; compare fewer or shorter recordings at a time", r.number-r.ignored-1)
	case o.Time == nil:
		return r.illegal("it has no timestamp")
	case len(o.Proc) > limitName || o.Zone != nil && len(*o.Zone) > limitName:
		return r.illegal("it has a name of more than %d bytes", limitName)
	case !at.possible():
		return r.illegal("it is at no node: sx is %d, sy %d", o.SX, o.SY)
	case o.Chip != nil && r.chip != nil && *o.Chip != *r.chip || o.Chip != nil && o.OtherChip != nil && *o.Chip != *o.OtherChip:
		return r.illegal("it is of a second chip; only traffic of one chip can be simulated")
	case o.Chip != nil:
		r.chip = o.Chip
	}
	e, k, err := r.event(o)
	if err != nil {
		return err
	}
	p := r.process(where{at, o.Proc})
	if o.Type == nil && begins(o) {
		if at, again := p.started[*o.Zone]; again && at == e.Time {
			r.ignored++
			return nil
		}
		p.started[*o.Zone] = e.Time
	}
	r.first, r.last = min(r.first, e.Time), max(r.last, e.Time)
	if k.state != stateless && !p.complete(&e, k) {
		return r.illegal("%s uses a state that was not set", *o.Type)
	}
	if e.Kind.Transfer() && e.Kind != Multicast && e.Peer == nowhere {
		return r.illegal("%s goes to no node", *o.Type)
	}
	if e.Kind == setState {
		e.Kind = Local
	}
	p.Events = append(p.Events, e)
	r.left--
	return nil
}

func begins(o *object) bool {
	return o.Phase == "" || o.Phase == "begin" || o.Phase == "ZONE_START"
}

func (r *reader) process(w where) *running {
	p := r.processes[w]
	if p == nil {
		p = &running{Process: Process{Node: w.node, Processor: w.processor}, started: map[string]uint64{}}
		r.processes[w] = p
	}
	return p
}

// complete sets a state, or completes an event by it, and reports whether there is one.
func (p *running) complete(e *Event, k kind) bool {
	s := &p.states[e.Network][k.state]
	known := &p.set[e.Network][k.state]
	if k.is == setState {
		if e.Peer != nowhere || !*known {
			s.Peer = e.Peer
		}
		s.Bytes = cmp.Or(e.Bytes, s.Bytes)
		*known = true
		return true
	}
	if e.Peer == nowhere {
		if !*known {
			return false
		}
		e.Peer = s.Peer
	}
	e.Bytes = cmp.Or(e.Bytes, s.Bytes)
	return true
}

// trace is what has been read, in the order of nodes and processors.
func (r *reader) trace() (*Trace, error) {
	t := &Trace{Name: baseName(r.name), Ignored: r.ignored}
	for _, p := range r.processes {
		if len(p.Events) == 0 {
			continue
		}
		slices.SortStableFunc(p.Events, func(a, b Event) int { return cmp.Compare(a.Time, b.Time) })
		for i := range p.Events {
			p.Events[i].Time -= r.first
		}
		p.Start = p.Events[0].Time
		t.Processes = append(t.Processes, p.Process)
	}
	slices.SortStableFunc(t.Processes, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.Node.Y, b.Node.Y), cmp.Compare(a.Node.X, b.Node.X), cmp.Compare(a.Processor, b.Processor))
	})
	if r.last-r.first <= Tail {
		return nil, r.fault(traces.ErrIllegal, "all events are within 20 cycles; there is nothing to compare with")
	}
	t.Cycles = r.last - r.first - Tail
	return t, nil
}

// Open reads files, folders with files below them, and tar archives, all of them compressed or not,
// in the order given; in folders and archives it takes what ends in .json, in a folder also such a
// file compressed or an archive. passed follows the reading and may be nil.
func Open(paths []string, passed packed.Passed) ([]*Trace, error) {
	o := opening{left: limitEvents}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		files, before := []string{path}, len(o.all)
		if info.IsDir() {
			if files, err = packed.Walk(path); err != nil {
				return nil, err
			}
			files = slices.DeleteFunc(files, func(file string) bool { return !isTrace(file) && !isArchive(file) })
		}
		for _, file := range files {
			if err := o.file(file, passed); err != nil {
				return nil, err
			}
		}
		if len(o.all) == before {
			return nil, &traces.Error{File: path, Core: -1, Offset: -1, Err: traces.ErrNotATrace, Problem: "there is no file that ends in .json in it"}
		}
	}
	return o.all, nil
}

// opening is several recordings that are read together.
type opening struct {
	all  []*Trace
	left int // events that may still be read
}

// file reads a trace, or those of a tar archive.
func (o *opening) file(path string, passed packed.Passed) error {
	from, err := packed.Open(path, passed)
	if err != nil {
		return err
	}
	defer from.Close()
	if !from.Tar() {
		return o.trace(path, path, from)
	}
	for archive := tar.NewReader(from); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			problem, condition := packed.Condition(err)
			return &traces.Error{File: path, Core: -1, Offset: -1, Err: condition, Problem: problem}
		}
		if head.Typeflag != tar.TypeReg || !isTrace(head.Name) {
			continue
		}
		if err := o.trace(fmt.Sprintf("%s(%s)", path, printable.Name(head.Name)), head.Name, archive); err != nil {
			return err
		}
	}
}

func (o *opening) trace(path, name string, from io.Reader) error {
	t, err := parse(path, from, o.left)
	if err != nil {
		return err
	}
	for _, p := range t.Processes {
		o.left -= len(p.Events)
	}
	t.Name = printable.Name(baseName(name))
	o.all = append(o.all, t)
	return nil
}

// isTrace and isArchive tell by the name what a file among others is.
func isTrace(name string) bool   { return ends(name, ".json") }
func isArchive(name string) bool { return ends(name, ".tar") || ends(name, ".tgz") }

// ends reports whether a file that is not hidden has an extension, perhaps before that of a compression.
func ends(name, extension string) bool {
	base := filepath.Base(name)
	return !strings.HasPrefix(base, ".") && (strings.HasSuffix(base, extension) || extension != ".tgz" && strings.Contains(base, extension+"."))
}

// baseName is a file's name without folder and extensions.
func baseName(path string) string {
	base := filepath.Base(path)
	if i := strings.Index(base, ".json"); i > 0 {
		return base[:i]
	}
	return base
}
