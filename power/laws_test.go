package power

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// drawConfig is any valid configuration.
func drawConfig(t *rapid.T) Config {
	c := Default()
	c.TechNM = rapid.SampledFrom(technologies[:]).Draw(t, "tech")
	switch c.Profile = rapid.SampledFrom(Profiles()).Draw(t, "profile"); c.Profile {
	case ProfileO1:
		c.TechNM = firstNM
	case ProfileS:
		c.FIFO = rapid.SampledFrom([]FIFO{FIFOUsual, FIFOBanked, FIFOSingleRAM}).Draw(t, "fifo")
	default:
		c.FIFO = rapid.SampledFrom([]FIFO{FIFOUsual, FIFOSRAM, FIFORegister, FIFORegisterPointer}).Draw(t, "fifo")
		c.ClockGating = rapid.Bool().Draw(t, "gating")
	}
	c.ClockGHz = rapid.Float64Range(0.1, 5).Draw(t, "clock")
	c.Alpha = rapid.Float64Range(0, 1).Draw(t, "alpha")
	c.VoltageV = rapid.SampledFrom([]float64{0, 0.5, 1, 1.3}).Draw(t, "voltage")
	c.LinkMM = rapid.Float64Range(0, 20).Draw(t, "link")
	c.WireSpacing = rapid.IntRange(1, 2).Draw(t, "spacing")
	return c
}

// drawHardware is any router the contract can describe, sensible or not.
func drawHardware(t *rapid.T) noc.Hardware {
	h := noc.Hardware{
		Ports:           rapid.IntRange(0, 70).Draw(t, "ports"),
		PhitBits:        rapid.IntRange(1, 1024).Draw(t, "bits"),
		VirtualChannels: rapid.IntRange(0, 20).Draw(t, "channels"),
		ChannelChoices:  rapid.IntRange(0, 20).Draw(t, "choices"),
		ChannelRivals:   rapid.IntRange(0, 20).Draw(t, "rivals"),
		Crossbar:        rapid.Bool().Draw(t, "crossbar"),
	}
	for k := range h.FIFOs {
		h.FIFOs[k] = rapid.IntRange(0, 100).Draw(t, "fifos")
		if h.FIFOs[k] > 0 {
			h.Depth[k] = rapid.IntRange(1, 300).Draw(t, "depth")
		}
	}
	return h
}

// counters are pointers to every counter of a, by name; the lists of
// counters are found by reflection, so that none can be forgotten.
func counters(a *noc.Activity) (names []string, all []*uint64) {
	v := reflect.ValueOf(a).Elem()
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		if field.Kind() == reflect.Array {
			for j := range field.Len() {
				names = append(names, name+string(rune('0'+j)))
				all = append(all, field.Index(j).Addr().Interface().(*uint64))
			}
			continue
		}
		names = append(names, name)
		all = append(all, field.Addr().Interface().(*uint64))
	}
	return names, all
}

func drawActivity(t *rapid.T) noc.Activity {
	var a noc.Activity
	_, all := counters(&a)
	for _, c := range all {
		*c = rapid.Uint64Range(0, 1e6).Draw(t, "count")
	}
	return a
}

func TestEveryRouterHasAPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, h := drawConfig(t), drawHardware(t)
		r := must.Get(NewRouter(h, c))
		a, cycles := drawActivity(t), noc.Cycle(rapid.Uint64Range(0, 1e6).Draw(t, "cycles"))
		total := r.Price(a, cycles).Total()
		if math.IsNaN(total) || math.IsInf(total, 0) || total < 0 {
			t.Fatalf("the price is %g J", total)
		}
		if again := r.Price(a, cycles); again != r.Price(a, cycles) {
			t.Fatal("the same counters have two prices")
		}

		// No activity costs clock and leakage only, and twice as much in twice the time.
		idle, longer := r.Price(noc.Activity{}, cycles), r.Price(noc.Activity{}, 2*cycles)
		if idle.Dynamic() != 0 || longer.Static() != 2*idle.Static() {
			t.Fatalf("idle for %d cycles: %+v, twice as long: %+v", cycles, idle, longer)
		}

		// No counter lowers the price.
		_, all := counters(&a)
		for i, counter := range all {
			*counter += 1000
			if more := r.Price(a, cycles).Total(); more < total*(1-1e-12) {
				t.Fatalf("counter %d lowers the price from %g to %g", i, total, more)
			}
			*counter -= 1000
		}
	})
}

// TestEachCounterCostsWhereItsHardwareExists: the property above would hold if nothing cost
// anything.
func TestEachCounterCostsWhereItsHardwareExists(t *testing.T) {
	free := map[string]bool{
		"RingEject": true, // the read of the segment and the write of the output stage are charged
		// Links are priced apart, network interfaces are not modelled.
		"LinkPhits": true, "EjectPhits": true, "InjectPhits": true,
		"Replications": true, "Misroutes": true, "Cycles": true, "IdleCycles": true,
	}
	both := rotaryHardware()
	both.Crossbar, both.VirtualChannels = true, 6
	both.ChannelChoices, both.ChannelRivals = 6, 6
	both.FIFOs[noc.VirtualChannel], both.Depth[noc.VirtualChannel] = 30, 10
	for _, c := range []Config{Default(), configured(ProfileS, 45, FIFOBanked)} {
		r, plain := mustRouter(t, both, c), mustRouter(t, rotaryHardware(), c)
		var a noc.Activity
		names, all := counters(&a)
		for i, counter := range all {
			*counter = 1
			cost := r.Price(a, 0).Total() + plain.Price(a, 0).Total()
			*counter = 0
			// Requests cost nothing beside grants in profile S.
			if request := len(names[i]) > 11 && names[i][:11] == "ArbRequests" && c.Profile == ProfileS; request {
				continue
			}
			if (cost == 0) != free[names[i]] {
				t.Errorf("profile %s: one %s costs %g J", c.Profile, names[i], cost)
			}
		}
	}
}

func TestTheSumOverRoutersIsTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := must.Get(NewRouter(drawHardware(t), drawConfig(t)))
		const cycles = 1000
		var sum Breakdown
		var whole noc.Activity
		_, wholes := counters(&whole)
		n := rapid.IntRange(1, 9).Draw(t, "routers")
		for range n {
			a := drawActivity(t)
			sum = sum.Add(r.Price(a, cycles))
			_, all := counters(&a)
			for i := range all {
				*wholes[i] += *all[i]
			}
		}
		together := r.Price(whole, cycles*noc.Cycle(n))
		if math.Abs(sum.Total()-together.Total()) > 1e-12*together.Total() {
			t.Fatalf("routers apart %g J, together %g J", sum.Total(), together.Total())
		}
	})
}

// TestAddSumsEveryPart fails when a part is forgotten in Add or in Total.
func TestAddSumsEveryPart(t *testing.T) {
	var b Breakdown
	v := reflect.ValueOf(&b).Elem()
	want := 0.0
	for i := range v.NumField() {
		v.Field(i).SetFloat(float64(int(1) << i))
		want += 2 * float64(int(1)<<i)
	}
	if got := b.Add(b).Total(); got != want {
		t.Errorf("the total is %g, want %g", got, want)
	}
}

func TestPricingDoesNotAllocate(t *testing.T) {
	r := mustRouter(t, rotaryHardware(), Default())
	a, _, _ := rotaryHop()
	if n := must.Allocations(100, func() { r.Price(a, 1000) }); n != 0 {
		t.Errorf("pricing allocates %g times", n)
	}
}

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
	r := must.Get(NewRouter(h, c))
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

// TestLinksByLengthAndClass: a link costs by its length, leaks by its wires, and between chiplets costs what a key
// says for each bit.
func TestLinksByLengthAndClass(t *testing.T) {
	c := Default()
	c.Profile = ProfileS // in proportion to the length
	usual := NewLink(128, c)
	like := func(l topology.Link) Link { return NewLinkLike(128, l, c) }
	near(t, "twice the length", like(topology.Link{MM: 2 * c.LinkMM}).phit, 2*usual.phit, 1e-9)
	near(t, "energy at half the width", like(topology.Link{Bits: 64}).phit, usual.phit, 1e-9)
	near(t, "leakage at half the width", like(topology.Link{Bits: 64}).leak, usual.leak/2, 1e-9)
	if got := like(topology.Link{Class: topology.DieToDie, Cycles: 4}); got != usual {
		t.Errorf("without a price of its own a link between chiplets costs %+v, not %+v", got, usual)
	}
	c.D2DPJPerBit = 0.5
	if got := like(topology.Link{Class: topology.DieToDie, MM: 9, Bits: 16}); got.phit != 64e-12 || got.leak != 0 {
		t.Errorf("a link between chiplets costs %+v", got)
	}
	if got := like(topology.Link{Class: "other"}); got != usual {
		t.Errorf("a link of another class costs %+v", got)
	}
}
