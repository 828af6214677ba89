package chip

import (
	"fmt"
	"math"
	"testing"
)

// paper is the chip of the MRR paper.
var paper = Hardware{Cores: 16, L1KB: 32, L1Ways: 2, L2KB: 64, L2Ways: 16, Banks: 256, Controllers: 8, StateBits: 10}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= tolerance) {
		t.Errorf("%s is %.4g, but should be %.4g", what, got, want)
	}
}

// TestByHand prices a run of a chip with McPAT's caches: cores and L1 together are McPAT's core.
func TestByHand(t *testing.T) {
	c := Default()
	c.IdleClock = 1
	for _, size := range []struct {
		core  string
		share float64
	}{{"large", 1}, {"medium", 0.25}, {"small", 0.06}} {
		c.Core = size.core
		p, err := NewPrices(paper, c, 65, 1)
		if err != nil {
			t.Fatal(err)
		}
		// A second of 16 cores at 2.6 GHz, with 2 instructions in each cycle.
		cycles := uint64(16 * 2.6e9)
		e := p.Of(Counters{Seconds: 1, Instructions: 2 * cycles, RetiringCycles: cycles / 2, OtherCycles: cycles / 2, Accesses: cycles / 2})
		near(t, size.core+" cores with their L1 caches", e.Cores+e.L1, size.share*16*(12.044+3.684+0.660), 1e-3)
		near(t, "leakage of the L2", e.L2, 256*82.92e-3*0.1306, 1e-2)
		near(t, "leakage of the state", e.State, e.L2*10/552, 1e-9)
		near(t, "standby of memory", e.Memory, 8*0.413, 1e-9)
	}
	p, _ := NewPrices(paper, c, 65, 1)
	e := p.Of(Counters{L1Misses: 1e12, Snoops: 1e12})
	near(t, "miss and snoop", e.L1, 3*3.857+132.1, 1e-3)
	e = p.Of(Counters{L2Requests: 1e12, L2Hits: 1e12, L2Writes: 1e12})
	near(t, "request, hit and write of the L2", e.L2, 9.435*1.214+(79.94+289.9)*1.062, 1e-2)
	e = p.Of(Counters{MemoryReads: 1e12})
	near(t, "read of memory", e.Memory, 3450+2932, 1e-9)
	near(t, "read at the controller", e.Controllers, 512*12.27, 1e-9)
}

// TestLaws: nothing costs nothing but leakage, which a scale of 0 removes; parts are linear in
// counts.
func TestLaws(t *testing.T) {
	p, err := NewPrices(paper, Default(), 45, 0)
	if err != nil {
		t.Fatal(err)
	}
	if e := p.Of(Counters{Seconds: 1}); e.Total(false) != 0 {
		t.Errorf("a chip without leakage that does nothing spends %v", e)
	}
	once, twice := p.Of(Counters{Instructions: 10, Accesses: 1, L1Misses: 1, L2Hits: 1, MemoryReads: 1}), p.Of(Counters{Instructions: 20, Accesses: 2, L1Misses: 2, L2Hits: 2, MemoryReads: 2})
	near(t, "twice the work", twice.Total(true), 2*once.Total(true), 1e-12)
	if once.Total(true) <= once.Total(false) {
		t.Error("memory is not added")
	}
}

// TestTechnologies: all have prices, and energies of extrapolated ones fall with the technology.
func TestTechnologies(t *testing.T) {
	last := math.Inf(1)
	for _, nm := range []int{100, 65, 45, 32, 22, 16, 7, 5, 3} {
		for _, core := range Cores() {
			for _, cells := range []string{"hp", "lstp-hp", "lop", "lstp"} {
				c := Default()
				c.Core, c.Cells = core, cells
				if _, err := NewPrices(paper, c, nm, 1); err != nil {
					t.Error(nm, core, cells, err)
				}
			}
		}
		p, err := NewPrices(paper, Default(), nm, 0)
		if err != nil {
			t.Fatal(err)
		}
		now := p.Of(Counters{Instructions: 1000, Accesses: 400, L1Misses: 10, L2Requests: 10, L2Hits: 5}).Total(false)
		if !(now < last) {
			t.Errorf("at %d nm the same work takes %g J, at the technology before %g J", nm, now, last)
		}
		last = now
	}
	if _, err := NewPrices(paper, Default(), 28, 1); err == nil {
		t.Error("28 nm has prices")
	}
	if _, err := NewPrices(Hardware{}, Default(), 65, 1); err == nil {
		t.Error("a chip of nothing has prices")
	}
}

func TestConfig(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"core":       func(c *Config) { c.Core = "huge" },
		"cells":      func(c *Config) { c.Cells = "" },
		"dram":       func(c *Config) { c.DRAM = "ddr9" },
		"idle_clock": func(c *Config) { c.IdleClock = math.NaN() },
		"row_hits":   func(c *Config) { c.RowHits = 1.5 },
		"core_pj":    func(c *Config) { c.CorePJ = -1 },
		"core_mw":    func(c *Config) { c.CoreMW = math.Inf(1) },
	} {
		c := Default()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("a wrong %s passes", name)
		}
	}
	if (Config{}).Effective() != Default() {
		t.Error("a configuration without names is not the default")
	}
}

// TestExample: the chip of the MRR paper in a window of the program lu, on two routers. The wanted
// energies in uJ, with DRAM, were computed from McPAT and CACTI by other means; the energy of the
// network is given.
func TestExample(t *testing.T) {
	counters := Counters{Instructions: 368272, RetiringCycles: 99179, Accesses: 164904, L1Misses: 1570, Snoops: 26280, Supplied: 285,
		L2Requests: 1670, L2Hits: 1208, L2Writes: 1463, MemoryReads: 77}
	for _, c := range []struct {
		nm          int
		core, cells string
		memory      bool
		network     [2]float64 // of base-mc and mrr
		want        [2]float64
	}{
		{65, "large", "hp", true, [2]float64{99.75, 139.57}, [2]float64{1581, 1599}},
		{65, "large", "hp", true, [2]float64{37.61, 42.41}, [2]float64{1519, 1501}},
		{65, "medium", "lstp-hp", true, [2]float64{99.75, 139.57}, [2]float64{481, 515}},
		{65, "medium", "lstp-hp", true, [2]float64{75.89, 91.70}, [2]float64{457, 467}},
		{65, "small", "lstp-hp", true, [2]float64{37.61, 42.41}, [2]float64{173, 175}},
		{65, "small", "lstp-hp", true, [2]float64{99.75, 139.57}, [2]float64{235, 272}},
		{22, "large", "lstp-hp", true, [2]float64{110.15, 130.58}, [2]float64{304, 322}},
		{22, "large", "lstp-hp", true, [2]float64{31.83, 36.40}, [2]float64{226, 228}},
		// The other computation halved the standby power of DRAM at 7 nm; it is left out.
		{7, "large", "lstp-hp", false, [2]float64{9.7, 11.1}, [2]float64{74, 74}},
		{22, "60 20", "lstp-hp", true, [2]float64{110.15, 130.58}, [2]float64{161, 181}},
		{22, "60 20", "lstp-hp", true, [2]float64{31.83, 36.40}, [2]float64{83, 86}},
		{7, "300 250", "lstp-hp", false, [2]float64{9.7, 11.1}, [2]float64{149, 149}},
		{7, "110 200", "lstp-hp", false, [2]float64{9.7, 11.1}, [2]float64{74, 74}},
		{7, "40 20", "lstp-hp", false, [2]float64{9.7, 11.1}, [2]float64{29, 30}},
	} {
		config := Default()
		config.Cells = c.cells
		// A core is a size, or pJ per instruction and mW of leakage.
		if n, _ := fmt.Sscan(c.core, &config.CorePJ, &config.CoreMW); n == 0 {
			config.Core = c.core
		}
		p, err := NewPrices(paper, config, c.nm, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, seconds := range []float64{6.5363e-6, 6.3059e-6} {
			n := counters
			n.Seconds, n.OtherCycles = seconds, uint64(seconds*4e9*16)-n.RetiringCycles
			near(t, c.core+" cores", c.network[i]+1e6*p.Of(n).Total(c.memory), c.want[i], 0.1)
		}
	}
}

// TestCachesBehave: energies and leakage grow with size at every number of ways, and change little
// between neighbours, within the sizes of the table and beyond them.
func TestCachesBehave(t *testing.T) {
	for _, nm := range []int{100, 90, 65, 45, 32, 22, 16, 7, 5, 3} {
		for _, cells := range cellTypes() {
			for _, ways := range []int{1, 2, 3, 6, 8, 12, 16, 24} {
				var last Cache
				for kb := 4.0; kb < 40_000; kb *= 1.07 {
					c, err := CacheAt(nm, kb, ways, cells)
					if err != nil {
						t.Fatal(err)
					}
					for q := range c {
						if !(c[q] > 0) || math.IsInf(c[q], 0) || last[q] > 0 && !(c[q] >= last[q]*(1-1e-3) && c[q] < 1.25*last[q]) {
							t.Errorf("%d nm, %s, %d ways: price %d is %g at %.4g KB, after %g", nm, cells, ways, q, c[q], kb, last[q])
						}
					}
					last = c
				}
			}
		}
	}
	c, _ := CacheAt(65, 64, 16, "hp")
	near(t, "a block of a bank of the table", c[BlockRead], 79.94, 1e-9)
	near(t, "a block of all its ways", c[WideRead], 820.1, 1e-9)
	half, _ := CacheAt(65, 64*math.Sqrt2, 16, "hp")
	near(t, "a block between two sizes", half[BlockRead], math.Sqrt(79.94*145.2), 0.02)
	if _, err := CacheAt(28, 64, 16, "hp"); err == nil {
		t.Error("28 nm has caches")
	}
	if _, err := CacheAt(65, 64, 16, "odd"); err == nil {
		t.Error("odd cells have prices")
	}
}

// TestPublishedCaches: 64 bits from caches of 45 nm, against the figures that Horowitz gave at
// ISSCC 2014. That of 8 KB was read, those of 32 KB and 1 MB are from memory.
func TestPublishedCaches(t *testing.T) {
	for kb, pj := range map[float64]float64{8: 10, 32: 20, 1024: 100} {
		c, err := CacheAt(45, kb, 2, "hp")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%g KB: %.3g pJ, published %g", kb, c[WordRead], pj)
		if ratio := c[WordRead] / pj; !(ratio > 0.5 && ratio < 2) {
			t.Errorf("%g KB: %.3g pJ, published %g", kb, c[WordRead], pj)
		}
	}
}
