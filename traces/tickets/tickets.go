package tickets

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// source gives out the bodies of a trace.
type source struct {
	from    traces.Source
	host    traces.Host
	streams []stream
	cores   []core
	words   map[uint64]*word
	own     [][]uint64       // as in traces.Ticketed
	lines   []map[uint64]int // per recorded core, the places of its lines in own
}

// word is where tickets are taken.
type word struct {
	order []place // bodies behind its tickets, as they were taken
	given int
}

// core is what a core of the chip does.
type core struct {
	place
	at       uint64 // next record of the body, as a position in the recorded stream
	position uint64 // of the next record in what the core does
	met      int    // barriers
	due      []traces.Edge
	next     step
	word     *word // of the ticket that it takes
	asleep   bool
}

// step is what a core does when it reads again.
type step uint8

const (
	goes     step = iota // goes on with its body
	performs             // has the ticket's atomic performed
	takes                // takes the ticket
)

// rewinder is a source that can be read again.
type rewinder interface {
	traces.Source
	Rewind()
}

// Source returns a source of a trace that gives out its tickets, or the trace as it is if it has
// none. The trace is read twice; it stands at its start.
func Source(from traces.Source) (traces.Source, error) {
	t, ok := from.(traces.Ticketed)
	again, can := from.(rewinder)
	if !ok || !can {
		return from, nil
	}
	own, gives := t.Tickets()
	if !gives {
		return from, nil
	}
	w := &source{from: from, words: map[uint64]*word{}, own: own, streams: make([]stream, from.Cores()), cores: make([]core, from.Cores())}
	if err := w.survey(); err != nil {
		return nil, err
	}
	again.Rewind()
	for core, list := range own {
		w.lines = append(w.lines, map[uint64]int{})
		for i, line := range list {
			if line != 0 {
				w.lines[core][line] = i
			}
		}
	}
	for core := range w.cores {
		w.start(core, place{stream: core})
	}
	return w, nil
}

// survey finds all bodies.
func (w *source) survey() error {
	type taken struct {
		place
		word, number uint64
	}
	var all []taken
	var met [][]traces.Record // the barriers of cores that take tickets
	var takers []int
	for core := range w.streams {
		v, words, behind, barriers, err := surveyOf(w.from, core)
		if err != nil {
			return err
		}
		if len(words) > 0 {
			met, takers = append(met, barriers), append(takers, core)
		}
		for i, address := range words {
			all = append(all, taken{place{core, behind[i]}, address, v.bodies[behind[i]].number})
		}
		w.streams[core] = v
	}
	if err := meetAlike(met, takers); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b taken) int { return cmp.Compare(a.number, b.number) })
	for _, t := range all {
		if w.words[t.word] == nil {
			w.words[t.word] = &word{}
		}
		w.words[t.word].order = append(w.words[t.word].order, t.place)
	}
	return nil
}

// meetAlike checks that cores meet at the same barriers. Some may begin later than others.
func meetAlike(met [][]traces.Record, cores []int) error {
	most := 0
	for i := range met {
		if len(met[i]) > len(met[most]) {
			most = i
		}
	}
	for i, list := range met {
		same := func(a, b traces.Record) bool { return a.Address == b.Address && a.Count == b.Count }
		if !slices.EqualFunc(met[most][len(met[most])-len(list):], list, same) {
			return &traces.Error{Stream: traces.RecordStream, Core: cores[i], Offset: -1, Err: traces.ErrIllegal,
				Problem: fmt.Sprintf("cores %d and %d take tickets, but meet at different barriers", cores[most], cores[i]), Hint: "record the program again"}
		}
	}
	return nil
}

// start gives a body to a core. Cores that sleep may have waited for it.
func (w *source) start(core int, p place) {
	c, b := &w.cores[core], &w.streams[p.stream].bodies[p.body]
	c.place, c.at, c.next = p, b.first, goes
	b.core, b.base = core, c.position
	for i := range w.cores {
		if o := &w.cores[i]; o.asleep {
			o.asleep = false
			w.host.Wake(i, w.host.Now()+1)
		}
	}
}

// Cores implements traces.Source.
func (w *source) Cores() int { return len(w.cores) }

// Bind implements traces.Live.
func (w *source) Bind(h traces.Host) { w.host = h }

// Visible implements traces.Live.
func (w *source) Visible(int) {}

// ReadEdges implements traces.Source: the edges of records that were read.
func (w *source) ReadEdges(core int, into []traces.Edge) (int, error) {
	c := &w.cores[core]
	n := copy(into, c.due)
	c.due = c.due[:copy(c.due, c.due[n:])]
	return n, nil
}

// ReadRecords implements traces.Live.
func (w *source) ReadRecords(core int, into []traces.Record) (int, error) {
	c := &w.cores[core]
	switch c.next {
	case performs:
		c.next = takes
		return 0, nil
	case takes:
		c.word.given++ // there is one for each atomic that takes one
		w.start(core, c.word.order[c.word.given-1])
	}
	s := &w.streams[c.stream]
	b := &s.bodies[c.body]
	if c.at == b.end {
		return 0, io.EOF
	}
	r, err := w.read(c.stream, c.at)
	if err == nil {
		err = w.wait(core)
	}
	if err != nil {
		return 0, err
	}
	into[0] = *r
	if c.stream != core && r.Kind.IsAccess() {
		into[0].Address = w.moved(c.stream, core, r.Address)
	}
	c.at++
	c.position++
	if c.at == b.end {
		b.done = true
		s.forget()
		switch meetings := w.streams[core].meetings; {
		case into[0].Kind == traces.Atomic:
			c.next, c.word = performs, w.words[into[0].Address]
		case into[0].Kind == traces.Barrier && c.met < len(meetings):
			c.met++
			w.start(core, place{core, meetings[c.met-1]})
		}
	}
	return 1, nil
}

// wait translates the edges of the record that a core reads next, or lets it sleep until the bodies
// that they lead to have been given out.
func (w *source) wait(core int) error {
	c := &w.cores[core]
	edges, err := w.edgesOf(c.stream, c.at)
	if err != nil {
		return err
	}
	due := len(c.due)
	for _, e := range edges {
		b := w.streams[e.Producer].bodyAt(e.Position)
		switch b.core {
		case nobody:
			c.due, c.asleep = c.due[:due], true
			return traces.ErrAsleep
		case core:
		default:
			c.due = append(c.due, traces.Edge{At: c.position, Producer: uint16(b.core), Position: e.Position - b.first + b.base})
		}
	}
	return nil
}

// moved returns the address that a core uses where a recorded one uses a line of its own.
func (w *source) moved(recorded, core int, address uint64) uint64 {
	i, ok := w.lines[recorded][address/traces.LineBytes]
	if !ok || w.own[core][i] == 0 {
		return address
	}
	return w.own[core][i]*traces.LineBytes + address%traces.LineBytes
}
