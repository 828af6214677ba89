package riscv

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/record"
	"github.com/carousel-sim/carousel/traces/timestamps"
)

// Machine is a program at work.
type Machine struct {
	program *Program
	memory  *memory
	harts   []*hart
	fault   error // why the program cannot go on: a *Fault, or that it is interrupted

	host  traces.Host
	bound bool // a host decides when stores are visible
	// before is the time in cycles at which the host took over; until then, the time in which
	// everybody slept.
	before uint64

	over   bool // the region has ended, or the program
	exited bool
	status int
	leader struct { // the first thread
		ended  bool
		status int // that of the program if all threads end themselves
	}
	actions  map[uint64][]byte // for signals, which never come
	begun    bool              // the region has
	rest     bool              // the region is over, and the rest runs: markers mean nothing any more
	reserved int               // harts with a reservation
	sleepers []*sleep
	heap     uint64 // its end
	files    map[uint64]*file
	random   random.Stream
	output   []byte // the latest of what it has written

	hooked    func(*hart) // takes that a hart has come to a hooked instruction
	borders   borders
	concluded *conclusion // of a window

	eager   bool                // tests seed this defect: an atomic takes effect when it is dispatched
	tracker *timestamps.Tracker // nil unless caches are followed
	warm    *traces.Timestamps
}

// start makes a machine at the program's first instruction.
func (p *Program) start() *Machine {
	m := &Machine{program: p, memory: p.image.clone(), heap: p.end, files: standardFiles(), actions: map[uint64][]byte{}, random: 1}
	for i := range p.Config.Threads {
		m.harts = append(m.harts, &hart{id: i, m: m})
	}
	h := m.harts[0]
	h.started, h.pc = true, p.entry
	h.r[2] = p.stack
	return m
}

// Clone copies a machine that no host has taken over, and that executes nothing from now on.
func (m *Machine) Clone() *Machine { return m.with(m.memory.clone()) }

// with copies a machine, but for its memory.
func (m *Machine) with(memory *memory) *Machine {
	c := *m
	c.output, c.actions, c.borders.counts = slices.Clone(m.output), maps.Clone(m.actions), maps.Clone(m.borders.counts)
	c.memory, c.harts, c.sleepers, c.files = memory, nil, nil, map[uint64]*file{}
	for _, h := range m.harts {
		o := *h
		o.m = &c
		c.harts = append(c.harts, &o)
	}
	for _, s := range m.sleepers {
		o := *s
		o.h = c.harts[s.h.id]
		o.h.sleep = &o
		c.sleepers = append(c.sleepers, &o)
	}
	copies := map[*file]*file{} // several descriptors may have one
	for number, f := range m.files {
		if copies[f] == nil {
			o := *f
			copies[f] = &o
		}
		c.files[number] = copies[f]
	}
	return &c
}

// turn is how many instructions a hart executes before the next one does, if no host decides.
const turn = 1000

// Start runs a program up to the start of its region, if it has one, and returns the machine, which
// a host may take over.
func (p *Program) Start(ctx context.Context) (*Machine, error) {
	if !p.marked {
		m := p.start()
		m.begun = true
		return m, nil
	}
	m, err := p.startTracked(ctx)
	if err != nil {
		return nil, err
	}
	m.present()
	return m, nil
}

// startTracked is Start, but the machine goes on to track what caches hold.
func (p *Program) startTracked(ctx context.Context) (m *Machine, err error) {
	m = p.start()
	m.begun = !p.marked
	if m.tracker, err = timestamps.NewTracker(p.Config.Threads, record.CacheLimit()); err != nil {
		return nil, err
	}
	if err := m.run(ctx, func() bool { return m.begun }); err != nil {
		return nil, err
	}
	if !m.begun {
		return nil, fmt.Errorf("%s ended, with status %d, before its region started; let a thread execute the first marker%s", p.Name, m.status, m.wrote())
	}
	return m, nil
}

// present makes a machine ready for a host, with caches as the tracker has followed them.
func (m *Machine) present() {
	m.warm, m.tracker = m.tracker.Record(), nil
	for _, h := range m.harts {
		h.line, h.count, h.deep = 0, 0, h.sleep != nil
	}
}

// run executes harts in turns until something has happened or the program has ended.
func (m *Machine) run(ctx context.Context, until func() bool) error {
	m.host.Stopped = ctx.Err
	for !m.over && !until() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.fault != nil {
			return m.fault
		}
		any := false
		for _, h := range m.harts {
			m.wakeOverdue()
			if !h.awake() || m.over {
				continue
			}
			any = true
			h.forward(turn)
			if m.fault != nil {
				return m.fault
			}
			if until() {
				return nil
			}
		}
		if !any {
			m.skip()
		}
	}
	return nil
}

// Finish runs the program to its end, behind its region and without a host, so that its output is
// whole. It stops when that takes more instructions than most.
func (m *Machine) Finish(ctx context.Context, most uint64) error {
	now := m.cycles()
	m.bound, m.host.Stopped = false, ctx.Err
	m.before += now - m.cycles()
	m.rest, m.over = true, m.exited
	for _, h := range m.harts {
		for len(h.buffer) > 0 {
			h.drain()
		}
		if h.pending != nil && !m.over {
			m.perform(h)
		}
	}
	turns := uint64(0)
	return m.run(ctx, func() bool { turns++; return turns > most/turn })
}

// mostRest is how many instructions Conclude executes: about half a minute of work.
const mostRest = 1 << 31

// Conclude executes what follows the region that a host has executed, unless the host stopped before its end.
// It returns what the program has written and how it ended: "success", "exit status" with a number, or
// why it did not end; "" if the host stopped. The error is that of ctx.
func (m *Machine) Conclude(ctx context.Context, stopped bool) (output, end string, err error) {
	if m.concluded != nil {
		return m.concluded.Output, m.concluded.End, nil
	}
	if stopped {
		return m.Output(), "", nil
	}
	err = m.Finish(ctx, mostRest)
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err != nil:
		end = err.Error()
	case !m.exited:
		end = fmt.Sprintf("stopped %d instructions after the end of its region", mostRest)
	default:
		end = ending(m.status)
	}
	return m.Output(), end, nil
}

// ending says how a program with an exit status ended.
func ending(status int) string {
	if status == 0 {
		return "success"
	}
	return fmt.Sprintf("exit status %d", status)
}

func (m *Machine) mark(in *inst) {
	switch {
	case m.rest:
	case in.raw == RegionBegin:
		m.begun = true
	case m.begun:
		m.end()
	}
}

func (m *Machine) end() {
	m.over = true
	if m.bound {
		for _, h := range m.harts {
			m.host.Wake(h.id, m.host.Now()+1)
		}
	}
}

// cycles returns the time: that of the host, or a cycle for as many instructions as there are harts.
func (m *Machine) cycles() uint64 {
	if m.bound {
		return m.before + m.host.Now()
	}
	return m.before + m.executed()
}

// executed returns how many instructions each hart has executed on average.
func (m *Machine) executed() uint64 { return m.total() / uint64(len(m.harts)) }

// total returns how many instructions all harts have executed.
func (m *Machine) total() (n uint64) {
	for _, h := range m.harts {
		n += h.executed
	}
	return n
}

// nanoseconds returns the time since the program's start.
func (m *Machine) nanoseconds() uint64 {
	if m.host.Gigahertz > 0 {
		return uint64(float64(m.cycles()) / m.host.Gigahertz)
	}
	return m.cycles()
}

// Cores implements [traces.Source].
func (m *Machine) Cores() int { return len(m.harts) }

// ReadEdges implements [traces.Source]: nothing waits because it waited before.
func (m *Machine) ReadEdges(int, []traces.Edge) (int, error) { return 0, io.EOF }

// ReadTimestamps implements [traces.Stamped].
func (m *Machine) ReadTimestamps() (*traces.Timestamps, traces.CacheLimit, error) {
	return m.warm, record.CacheLimit(), nil
}

// Bind implements [traces.Live].
func (m *Machine) Bind(h traces.Host) {
	m.before = uint64(float64(m.nanoseconds()) * h.Gigahertz)
	m.host, m.bound = h, true
}

// Visible implements [traces.Live].
func (m *Machine) Visible(core int) {
	h := m.harts[core]
	if h.pending != nil && h.pending.kind == store {
		m.perform(h)
	}
	if len(h.buffer) > 0 {
		h.drain()
	}
}

// store writes memory, which all harts see, and reports whether the program may write there. The
// kernel writes where h is nil.
func (m *Machine) store(h *hart, address uint64, size uint8, v uint64) bool {
	m.breakReservations(h, address, 1<<size)
	return m.memory.write(address, size, v)
}

// breakReservations ends the reservations of all other harts than h that a write touches.
func (m *Machine) breakReservations(h *hart, address, bytes uint64) {
	if m.reserved == 0 {
		return
	}
	for _, o := range m.harts {
		if o != h && o.reserve > address/traces.LineBytes && o.reserve <= (address+bytes-1)/traces.LineBytes+1 {
			o.reserve = 0
			m.reserved--
		}
	}
}

// reserve gives a hart a reservation of a line.
func (m *Machine) reserve(h *hart, address uint64) {
	if h.reserve == 0 {
		m.reserved++
	}
	h.reserve = address/traces.LineBytes + 1
}

// unreserve takes a hart's reservation away, and reports whether it was of this line.
func (m *Machine) unreserve(h *hart, address uint64) bool {
	held := h.reserve == address/traces.LineBytes+1
	if h.reserve != 0 {
		h.reserve = 0
		m.reserved--
	}
	return held
}
