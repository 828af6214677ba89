package directory

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/controller"
)

// Protocol makes the controllers of one chip and holds what they share: the configuration and the
// transition counters. It belongs to one goroutine.
type Protocol struct {
	config Config
	cores  int
	homes  *coherence.Homes
	l1, l2 cache.Config
	mshrs  int
	skip   int // block number bits that choose the bank
	caches []*l1

	controller.Tables
}

// New prepares the protocol for a chip with the given arrays (l1 is each of a core's two) and MSHRs per
// core. It panics on arguments that Validate refuses.
func New(s coherence.System, c Config, l1, l2 cache.Config, mshrs int) *Protocol {
	for _, e := range []error{c.Validate(), l1.Validate(), l2.Validate()} {
		if e != nil {
			panic(fmt.Sprintf("directory: %v", e))
		}
	}
	return &Protocol{
		config: c, cores: s.Cores, homes: s.Homes, l1: l1, l2: l2, mshrs: mshrs,
		skip:   bits.TrailingZeros(uint(s.Homes.Banks)),
		Tables: controller.NewTables(&description, c.legal),
	}
}

// legal tells what a mark of the transition tables means.
func (c Config) legal(mark byte) bool {
	return mark == 'x' || mark == '*' && c.SilentS || mark == '+' && !c.SilentS
}

// NewCache makes the L1 controller of a core.
func (p *Protocol) NewCache(core int) coherence.CacheController {
	c := p.newL1(core)
	p.caches = append(p.caches, c)
	return c
}

// NewBank makes the controller of a bank of the L2 and its part of the directory.
func (p *Protocol) NewBank(index int) coherence.Controller { return p.newBank(index) }

// NewMemory makes a memory controller.
func (p *Protocol) NewMemory(index int) coherence.MemoryController { return p.newMemory(index) }

// Cells are the legal cells of the transition tables and how often each was taken, also by hits, which L1s count themselves.
func (p *Protocol) Cells() []coherence.Cell {
	return p.CellsWith(func(r coherence.Role, e, s uint8) (n uint64) {
		if r == coherence.Cache && (e == onLoad || e == onStore) {
			for _, c := range p.caches {
				n += c.hits(s, e == onStore)
			}
		}
		return n
	})
}

var _ coherence.Protocol = (*Protocol)(nil)
