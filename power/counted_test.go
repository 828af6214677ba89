package power

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
)

// flipsOf is as many flipped bits as alpha takes for a router's activity, on every bundle of wires.
func flipsOf(a noc.Activity, alpha float64, bits int) (t noc.Toggles) {
	of := func(phits uint64) uint64 { return uint64(alpha * float64(phits) * float64(bits)) }
	t.Counted = true
	for k := range a.BufferWrites {
		t.BufferWrites[k], t.BufferReads[k] = of(a.BufferWrites[k]), of(a.BufferReads[k])
	}
	t.Arrived = of(a.BufferWrites[noc.VirtualChannel]) // where there are input stages instead nothing is priced by it
	t.CrossbarIn, t.CrossbarOut = of(a.Crossbar), of(a.Crossbar)
	t.InputDemux, t.RingHop, t.RingDual = of(a.InputDemux), of(a.RingHop), of(a.RingDual)
	t.Link, t.Eject = of(a.LinkPhits), of(a.EjectPhits)
	return t
}

// consistent gives activity the relations that routers keep.
func consistent(a noc.Activity) noc.Activity {
	a.InputDemux = a.RingInject
	a.BufferWrites[noc.RingSegment] = a.RingInject + a.RingHop
	a.BufferReads[noc.VirtualChannel] = a.Crossbar
	a.OutputMux = a.LinkPhits + a.EjectPhits
	return a
}

var allFIFOs = []Config{Default(), configured(ProfileO, 45, FIFORegister), configured(ProfileO, 32, FIFORegisterPointer),
	configured(ProfileO1, firstNM, FIFOUsual), configured(ProfileS, 45, FIFOBanked), configured(ProfileS, 32, FIFOSingleRAM)}

// TestCountedBitsAtAlpha: when the part Alpha of all bits flips, counted bits cost what Alpha
// does, whatever Alpha, in every profile and with every FIFO.
func TestCountedBitsAtAlpha(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		c := rapid.SampledFrom(allFIFOs).Draw(draw, "prices")
		c.Alpha = float64(rapid.IntRange(0, 8).Draw(draw, "eighths")) / 8 // so that bits are whole
		h := drawHardware(draw)
		h.PhitBits = 8 * rapid.IntRange(1, 16).Draw(draw, "bytes")
		a := consistent(drawActivity(draw))
		const cycles = 1000
		want := mustRouter(t, h, c).Price(a, cycles)
		c.Activity = ActivityHamming
		a.Toggles = flipsOf(a, c.Alpha, h.PhitBits)
		got := mustRouter(t, h, c).Price(a, cycles)
		for i := range reflect.TypeFor[Breakdown]().NumField() {
			part := reflect.TypeFor[Breakdown]().Field(i).Name
			g, w := reflect.ValueOf(got).Field(i).Float(), reflect.ValueOf(want).Field(i).Float()
			if math.Abs(g-w) > 1e-12*w {
				draw.Fatalf("%+v: %s costs %g J by counted bits and %g J by alpha", c, part, g, w)
			}
		}
		phits := a.LinkPhits
		l := mustLink(t, h.PhitBits, c)
		near(t, "link", l.PriceFlips(a.Toggles.Link, cycles).Total(), l.Price(phits, cycles).Total(), 1e-12)
	})
}

// TestUncountedBitsCostAlpha: a router whose bits nobody has counted is priced by Alpha.
func TestUncountedBitsCostAlpha(t *testing.T) {
	c := Default()
	usual := mustRouter(t, rotaryHardware(), c)
	c.Activity = ActivityHamming
	hamming := mustRouter(t, rotaryHardware(), c)
	_, a, _ := rotaryHop()
	if usual.Price(a, 10) != hamming.Price(a, 10) {
		t.Error("without counts the price is another one")
	}
}

// TestEachFlippedBitCosts: no count lowers the price, and each raises it where its wires exist.
func TestEachFlippedBitCosts(t *testing.T) {
	for _, c := range allFIFOs {
		c.Activity = ActivityHamming
		for _, h := range []noc.Hardware{baseHardware(), rotaryHardware()} {
			r := mustRouter(t, h, c)
			idle := r.Price(noc.Activity{Toggles: noc.Toggles{Counted: true}}, 0).Total()
			if idle != 0 {
				t.Errorf("%s %s: no event and no flipped bit cost %g J", c.Profile, c.FIFO, idle)
			}
			v := reflect.TypeFor[noc.Toggles]()
			for i := range v.NumField() {
				name := v.Field(i).Name
				for k := range noc.BufferKinds {
					a := noc.Activity{Toggles: noc.Toggles{Counted: true}}
					f := reflect.ValueOf(&a.Toggles).Elem().Field(i)
					switch f.Kind() {
					case reflect.Bool:
						continue
					case reflect.Array:
						f.Index(int(k)).SetUint(1)
					default:
						f.SetUint(1)
					}
					cost := r.Price(a, 0).Total()
					if costs := flipCosts(name, k, h, c); (cost > 0) != costs || cost < 0 {
						t.Errorf("%s %s, crossbar %v: a flipped bit of %s %s costs %g J", c.Profile, c.FIFO, h.Crossbar, name, k, cost)
					}
				}
			}
		}
	}
}

// flipCosts reports whether a router has wires that follow the data for a count.
func flipCosts(name string, k noc.BufferKind, h noc.Hardware, c Config) bool {
	single := h.Crossbar && c.FIFO == FIFOSingleRAM
	switch name {
	case "Arrived":
		return single
	case "BufferWrites":
		return h.FIFOs[k] > 0 && !single
	case "BufferReads": // sense amplifiers draw the same for every word
		return h.FIFOs[k] > 0 && !single && (c.Effective().FIFO != FIFOSRAM || c.Profile == ProfileO1)
	case "CrossbarIn", "CrossbarOut":
		return h.Crossbar
	}
	return !h.Crossbar
}
