package token

import "github.com/carousel-sim/carousel/coherence"

// Preload puts a block into the L1. The owner gets the tokens that no other cache needs.
func (c *l1) Preload(r *coherence.Resident, array int) {
	l := c.line(c.Enter(array, r.Block))
	l.State, l.Count = valid, 1
	if r.Owner != int(c.Self.Index) {
		return
	}
	l.Count = c.p.tokens - int16(r.Holders.Count()-1)
	l.own(r)
	if l.Count == c.p.tokens {
		l.State |= all
		if r.Modified && r.OwnerWrote {
			l.State |= wrote
		}
	}
}

// own gives a line the owner token.
func (l *line) own(r *coherence.Resident) {
	l.State |= owner
	if r.Modified {
		l.State |= dirty
	}
}

// Preload puts a block into the bank, unless an L1 has all tokens that it could have.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	if r.Owner != coherence.HomeOwner {
		return
	}
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	l := &k.lines[f]
	l.State, l.Count = valid, k.p.tokens-int16(r.Holders.Count())
	l.own(r)
	if l.Count == k.p.tokens {
		l.State |= all
	}
}

// Preload takes all tokens of a block away, because caches have them.
func (d *memory) Preload(r *coherence.Resident, _ int) { d.records.Get(r.Block).line = line{} }
