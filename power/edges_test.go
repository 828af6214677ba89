package power

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

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
