package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
)

// memory is a memory controller: the home of tokens that no cache holds. It can take any tokens at
// any time, so the highest message class always sinks.
type memory struct {
	agent
	records blocktable.Table[coherence.Block, record] // of the blocks that were used
	ready   []coherence.Block                         // reads whose data waits for room
	// away are the blocks of which caches held all tokens at the start. Chips that are filled alike
	// share it; nil is empty.
	away *blocktable.Table[coherence.Block, struct{}]
}

// NewMemory returns a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController {
	return &memory{agent: p.newAgent(coherence.Memory, index, new(int32)), records: blocktable.New[coherence.Block](record{})}
}

// at returns the record of a block, which it enters if it is new.
func (d *memory) at(b coherence.Block) *record {
	r := d.records.Find(b)
	if r == nil {
		r = d.records.Get(b)
		*r = d.initial(b)
	}
	return r
}

// initial returns the record of a block at the start.
func (d *memory) initial(b coherence.Block) record {
	if d.away != nil && d.away.Find(b) != nil {
		return record{}
	}
	return newRecord(d.p.tokens)
}

// Accept processes a message.
func (d *memory) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	d.Now = now
	r := d.at(m.Block)
	switch m.Kind {
	case GetRead, GetWrite:
		return d.request(m, r, out)
	case ActivateRead, ActivateWrite, Deactivate:
		d.record(m)
		if m.Kind == Deactivate {
			d.Took(m.Block, r.state(), memoryDeactivate)
		} else {
			d.Took(m.Block, r.state(), memoryActivate)
		}
		d.settle(m.Block, r, out)
		return true
	case Tokens:
		d.store(m, r, out)
		return true
	}
	d.Fail(m.Block, "kind %d is not for a memory controller", m.Kind)
	return false
}

// request serves a transient request that a bank could not serve.
func (d *memory) request(m coherence.Message, r *record, out *coherence.Effects) bool {
	s := r.state()
	if _, locked := d.table.top(m.Block); locked {
		d.Took(m.Block, s, memoryLockedRequest)
		return true
	}
	if s == memoryOwner && out.ReadRoom < 1 || m.Kind == GetWrite && s == memoryTokens && out.Room[Response] < 1 {
		return false
	}
	if m.Kind == GetWrite {
		d.Took(m.Block, s, memoryWrite)
	} else {
		d.Took(m.Block, s, memoryRead)
	}
	switch {
	case s == memoryOwner:
		d.read(m.Block, r, m.Requestor, m.Sequence, out)
	case s == memoryTokens && m.Kind == GetWrite:
		rest := r.line.everything()
		rest.answers = m.Sequence
		d.give(out, m.Block, &r.line, rest, Response, controller.CacheOf(m.Requestor))
	case s == memoryReading && d.p.Seeded == promiseTwice && r.line.Count > 1:
		d.give(out, m.Block, &r.line, share{tokens: r.line.Count - 1}, Response, controller.CacheOf(m.Requestor))
		r.line.Count = d.p.tokens
	}
	return true
}

// read asks DRAM for a block, for a core whose transient request has a number; 0 is none.
func (d *memory) read(b coherence.Block, r *record, dest uint16, request uint32, out *coherence.Effects) {
	r.reading, r.dest, r.answers = true, dest, request
	d.Count.MemoryReads++
	out.ReadRoom--
	out.Reads = append(out.Reads, b)
}

// MemoryDone sends a block that DRAM has read, with all tokens that are here, to the core that
// comes first for it now, else to the one for which it was read.
func (d *memory) MemoryDone(b coherence.Block, now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	r := d.at(b)
	if !r.reading || r.ready {
		d.Fail(b, "DRAM has read a block that was not asked for")
	}
	d.Took(b, memoryReading, memoryDone)
	if out.Room[Response] < 1 {
		r.ready = true
		d.ready = append(d.ready, b)
		return
	}
	d.deliver(b, r, out)
}

func (d *memory) deliver(b coherence.Block, r *record, out *coherence.Effects) {
	s := r.line.everything()
	dest := r.dest
	if top, locked := d.table.top(b); locked {
		dest = uint16(top)
	} else {
		s.answers = r.answers
	}
	r.reading, r.ready = false, false
	d.give(out, b, &r.line, s, Response, controller.CacheOf(dest))
}

// store takes tokens home, and pays them on if the block is locked.
func (d *memory) store(m coherence.Message, r *record, out *coherence.Effects) {
	s := r.state()
	inHand := false
	top, locked := d.table.top(m.Block)
	switch {
	case locked:
		d.Took(m.Block, s, memoryLockedHome)
	case !m.Has(isOwner):
		d.Took(m.Block, s, memoryTokensHome)
	case m.Has(coherence.HasData):
		d.Took(m.Block, s, memoryDirtyHome)
	default:
		d.Took(m.Block, s, memoryCleanHome)
	}
	if m.Has(isOwner) {
		switch {
		case m.Has(coherence.HasData | isDirty):
			d.Count.MemoryWrites++
			out.Writes = append(out.Writes, m.Block)
			inHand = true
		case m.Flags&(coherence.HasData|isDirty) != 0 || m.Version != r.line.Version:
			d.Fail(m.Block, "owner token with flags %b of version %d comes home; memory holds version %d",
				m.Flags, m.Version, r.line.Version)
		default: // what DRAM holds is current
			m.Flags |= coherence.HasData
		}
		m.Flags &^= isDirty
	}
	if r.reading && d.p.Seeded == loseDuring {
		return
	}
	d.merge(&r.line, m)
	if !locked {
		return
	}
	if (inHand || d.p.Seeded == trustMemory && r.line.has(owner)) && out.Room[Response] > 0 {
		s := r.line.everything()
		s.data = inHand
		d.give(out, m.Block, &r.line, s, Response, controller.CacheOf(uint16(top)))
		return
	}
	d.settle(m.Block, r, out)
}

// settle pays everything to the core that comes first for a block. The owner token needs data from
// DRAM; while a read is open, everything leaves with it.
func (d *memory) settle(b coherence.Block, r *record, out *coherence.Effects) {
	top, locked := d.table.top(b)
	if !locked || d.p.Seeded == deafMemory {
		return
	}
	switch r.state() {
	case memoryOwner:
		if out.ReadRoom < 1 {
			d.table.deferPayment(top)
			return
		}
		d.read(b, r, uint16(top), 0, out)
	case memoryTokens:
		if out.Room[Response] < 1 {
			d.table.deferPayment(top)
			return
		}
		d.give(out, b, &r.line, r.line.everything(), Response, controller.CacheOf(uint16(top)))
	}
}

// HasDeferred reports whether payments or data wait for room.
func (d *memory) HasDeferred() bool { return d.table.deferred != 0 || len(d.ready) != 0 }

// Continue sends what waited for room: data first, in the order in which DRAM delivered it.
func (d *memory) Continue(now noc.Cycle, out *coherence.Effects) {
	d.Now = now
	sent := 0
	for sent < len(d.ready) && out.Room[Response] > 0 {
		d.deliver(d.ready[sent], d.at(d.ready[sent]), out)
		sent++
	}
	d.ready = d.ready[:copy(d.ready, d.ready[sent:])]
	for core := d.table.nextDeferred(0); core != none; core = d.table.nextDeferred(core + 1) {
		b := d.table.entries[core].block
		d.settle(b, d.at(b), out)
	}
}

// Line returns the memory controller's copy of a block. The token rule counts it as readable,
// although no core reads at a memory controller.
func (d *memory) Line(b coherence.Block) coherence.Line {
	if r := d.records.Find(b); r != nil {
		return r.audit()
	}
	r := d.initial(b)
	return r.audit()
}

func (r *record) audit() coherence.Line {
	a := r.line.audit(r.state())
	a.Busy = r.reading
	return a
}

// VisitLines calls f for every block that has been used since the start.
func (d *memory) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	d.records.Visit(func(b coherence.Block, r *record) { f(b, r.audit()) })
}

// record is a memory controller's share of a block, and what memory holds.
type record struct {
	line line // its version is what DRAM holds, also when the line is not valid
	dest uint16
	// answers is the number of the transient request for which DRAM is being read; 0 is none.
	answers uint32
	// reading is set while a DRAM read is open. The owner token stays here until the data leaves,
	// so that the same tokens cannot be promised twice.
	reading bool
	ready   bool // the data is here and waits for room
}

// newRecord returns the default state of a block at its memory controller: all tokens are here, and
// version 0.
func newRecord(tokens int16) record {
	return record{line: line{State: valid | owner | all, Count: tokens}}
}

func (r *record) state() uint8 {
	switch {
	case r.reading:
		return memoryReading
	case r.line.has(owner):
		return memoryOwner
	case r.line.Count > 0:
		return memoryTokens
	}
	return memoryNone
}

// passage takes the place of a bank on a chip without L2. It keeps nothing and passes requests and
// evicted tokens on to memory, which also pays the persistent requests. Explorers make chips
// smaller with it.
type passage struct {
	bank
}

// NewPassage returns what takes the place of a bank on a chip without L2.
func (p *Protocol) NewPassage(index int) coherence.Controller {
	k := &passage{}
	k.bank = *p.newBank(index)
	return k
}

// Accept passes a message on.
func (k *passage) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	k.Now = now
	to := k.MemoryOf(m.Block)
	switch m.Kind {
	case GetRead, GetFetch, GetWrite:
		if out.Room[ToMemory] < 1 {
			return false
		}
		if m.Class = ToMemory; m.Kind == GetFetch {
			m.Kind = GetRead
		}
		k.Emit(out, coherence.Send{Message: m, One: to})
	case Tokens:
		if out.Room[Home] < 1 {
			return false
		}
		if m.Class = Home; !m.Has(isDirty) {
			m.Flags &^= coherence.HasData
		}
		k.Emit(out, coherence.Send{Message: m, One: to})
	}
	return true
}

// Snapshot is empty: there is no state.
func (k *passage) Snapshot(*coherence.Snapshot) {}

// Scarce gives every block fewer tokens than a chip may be configured to have, before any
// controller is made. It costs readers time, not correctness, and makes small chips smaller still
// for an explorer.
func (p *Protocol) Scarce(tokens int) { p.tokens = int16(tokens) }
