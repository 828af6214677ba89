package token

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// bank is the controller of one bank of the L2: a victim cache that only evictions of the L1s fill.
// It never waits for anything, so it has no MSHRs and no transient states.
type bank struct {
	agent
	array cache.Array
	lines []line
}

// NewBank returns the controller of a bank of the L2.
func (p *Protocol) NewBank(index int) coherence.Controller { return p.newBank(index) }

func (p *Protocol) newBank(index int) *bank {
	k := &bank{agent: p.newAgent(coherence.Bank, index, new(int32)), array: p.NewBankArray()}
	k.lines = make([]line, k.array.Frames())
	return k
}

func (l *line) bankState() uint8 {
	switch f := l.State; {
	case f&valid == 0:
		return bankTK
	case f&all != 0:
		return bankEM
	case f&owner != 0:
		return bankO
	}
	return bankS
}

func (k *bank) state(f int32) uint8 {
	if f < 0 {
		return bankNP
	}
	return k.lines[f].bankState()
}

// Accept processes a message.
func (k *bank) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	k.Now = now
	f := k.array.Find(uint32(m.Block))
	switch m.Kind {
	case GetRead, GetFetch, GetWrite:
		return k.request(m, f, out)
	case ActivateRead, ActivateWrite, Deactivate:
		k.record(m)
		if m.Kind == Deactivate {
			k.Took(m.Block, k.state(f), bankDeactivate)
		} else {
			k.Took(m.Block, k.state(f), bankActivate)
		}
		k.settle(m.Block, out)
		return true
	case Tokens:
		return k.store(m, f, out)
	}
	k.Fail(m.Block, "kind %d is not for a bank", m.Kind)
	return false
}

// request answers a transient request, and passes on to memory what it cannot answer in full.
func (k *bank) request(m coherence.Message, f int32, out *coherence.Effects) bool {
	s := k.state(f)
	if _, locked := k.table.top(m.Block); locked {
		k.Took(m.Block, s, bankLockedRequest)
		return true
	}
	answer, forward := k.answer(m.Kind, s, f)
	if answer.tokens > 0 && out.Room[Response] < 1 || forward && out.Room[ToMemory] < 1 {
		return false
	}
	k.Served([...]coherence.AccessKind{GetRead: coherence.Load, GetFetch: coherence.Fetch, GetWrite: coherence.Store}[m.Kind], answer.data)
	if answer.data {
		k.array.Touch(f)
	}
	k.Took(m.Block, s, bankRead+m.Kind-GetRead)
	if answer.tokens > 0 {
		answer.answers = m.Sequence
		k.part(f, m.Block, answer, Response, controller.CacheOf(m.Requestor), out)
	}
	if forward {
		passed := m
		passed.Class = ToMemory
		if m.Kind == GetFetch {
			passed.Kind = GetRead
		}
		k.Emit(out, coherence.Send{Message: passed, One: k.MemoryOf(m.Block)})
	}
	return true
}

// answer returns what a transient request gets, and whether memory must be asked too: for a reader
// when there is no data here, for a writer when not all tokens are.
func (k *bank) answer(kind, s uint8, f int32) (answer share, forward bool) {
	if kind == GetWrite {
		if f >= 0 {
			answer = k.lines[f].everything()
		}
		return answer, s != bankEM
	}
	switch {
	case s == bankNP || s == bankTK:
		return share{}, true
	case s == bankEM && kind == GetRead && k.p.givesAll:
		return k.lines[f].everything(), false
	}
	return k.lines[f].readShare(), false
}

// part gives tokens away and releases the frame when none are left: empty frames do not exist.
func (k *bank) part(f int32, b coherence.Block, s share, class noc.Class, to coherence.Agent, out *coherence.Effects) {
	l := &k.lines[f]
	k.give(out, b, l, s, class, to)
	if l.Count == 0 {
		k.array.Release(f)
		*l = line{}
	}
}

// store takes evicted tokens in. Those of a locked block that has no frame go to the starver at
// once, so that no frame is taken for them.
func (k *bank) store(m coherence.Message, f int32, out *coherence.Effects) bool {
	s := k.state(f)
	top, locked := k.table.top(m.Block)
	if f < 0 && locked {
		if out.Room[Response] < 1 {
			return false
		}
		k.Took(m.Block, s, bankLockedWriteBack)
		passed := m
		passed.Class, passed.Requestor = Response, uint16(top)
		k.Emit(out, coherence.Send{Message: passed, One: controller.CacheOf(uint16(top))})
		return true
	}
	if f < 0 {
		f = k.array.Victim(uint32(m.Block), 0)
		if k.array.Holds(f) {
			if out.Room[Home] < 1 {
				return false
			}
			k.evict(f, out)
		}
		k.array.Fill(f, uint32(m.Block))
	}
	if locked {
		k.Took(m.Block, s, bankLockedWriteBack)
	} else {
		k.Took(m.Block, s, bankWriteBack)
	}
	k.merge(&k.lines[f], m)
	k.settle(m.Block, out)
	return true
}

// evict sends a line home. A clean owner token goes without data: memory has it.
func (k *bank) evict(f int32, out *coherence.Effects) {
	b := coherence.Block(k.array.Block(f))
	l := &k.lines[f]
	k.Took(b, l.bankState(), bankVictim)
	k.Count.Evictions++
	s := l.everything()
	s.data = l.has(dirty)
	k.part(f, b, s, Home, k.MemoryOf(b), out)
}

// settle pays the core that comes first for a block.
func (k *bank) settle(b coherence.Block, out *coherence.Effects) {
	top, locked := k.table.top(b)
	if !locked {
		return
	}
	f := k.array.Find(uint32(b))
	if f < 0 {
		return
	}
	s := k.lines[f].payment(k.table.entries[top].write)
	if s.tokens == 0 {
		return
	}
	if out.Room[Response] < 1 {
		k.table.deferPayment(top)
		return
	}
	k.part(f, b, s, Response, controller.CacheOf(uint16(top)), out)
}

// HasDeferred reports whether payments wait for room.
func (k *bank) HasDeferred() bool { return k.table.deferred != 0 }

// Continue makes payments that waited for room.
func (k *bank) Continue(now noc.Cycle, out *coherence.Effects) {
	k.Now = now
	for core := k.table.nextDeferred(0); core != none; core = k.table.nextDeferred(core + 1) {
		k.settle(k.table.entries[core].block, out)
	}
}

// Line returns the bank's copy of a block.
func (k *bank) Line(b coherence.Block) coherence.Line {
	f := k.array.Find(uint32(b))
	if f < 0 {
		return coherence.Line{State: bankNP}
	}
	return k.lines[f].audit(k.state(f))
}

// VisitLines calls f for every block in the bank.
func (k *bank) VisitLines(f func(b coherence.Block, l coherence.Line)) {
	k.array.Visit(func(frame int32, b uint32) {
		f(coherence.Block(b), k.lines[frame].audit(k.state(frame)))
	})
}
