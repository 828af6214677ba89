package token

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Symmetric returns false: of two persistent requests the one of the lower core goes first.
func (p *Protocol) Symmetric() bool { return false }

// Canonicalize clears the sender of tokens, which only statistics use.
func (p *Protocol) Canonicalize(m *coherence.Message) {
	if m.Kind != Tokens {
		m.Version = 0
		return
	}
	m.From, m.Requestor = coherence.Agent{Role: coherence.Memory}, coherence.NoCore
	if m.Flags&(coherence.HasData|isOwner) == 0 {
		m.Version = 0
	}
}

// Hint reports whether a message is a transient request, also one that a bank has passed on.
func (p *Protocol) Hint(m *coherence.Message) bool {
	return m.Class == Transient || m.Class == ToMemory
}

// Hints returns the transient requests of a block that an agent may receive: any, at any time.
func (p *Protocol) Hints(to coherence.Agent, b coherence.Block) (list []coherence.Message) {
	for core := range uint16(p.Cores) {
		for kind := GetRead; kind <= GetWrite; kind++ {
			m := coherence.Message{Block: b, Kind: kind, Class: Transient, From: controller.CacheOf(core), Requestor: core}
			switch to.Role {
			case coherence.Cache: // to a cache a fetch is a read
				if to.Index == core || kind == GetFetch {
					continue
				}
			case coherence.Memory:
				if kind == GetFetch {
					continue
				}
				m.Class = ToMemory
			}
			list = append(list, m)
		}
	}
	return list
}

// Snapshot passes what a table of persistent requests holds. Numbers of ordered messages restart at
// 0.
func (t *activations) snapshot(s *coherence.Snapshot) {
	if s.Reading {
		*t.count, t.deferred = 0, 0
		clear(t.hashed)
		t.active.Clear()
		t.owed.Clear()
	}
	for core := range t.entries {
		e := &t.entries[core]
		const isActive, isWrite, isMarked, isOwed = 1, 2, 4, 8
		var f uint8
		if t.isActive(core) {
			f = isActive
			if e.write {
				f |= isWrite
			}
			if e.marked {
				f |= isMarked
			}
			if t.owed.Has(noc.NodeID(core)) {
				f |= isOwed
			}
		}
		coherence.Byte(s, &f)
		if s.Reading {
			*e = activation{}
		}
		if f == 0 {
			continue
		}
		b := e.block
		coherence.Byte(s, &b)
		if s.Reading {
			t.set(core, b, f&isWrite != 0)
			e.marked = f&isMarked != 0
			if f&isOwed != 0 {
				t.deferPayment(core)
			}
		}
	}
}

// snapshot passes a line. Data that is not valid is not looked at any more.
func (l *line) snapshot(b coherence.Block, s *coherence.Snapshot) {
	coherence.Byte(s, &l.Count)
	coherence.Byte(s, &l.State)
	if l.has(valid) {
		s.Version(b, &l.Version)
	} else if s.Reading {
		l.Version = 0
	}
}

// Snapshot passes the L1's state.
func (c *l1) Snapshot(s *coherence.Snapshot) {
	c.SnapshotFrames(s, func(b coherence.Block, l *coherence.CacheLine) { (*line)(l).snapshot(b, s) })
	c.table.snapshot(s)
	coherence.Byte(s, &c.deactivation)
	if c.deactivation != deactivationNone {
		coherence.Byte(s, &c.deactivated)
	}
	c.snapshotMisses(s)
}

// snapshotMisses passes the open misses. Beyond the last transient request of a miss the number of
// its requests does not matter.
func (c *l1) snapshotMisses(s *coherence.Snapshot) {
	if s.Reading {
		c.persistent = none
	}
	c.SnapshotMisses(s, func(slot int, m *controller.Miss) {
		x := &c.miss[slot]
		issues := uint8(min(int(x.issues), max(c.p.config.Issues, 1)))
		coherence.Byte(s, &issues)
		if s.Reading {
			*x = miss{issues: issues}
		}
		for _, b := range []*bool{&m.Fetch, &m.WantWrite, &x.exhausted, &x.persistent, &m.Unsent} {
			s.Bool(b)
		}
		if x.persistent {
			c.persistent = slot
		}
	})
}

// Running appends the timers of the misses that wait for an answer to a transient request.
func (c *l1) Running(list []coherence.Timer) []coherence.Timer {
	for slot := c.Misses.Next(0); slot != cache.None; slot = c.Misses.Next(slot + 1) {
		if !c.miss[slot].persistent && !c.Miss[slot].Unsent {
			list = append(list, coherence.Timer{Slot: uint16(slot), Generation: c.Misses.Generation(slot)})
		}
	}
	return list
}

// Evict gives a block up, if no miss holds its frame and there is room for its tokens.
func (c *l1) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	return out.Room[WriteBack] > 0 && c.L1.Evict(b, now, out)
}

// Snapshot passes the bank's state.
func (k *bank) Snapshot(s *coherence.Snapshot) {
	controller.SnapshotArray(&k.array, s)
	for f := range k.lines {
		if s.Reading {
			k.lines[f] = line{}
		}
		if k.array.Holds(int32(f)) {
			k.lines[f].snapshot(coherence.Block(k.array.Block(int32(f))), s)
		}
	}
	k.table.snapshot(s)
}

// Evict sends a block home.
func (k *bank) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	f := k.array.Find(uint32(b))
	if f < 0 || out.Room[Home] < 1 {
		return false
	}
	k.Now = now
	k.evict(f, out)
	return true
}

// Snapshot passes the memory controller's state. What DRAM holds matters also while the data is
// elsewhere.
func (d *memory) Snapshot(s *coherence.Snapshot) {
	for b := range coherence.Block(s.Blocks) {
		if d.p.Homes.Memory(b) != d.Self.Index {
			continue
		}
		r := d.at(b)
		coherence.Byte(s, &r.line.Count)
		coherence.Byte(s, &r.line.State)
		s.Version(b, &r.line.Version)
		s.Bool(&r.reading)
		if r.reading {
			s.Core(&r.dest)
			s.Bool(&r.ready)
		} else {
			r.dest, r.ready = 0, false
		}
	}
	controller.SnapshotBlocks(&d.ready, s)
	d.table.snapshot(s)
}

// Evict returns false: memory is where tokens end.
func (d *memory) Evict(coherence.Block, noc.Cycle, *coherence.Effects) bool { return false }

var (
	_ coherence.Explorable           = (*Protocol)(nil)
	_ coherence.ExplorableCache      = (*l1)(nil)
	_ coherence.ExplorableController = (*bank)(nil)
	_ coherence.ExplorableController = (*memory)(nil)
)
