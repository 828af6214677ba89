package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// memory is a memory controller: the home of tokens that no cache holds. It can take any tokens at any
// time, so the highest message class always sinks.
type memory struct {
	agent
	records records
	ready   []coherence.Block // reads whose data waits for room
}

func (p *Protocol) newMemory(index int) *memory {
	return &memory{agent: p.newAgent(coherence.Memory, index), records: newRecords()}
}

// Accept processes a message.
func (d *memory) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	d.now = now
	r := d.records.get(m.Block, d.p.tokens)
	switch m.Kind {
	case GetRead, GetWrite:
		return d.request(m, r, out)
	case ActivateRead, ActivateWrite, Deactivate:
		d.record(m)
		if m.Kind == Deactivate {
			d.took(m.Block, r.state(), memoryDeactivate)
		} else {
			d.took(m.Block, r.state(), memoryActivate)
		}
		d.settle(r, out)
		return true
	case Tokens:
		d.store(m, r, out)
		return true
	}
	d.fail(m.Block, "kind %d is not for a memory controller", m.Kind)
	return false
}

// request serves a transient request that a bank could not serve.
func (d *memory) request(m coherence.Message, r *record, out *coherence.Effects) bool {
	s := r.state()
	if _, locked := d.table.top(m.Block); locked {
		d.took(m.Block, s, memoryLockedRequest)
		return true
	}
	if s == memoryOwner && out.ReadRoom < 1 || m.Kind == GetWrite && s == memoryTokens && out.Room[Response] < 1 {
		return false
	}
	if m.Kind == GetWrite {
		d.took(m.Block, s, memoryWrite)
	} else {
		d.took(m.Block, s, memoryRead)
	}
	switch {
	case s == memoryOwner:
		d.read(r, m.Requestor, out)
	case s == memoryTokens && m.Kind == GetWrite:
		d.give(out, m.Block, &r.line, r.line.everything(), Response, cacheAgent(m.Requestor))
	case s == memoryReading && d.p.defect == promiseTwice && r.line.tokens > 1:
		d.give(out, m.Block, &r.line, share{tokens: r.line.tokens - 1}, Response, cacheAgent(m.Requestor))
		r.line.tokens = d.p.tokens
	}
	return true
}

// read asks DRAM for a block.
func (d *memory) read(r *record, dest uint16, out *coherence.Effects) {
	r.reading, r.dest = true, dest
	d.counters.MemoryReads++
	out.ReadRoom--
	out.Reads = append(out.Reads, r.block)
}

// MemoryDone sends a block that DRAM has read, with all tokens that are here, to the core that comes
// first for it now, else to the one for which it was read.
func (d *memory) MemoryDone(b coherence.Block, now noc.Cycle, out *coherence.Effects) {
	d.now = now
	r := d.records.get(b, d.p.tokens)
	if !r.reading || r.ready {
		d.fail(b, "DRAM has read a block that was not asked for")
	}
	d.took(b, memoryReading, memoryDone)
	if out.Room[Response] < 1 {
		r.ready = true
		d.ready = append(d.ready, b)
		return
	}
	d.deliver(r, out)
}

func (d *memory) deliver(r *record, out *coherence.Effects) {
	dest := r.dest
	if top, locked := d.table.top(r.block); locked {
		dest = uint16(top)
	}
	r.reading, r.ready = false, false
	d.give(out, r.block, &r.line, r.line.everything(), Response, cacheAgent(dest))
}

// store takes tokens home, and pays them on if the block is locked.
func (d *memory) store(m coherence.Message, r *record, out *coherence.Effects) {
	s := r.state()
	inHand := false
	top, locked := d.table.top(m.Block)
	switch {
	case locked:
		d.took(m.Block, s, memoryLockedHome)
	case !m.Has(coherence.IsOwner):
		d.took(m.Block, s, memoryTokensHome)
	case m.Has(coherence.HasData):
		d.took(m.Block, s, memoryDirtyHome)
	default:
		d.took(m.Block, s, memoryCleanHome)
	}
	if m.Has(coherence.IsOwner) {
		switch {
		case m.Has(coherence.HasData | coherence.IsDirty):
			d.counters.MemoryWrites++
			out.Writes = append(out.Writes, m.Block)
			inHand = true
		case m.Flags&(coherence.HasData|coherence.IsDirty) != 0 || m.Version != r.line.version:
			d.fail(m.Block, "owner token with flags %b of version %d comes home; memory holds version %d",
				m.Flags, m.Version, r.line.version)
		default: // what DRAM holds is current
			m.Flags |= coherence.HasData
		}
		m.Flags &^= coherence.IsDirty
	}
	if r.reading && d.p.defect == loseDuring {
		return
	}
	d.merge(&r.line, m)
	if !locked {
		return
	}
	if (inHand || d.p.defect == trustMemory && r.line.has(owner)) && out.Room[Response] > 0 {
		s := r.line.everything()
		s.data = inHand
		d.give(out, m.Block, &r.line, s, Response, cacheAgent(uint16(top)))
		return
	}
	d.settle(r, out)
}

// settle pays everything to the core that comes first for a block. The owner token needs data from DRAM;
// while a read is open, everything leaves with it.
func (d *memory) settle(r *record, out *coherence.Effects) {
	top, locked := d.table.top(r.block)
	if !locked || d.p.defect == deafMemory {
		return
	}
	switch r.state() {
	case memoryOwner:
		if out.ReadRoom < 1 {
			d.table.owe(top)
			return
		}
		d.read(r, uint16(top), out)
	case memoryTokens:
		if out.Room[Response] < 1 {
			d.table.owe(top)
			return
		}
		d.give(out, r.block, &r.line, r.line.everything(), Response, cacheAgent(uint16(top)))
	}
}

// Owes tells whether payments or data wait for room.
func (d *memory) Owes() bool { return d.table.owed != 0 || len(d.ready) != 0 }

// Continue sends what waited for room: data first, in the order in which DRAM delivered it.
func (d *memory) Continue(now noc.Cycle, out *coherence.Effects) {
	d.now = now
	sent := 0
	for sent < len(d.ready) && out.Room[Response] > 0 {
		d.deliver(d.records.get(d.ready[sent], d.p.tokens), out)
		sent++
	}
	d.ready = d.ready[:copy(d.ready, d.ready[sent:])]
	for core := d.table.nextDebt(0); core != none; core = d.table.nextDebt(core + 1) {
		d.settle(d.records.get(d.table.entries[core].block, d.p.tokens), out)
	}
}

// Line is the memory controller's copy of a block. It is readable in the sense of the token rule, though
// nobody reads here.
func (d *memory) Line(b coherence.Block) coherence.Line {
	r := d.records.find(b)
	if r == nil {
		l := defaultLine(d.p.tokens)
		return l.audit(memoryOwner)
	}
	return r.audit()
}

func (r *record) audit() coherence.Line {
	a := r.line.audit(r.state())
	a.Busy = r.reading
	return a
}

// VisitLines calls f for every block that has left its default state at some time.
func (d *memory) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	for i := range d.records.all {
		f(d.records.all[i].block, d.records.all[i].audit())
	}
}
