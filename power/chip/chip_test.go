package chip

import (
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
		near(t, "leakage of the L2", e.L2, 256*75.1e-3*0.1306, 1e-2)
		near(t, "leakage of the state", e.State, e.L2*10/552, 1e-9)
		near(t, "standby of memory", e.Memory, 8*0.413, 1e-9)
	}
	p, _ := NewPrices(paper, c, 65, 1)
	e := p.Of(Counters{L1Misses: 1e12, Snoops: 1e12})
	near(t, "miss and snoop", e.L1, 3*3.696+132, 1e-3)
	e = p.Of(Counters{L2Requests: 1e12, L2Hits: 1e12, L2Writes: 1e12})
	near(t, "request, hit and write of the L2", e.L2, (4.861*math.Pow(8, 0.24))*1.214+(75.68+254.8*math.Pow(8, 0.09))*1.062, 1e-2)
	e = p.Of(Counters{MemoryReads: 1e12})
	near(t, "read of memory", e.Memory, 3450+2932, 1e-9)
	near(t, "read at the controller", e.Controllers, 512*12.27, 1e-9)
}

// TestLaws: nothing costs nothing but leakage, which a scale of 0 removes; parts are linear in counts.
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
