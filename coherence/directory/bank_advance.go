package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

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
