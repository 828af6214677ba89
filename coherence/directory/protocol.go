package directory

import (
	"fmt"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Protocol makes the controllers of one chip and holds what they share: the configuration and the
// transition counters. It belongs to one goroutine.
type Protocol struct {
	controller.Chip
	config Config
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs
// per core. It panics on arguments that Validate refuses.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	for _, e := range []error{c.Validate(), l1.Validate(), l2.Validate()} {
		if e != nil {
			panic(fmt.Sprintf("directory: %v", e))
		}
	}
	return &Protocol{controller.NewChip(&description, s, l1, l2, mshrs, newHitTable(), c.legal), c}
}

// legal reports whether a mark of the transition tables stands for a legal pair.
func (c Config) legal(mark byte) bool {
	return mark == 'x' || mark == '*' && c.SilentS || mark == '+' && !c.SilentS
}

// NewMemory returns a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController {
	return controller.NewMemory(&p.Chip, index, controller.MemoryKinds{Read: MemRd, Write: MemWr, Data: MemData, Ack: MemAck, Reply: MemoryReply})
}

var _ coherence.Protocol = (*Protocol)(nil)
