package timestamps

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc/leaf/blocktable"
	"github.com/carousel-sim/carousel/traces"
)

// Shape is the caches of a chip.
type Shape struct {
	L1Sets, L1Ways int // of each L1, one for data and one for instructions per core
	L2Sets, L2Ways int // of the whole L2, all banks together
	// Set returns a block's set of the L2, below L2Sets.
	Set func(block uint32) int
}

// Contents are what the caches hold, each list in the order of the last touch, the latest last.
type Contents struct {
	L1 []traces.Timestamp
	L2 []uint32

	blocks blocktable.Table[uint32, bool] // every block of the record; set where it is modified
}

// Modified reports whether memory does not have the latest data of a block.
func (c *Contents) Modified(block uint32) bool {
	m := c.blocks.Find(block)
	return m != nil && *m
}

// Select returns the contents of caches. It refuses caches beyond the limit of the record.
func Select(t *traces.Timestamps, limit traces.CacheLimit, cores int, s Shape) (*Contents, error) {
	if s.L1Sets > limit.L1Sets || s.L1Ways > limit.L1Ways {
		return nil, fmt.Errorf("the trace holds contents of L1s with up to %d sets and %d ways; these have %d and %d", limit.L1Sets, limit.L1Ways, s.L1Sets, s.L1Ways)
	}
	if s.L2Sets > limit.L2Sets || s.L2Ways > limit.L2Ways {
		return nil, fmt.Errorf("the trace holds contents of an L2 with up to %d sets and %d ways; this one has %d and %d", limit.L2Sets, limit.L2Ways, s.L2Sets, s.L2Ways)
	}
	c := &Contents{blocks: blocktable.New[uint32](false)}
	inL1, inL2 := c.select1(t, cores, s), c.select2(t, s)
	for i := range t.Entries {
		e := &t.Entries[i]
		if inL1[i] {
			c.L1 = append(c.L1, *e)
		}
		if inL2[i] {
			c.L2 = append(c.L2, e.Block)
		}
	}
	return c, nil
}

// select1 marks the entries that are in L1s.
func (c *Contents) select1(t *traces.Timestamps, cores int, s Shape) []bool {
	in := make([]bool, len(t.Entries))
	log2 := uint8(bits.TrailingZeros(uint(s.L1Sets)))
	later := make([]uint16, 2*cores*s.L1Sets) // entries of a cache and set so far
	exception := len(t.Depths) - 1
	for i := len(t.Entries) - 1; i >= 0; i-- {
		e := &t.Entries[i]
		n := &later[int(e.Cache)*s.L1Sets+int(e.Block)&(s.L1Sets-1)]
		depth := int(*n)
		for ; exception >= 0 && int(t.Depths[exception].Entry) >= i; exception-- {
			if d := &t.Depths[exception]; int(d.Entry) == i && d.Sets == log2 {
				depth = int(d.Ways)
			}
		}
		in[i] = depth < s.L1Ways
		*n = min(*n+1, uint16(s.L1Ways))
	}
	return in
}

// select2 marks the entries that are the latest touches of blocks in the L2, and the blocks that are modified.
func (c *Contents) select2(t *traces.Timestamps, s Shape) []bool {
	in := make([]bool, len(t.Entries))
	c.blocks.Grow(len(t.Entries))
	later := make([]uint16, s.L2Sets)
	for i := len(t.Entries) - 1; i >= 0; i-- {
		b := t.Entries[i].Block
		seen, modified := c.blocks.Find(b) != nil, c.blocks.Get(b)
		*modified = *modified || t.Entries[i].Flags&traces.Written != 0
		if seen {
			continue
		}
		n := &later[s.Set(b)]
		in[i] = int(*n) < s.L2Ways
		*n = min(*n+1, uint16(s.L2Ways))
	}
	return in
}
