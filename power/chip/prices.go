package chip

import "fmt"

// Hardware is what a chip has beside its network.
type Hardware struct {
	Cores       int
	L1KB        float64 // of each of the two L1 caches of a core
	L1Ways      int
	L2KB        float64 // of each bank
	L2Ways      int
	Banks       int
	Controllers int
	StateBits   int // of coherence, beside each block of a bank
}

// Counters are what a chip did in a run.
type Counters struct {
	Seconds        float64
	Instructions   uint64
	RetiringCycles uint64 // of all cores
	OtherCycles    uint64 // of all cores, without retirement
	Accesses       uint64 // of L1 caches; an atomic counts twice
	L1Misses       uint64
	Snoops         uint64 // requests that arrived at L1 caches of other cores
	Supplied       uint64 // blocks that an L1 gave to another core
	L2Requests     uint64
	L2Hits         uint64
	L2Writes       uint64 // blocks stored in a bank
	MemoryReads    uint64
	MemoryWrites   uint64
}

// Energy is what the parts of a chip spent, in J.
type Energy struct{ Cores, L1, L2, State, Controllers, Memory float64 }

// Total returns the sum of the parts; with memory that of the DRAM, too.
func (e Energy) Total(memory bool) float64 {
	sum := e.Cores + e.L1 + e.L2 + e.State + e.Controllers
	if memory {
		sum += e.Memory
	}
	return sum
}

// Prices are the prices of a chip: J per event, and W.
type Prices struct {
	Instruction, Clock, CoreLeakage                                  float64
	l1, l2                                                           Cache   // leakage is that of all of them
	l1Word, inCore                                                   float64 // a word of an L1, and of one in McPAT's core
	stateTag, stateLeakage                                           float64 // shares of the L2's
	activate, read, write, standby, controllerBit, controllerLeakage float64
	idleClock                                                        float64
}

const (
	pico      = 1e-12
	milli     = 1e-3
	blockBits = 512
	tagBits   = 40
	// McPAT's core has two caches of this size.
	mcpatKB   = 32
	mcpatWays = 2
)

// NewPrices prices the parts of a chip at a technology. staticScale multiplies the leakage of
// everything but DRAM.
func NewPrices(h Hardware, c Config, techNM int, staticScale float64) (p Prices, err error) {
	if err := c.Validate(); err != nil {
		return p, err
	}
	table, scale, err := tableOf(techNM)
	if err != nil {
		return p, err
	}
	if h.Cores < 1 || !(h.L1KB > 0) || !(h.L2KB > 0) || h.L1Ways < 1 || h.L2Ways < 1 || h.Banks < 0 || h.Controllers < 0 {
		return p, fmt.Errorf("no energy model covers a chip of %d cores with L1 caches of %g KB and banks of %g KB", h.Cores, h.L1KB, h.L2KB)
	}
	leakage := milli * scale.Leakage * staticScale
	core := func(name string) float64 { return coreShare[c.Core] * price("core", "large", table, name) }
	p.Instruction, p.Clock, p.idleClock = pico*scale.Logic*core("instruction"), pico*scale.Logic*core("clock"), c.IdleClock
	coreLeakage := leakage * core("leakage")
	if c.CorePJ > 0 {
		p.Instruction, p.Clock = pico*c.CorePJ, 0
	}
	if c.CoreMW > 0 {
		coreLeakage = milli * staticScale * c.CoreMW
	}
	// The technology and the cells are valid, so that these do not fail.
	cache := func(kb float64, ways, count int, cells string) Cache {
		one, _ := CacheAt(techNM, kb, ways, cells)
		for q := range one {
			one[q] *= pico
		}
		one[Leakage] *= milli / pico * staticScale * float64(count)
		return one
	}
	inCore := cache(mcpatKB, mcpatWays, 2*h.Cores, "hp")
	p.l1, p.l2 = cache(h.L1KB, h.L1Ways, 2*h.Cores, "hp"), cache(h.L2KB, h.L2Ways, h.Banks, c.Cells)
	p.l1Word, p.inCore = p.l1.word(), inCore.word()
	p.CoreLeakage = float64(h.Cores)*coreLeakage - inCore[Leakage]
	p.stateTag = float64(h.StateBits) / tagBits
	p.stateLeakage = float64(h.StateBits) / (blockBits + tagBits)

	p.activate = pico * (1 - c.RowHits) * price("dram", c.DRAM, 0, "activate")
	p.read, p.write = pico*price("dram", c.DRAM, 0, "read"), pico*price("dram", c.DRAM, 0, "write")
	p.standby = milli * float64(h.Controllers) * price("dram", c.DRAM, 0, "standby")
	controller := max(table, 65)
	p.controllerBit = pico * price("controller", "", controller, "bit")
	p.controllerLeakage = float64(h.Controllers) * leakage * price("controller", "", controller, "leakage") *
		price("core", "large", table, "leakage") / price("core", "large", controller, "leakage")
	return p, nil
}

// word is the energy of an access of the core to a cache, as reads and writes mix: a third are
// stores.
func (c *Cache) word() float64 { return (2*c[WordRead] + c[WordWrite]) / 3 }

// Of prices a run.
func (p *Prices) Of(n Counters) Energy {
	e := func(count uint64, price float64) float64 { return float64(count) * price }
	core := e(n.Instructions, p.Instruction) + (float64(n.RetiringCycles)+p.idleClock*float64(n.OtherCycles))*p.Clock +
		p.CoreLeakage*n.Seconds - e(n.Accesses, p.inCore)
	l2 := e(n.L2Requests, p.l2[Tag])
	transfers := n.MemoryReads + n.MemoryWrites
	return Energy{
		// A price for all instructions can be less than that of the accesses of one core (rule 2).
		Cores: max(core, 0),
		L1: e(n.Accesses, p.l1Word) + e(n.L1Misses, p.l1[Tag]+p.l1[WideWrite]) + 2*e(n.Snoops, p.l1[Tag]) + e(n.Supplied, p.l1[WideRead]) +
			p.l1[Leakage]*n.Seconds,
		L2:          l2 + e(n.L2Hits, p.l2[BlockRead]) + e(n.L2Writes, p.l2[BlockWrite]) + p.l2[Leakage]*n.Seconds,
		State:       l2*p.stateTag + p.l2[Leakage]*n.Seconds*p.stateLeakage,
		Controllers: e(blockBits*transfers, p.controllerBit) + p.controllerLeakage*n.Seconds,
		Memory:      e(n.MemoryReads, p.read) + e(n.MemoryWrites, p.write) + e(transfers, p.activate) + p.standby*n.Seconds,
	}
}
