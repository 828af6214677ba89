package power

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestFirstOrion holds profile O1 to what Orion 1 prints at 100 nm and 1.2 V, to half a unit of the
// last digit (rule 15): 128 bits, 5 ports, FIFOs of 10 phits, 1 GHz, links at twice the smallest
// spacing.
func TestFirstOrion(t *testing.T) {
	o := newOrion(configured(ProfileO1, firstNM, FIFOUsual))
	fifo := o.sramFIFO(128, 10, true)
	link, leak := o.link(128, 1, 2)
	matrix := o.matrix(4, o.crossbarLine(5, 128))
	for _, c := range []struct {
		name      string
		got       float64 // pJ and mW
		low, high float64
	}{
		{"write", fifo.write * 1e12, 1.85, 1.95},
		{"read", fifo.read * 1e12, 1.45, 1.55},
		{"crossbar", o.crossbar(5, 128) * 1e12, 18.35, 18.45},
		{"arbiter with one request", matrix.single() * 1e12, 0.15, 0.25},
		{"arbiter with two requests", (matrix.single() + matrix.request) * 1e12, 0.25, 0.35},
		{"link of 1 mm", link * 1e12, 32.5, 33.5},
		{"leakage of the crossbar", o.leakPower(o.crossbarLeak(5, 128)) * 1e3, 25.5, 26.5},
		{"leakage of the link", leak, 0, 0},
	} {
		if c.got < c.low || c.got > c.high {
			t.Errorf("%s: %.4g, printed as %g to %g", c.name, c.got, c.low, c.high)
		}
	}
}

// TestFirstOrionHasNoClock: a router of profile O1 that does nothing leaks, and what it reads
// follows the data.
func TestFirstOrionHasNoClock(t *testing.T) {
	c := configured(ProfileO1, firstNM, FIFOUsual)
	for _, h := range []noc.Hardware{baseHardware(), rotaryHardware()} {
		r, err := NewRouter(h, c)
		if err != nil {
			t.Fatal(err)
		}
		if idle := r.Price(noc.Activity{}, 1000); idle.Clock != 0 || idle.Leakage <= 0 || idle.Total() != idle.Leakage {
			t.Errorf("an idle router spends %+v", idle)
		}
		still := c
		still.Alpha, still.StaticScale = 0, 0
		quiet, _ := NewRouter(h, still)
		if e := quiet.Price(HopOf(h), 1000); e.BufferRead != 0 || e.Static() != 0 {
			t.Errorf("without changing data and leakage a hop costs %+v", e)
		}
	}
}
