package token

import (
	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// Protocol makes the controllers of one chip.
type Protocol struct{}

// New prepares the protocol for a chip with the given arrays and MSHRs per core.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol { return &Protocol{} }

func (p *Protocol) Name() string                                         { return "token" }
func (p *Protocol) Classes() int                                         { return 6 }
func (p *Protocol) KindName(kind uint8) string                           { return "" }
func (p *Protocol) ClassName(c noc.Class) string                         { return "" }
func (p *Protocol) NewCache(core int) coherence.CacheController          { return nil }
func (p *Protocol) NewBank(index int) coherence.Controller               { return nil }
func (p *Protocol) NewMemory(index int) coherence.MemoryController       { return nil }
func (p *Protocol) Latency(r coherence.Role) noc.Cycle                   { return 1 }
func (p *Protocol) Generates(r coherence.Role, in noc.Class) []noc.Class { return nil }
func (p *Protocol) CheckBlock(b coherence.Block, lines []coherence.AgentLine, inFlight []coherence.Message, final bool) error {
	return nil
}

var _ coherence.Protocol = (*Protocol)(nil)
