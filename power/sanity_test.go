package power

import (
	"math"
	"testing"
)

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
	near(t, "leakage of 65 nm", s65.bufferLeak, 1.5*s45.bufferLeak, 1e-12)
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
