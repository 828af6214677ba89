package power

import (
	"math"
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

// TestExtrapolatedTechnologies have no reference; they must at least lie beyond their neighbours.
func TestExtrapolatedTechnologies(t *testing.T) {
	for _, profile := range []Profile{ProfileO, ProfileS} {
		larger := math.Inf(1)
		for _, nm := range technologies {
			c := configured(profile, nm, FIFOUsual)
			energy := mustRouter(t, baseHardware(), c).Price(baseHop(), 0).Dynamic()
			if energy >= larger {
				t.Errorf("profile %s: a hop takes %g J at %d nm, no less than at the next larger technology", profile, energy, nm)
			}
			larger = energy
			want := profile == ProfileO && nm == 22 || profile == ProfileS && nm > 45
			if c.Extrapolated() != want {
				t.Errorf("profile %s at %d nm: extrapolated is %t", profile, nm, !want)
			}
		}
	}
	s45, s65, s90 := newCells(configured(ProfileS, 45, FIFOUsual)), newCells(configured(ProfileS, 65, FIFOUsual)),
		newCells(configured(ProfileS, 90, FIFOUsual))
	near(t, "cells of 65 nm", s65.write(1, 10)/s65.square, 1.75*s45.write(1, 10)/s45.square, 1e-12)
	near(t, "cells of 90 nm", s90.crossbar(5, 1, 1)/s90.square, 2.4*s45.crossbar(5, 1, 1)/s45.square, 1e-12)
	near(t, "leakage of 65 nm", s65.BufferLeak, 1.5*s45.BufferLeak, 1e-12)
}

// TestCells22 holds the coefficients of 22 nm, for which the small reference table has no row:
// BASE with one RAM of 60 per port, at 0.8 V.
func TestCells22(t *testing.T) {
	s := newCells(configured(ProfileS, 22, FIFOSingleRAM))
	phit, linkLeak := s.link(128, 1, 1)
	const square, bits = 0.8 * 0.8, 128.0
	for _, c := range []struct {
		name      string
		got, want float64 // fJ and uW
	}{
		{"write", s.write(128, 60) * 1e15, square * bits * (4.66 + 0.606*60)},
		{"read", s.read(128, 60) * 1e15, square * bits * (3.50 + 0.570*60)},
		{"crossbar", s.crossbar(5, 128, 2) * 1e15, square * bits * (-0.2 + 0.475*5 + 2*(1.73+0.526*5))},
		{"arbiter", s.arbiterCost(6).single() * 1e15, square * 2.60 * 30},
		{"leakage of arbiter", s.arbiterCost(6).leak * 1e6, 0.8 * 2.24 * 30},
		{"clock tree", s.clockTree(5, 128) * 1e15, square * (70 + 0.64*640)},
		{"link", phit * 1e15, 0.5 * bits * (145.7 + 4.5) * square / 2},
		{"leakage of link", linkLeak * 1e6, 0.8 * bits * 0.30},
		{"leakage", mustRouter(t, baseHardware(), configured(ProfileS, 22, FIFOSingleRAM)).leakage.total() * 1e6,
			0.8 * (2.16*5*bits*60 + 3*1.504*5*bits + 0.605*bits*20 + 2.24*(100+150))},
	} {
		near(t, c.name+" at 22 nm", c.got, c.want, 1e-5)
	}
}
