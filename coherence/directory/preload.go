package directory

import "github.com/carousel-sim/carousel/coherence"

// Preload puts a block into the L1.
func (c *l1) Preload(r *coherence.Resident, array int) {
	f := c.Enter(array, r.Block)
	switch {
	case r.Holders.Count() > 1:
		c.Lines[f].State = stateS
	case r.Modified && r.OwnerWrote:
		c.Lines[f].State = stateM
	default:
		c.Lines[f].State = stateE
	}
}

// Preload puts a block into the bank, with its part of the directory.
func (k *bank) Preload(r *coherence.Resident, _ int) {
	f := k.array.Victim(uint32(r.Block), 0)
	k.array.Fill(f, uint32(r.Block))
	l := &k.lines[f]
	l.dirty = r.Modified
	switch r.Holders.Count() {
	case 0:
		l.state = homeV
	case 1:
		l.state, l.owner = homeX, uint16(r.Owner)
	default:
		l.state = homeS
		l.sharers.Assign(r.Holders)
	}
}
