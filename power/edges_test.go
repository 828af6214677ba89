package power

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestEnergyScalesWithVoltage: with V^2 everywhere, but for the sense amplifiers of an SRAM, whose
// charge is proportional to V.
func TestEnergyScalesWithVoltage(t *testing.T) {
	at := func(c Config, volt float64) *Router {
		c.VoltageV = volt
		return mustRouter(t, baseHardware(), c)
	}
	hop := baseHop()
	for _, c := range []Config{
		configured(ProfileS, 45, FIFOBanked), configured(ProfileS, 32, FIFOSingleRAM),
		configured(ProfileO, 65, FIFORegister), configured(ProfileO1, firstNM, FIFOSRAM),
	} {
		low, high := at(c, 0.6).Price(hop, 0).Dynamic(), at(c, 1.2).Price(hop, 0).Dynamic()
		near(t, "energy at twice the voltage", high, 4*low, 1e-12)
		l, h := c, c
		l.VoltageV, h.VoltageV = 0.6, 1.2
		near(t, "link energy at twice the voltage", mustLink(t, 128, h).phit, 4*mustLink(t, 128, l).phit, 1e-12)
		near(t, "leakage at twice the voltage", at(c, 1.2).leakage.total(), 2*at(c, 0.6).leakage.total(), 1e-12)
	}
	c := configured(ProfileO, 65, FIFOSRAM)
	const sense = 128 * senseCurrent * 1e-9 / 8 // J per V, at 1 GHz
	low, high := at(c, 0.6).Price(hop, 0).Dynamic()-0.6*sense, at(c, 1.2).Price(hop, 0).Dynamic()-1.2*sense
	near(t, "energy without sensing at twice the voltage", high, 4*low, 1e-12)
}

// TestSenseEnergyFollowsTheClock: 8 pJ per 128 bits at 1 GHz and 1 V, proportional to the period.
func TestSenseEnergyFollowsTheClock(t *testing.T) {
	read := func(ghz float64) float64 {
		c := configured(ProfileO, 65, FIFOSRAM)
		c.VoltageV, c.ClockGHz = 1, ghz
		o := newOrion(c)
		return o.sramFIFO(128, 10, true).read
	}
	// Both clocks let the word line's driver reach its widest and keep the pre-charge within
	// range, so only sensing and the pre-charge differ: the latter by little.
	if difference := (read(0.5) - read(1)) * 1e12; difference < 7.5 || difference > 8.5 {
		t.Errorf("halving the clock adds %.3f pJ, want about 8", difference)
	}
}

func TestStaticEnergyFollowsTheClock(t *testing.T) {
	for _, profile := range []Profile{ProfileO, ProfileS} {
		c := configured(profile, 45, FIFOUsual)
		slow, link := mustRouter(t, baseHardware(), c).Price(noc.Activity{}, 1000), mustLink(t, 128, c).Price(0, 1000)
		c.ClockGHz = 4
		fast, fastLink := mustRouter(t, baseHardware(), c).Price(noc.Activity{}, 1000), mustLink(t, 128, c).Price(0, 1000)
		// The clock's energy per cycle stays; cycles are shorter. In profile O pre-charge drivers
		// grow, and leak, with the clock.
		near(t, "clock energy", fast.Clock, slow.Clock, 1e-12)
		near(t, "link leakage", fastLink.LinkLeakage, link.LinkLeakage/4, 1e-12)
		if fast.Leakage > slow.Leakage/2 || fast.Leakage < slow.Leakage/4*(1-1e-9) {
			t.Errorf("profile %s leaks %g J at 1 GHz and %g J at 4 GHz in as many cycles", profile, slow.Leakage, fast.Leakage)
		}
	}
}

// TestWidthScalesDataTerms: twice the bits cost twice the data energy. SRAMs and crossbars of
// profile O have wires that grow with the width, so they cost more than twice.
func TestWidthScalesDataTerms(t *testing.T) {
	s := newCells(configured(ProfileS, 32, FIFOBanked))
	o := newOrion(configured(ProfileO, 65, FIFORegister))
	for _, c := range []struct {
		name string
		at   func(bits int) float64
	}{
		{"cells write", func(b int) float64 { return s.write(b, 10) }},
		{"cells read", func(b int) float64 { return s.read(b, 10) }},
		{"cells crossbar", func(b int) float64 { return s.crossbar(5, b, 2) }},
		{"cells mux", func(b int) float64 { return s.mux(b, 2) }},
		{"cells link", func(b int) float64 { e, _ := s.link(b, 2, 1); return e }},
		{"cells ring wire", func(b int) float64 { return s.ringWire(b, 0.2) }},
		{"register write", func(b int) float64 { return o.registerFIFO(b, 10).write }},
		{"register read", func(b int) float64 { return o.registerFIFO(b, 10).read }},
		{"merge", o.merge}, {"steer", o.steer}, {"register clock", o.registerTick},
		{"link", func(b int) float64 { e, _ := o.link(b, 2, 1); return e }},
		{"ring wire", func(b int) float64 { return o.ringWire(b, 0.2) }},
	} {
		near(t, c.name, c.at(256), 2*c.at(128), 1e-12)
	}
	for _, c := range []struct {
		name string
		at   func(bits int) float64
	}{
		{"SRAM read", func(b int) float64 { return o.sramFIFO(b, 10, true).read }},
		{"SRAM write", func(b int) float64 { return o.sramFIFO(b, 10, true).write }},
		{"crossbar", func(b int) float64 { return o.crossbar(5, b, 1) }},
	} {
		if ratio := c.at(256) / c.at(128); ratio < 1.85 || ratio > 4 {
			t.Errorf("%s costs %.3f times as much at twice the width, want about twice to four times", c.name, ratio)
		}
	}
}

// TestReplicationIsAffine: each further output of one traversal costs the same, less than a
// traversal of its own, which is what BASE-MC pays.
func TestReplicationIsAffine(t *testing.T) {
	s, o := newCells(configured(ProfileS, 45, FIFOBanked)), newOrion(Default())
	for name, at := range map[string]func(m int) float64{
		"cells":     func(m int) float64 { return s.crossbar(5, 128, m) },
		"templates": func(m int) float64 { return o.crossbar(5, 128, m) },
	} {
		step := at(2) - at(1)
		for m := 2; m < 6; m++ {
			near(t, name+": step", at(m)-at(m-1), step, 1e-9)
		}
		if step <= 0 || step >= at(1) {
			t.Errorf("%s: another output costs %g J, a traversal %g J", name, step, at(1))
		}
	}
	// Beside its wire, another output needs its control line, which does not depend on data.
	still := Default()
	still.Alpha = 0
	control := newOrion(still)
	near(t, "control of two outputs", control.crossbar(5, 128, 2), 2*control.crossbar(5, 128, 1), 1e-12)
	output := o.crossbarLine(5, 128)*o.wideWire + 6*o.triOut() + o.gateCap(o.out.n+o.out.p, 0)
	near(t, "step of templates", o.crossbar(5, 128, 2)-o.crossbar(5, 128, 1),
		128*0.5*output*o.square/2+control.crossbar(5, 128, 1), 1e-9)

	base := mustRouter(t, baseHardware(), Default())
	near(t, "three sequential copies", base.Price(noc.Activity{Crossbar: 3}, 0).Crossbar, 3*o.crossbar(5, 128, 1), 1e-12)
}

func TestActivityScalesDataOnly(t *testing.T) {
	quiet := Default()
	quiet.Alpha = 0
	o := newOrion(quiet)
	if phit, _ := o.link(128, 2, 1); phit != 0 {
		t.Errorf("a link whose wires never change costs %g J", phit)
	}
	usual := newOrion(Default())
	near(t, "SRAM read without activity", o.sramFIFO(128, 10, true).read, usual.sramFIFO(128, 10, true).read, 1e-12)

	cell := configured(ProfileS, 45, FIFOBanked)
	s := newCells(cell)
	cell.Alpha = 0
	still := newCells(cell)
	near(t, "clock share of a write", still.write(128, 10), 0.25*s.write(128, 10), 1e-12)
	near(t, "clock share of a read", still.read(128, 10), 128*8.17e-15, 1e-12)
	near(t, "clock share of a crossbar", still.crossbar(5, 128, 1), 128*(-0.6+3.74/2)*1e-15, 1e-12)
	if got := still.mux(128, 3); got != 0 {
		t.Errorf("a multiplexer whose wires never change costs %g J", got)
	}
}

// TestLinkGolden holds the repeaters of profile O and the wires of profile S (rules 5
// and 8).
func TestLinkGolden(t *testing.T) {
	for _, c := range []struct {
		nm                 int
		phit, count, width float64
	}{{65, 12.563, 1, 77.45}, {45, 13.900, 7, 17.57}, {32, 11.602, 9, 14.86}} {
		o := newOrion(configured(ProfileO, c.nm, FIFOSRAM))
		phit, _ := o.link(128, 1, 1)
		near(t, "link in pJ", phit*1e12, c.phit, 1e-4)
		ground, coupling := o.linkWire.capacitance()
		count, size := o.repeated(2*ground*1e-3, 2*coupling*1e-3, o.linkWire.resistance()*1e-3)
		near(t, "repeaters", count, c.count, 0)
		near(t, "repeater size", size, c.width, 2e-4)
	}
	for _, c := range []struct {
		nm, spacing int
		want        float64 // fF/mm
	}{{45, 1, 157}, {32, 1, 157}, {22, 1, 146}, {45, 2, 119}, {32, 2, 119}, {22, 2, 110}} {
		near(t, "wire", cellsAt(c.nm).linkWire.spaced(c.spacing).total()*1e12, c.want, 0.007)
	}
	s := newCells(configured(ProfileS, 45, FIFOBanked))
	near3, leak3 := s.link(128, 3, 1)
	near6, leak6 := s.link(128, 6, 1)
	near(t, "two repeaters for 6 mm", near6, 2*near3, 1e-12)
	near(t, "leakage of two repeaters", leak6, 2*leak3, 1e-12)
	o := newOrion(Default())
	if phit, leak := o.link(128, 0, 1); phit != 0 || leak != 0 {
		t.Errorf("a link without length costs %g J and leaks %g W", phit, leak)
	}
	if phit, _ := o.link(128, 0.1, 1); math.IsNaN(phit) || phit <= 0 {
		t.Errorf("a link too short for repeaters costs %g J", phit)
	}
}

// TestPointerFIFO: a FIFO that does not shift is cheaper to read, more so the deeper it is.
func TestPointerFIFO(t *testing.T) {
	o := newOrion(Default())
	for _, n := range []int{5, 10, 20, 60} {
		shift, pointer := o.registerFIFO(128, n), o.pointerFIFO(128, n)
		if pointer.write != shift.write || pointer.read >= shift.read || pointer.leak <= shift.leak {
			t.Errorf("%d entries: pointer %+v, shift %+v", n, pointer, shift)
		}
	}
	if one, shift := o.pointerFIFO(128, 1), o.registerFIFO(128, 1); one != shift {
		t.Errorf("one entry: pointer %+v, shift %+v", one, shift)
	}
	near(t, "reading one entry", o.registerFIFO(128, 1).read, 64*o.tick(), 1e-12)
	// Ten entries need two levels of four inputs.
	levels := 2 * (64*(4*o.triOut()+o.triIn())*o.square/2 + o.node(2, 1)*o.square)
	near(t, "reading ten entries", o.pointerFIFO(128, 10).read, 64*o.tick()+levels, 1e-12)
}
