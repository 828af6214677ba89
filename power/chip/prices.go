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

// cache has the prices of one cache: J, and W of all caches of its kind.
type cache struct{ read, write, tag, fill, block, leakage float64 }

// Prices are the prices of a chip: J per event, and W.
type Prices struct {
	Instruction, Clock, CoreLeakage                                  float64
	l1, l2                                                           cache
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

// NewPrices prices the parts of a chip at a technology. staticScale multiplies the leakage of everything but
// DRAM.
func NewPrices(h Hardware, c Config, techNM int, staticScale float64) (p Prices, err error) {
	if err := c.Validate(); err != nil {
		return p, err
	}
	n, err := nodeOf(techNM)
	if err != nil {
		return p, err
	}
	if h.Cores < 1 || !(h.L1KB > 0) || !(h.L2KB > 0) || h.L1Ways < 1 || h.L2Ways < 1 || h.Banks < 0 || h.Controllers < 0 {
		return p, fmt.Errorf("a chip of %d cores with L1 caches of %g KB and banks of %g KB cannot be priced", h.Cores, h.L1KB, h.L2KB)
	}
	leakage := milli * n.leakage * staticScale
	share := coreShare[c.Core]
	p.Instruction = pico * n.logic * share * price("core", "large", n.nm, "instruction")
	p.Clock = pico * n.logic * share * price("core", "large", n.nm, "clock")
	p.idleClock = c.IdleClock
	caches := float64(2 * h.Cores)
	p.l1 = n.cacheOf(h.L1KB, h.L1Ways)
	p.l1.leakage *= leakage * caches
	p.l1Word, p.inCore = n.word(h.L1KB, h.L1Ways), n.word(mcpatKB, mcpatWays)
	p.CoreLeakage = float64(h.Cores)*leakage*share*price("core", "large", n.nm, "leakage") -
		n.cacheOf(mcpatKB, mcpatWays).leakage*leakage*caches

	p.l2 = n.cacheOf(h.L2KB, h.L2Ways)
	p.l2.leakage *= leakage * float64(h.Banks)
	if c.Cells != "hp" {
		word, block := price("cache", c.Cells, n.nm, "word_factor"), price("cache", c.Cells, n.nm, "block_factor")
		p.l2.tag, p.l2.read, p.l2.write = p.l2.tag*word, p.l2.read*block, p.l2.write*block
		p.l2.leakage *= price("cache", c.Cells, n.nm, "leakage_factor")
	}
	p.stateTag = float64(h.StateBits) / tagBits
	p.stateLeakage = float64(h.StateBits) / (blockBits + tagBits)

	p.activate = pico * (1 - c.RowHits) * price("dram", c.DRAM, 0, "activate")
	p.read, p.write = pico*price("dram", c.DRAM, 0, "read"), pico*price("dram", c.DRAM, 0, "write")
	p.standby = milli * float64(h.Controllers) * price("dram", c.DRAM, 0, "standby")
	controller := max(n.nm, 65)
	p.controllerBit = pico * price("controller", "", controller, "bit")
	p.controllerLeakage = float64(h.Controllers) * leakage * price("controller", "", controller, "leakage") *
		price("core", "large", n.nm, "leakage") / price("core", "large", controller, "leakage")
	return p, nil
}

// cacheOf has the energies in J of a cache of fast cells. read and write are those of a block in a bank
// that reads its tags first; block is that of an L1, which reads all ways at once. The leakage is in mW.
func (n node) cacheOf(kb float64, ways int) cache {
	energy := func(name string) float64 { return pico * n.sram * cachePrice(n.cache, name, kb, ways) }
	return cache{read: energy("block_read"), write: energy("block_write"), tag: energy("tag"), fill: energy("fill"),
		block: energy("wide_read"), leakage: cachePrice(n.nm, "leakage", kb, ways)}
}

// word is the energy of an access of the core to a cache, as read and write mix: a third are stores.
func (n node) word(kb float64, ways int) float64 {
	return pico * n.sram * (2*cachePrice(n.cache, "word_read", kb, ways) + cachePrice(n.cache, "word_write", kb, ways)) / 3
}

// Of prices a run.
func (p *Prices) Of(n Counters) Energy {
	e := func(count uint64, price float64) float64 { return float64(count) * price }
	core := e(n.Instructions, p.Instruction) + (float64(n.RetiringCycles)+p.idleClock*float64(n.OtherCycles))*p.Clock +
		p.CoreLeakage*n.Seconds - e(n.Accesses, p.inCore)
	l2 := e(n.L2Requests, p.l2.tag)
	transfers := n.MemoryReads + n.MemoryWrites
	return Energy{
		// A price for all instructions can be less than that of the accesses of one core (rule 2).
		Cores: max(core, 0),
		L1: e(n.Accesses, p.l1Word) + e(n.L1Misses, p.l1.tag+p.l1.fill) + 2*e(n.Snoops, p.l1.tag) + e(n.Supplied, p.l1.block) +
			p.l1.leakage*n.Seconds,
		L2:          l2 + e(n.L2Hits, p.l2.read) + e(n.L2Writes, p.l2.write) + p.l2.leakage*n.Seconds,
		State:       l2*p.stateTag + p.l2.leakage*n.Seconds*p.stateLeakage,
		Controllers: e(blockBits*transfers, p.controllerBit) + p.controllerLeakage*n.Seconds,
		Memory:      e(n.MemoryReads, p.read) + e(n.MemoryWrites, p.write) + e(transfers, p.activate) + p.standby*n.Seconds,
	}
}
