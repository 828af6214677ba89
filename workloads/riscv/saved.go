package riscv

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
)

// Windows are saved as a trace without records. The state of a window is 4 bytes with the length of
// the JSON of saved, the JSON, in the first window the executable, and the pages that the window
// before it, or the executable, does not have.

// saved is a machine that no host has taken over.
type saved struct {
	Program  *savedProgram `json:",omitempty"` // of the first window
	Harts    []savedHart
	Sleepers []savedSleep // in the order in which they fell asleep
	Files    []savedFile
	Actions  map[uint64][]byte
	Heap     uint64
	Before   uint64
	Random   random.Stream
	Ended    bool // the first thread has
	Status   int  // of that
	conclusion
	border            // of the end
	Begin     *border `json:",omitempty"` // where measuring starts
	States    []stretch
	Mappings  []mapping // of the executable
	Pages     []uint32  // those that follow
	Untouched []uint32  // pages of the window before that this one does not have
}

type savedProgram struct {
	Name, Digest string
	Arguments    []string
	Threads      int
	Fetches      bool
	Bytes        int // of the executable
}

type savedHart struct {
	Registers      [64]uint64
	PC             uint64
	Flags          exceptions
	Rounding       uint8
	Started, Ended bool
	Executed       uint64
	Reserve        uint64
	Mask, Cleared  uint64
}

type savedSleep struct {
	Hart     int
	Address  uint64
	Bits     uint32
	Deadline uint64
}

// savedFile is a descriptor of standard input, standard output or standard error.
type savedFile struct {
	Number uint64
	Writes bool
}

// Save writes the windows of a program, which any machine can then execute.
func (p *Program) Save(w *Windows, c record.Config, to traces.Destination) (done record.Result, err error) {
	if p.files != nil {
		return done, fmt.Errorf("%w into a file: those of a program that reads files cannot be saved; execute them by carousel run --program, with --windows", ErrWindows)
	}
	m := p.metadata(c, true)
	m.Executes, m.Tickets, m.Tries, m.Windows, m.Drawn = true, false, false, w.origins, fmt.Sprintf("%d windows %s", len(w.list), w.Drawn)
	m.Symbols, m.EdgeBytes, m.Notes = nil, 0, []string{"the windows are states of a program, from which a chip executes it; there are no records", m.Notes[0], m.Notes[4]}
	out, err := to(m)
	if err != nil {
		return done, err
	}
	defer out.Abort() // does nothing after Close
	before := p.image.pack()
	for i, one := range w.list {
		state := one.save(before)
		if before = one.memory; i == 0 {
			state.Program = &savedProgram{p.Name, p.Digest, p.Config.Arguments, len(one.machine.harts), p.Config.Fetches, len(p.content)}
		}
		content, _ := json.Marshal(state.saved) // texts and numbers
		content = append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
		if i == 0 {
			content = append(content, p.content...)
		}
		for _, page := range state.fresh {
			content = append(content, page.data[:]...)
		}
		_ = out.WriteState(i, content) // the writer keeps its first error
		_ = out.WriteTimestamps(i, one.machine.warm)
		for core := range one.machine.harts {
			_ = out.WriteRecords(i*len(one.machine.harts)+core, []traces.Record{{Kind: traces.End}})
		}
	}
	if err := out.Close(); err != nil {
		return done, err
	}
	done.Metadata, done.Totals = m, out.Totals()
	if end := w.list[0].machine.concluded.End; end != ending(0) {
		done.Status = end
	}
	return done, nil
}

// unsaved is a state with the pages that follow it.
type unsaved struct {
	saved
	fresh []*page
}

// save describes a window after a memory.
func (w *window) save(before *packed) (s unsaved) {
	m := w.machine
	for _, h := range m.harts {
		s.Harts = append(s.Harts, savedHart{h.r, h.pc, h.flags, h.rounding, h.started, h.ended, h.executed, h.reserve, h.mask, h.cleared})
	}
	for _, x := range m.sleepers {
		s.Sleepers = append(s.Sleepers, savedSleep{x.h.id, x.address, x.bits, x.deadline})
	}
	for number, f := range m.files {
		s.Files = append(s.Files, savedFile{number, f.writes})
	}
	slices.SortStableFunc(s.Files, func(a, b savedFile) int { return int(a.Number) - int(b.Number) })
	s.Actions = m.actions
	s.Heap, s.Before, s.Random, s.Ended, s.Status = m.heap, m.before, m.random, m.leader.ended, m.leader.status
	s.conclusion, s.border = *m.concluded, m.borders.end
	if m.borders.begin != (border{}) {
		s.Begin = &m.borders.begin
	}
	s.States, s.Mappings = w.memory.states, slices.Clone(w.memory.mappings)
	old := map[uint32]*page{}
	for _, x := range before.pages {
		old[x.number] = x.page
	}
	for _, x := range w.memory.pages {
		if old[x.number] != x.page {
			s.Pages, s.fresh = append(s.Pages, x.number), append(s.fresh, x.page)
		}
		delete(old, x.number)
	}
	for _, x := range before.pages {
		if old[x.number] != nil {
			s.Untouched = append(s.Untouched, x.number)
		}
	}
	return s
}

// OpenWindows reads saved windows.
func OpenWindows(f *traces.File) (*Windows, error) {
	var p *Program
	var before *packed
	w := &Windows{Drawn: f.Metadata().Drawn}
	for i := range f.Windows() {
		own, err := f.Window(i)
		if err != nil {
			return nil, err
		}
		var content []byte
		err = own.ReadState(func(part []byte) error {
			if content = append(content, part...); len(content) > mostState {
				return fmt.Errorf("it has more than %d bytes", mostState)
			}
			return nil
		})
		var one *window
		if err == nil {
			if one, err = restore(content, &p, before, f.Cores()); err == nil {
				one.machine.warm, _, err = own.ReadTimestamps()
			}
		}
		if err = errors.Join(err, own.Close()); err != nil {
			return nil, fmt.Errorf("the state of window %d cannot be read: %w", i, err)
		}
		before = one.memory
		w.list = append(w.list, one)
	}
	return w, nil
}

// mostState is more than any state has: all pages, the executable, and what describes them.
const mostState = 1<<spaceBits + heapLimit + 64<<20

// errState: a file that is whole does not have a state as Save writes it.
var errState = errors.New("its content is not as this version writes it; save the windows again")

// restore makes a window of its state, after the memory of the window before it. It reads the program with
// the first one.
func restore(content []byte, p **Program, before *packed, cores int) (*window, error) {
	var s saved
	take := func(n int) (part []byte) {
		if n < 0 || n > len(content) {
			return nil
		}
		part, content = content[:n:n], content[n:]
		return part
	}
	length := take(4)
	if length == nil || json.Unmarshal(take(int(binary.LittleEndian.Uint32(length))), &s) != nil {
		return nil, errState
	}
	if *p == nil {
		if s.Program == nil || s.Program.Threads != cores {
			return nil, errState
		}
		c := DefaultConfig()
		c.Threads, c.Arguments, c.Fetches = cores, s.Program.Arguments, s.Program.Fetches
		program, err := Load(s.Program.Name, take(s.Program.Bytes), c)
		if err != nil {
			return nil, err
		}
		if program.Digest != s.Program.Digest {
			return nil, errors.New("another version of Carousel saved it, in which programs run differently; save the windows again")
		}
		*p, before = program, program.image.pack()
	}
	pages := map[uint32]*page{}
	for _, x := range before.pages {
		pages[x.number] = x.page
	}
	for _, n := range s.Untouched {
		delete(pages, n)
	}
	for _, n := range s.Pages {
		data := take(pageBytes)
		if data == nil {
			return nil, errState
		}
		pages[n] = &page{data: [pageBytes]byte(data)}
	}
	if len(content) > 0 {
		return nil, errState
	}
	return s.window(*p, pages)
}

// window checks a state and makes a window of it.
func (s *saved) window(p *Program, pages map[uint32]*page) (*window, error) {
	memory := &packed{states: s.States, mappings: s.Mappings}
	for n, x := range pages {
		memory.pages = append(memory.pages, numbered{n, x})
	}
	slices.SortFunc(memory.pages, func(a, b numbered) int { return int(a.number) - int(b.number) })
	backs := make([]bool, spacePages)
	for _, x := range s.Mappings {
		if x.First > x.End || x.End > spacePages {
			return nil, errState
		}
		for n := x.First; n < x.End; n++ {
			backs[n] = true
		}
	}
	ascends := slices.IsSortedFunc(s.States, func(a, b stretch) int { return int(a.First) - int(b.First) })
	if n := len(s.States); !ascends || n > 0 && s.States[n-1].First >= spacePages || len(s.Harts) != p.Config.Threads ||
		len(memory.pages) > 0 && memory.pages[len(memory.pages)-1].number >= spacePages {
		return nil, errState
	}
	for n, state := range memory.unpack().states {
		if state&backed != 0 && !backs[n] {
			return nil, errState
		}
	}
	m := &Machine{program: p, actions: s.Actions, begun: true, heap: s.Heap, before: s.Before, random: s.Random,
		concluded: &s.conclusion, borders: borders{end: s.border}}
	if s.Begin != nil {
		m.borders.begin = *s.Begin
	}
	if m.actions == nil {
		m.actions = map[uint64][]byte{}
	}
	m.leader.ended, m.leader.status = s.Ended, s.Status
	for i, x := range s.Harts {
		h := &hart{id: i, m: m, r: x.Registers, pc: x.PC, flags: x.Flags & 31, rounding: x.Rounding & 7, started: x.Started, ended: x.Ended,
			executed: x.Executed, reserve: x.Reserve, mask: x.Mask, cleared: x.Cleared}
		if h.reserve != 0 {
			m.reserved++
		}
		m.harts = append(m.harts, h)
	}
	for _, x := range s.Sleepers {
		if x.Hart < 0 || x.Hart >= len(m.harts) || m.harts[x.Hart].sleep != nil {
			return nil, errState
		}
		h := m.harts[x.Hart]
		h.sleep, h.deep = &sleep{h, x.Address, x.Bits, x.Deadline}, true
		m.sleepers = append(m.sleepers, h.sleep)
	}
	m.files = map[uint64]*file{}
	for _, x := range s.Files {
		m.files[x.Number] = &file{node: standardFiles()[0].node, writes: x.Writes}
	}
	return &window{m, memory}, nil
}
