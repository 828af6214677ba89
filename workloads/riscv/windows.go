package riscv

import (
	"context"
	"errors"
	"fmt"
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
type conclusion struct{ output, end string }

// borders are where windows end, and where threads meet.
//
// A thread that wakes all threads that sleep on a word opens a barrier. If it was the only one awake,
// windows can start and end there. However long threads wait on a chip, a window then ends after the
// same work, because the barriers of a word open equally often. Other windows end after a number of
// instructions of all harts.
type borders struct {
	counts map[uint64]uint64 // how often barriers have opened, by word; nil if they are not counted
	met    bool              // one has just opened behind which all go on
	word   uint64            // of that barrier; in a window, of the one at its end, or 0
	opens  uint64            // how often that one is yet to open
	left   uint64            // instructions up to the end of a window that ends at no barrier; 0 where there is no window
}

// wakesAll notes that a thread has woken all that slept on a word.
func (m *Machine) wakesAll(word, woken uint64) {
	b := &m.borders
	switch {
	case b.counts != nil:
		b.counts[word]++
		if others := m.atWork() - 1; others > 0 && woken == uint64(others) {
			b.met, b.word = true, word
		}
	case b.opens > 0 && b.word == word:
		if b.opens--; b.opens == 0 {
			m.end()
		}
	}
}

// atWork counts the harts that have a thread.
func (m *Machine) atWork() (n int) {
	for _, h := range m.harts {
		if h.started && !h.ended {
			n++
		}
	}
	return n
}

// spend ends a window after its last instruction.
func (m *Machine) spend(instructions uint64) {
	if m.borders.left == 0 {
		return
	}
	if m.borders.left -= min(m.borders.left, instructions); m.borders.left == 0 {
		m.end()
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
	if m.concluded.output, m.concluded.end, err = whole.Conclude(ctx, false); err != nil {
		return nil, err
	}
	how := sample.DefaultConfig()
	how.Windows, how.Records, how.Limit = c.Windows, c.Instructions, record.CacheLimit()
	spans, drawn, err := how.Choose(all, len(m.harts), met)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", p.Name, ErrWindows, err)
	}
	quiet := *p
	quiet.Config.Output = nil // the first execution has written it
	m.program = &quiet
	k := keeper{m: m, start: start, spans: spans, met: met, to: Windows{Drawn: drawn}, most: c.mostKept}
	if k.most == 0 {
		k.most = mostKept
	}
	if err := m.run(ctx, k.done); err != nil {
		return nil, err
	}
	return &k.to, k.err
}

// keeper keeps the windows of a machine that executes its region.
type keeper struct {
	m      *Machine
	start  uint64 // instructions of all harts before the region
	spans  []sample.Span
	met    []uint64 // after how many instructions of the region all threads have met
	inside bool     // of a window
	to     Windows
	most   uint64 // pages that they may keep
	err    error
}

// done starts and ends windows, and reports whether the last one is complete.
func (k *keeper) done() bool {
	m, b := k.m, &k.m.borders
	at := m.total() - k.start
	if k.inside && at >= k.spans[0].End {
		if e := &k.to.list[len(k.to.list)-1].machine.borders; k.atBarriers() {
			e.word, e.opens = b.word, b.counts[b.word]
		} else {
			e.left = k.spans[0].End - k.spans[0].Begin
		}
		k.inside, k.spans = false, k.spans[1:]
	}
	b.met = false
	if len(k.spans) > 0 && !k.inside && at >= k.spans[0].Begin {
		k.keep()
	}
	if m.memory.owner.copied > k.most {
		k.err = fmt.Errorf("%s: %w: they keep more than %d bytes of memory; choose fewer", m.program.Name, ErrWindows, k.most*pageBytes)
	}
	return len(k.spans) == 0 || k.err != nil
}

// atBarriers reports whether all threads meet at both ends of the present window.
func (k *keeper) atBarriers() bool {
	_, begins := slices.BinarySearch(k.met, k.spans[0].Begin)
	_, ends := slices.BinarySearch(k.met, k.spans[0].End)
	return (begins || k.spans[0].Begin == 0) && ends
}

// keep starts a window. Here is the place for records before it that warm more than caches.
func (k *keeper) keep() {
	clear(k.m.borders.counts)
	w := &window{k.m.with(nil), k.m.memory.pack()}
	k.m.memory.share()
	w.machine.borders = borders{}
	w.machine.present()
	k.to.list, k.to.origins = append(k.to.list, w), append(k.to.origins, traces.Window{After: k.m.total() - k.start})
	k.inside = true
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
