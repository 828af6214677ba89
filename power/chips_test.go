package power

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestPublishedChips: silicon whose figures were read, not remembered, is within a factor of
// three in both profiles, and what was remembered within four.
func TestPublishedChips(t *testing.T) {
	list, err := Chips()
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, c := range list {
		t.Logf("%-26s %d nm %s %-10s published %.3g to %.3g, model %.3g to %.3g pJ/bit: factor %.2f", c.Name, c.TechNM, c.Profile, c.FIFO,
			c.Low, c.High, c.ModelLow, c.ModelHigh, c.Factor)
		if !c.Passed() || c.Factor > 4 {
			t.Errorf("%s, profile %s with %s: a factor of %.2f", c.Name, c.Profile, c.FIFO, c.Factor)
		}
		if c.Judged {
			judged++
		}
	}
	if judged != 9 {
		t.Errorf("%d comparisons are judged, want three chips in three organisations", judged)
	}
	far := Chip{Low: 1, High: 1, ModelLow: 3.1, ModelHigh: 3.1, Factor: 3.1, Judged: true}
	if far.Passed() {
		t.Error("a chip that is 3.1 times away passes")
	}
}

// TestChipByHand: all five ports of the SCC router in every cycle, profile S: 128 bits written
// and read in banks of 3, eight banks multiplexed, a crossbar of 5, arbiters of 8 and 5, at 1.1 V
// and 2 GHz.
func TestChipByHand(t *testing.T) {
	c := configured(ProfileS, 45, FIFOBanked)
	c.VoltageV, c.ClockGHz, c.LinkMM = 1.1, 2, 5.4
	const square, bits = 1.1 * 1.1, 128.0
	phit := square * (bits*((10.95+1.509*3)+(8.17+1.506*3)+1.373*8+(-0.6+1.285*5)+(3.74+1.373*5)) + 6.60*(8*7+5*4)) // fF V^2
	tree := square * (195.9 + 1.184*5*bits)
	leak := 1.1 * (2.357*5*8*3*bits + 3*1.628*5*bits + 0.651*bits*(20+40) + 2.51*5*(8*7+5*4)) // uW
	want := (phit + (tree+leak*1e-6/2e9*1e15)/5) * 1e-3 / bits                                // pJ per bit
	low, high, err := chips[0].model(c)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "SCC, router alone", low, want, 1e-9)
	// Four of five phits go over 5.4 mm, with two repeaters, which leak on four links.
	wire := 0.8*0.5*(cellWire.total()*5.4e-3*1e15+2*4.5)*square/2 + 4*1.1*0.43*2*1e-6/2e9*1e15/5
	near(t, "SCC, links", high-low, wire*1e-3, 1e-9)
}

// TestDoubtsOfAPriceList: defaults are within the ranges of silicon (rule 14), and what is not says so.
func TestDoubtsOfAPriceList(t *testing.T) {
	doubts := func(c Config, h noc.Hardware) string {
		l, err := PriceListOf(h, c)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(l.Doubts, "; ")
	}
	for _, c := range []Config{
		Default(), configured(ProfileO, 45, FIFOSRAM), configured(ProfileO, 32, FIFOSRAM), configured(ProfileO, 22, FIFOUsual),
		configured(ProfileO, 65, FIFORegisterPointer), configured(ProfileS, 45, FIFOBanked), configured(ProfileS, 45, FIFOSingleRAM),
		configured(ProfileS, 32, FIFOSingleRAM), configured(ProfileS, 22, FIFOSingleRAM),
	} {
		for _, h := range []noc.Hardware{baseHardware(), rotaryHardware()} {
			if text := doubts(c, h); text != "" {
				t.Errorf("profile %s at %d nm: %s", c.Profile, c.TechNM, text)
			}
		}
	}
	still := configured(ProfileS, 45, FIFOBanked)
	still.Alpha = 0
	if text := doubts(still, baseHardware()); !strings.Contains(text, "per bit and hop") || !strings.Contains(text, "mm of link in pJ is 0, outside the 0.03 to 0.25") {
		t.Errorf("a network whose wires never change: %q", text)
	}
	leaking := Default()
	leaking.StaticScale = 100
	if text := doubts(leaking, baseHardware()); !strings.Contains(text, "share of clock and leakage") {
		t.Errorf("a network that leaks a hundred times as much: %q", text)
	}
	fast := Default()
	fast.ClockGHz = 4
	if fast.ClockTested() || !Default().ClockTested() {
		t.Error("tools were compared at 1 GHz, not at 4")
	}
	if text := doubts(still, noc.Hardware{Ports: 5, PhitBits: 128}); text != "" {
		t.Errorf("wires without routers: %q", text)
	}
}
