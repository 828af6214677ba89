package riscv

import (
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// What a machine gives to its host: records of instructions, in the order in which harts meet them.

// recordKinds are the records of instructions.
var recordKinds = [...]traces.Kind{load: traces.Load, store: traces.Store, atomic: traces.Atomic, fence: traces.Fence, call: traces.Fence}

// idleInstructions is how many instructions may go by without a record: behind them the hart
// fetches its line again, so that a loop without accesses does not keep the host waiting.
const idleInstructions = 1 << 12

// ReadRecords implements [traces.Live].
func (m *Machine) ReadRecords(core int, into []traces.Record) (int, error) {
	h := m.harts[core]
	if len(into) == 0 {
		return 0, nil
	}
	if h.pending != nil && !m.over {
		if h.waits {
			h.waits = false
			return 0, nil
		}
		m.perform(h)
	}
	for {
		switch {
		case m.fault != nil:
			return 0, m.fault
		case m.over:
			return h.last(into)
		case h.sleep != nil:
			m.wakeOverdue()
		}
		switch {
		case !h.awake() && h.count > 0 && h.sleep != nil: // what the call does before it sleeps
			into[0] = traces.Record{Kind: traces.Fence, Instructions: uint32(h.count)}
			h.count = 0
			return 1, nil
		case !h.awake():
			if h.deep = h.sleep != nil; h.deep && h.sleep.deadline != never {
				m.host.Wake(h.id, m.cycleOf(h.sleep.deadline))
			}
			return 0, traces.ErrAsleep
		case h.deep: // where it wakes: nothing behind this record happens earlier
			h.deep = false
			into[0] = traces.Record{Kind: traces.Fence}
			return 1, nil
		}
		before := h.executed
		r, ok := h.advance()
		m.spend(h.executed - before)
		if ok {
			into[0] = r
			return 1, nil
		}
	}
}

// last gives the end of a hart's stream.
func (h *hart) last(into []traces.Record) (int, error) {
	if h.left {
		return 0, io.EOF
	}
	h.left = true
	if !h.awake() {
		h.count = 0 // what is left of the call in which it sleeps or has ended does not happen any more
	}
	into[0] = traces.Record{Kind: traces.End, Instructions: uint32(max(0, h.count))}
	return 1, nil
}

// advance executes plain instructions up to the next one with a record. It returns false at a
// marker or a fault.
func (h *hart) advance() (traces.Record, bool) {
	m := h.m
	fetches := m.program.Config.Fetches
	for {
		in := m.memory.instruction(h.pc)
		if in == nil {
			h.badFetch()
			return traces.Record{}, false
		}
		if in.hooked {
			m.hooked(h)
		}
		if line := h.pc/traces.LineBytes + 1; line != h.line && fetches || h.count >= idleInstructions {
			h.line = line
			r := traces.Record{Kind: traces.Fetch, Address: physical(h.pc), Size: 1, Instructions: uint32(h.count + 1)}
			h.count = -1
			h.accesses++
			return r, true
		}
		h.next = h.pc + uint64(in.bytes)
		if in.kind != plain && (in.kind != fence || in.full()) {
			if in.kind == mark || in.kind == stops {
				h.executed++
				h.count++
				if !h.special(in) && (m.over || m.fault != nil) {
					return traces.Record{}, false
				}
				continue
			}
			return h.meet(in), true
		}
		h.executed++
		h.count++
		in.exec(h, in)
		h.r[0] = 0
		h.taint[in.rd&63] = max(h.taint[in.r1&63], h.taint[in.r2&63], h.taint[in.r3&63])
		h.taint[0] = 0
		h.pc = h.next
		if m.fault != nil {
			return traces.Record{}, false
		}
	}
}

// meet makes the record of an instruction that is to be performed.
func (h *hart) meet(in *inst) traces.Record {
	h.executed++
	r := traces.Record{Kind: recordKinds[in.kind], Instructions: uint32(h.count + 1)}
	h.count, h.pending = 0, in
	h.waits = in.kind >= atomic && !(in.kind == atomic && h.m.eager) || in.kind == load && (in.acquire || h.m.host.Sequential)
	if in.kind == call {
		if word := h.ends(); word != 0 { // the kernel's store by which others see that it has ended
			h.accesses++
			return traces.Record{Kind: traces.Atomic, Address: physical(word), Size: 2, Instructions: r.Instructions}
		}
		return r
	}
	if in.kind == fence {
		return r
	}
	address := h.r[in.r1&63] + uint64(in.imm)
	r.Address, r.Size = physical(address), in.size
	for address%traces.LineBytes+1<<r.Size > traces.LineBytes {
		r.Size-- // the record ends with the line
	}
	h.accesses++
	from := max(h.taint[in.r1&63], h.taint[in.r2&63])
	recent := &h.recent[address>>3%recentStores]
	switch in.kind {
	case load, atomic:
		if recent.word == address>>3 {
			from = max(from, recent.taint)
		}
	}
	if in.kind != load {
		recent.word, recent.taint = address>>3, h.taint[in.r2&63]
	}
	if in.kind == atomic {
		recent.taint = h.accesses
	}
	if distance := h.accesses - from; from > 0 && distance <= farthest {
		r.Dependence = uint16(distance)
	}
	if in.kind != store && in.rd != 0 {
		h.taint[in.rd&63] = h.accesses
	}
	return r
}

// farthest is how far back a dependence leads, in accesses.
const farthest = 1023

func (m *Machine) perform(h *hart) {
	h.next = h.pc + uint64(h.pending.bytes)
	h.special(h.pending)
	h.pending, h.waits = nil, false
}
