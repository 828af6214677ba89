package riscv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/sample"
)

// Windows are parts of a program's region from which hosts can execute it.
type Windows struct {
	Drawn string // how they were chosen
	list  []*window
	// origins are how many instructions of all harts there were before each.
	origins []traces.Window
}

// window is a machine at the start of a window. It executes nothing; hosts execute copies.
type window struct {
	machine *Machine // without memory
	memory  *packed
}

// conclusion is how the whole program ended, which a window does not show.
type conclusion struct{ Output, End string }

// borders are where the part of a window that is measured starts and ends, and where threads meet.
//
// A thread that wakes all threads that sleep on a word opens a barrier. If it was the only one awake,
// windows can start and end there. However long threads wait on a chip, a window then ends after the
// same work, because the barriers of a word open equally often. Other windows end after a number of
// instructions of all harts.
type borders struct {
	counts map[uint64]uint64 // how often barriers have opened, by word; nil if they are not counted
	met    bool              // one has just opened behind which all go on
	word   uint64            // of that barrier
	// begin is where measuring starts, if that is yet to come, and end where the window ends.
	begin, end border
}

// border is behind a barrier, or behind a number of instructions.
type border struct {
	Word, Opens uint64 // of the barrier, and how often it is yet to open
	Left        uint64 // instructions; 0 where there is no border, or a barrier
}

// wakesAll notes that a thread has woken all that slept on a word.
func (m *Machine) wakesAll(word, woken uint64) {
	b := &m.borders
	if b.counts == nil {
		if next := m.border(); next.Opens > 0 && next.Word == word {
			if next.Opens--; next.Opens == 0 {
				m.reach(next)
			}
		}
		return
	}
	b.counts[word]++
	if others := m.atWork() - 1; others > 0 && woken == uint64(others) {
		b.met, b.word = true, word
	}
}

// atWork counts the harts that have a thread, unless it waits for the end of another one: a thread that starts all others
// often does, and meets nobody.
func (m *Machine) atWork() (n int) {
	for _, h := range m.harts {
		joins := func(o *hart) bool { return o.started && !o.ended && h.sleep != nil && h.sleep.address == o.cleared }
		if h.started && !h.ended && !slices.ContainsFunc(m.harts, joins) {
			n++
		}
	}
	return n
}

// spend comes to a border that is behind a number of instructions.
func (m *Machine) spend(instructions uint64) {
	next := m.border()
	if next.Left == 0 {
		return
	}
	if next.Left -= min(next.Left, instructions); next.Left == 0 {
		m.reach(next)
	}
}

// border returns the next one.
func (m *Machine) border() *border {
	if b := &m.borders; b.begin != (border{}) {
		return &b.begin
	}
	return &m.borders.end
}

// reach starts measuring, or ends a window.
func (m *Machine) reach(b *border) {
	if b != &m.borders.begin {
		m.end()
		return
	}
	*b = border{}
	if m.bound {
		m.host.Measure()
	}
}

// WindowConfig chooses windows.
type WindowConfig struct {
	Windows int
	// Instructions is the length of a window, per hart on average, or between barriers the least
	// length.
	Instructions uint64
	mostKept     uint64 // for tests; 0 is mostKept
}

// ErrWindows: a program does not have such windows.
var ErrWindows = errors.New("the windows do not fit")

// mostKept is how many pages windows may keep beside those that the program ends with.
const mostKept = 4 << 30 / pageBytes

// Windows executes the region of a program twice without a chip: to find its length and its barriers,
// and to keep the state at the start of each window.
func (p *Program) Windows(ctx context.Context, c WindowConfig) (*Windows, error) {
	m, err := p.startTracked(ctx)
	if err != nil {
		return nil, err
	}
	m.memory.share()
	m.borders.counts = map[uint64]uint64{}
	start := m.total()
	whole := m.Clone()
	whole.tracker = nil
	var met []uint64
	if err := whole.run(ctx, func() bool {
		if whole.borders.met {
			met = append(met, whole.total()-start)
			whole.borders.met = false
		}
		return false
	}); err != nil {
		return nil, err
	}
	all := whole.total() - start
	m.concluded = new(conclusion)
	if m.concluded.Output, m.concluded.End, err = whole.Conclude(ctx, false); err != nil {
		return nil, err
	}
	how := sample.DefaultConfig()
	how.Windows, how.Records, how.Limit, how.WarmUp = c.Windows, c.Instructions, record.CacheLimit(), 1
	spans, drawn, err := how.Choose(all, len(m.harts), met)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", p.Name, ErrWindows, err)
	}
	quiet := *p
	quiet.Config.Output = nil // the first execution has written it
	m.program = &quiet
	k := keeper{m: m, start: start, spans: spans, met: met, to: Windows{Drawn: drawn}, most: cmp.Or(c.mostKept, mostKept)}
	if err := m.run(ctx, k.done); err != nil {
		return nil, err
	}
	return &k.to, k.err
}

// keeper keeps the windows of a machine that executes its region.
type keeper struct {
	m     *Machine
	start uint64        // instructions of all harts before the region
	spans []sample.Span // that have not been opened
	open  []*opened
	met   []uint64 // after how many instructions of the region all threads have met
	to    Windows
	most  uint64 // pages that they may keep
	err   error
}

// opened is a window that has been kept, and whose end has not come.
type opened struct {
	sample.Span
	borders *borders
	counts  map[uint64]uint64 // how often barriers had opened at its latest border
	began   bool
}

// done opens windows and notes their borders. It reports whether the last one is complete.
func (k *keeper) done() bool {
	m, b := k.m, &k.m.borders
	at := m.total() - k.start
	for _, o := range k.open {
		if !o.began && at >= o.Begin {
			o.began = true
			if o.Begin > o.Open {
				o.borders.begin = k.border(o, o.Begin-o.Open)
			}
			o.counts = maps.Clone(b.counts)
		}
		if o.began && at >= o.End {
			o.borders.end = k.border(o, o.End-o.Begin)
		}
	}
	k.open = slices.DeleteFunc(k.open, func(o *opened) bool { return o.borders.end != (border{}) })
	b.met = false
	for len(k.spans) > 0 && at >= k.spans[0].Open && k.err == nil {
		k.keep()
	}
	if m.memory.owner.copied > k.most {
		k.err = fmt.Errorf("%s: %w: they keep more than %d bytes of memory; choose fewer", m.program.Name, ErrWindows, k.most*pageBytes)
	}
	return len(k.spans) == 0 && len(k.open) == 0 || k.err != nil
}

// border describes where the machine is, so many instructions behind the latest border of a window.
func (k *keeper) border(o *opened, instructions uint64) border {
	b := &k.m.borders
	if opens := b.counts[b.word] - o.counts[b.word]; opens > 0 && k.atBarriers(o) {
		return border{Word: b.word, Opens: opens}
	}
	return border{Left: instructions}
}

// atBarriers reports whether all threads meet at both ends of a window.
func (k *keeper) atBarriers(o *opened) bool {
	_, begins := slices.BinarySearch(k.met, o.Begin)
	_, ends := slices.BinarySearch(k.met, o.End)
	return (begins || o.Begin == 0) && ends
}

// keep keeps the state before a window.
func (k *keeper) keep() {
	w := &window{k.m.with(nil), k.m.memory.pack()}
	k.m.memory.share()
	w.machine.borders = borders{}
	w.machine.present()
	k.to.list, k.to.origins = append(k.to.list, w), append(k.to.origins, traces.Window{After: k.m.total() - k.start})
	k.open = append(k.open, &opened{k.spans[0], &w.machine.borders, maps.Clone(k.m.borders.counts), k.spans[0].Begin == k.spans[0].Open})
	k.spans = k.spans[1:]
}

// Len returns the number of windows; 0 of nil.
func (w *Windows) Len() int {
	if w == nil {
		return 0
	}
	return len(w.list)
}

// Open returns a machine at the start of a window, which a host may take over.
func (w *Windows) Open(i int) *Machine { return w.list[i].machine.with(w.list[i].memory.unpack()) }
