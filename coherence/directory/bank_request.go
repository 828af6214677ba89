package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

func isPut(kind uint8) bool { return kind >= PutS && kind <= PutM }

// needs reports whether serving a request takes a transaction.
func (k *bank) needs(m coherence.Message, f int32) bool {
	s := k.state(f)
	return !isPut(m.Kind) && !(s == homeS && m.Kind <= GetI) && !(s == homeV && m.Kind == GetI)
}

// serve serves a request for an idle block. It returns false when a transaction or a frame is
// missing; it may have begun to empty a frame then.
func (k *bank) serve(m coherence.Message, out *coherence.Effects) bool {
	f := k.array.Find(uint32(m.Block))
	if isPut(m.Kind) {
		k.put(m, f, out)
		return true
	}
	if k.needs(m, f) && k.open == len(k.transactions) {
		return false
	}
	s := k.state(f)
	if s == homeNP {
		if f = k.reserve(m.Block, out); f == none {
			return false
		}
	}
	k.Served([...]coherence.AccessKind{GetS: coherence.Load, GetI: coherence.Fetch, GetM: coherence.Store, Upg: coherence.Store}[m.Kind], s != homeNP)
	k.array.Touch(f)
	k.Took(m.Block, s, [...]uint8{GetS: homeGetS, GetI: homeGetS, GetM: homeGetM, Upg: homeUpg}[m.Kind])
	switch {
	case s == homeNP:
		k.begin(f, homeFill, m)
		k.Send(out, message(MemRd, m.Block, 0, 0), k.MemoryOf(m.Block))
	case m.Kind <= GetI:
		k.read(m, f, out)
	default:
		k.write(m, f, out)
	}
	return true
}

// read serves a reader of a block that is here.
func (k *bank) read(m coherence.Message, f int32, out *coherence.Effects) {
	l := &k.lines[f]
	switch l.state {
	case homeX:
		if l.owner == m.Requestor {
			k.Fail(m.Block, "the owner, core %d, wants to read", l.owner)
		}
		if k.p.Seeded == answerEarly {
			k.addSharer(f, l.owner)
			k.addSharer(f, m.Requestor)
			l.state = homeS
			k.Send(out, message(DataS, m.Block, l.version, m.Requestor), controller.CacheOf(m.Requestor))
			return
		}
		k.begin(f, homeFwdS, m)
		k.Send(out, message(FwdS, m.Block, 0, m.Requestor), controller.CacheOf(l.owner))
		k.clearSharers(f)
		if k.p.Seeded != forgetOwner {
			k.addSharer(f, l.owner)
		}
		k.addSharer(f, m.Requestor)
	case homeV:
		k.grantRead(m.Kind, m.Requestor, f, 0, out)
	default:
		if k.p.Seeded != forgetReader {
			k.addSharer(f, m.Requestor)
		}
		k.Send(out, message(DataS, m.Block, l.version, m.Requestor), controller.CacheOf(m.Requestor))
	}
}

// grantRead gives a block that no L1 has to a reader: exclusively to a load, because it may well
// write next; shared to an instruction fetch. It opens a transaction where that is needed and none
// is open.
func (k *bank) grantRead(kind uint8, core uint16, f int32, from coherence.Flags, out *coherence.Effects) {
	l := &k.lines[f]
	b := coherence.Block(k.array.Block(f))
	answer := DataE
	if kind == GetI {
		answer = DataS
		k.clearSharers(f)
		k.addSharer(f, core)
		if l.busy != none {
			k.end(f, homeS)
		}
		l.state = homeS
	} else {
		k.grant(kind, core, f)
	}
	m := message(answer, b, l.version, core)
	m.Flags |= from
	k.Send(out, m, controller.CacheOf(core))
}

// grant makes a core the owner and keeps the block busy until its Unblock.
func (k *bank) grant(kind uint8, core uint16, f int32) {
	l := &k.lines[f]
	if l.busy == none {
		k.begin(f, homeUnb, coherence.Message{Kind: kind, Requestor: core})
	}
	l.state, l.owner = homeUnb, core
}

// write serves a writer of a block that is here.
func (k *bank) write(m coherence.Message, f int32, out *coherence.Effects) {
	l := &k.lines[f]
	if l.state == homeX {
		if l.owner == m.Requestor {
			k.Fail(m.Block, "the owner, core %d, wants to write", l.owner)
		}
		k.Send(out, message(FwdM, m.Block, 0, m.Requestor), controller.CacheOf(l.owner))
		k.grant(m.Kind, m.Requestor, f)
		return
	}
	shares := l.state == homeS && k.sharers(f).Has(noc.NodeID(m.Requestor))
	k.grant(m.Kind, m.Requestor, f)
	k.grantWrite(m, f, shares, out)
}

// grantWrite answers a writer if the home has the data, and invalidates the other sharers with one
// message. Only a sharer has data of its own; a core that is listed but asks with GetM has dropped
// its copy.
func (k *bank) grantWrite(m coherence.Message, f int32, shares bool, out *coherence.Effects) {
	l := &k.lines[f]
	t := &k.transactions[l.busy]
	t.informed.Assign(k.sharers(f))
	if k.p.Seeded != invalidateSelf {
		t.informed.Remove(noc.NodeID(m.Requestor))
	}
	k.clearSharers(f)
	kind := DataM
	if m.Kind == Upg && (shares || k.p.Seeded == upgradeDataless) {
		kind = AckCnt
	}
	answer := message(kind, m.Block, l.version, m.Requestor)
	answer.Count = int16(t.informed.Count())
	k.Send(out, answer, controller.CacheOf(m.Requestor))
	if answer.Count > 0 {
		k.Emit(out, coherence.Send{Message: message(Inv, m.Block, 0, m.Requestor), Many: true, Caches: t.informed})
	}
}

// put accepts an eviction. Data counts only from the registered owner: the copy of any other core
// has been taken away since, and its eviction is history.
func (k *bank) put(m coherence.Message, f int32, out *coherence.Effects) {
	s := k.state(f)
	k.Took(m.Block, s, homePutS+m.Kind-PutS)
	switch {
	case s == homeS:
		l := &k.lines[f]
		sharers := k.sharers(f)
		sharers.Remove(noc.NodeID(m.Requestor))
		if k.setSharers(f, sharers); sharers.Empty() {
			l.state = homeV
		}
	case s == homeX && k.lines[f].owner == m.Requestor:
		l := &k.lines[f]
		if m.Kind == PutS {
			k.Fail(m.Block, "the owner, core %d, gives up a shared copy", l.owner)
		}
		l.state = homeV
		if m.Kind == PutM {
			l.version, l.dirty = m.Version, k.p.Seeded != forgetPut
		}
	}
	if k.p.Seeded == trustStale && f >= 0 && m.Kind == PutM {
		k.lines[f].version, k.lines[f].dirty = m.Version, true
	}
	k.Send(out, message(PutAck, m.Block, 0, m.Requestor), controller.CacheOf(m.Requestor))
}

// reserve empties a frame for a block, or begins to, and returns none until one is empty.
func (k *bank) reserve(b coherence.Block, out *coherence.Effects) int32 {
	f := controller.ReserveHome(&k.array, b, func(f int32) (busy, leaving bool) {
		l := &k.lines[f]
		return l.busy != none, l.state == homeRecall || l.state == homeWB
	}, func(f int32) bool { return k.evict(f, out) })
	if f != none {
		l := &k.lines[f]
		l.state, l.dirty = homeNP, false
		k.clearSharers(f)
	}
	return f
}

// evict gives a block up. It returns false when L1s or memory must be told first: the inclusive L2
// may not drop what an L1 has, nor what memory lacks.
func (k *bank) evict(f int32, out *coherence.Effects) bool {
	l := &k.lines[f]
	b := coherence.Block(k.array.Block(f))
	k.Took(b, l.state, homeVictim)
	k.Count.Evictions++
	if l.state == homeV && !l.dirty || l.state == homeS && k.p.Seeded == forgetRecall {
		k.array.Release(f)
		l.state = homeNP
		return true
	}
	s := l.state
	t := k.begin(f, homeRecall, coherence.Message{})
	switch s {
	case homeV:
		k.writeBack(t, out)
	case homeS:
		t.informed.Assign(k.sharers(f))
		t.acks = int16(t.informed.Count())
		k.Emit(out, coherence.Send{Message: message(InvRecall, b, 0, 0), Many: true, Caches: t.informed})
	default:
		t.acks = 1
		k.Send(out, message(Recall, b, 0, l.owner), controller.CacheOf(l.owner))
	}
	return false
}

// advance takes a transaction a step further. The tables have made sure that the block is busy in a
// state that waits for the message.
func (k *bank) advance(m coherence.Message, f int32, out *coherence.Effects) {
	l := &k.lines[f]
	t := &k.transactions[l.busy]
	switch m.Kind {
	case MemData:
		l.version = m.Version
		k.filled(t, f, out)
	case MemAck:
		k.end(f, homeNP)
	case Unblock:
		if m.From.Index != t.core {
			k.Fail(m.Block, "Unblock of core %d; core %d has asked", m.From.Index, t.core)
		}
		if l.state == homeUnb {
			k.end(f, homeX)
			return
		}
		t.unblocked = true
		k.joined(t, f)
	default: // WBData, CleanAck, HomeInvAck
		if m.Kind == WBData {
			l.version, l.dirty = m.Version, k.p.Seeded != forgetDirty
		}
		if l.state == homeFwdS {
			t.returned = true
			k.joined(t, f)
			return
		}
		t.acks--
		k.recalled(t, f, out)
	}
}

// filled answers the request that has made the bank read memory.
func (k *bank) filled(t *transaction, f int32, out *coherence.Effects) {
	if t.kind <= GetI {
		k.grantRead(t.kind, t.core, f, fromMemory, out)
		return
	}
	k.grant(t.kind, t.core, f)
	m := message(DataM, t.block, k.lines[f].version, t.core)
	m.Flags |= fromMemory
	k.Send(out, m, controller.CacheOf(t.core))
}

// joined ends a forwarded read when the requestor has its data and the home has heard from the
// owner.
func (k *bank) joined(t *transaction, f int32) {
	if t.unblocked && t.returned {
		k.end(f, homeS)
	}
}

// recalled goes on when no L1 has the block any more.
func (k *bank) recalled(t *transaction, f int32, out *coherence.Effects) {
	switch {
	case t.acks > 0:
	case k.lines[f].dirty:
		k.writeBack(t, out)
	default:
		k.end(f, homeNP)
	}
}

// writeBack sends a block to memory when there is room. The block stays busy until memory has it,
// so that no read can overtake the data.
func (k *bank) writeBack(t *transaction, out *coherence.Effects) {
	k.lines[t.frame].state = homeWB
	if out.Room[ToMemory] < 1 {
		t.unsent = true
		k.unsent++
		return
	}
	k.writeMemory(t, out)
}

func (k *bank) writeMemory(t *transaction, out *coherence.Effects) {
	k.Send(out, message(MemWr, t.block, k.lines[t.frame].version, 0), k.MemoryOf(t.block))
	if k.p.Seeded == skipAck {
		k.end(t.frame, homeNP)
	}
}
