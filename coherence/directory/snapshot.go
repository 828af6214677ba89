package directory

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Canonicalize forgets the requestor where a message is not sent for one.
func (p *Protocol) Canonicalize(m *coherence.Message) {
	switch m.Kind {
	case MemRd, MemWr, MemData, MemAck, InvRecall, Recall:
		m.Requestor = coherence.NoCore
	}
	if !carriesData[m.Kind] {
		m.Version = 0
	}
}

// The states in which an L1, and a home, look at the data that they keep.
const (
	dataStates = readableStates | 1<<stateIMA
	homeData   = 1<<homeV | 1<<homeS | 1<<homeX | 1<<homeUnb | 1<<homeFwdS | 1<<homeRecall | 1<<homeWB
)

// Snapshot passes the L1's state.
func (c *l1) Snapshot(s *coherence.Snapshot) {
	c.SnapshotFrames(s, func(b coherence.Block, l *line) {
		coherence.Byte(s, &l.State)
		if dataStates>>l.State&1 != 0 {
			s.Version(b, &l.Version)
		}
	})
	c.snapshotBacks(s)
	c.SnapshotMisses(s, func(slot int, m *controller.Miss) { c.snapshotMiss(s, slot, m) })
}

// snapshotBacks passes the write-back entries.
func (c *l1) snapshotBacks(s *coherence.Snapshot) {
	for i := range c.backs {
		w := &c.backs[i]
		if s.Reading {
			*w = writeBack{}
		}
		if coherence.Byte(s, &w.state); w.state == stateI {
			continue
		}
		coherence.Byte(s, &w.block)
		if w.state == stateMIA || w.state == stateEIA {
			s.Version(w.block, &w.version)
		}
	}
}

// snapshotMiss passes a miss. Which kind of read it is matters until the data has come.
func (c *l1) snapshotMiss(s *coherence.Snapshot, slot int, m *controller.Miss) {
	x := &c.counts[slot]
	coherence.Small(s, &x.left)
	s.Bool(&x.counted)
	s.Bool(&m.WantWrite)
	s.Bool(&m.Unsent)
	if state := c.Lines[m.Frame].State; state == stateISD || state == stateISDI {
		s.Bool(&m.Fetch)
	}
}

// Evict gives a block up, if no miss holds its frame and its write-back entry and message have
// room.
func (c *l1) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	return out.Room[Request] > 0 && c.L1.Evict(b, now, out)
}

// Snapshot passes the bank's state. Which entries its transactions use does not matter.
func (k *bank) Snapshot(s *coherence.Snapshot) {
	if s.Reading {
		k.open, k.unsent, k.starved = 0, 0, 0
		for i := range k.transactions {
			k.transactions[i].frame = none
		}
	}
	controller.SnapshotArray(&k.array, s)
	for f := range k.lines {
		if s.Reading {
			k.lines[f] = home{busy: none}
			k.clearSharers(int32(f))
		}
		if k.array.Holds(int32(f)) {
			k.snapshotHome(int32(f), s)
		}
	}
	n := len(k.stalled)
	coherence.Byte(s, &n)
	k.stalled = k.stalled[:n]
	for i := range k.stalled {
		w := &k.stalled[i]
		s.Message(&w.Message)
		s.Bool(&w.starved)
		if s.Reading && w.starved {
			k.starved++
		}
	}
	s.Bool(&k.recheck)
}

// snapshotHome passes a block and its transaction.
func (k *bank) snapshotHome(f int32, s *coherence.Snapshot) {
	l := &k.lines[f]
	coherence.Byte(s, &l.state)
	if homeData>>l.state&1 != 0 {
		s.Version(coherence.Block(k.array.Block(f)), &l.version)
		s.Bool(&l.dirty)
	}
	switch l.state {
	case homeS, homeFwdS:
		sharers := k.sharers(f)
		s.Cores(&sharers)
		k.setSharers(f, sharers)
	case homeX, homeUnb:
		s.Core(&l.owner)
	}
	if l.state <= homeX {
		return
	}
	if s.Reading {
		k.begin(f, l.state, coherence.Message{})
	}
	t := &k.transactions[l.busy]
	switch l.state {
	case homeFill:
		coherence.Byte(s, &t.kind)
		s.Core(&t.core)
	case homeUnb:
		s.Core(&t.core)
	case homeFwdS:
		s.Core(&t.core)
		s.Bool(&t.unblocked)
		s.Bool(&t.returned)
	default:
		coherence.Small(s, &t.acks)
		s.Bool(&t.unsent)
		if s.Reading && t.unsent {
			k.unsent++
		}
	}
}

// Evict gives a block up, or begins to, if no transaction is open for it.
func (k *bank) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	f := k.array.Find(uint32(b))
	if f < 0 || k.lines[f].busy != none || k.open == len(k.transactions) || !roomy(out) {
		return false
	}
	k.Now = now
	k.evict(f, out)
	return true
}

var (
	_ coherence.Explorable           = (*Protocol)(nil)
	_ coherence.ExplorableCache      = (*l1)(nil)
	_ coherence.ExplorableController = (*bank)(nil)
)
