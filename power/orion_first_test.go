package power

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
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
		r := must.Get(NewRouter(h, c))
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

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s is %.6g, want %.6g within %g", name, got, want, tolerance)
	}
}

// TestOrion90 holds the 90 nm tables, for which no output of the tool is at hand, to a second
// evaluation of the same equations that was written apart and read its parameters from elsewhere;
// at the other technologies the two agree to the last digit printed.
func TestOrion90(t *testing.T) {
	o := newOrion(configured(ProfileO, 90, FIFOSRAM))
	register, sram := o.registerFIFO(128, 10), o.sramFIFO(128, 10, true)
	phit, leak := o.link(128, 1, 1)
	for _, c := range []struct {
		name      string
		got, want float64 // pJ and mW
	}{
		{"register write", register.write * 1e12, 7.547497}, {"register read", register.read * 1e12, 20.08235},
		{"SRAM write", sram.write * 1e12, 3.068214}, {"SRAM read", sram.read * 1e12, 32.88784},
		{"crossbar", o.crossbar(5, 128) * 1e12, 50.1617},
		{"round robin", o.roundRobin(6).single() * 1e12, 0.5146847},
		{"matrix", o.matrix(4, o.crossbarLine(5, 128)).single() * 1e12, 0.7957818},
		{"leakage of FIFOs", o.leakPower(30*sram.leak) * 1e3, 2.706769},
		{"leakage of crossbar", o.leakPower(o.crossbarLeak(5, 128)) * 1e3, 1.215895},
		{"leakage of allocator", o.leakPower(5*o.roundRobin(6).leak+5*o.matrix(4, 0).leak) * 1e3, 0.09943639},
		{"clock", 15 * o.registerTick(128) * 1e12, 27.648},
		{"link", phit * 1e12, 30.66735}, {"leakage of link", leak * 1e3, 0.7515723},
	} {
		near(t, c.name+" at 90 nm", c.got, c.want, 1e-6)
	}
}

// TestWideDrainsAreFolded: from 10 um on, a drain has half the area and no long side.
func TestWideDrainsAreFolded(t *testing.T) {
	o := newOrion(Default())
	const length, width = 0.0696, 20.0
	single := 1.5*length*width*2.9535e-15 + 6*length*2.55e-16 + width*1.27e-16
	more := length*width*2.9535e-15 + 4*length*2.55e-16 + 2*width*1.27e-16
	near(t, "drain of 20 um", o.drainCap(width, nType, 1), single, 1e-12)
	near(t, "three stacked drains of 20 um", o.drainCap(width, nType, 3), single+2*more, 1e-12)
	single = 3*length*2*3.3306e-15 + (6*length+2)*1.2994e-15 + 2*1.21e-16
	more = length*2*3.3306e-15 + 2*length*1.2994e-15 + 4*1.21e-16
	near(t, "three stacked drains of 2 um", o.drainCap(2, pType, 3), single+2*more, 1e-12)
}
