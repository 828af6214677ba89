package power

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/power/chip"
)

func TestConfigErrorsNameTheKey(t *testing.T) {
	must.Do(Default().Validate())
	for _, c := range []struct {
		want string
		edit func(*Config)
	}{
		{`profile is "o"; O`, func(c *Config) { c.Profile = "o" }},
		{"tech_nm is 65, but profile O1 is of 100 nm", func(c *Config) { c.Profile = ProfileO1 }},
		{"tech_nm is 100; 90, 65, 45, 32 and 22 are allowed, 100 with profile O1, and 16, 7, 5 and 3 with profile S", func(c *Config) { c.TechNM = 100 }},
		{`fifo is "register", which profile O1 does not have`, func(c *Config) { c.Profile, c.TechNM, c.FIFO = ProfileO1, 100, FIFORegister }},
		{"tech_nm is 28; 90, 65, 45, 32 and 22 are allowed", func(c *Config) { c.TechNM = 28 }},
		{`fifo is "ram", which profile O does not have`, func(c *Config) { c.FIFO = "ram" }},
		{`fifo is "banked", which profile O does not have; it has ["sram"`, func(c *Config) { c.FIFO = FIFOBanked }},
		{`fifo is "sram", which profile S does not have; it has ["banked" "single-ram"]`, func(c *Config) { c.Profile, c.FIFO = ProfileS, FIFOSRAM }},
		{"tech_nm is 7, which only profile S has", func(c *Config) { c.TechNM = 7 }},
		{"clock_gating is false, but profile S is always gated", func(c *Config) { c.Profile, c.ClockGating = ProfileS, false }},
		{`transistor is "lvt"`, func(c *Config) { c.Transistor = "lvt" }},
		{"transistor is hvt, which is an option of profile O", func(c *Config) { c.Profile, c.Transistor = ProfileS, HVT }},
		{`core is "huge"; ["small" "medium" "large"] are allowed`, func(c *Config) { c.Core = "huge" }},
		{"row_hits is 2;", func(c *Config) { c.RowHits = 2 }},
		{"voltage_v is -1;", func(c *Config) { c.VoltageV = -1 }},
		{"clock_ghz is 0;", func(c *Config) { c.ClockGHz = 0 }},
		{"clock_ghz is NaN;", func(c *Config) { c.ClockGHz = math.NaN() }},
		{"alpha is 1.5;", func(c *Config) { c.Alpha = 1.5 }},
		{"link_mm is -2;", func(c *Config) { c.LinkMM = -2 }},
		{"ring_mm is +Inf;", func(c *Config) { c.RingMM = math.Inf(1) }},
		{"static_scale is -1;", func(c *Config) { c.StaticScale = -1 }},
		{"wire_spacing is 3;", func(c *Config) { c.WireSpacing = 3 }},
	} {
		config := Default()
		c.edit(&config)
		err := config.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want one with %q", err, c.want)
		}
		if _, again := NewRouter(baseHardware(), config); again == nil {
			t.Errorf("NewRouter takes what Validate rejects: %v", err)
		}
	}
}

func TestImpossibleHardwareIsAnError(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*noc.Hardware)
	}{
		{"phits of 0 bits", func(h *noc.Hardware) { h.PhitBits = 0 }},
		{"-1 ports", func(h *noc.Hardware) { h.Ports = -1 }},
		{"-1 virtual channels", func(h *noc.Hardware) { h.VirtualChannels = -1 }},
		{"30 FIFOs of kind virtual_channel with 0 phits", func(h *noc.Hardware) { h.Depth[noc.VirtualChannel] = 0 }},
		{"-5 FIFOs of kind input_stage", func(h *noc.Hardware) { h.FIFOs[noc.InputStage] = -5 }},
	} {
		h := baseHardware()
		c.edit(&h)
		if _, err := NewRouter(h, Default()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want one with %q", err, c.want)
		}
	}
}

func TestEffectiveWritesOutWhatIsUsual(t *testing.T) {
	for _, c := range []struct {
		profile Profile
		nm      int
		fifo    FIFO
		volt    float64
	}{
		{ProfileO1, 100, FIFOSRAM, 1.2}, {ProfileO, 90, FIFOSRAM, 1.2}, {ProfileO, 65, FIFOSRAM, 1.1}, {ProfileS, 45, FIFOBanked, 1.0},
		{ProfileS, 32, FIFOBanked, 0.9}, {ProfileS, 22, FIFOBanked, 0.8},
	} {
		got := configured(c.profile, c.nm, FIFOUsual).Effective()
		if got.FIFO != c.fifo || got.VoltageV != c.volt {
			t.Errorf("profile %s at %d nm has %s at %g V, want %s at %g V", c.profile, c.nm, got.FIFO, got.VoltageV, c.fifo, c.volt)
		}
		if got.Effective() != got || got.Validate() != nil {
			t.Errorf("%+v is not effective", got)
		}
	}
	set := Default()
	set.FIFO, set.VoltageV = FIFORegister, 1.3
	if set.Effective() != set {
		t.Errorf("%+v became %+v", set, set.Effective())
	}
}

// TestFollow: what was not given follows from the technology and the profile.
func TestFollow(t *testing.T) {
	given := func(keys ...string) func(string) bool {
		return func(key string) bool { return slices.Contains(keys, key) }
	}
	c := Default()
	c.TechNM, c.ClockGating = 7, false
	if old := (Config{Profile: ProfileO, TechNM: 65}).Usual(); old.Core != Default().Core || old.Cells != Default().Cells {
		t.Errorf("a configuration without a chip becomes %+v", old)
	}
	if f := c.Follow(given("tech_nm")); f.Profile != ProfileS || !f.ClockGating || f.Validate() != nil {
		t.Errorf("7 nm becomes %+v", f)
	}
	if f := c.Follow(given("profile")); f.Profile != ProfileO || f.ClockGating || f.Validate() == nil {
		t.Errorf("a profile that was given changes: %+v", f)
	}
	c.Profile = ProfileS
	if f := c.Follow(given("clock_gating")); f.ClockGating {
		t.Error("gating that was given changes")
	}
}

// TestSmallTechnologies: energies fall from 22 nm on, and the factors are those of the table.
func TestSmallTechnologies(t *testing.T) {
	at := func(nm int) (hop, leak, link float64) {
		c := configured(ProfileS, nm, FIFOBanked)
		r, l := mustRouter(t, baseHardware(), c), NewLink(128, c)
		return r.Price(HopOf(baseHardware()), 0).Dynamic(), r.leakage.total(), l.phit
	}
	hop, leak, _ := at(22)
	for _, nm := range cellsOnly {
		scale := chip.ScaleOf(nm)
		h, l, _ := at(nm)
		near(t, "hop", h, hop*scale.Logic, 1e-9)
		near(t, "leakage", l, leak*scale.Leakage, 1e-9)
	}
	_, _, wide := at(22)
	_, _, small := at(7)
	if !(small < 0.8*wide && small > 0.7*wide) {
		t.Errorf("a link of 7 nm takes %g of one of 22 nm", small/wide)
	}
}

// TestHighThreshold: routers leak less with HVT, and events cost the same.
func TestHighThreshold(t *testing.T) {
	for _, nm := range technologies {
		normal, high := configured(ProfileO, nm, FIFOSRAM), configured(ProfileO, nm, FIFOSRAM)
		high.Transistor = HVT
		a, b := mustRouter(t, baseHardware(), normal), mustRouter(t, baseHardware(), high)
		if a.events != b.events {
			t.Errorf("%d nm: events cost something else", nm)
		}
		if ratio := a.leakage.total() / b.leakage.total(); nm == 65 && !(ratio > 4 && ratio < 8) || ratio <= 1 {
			t.Errorf("%d nm: NVT leaks %g times as much", nm, ratio)
		}
	}
	if c := configured(ProfileO, 32, FIFOSRAM); c.Trend() == "" || Default().Trend() != "" {
		t.Error("the trend is said at the wrong technologies")
	}
}
