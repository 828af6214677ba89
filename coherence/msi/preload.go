package msi

import "github.com/carousel-sim/carousel/coherence"

// lone reports whether a block is in M at its only holder.
func lone(r *coherence.Resident) bool {
	return r.Holders.Count() == 1 && r.Modified && r.OwnerWrote
}

// Preload puts a block into the L1.
func (c *l1) Preload(r *coherence.Resident, array int) {
	f := c.Enter(array, r.Block)
	if c.Lines[f].State = stateS; lone(r) {
		c.Lines[f].State = stateM
	}
}

// Preload puts a block into the bank.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	h := &k.homes[f]
	h.dirty = r.Modified
	switch {
	case r.Holders.Empty():
		h.state = homeV
		return
	case lone(r):
		h.state, h.lent = homeM, true
	default:
		h.state = homeS
	}
	h.sharers.Assign(r.Holders)
}
