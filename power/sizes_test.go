package power

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
)

// usualHardware returns a router of a size that people build, with input buffers or with rings.
func usualHardware(t *rapid.T) noc.Hardware {
	h := noc.Hardware{Ports: rapid.IntRange(3, 9).Draw(t, "ports"), PhitBits: rapid.IntRange(16, 512).Draw(t, "bits"), DestinationBits: 64}
	if rapid.Bool().Draw(t, "rotary") {
		for _, k := range []noc.BufferKind{noc.InputStage, noc.RingSegment, noc.OutputStage} {
			h.FIFOs[k], h.Depth[k] = h.Ports, rapid.IntRange(2, 64).Draw(t, "depth")
		}
		h.FIFOs[noc.RingSegment] *= 2
		return h
	}
	h.Crossbar, h.VirtualChannels = true, rapid.IntRange(1, 12).Draw(t, "channels")
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = h.Ports*h.VirtualChannels, rapid.IntRange(2, 64).Draw(t, "depth")
	h.ChannelChoices, h.ChannelRivals = h.VirtualChannels, h.VirtualChannels
	return h
}

// larger returns the router with one size one step up.
func larger(h noc.Hardware, size string) noc.Hardware {
	switch size {
	case "bits":
		h.PhitBits++
	case "depth":
		for k := range h.Depth {
			if h.FIFOs[k] > 0 {
				h.Depth[k]++
			}
		}
	case "channels":
		if h.VirtualChannels > 0 {
			h.VirtualChannels++
			h.FIFOs[noc.VirtualChannel] += h.Ports
			h.ChannelChoices++
			h.ChannelRivals++
		}
	case "ports":
		for k := range h.FIFOs {
			h.FIFOs[k] += h.FIFOs[k] / h.Ports
		}
		h.Ports++
	}
	return h
}

// TestLargerRoutersCostMore: one more bit, entry, channel or port lowers neither the energy of a
// phit nor static power, and raises them by little: prices are smooth between and beyond the
// sizes of the reference rows. Folded drains are the one exception.
func TestLargerRoutersCostMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, h := drawConfig(t), usualHardware(t)
		c.ClockGHz = rapid.Float64Range(1, 3).Draw(t, "usual clock")
		slack := folding(c)
		before := costs(t, h, c)
		for _, size := range []string{"bits", "depth", "channels", "ports"} {
			after := costs(t, larger(h, size), c)
			for i, what := range []string{"energy of a phit", "allocation", "leakage", "clock"} {
				if after[i] < before[i]*(1-slack) {
					t.Fatalf("%s: one more of %s takes %s from %g to %g", fmt.Sprintf("%+v %+v", c, h), size, what, before[i], after[i])
				}
				// One step is at most half of a size of two, and matrices grow with the square of
				// it: from two requesters to four they have six times as many pairs.
				if after[i] > 8*before[i] && before[i] > 0 {
					t.Fatalf("%+v: one more of %s takes %s from %g to %g", h, size, what, before[i], after[i])
				}
			}
		}
	})
}

// folding returns the step down that the templates of profile O may take: a drain of 10 um is
// folded, which makes it smaller than one of 9.9 (rule 1). Drivers get that wide at 90 nm.
func folding(c Config) float64 {
	if c.Profile == ProfileO && c.TechNM == 90 {
		return 0.15
	}
	return 1e-9
}

// costs returns the energies of a phit and of an allocation in J, and leakage and clock in W.
func costs(t *rapid.T, h noc.Hardware, c Config) [4]float64 {
	r, err := NewRouter(h, c)
	if err != nil {
		t.Fatal(err)
	}
	return [4]float64{r.Price(HopOf(h), 0).Dynamic(), r.Price(noc.Activity{RouteLookups: 1}, 0).Total(), r.leakage.total(), r.clock}
}

// TestClockAndVoltageAreSmooth: prices between 1 and 3 GHz and 0.7 and 1.3 V move by less than
// their cause, squared for voltage; in profile S energy does not depend on the clock at all.
func TestClockAndVoltageAreSmooth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, h := drawConfig(t), usualHardware(t)
		c.VoltageV, c.ClockGHz = rapid.Float64Range(0.7, 1.3).Draw(t, "volt"), rapid.Float64Range(1, 2.9).Draw(t, "GHz")
		before := costs(t, h, c)
		faster, higher := c, c
		faster.ClockGHz *= 1.01
		higher.VoltageV *= 1.01
		after := costs(t, h, faster)
		for i, what := range []string{"energy of a phit", "allocation", "leakage"} {
			if ratio := after[i] / before[i]; before[i] > 0 && (ratio < 0.985-folding(c) || ratio > 1.015 || c.Profile == ProfileS && ratio != 1) {
				t.Fatalf("%s is %.4f times as high at a clock 1 %% faster than %g GHz", what, ratio, c.ClockGHz)
			}
		}
		after = costs(t, h, higher)
		for i, what := range []string{"energy of a phit", "allocation", "leakage", "clock"} {
			if ratio := after[i] / before[i]; before[i] > 0 && (ratio < 1.01*(1-1e-9) || ratio > 1.01*1.01*(1+1e-9)) {
				t.Fatalf("%s is %.6f times as high at 1 %% more than %g V", what, ratio, c.VoltageV)
			}
		}
	})
}
