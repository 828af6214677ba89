package token

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// passage stands where a bank would be on a chip without L2. It keeps nothing and passes requests
// and evicted tokens on to memory, which also pays the persistent requests. Explorers make chips
// smaller with it.
type passage struct {
	bank
}

// NewPassage returns what takes the place of a bank on a chip without L2.
func (p *Protocol) NewPassage(index int) coherence.Controller {
	k := &passage{}
	k.bank = *p.newBank(index)
	return k
}

// Accept passes a message on.
func (k *passage) Accept(m coherence.Message, now noc.Cycle, out *coherence.Effects) bool {
	k.Now = now
	to := k.MemoryOf(m.Block)
	switch m.Kind {
	case GetRead, GetFetch, GetWrite:
		if out.Room[ToMemory] < 1 {
			return false
		}
		if m.Class = ToMemory; m.Kind == GetFetch {
			m.Kind = GetRead
		}
		k.Emit(out, coherence.Send{Message: m, One: to})
	case Tokens:
		if out.Room[Home] < 1 {
			return false
		}
		if m.Class = Home; !m.Has(isDirty) {
			m.Flags &^= coherence.HasData
		}
		k.Emit(out, coherence.Send{Message: m, One: to})
	}
	return true
}

// Snapshot is empty: there is no state.
func (k *passage) Snapshot(*coherence.Snapshot) {}

// Scarce gives every block fewer tokens than a chip may be configured to have, before any
// controller is made. It costs readers time, not correctness, and makes small chips smaller still
// for an explorer.
func (p *Protocol) Scarce(tokens int) { p.tokens = int16(tokens) }
