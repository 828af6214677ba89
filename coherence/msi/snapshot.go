package msi

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
	"github.com/carousel-sim/carousel/noc"
)

// Canonicalize clears the requestor of messages whose receivers do not read it, and the supplier of
// data, which is a statistic.
func (p *Protocol) Canonicalize(m *coherence.Message) {
	m.Count = 0
	if m.Kind != GetS && m.Kind != GetM {
		m.Requestor = coherence.NoCore
	}
	if !p.CarriesData[m.Kind] {
		m.Version = 0
	}
}

// Snapshot passes the L1's state.
func (c *l1) Snapshot(s *coherence.Snapshot) {
	c.SnapshotFrames(s, func(b coherence.Block, l *coherence.CacheLine) {
		coherence.Byte(s, &l.State)
		if l.State == stateS || l.State == stateM {
			s.Version(b, &l.Version)
		}
	})
	c.SnapshotMisses(s, func(int, *controller.Miss) {})
}

// Snapshot passes the bank's state.
func (k *bank) Snapshot(s *coherence.Snapshot) {
	controller.SnapshotArray(&k.array, s)
	for f := range k.homes {
		h := &k.homes[f]
		if s.Reading {
			h.sharers.Clear()
			*h = home{sharers: h.sharers}
		}
		if k.array.Holds(int32(f)) {
			h.snapshot(coherence.Block(k.array.Block(int32(f))), s)
		}
	}
	if s.Bool(&k.waiting); k.waiting {
		s.Message(&k.request)
		s.Bool(&k.recheck)
	}
}

// snapshot passes a block. The data of one that is lent, or being read, is not looked at.
func (h *home) snapshot(b coherence.Block, s *coherence.Snapshot) {
	coherence.Byte(s, &h.state)
	s.Bool(&h.lent)
	if !h.lent && h.state != homeFill {
		s.Version(b, &h.version)
		s.Bool(&h.dirty)
	}
	s.Cores(&h.sharers)
	if h.state <= homeM || h.state == homeWrite {
		return
	}
	coherence.Byte(s, &h.acks)
	if s.Bool(&h.leaving); !h.leaving {
		coherence.Byte(s, &h.kind)
		s.Core(&h.core)
	}
}

// Evict gives a block up, or begins to, if it is not busy.
func (k *bank) Evict(b coherence.Block, now noc.Cycle, out *coherence.Effects) bool {
	f, s := k.at(b)
	if f == none || s > homeM || !roomy(out) {
		return false
	}
	k.Now = now
	k.evict(f, out)
	return true
}

var (
	_ coherence.Defective            = (*Protocol)(nil)
	_ coherence.Explorable           = (*Protocol)(nil)
	_ coherence.ExplorableCache      = (*l1)(nil)
	_ coherence.ExplorableController = (*bank)(nil)
)
