package power

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// area returns the area of a router, which must be known.
func area(t *testing.T, c Config, router string) Area {
	t.Helper()
	h := baseHardware()
	if router != "base" {
		h = rotaryHardware()
		h.TableBits = 5 * 64
		if router == "rr" {
			h.DestinationBits = 0
		}
	}
	a, ok := AreaOf(h, c)
	if !ok {
		t.Fatalf("%s, profile %s, %d nm: unknown", router, c.Profile, c.TechNM)
	}
	return a
}

// TestAreaByHand: the parts of rotary routers with profile O at 65 nm, in um^2 (rules 16, 18 and 19).
func TestAreaByHand(t *testing.T) {
	c := Default()
	rr, mrr := area(t, c, "rr"), area(t, c, "mrr")
	near(t, "buffers", mrr.Buffers, 350*(2.1+2*0.8)*128*(1.4+4*0.8)*1e-6, 1e-12)
	near(t, "multiplexers", mrr.Multiplexers, 1.5*6.12*128*(5+10+5)*1e-6, 1e-12)
	near(t, "registers", mrr.Registers, 8.28*128*(5+5+10+5)*1e-6, 1e-12)
	near(t, "arbiters", mrr.Arbiters, 1.3*(10+5)*2*(6*2.52+2*1.44+8.28)*1e-6, 1e-12)
	near(t, "tables", mrr.Tables, 5*64*8.28*1e-6, 1e-12)
	near(t, "headers of RR", rr.Headers, 10*2*63*6.12*1e-6, 1e-12)
	near(t, "headers of MRR", mrr.Headers, 10*(2*(2*64*2.52+2*63*2.52)+64*6.12)*1e-6, 1e-12)
	mrr.Headers = rr.Headers
	if rr != mrr || rr.Crossbar != 0 {
		t.Errorf("RR %+v and MRR %+v differ in more than their headers", rr, mrr)
	}
}

// TestAreasGrowWithTechnology: every part is larger in an older technology, with both profiles, and larger
// routers have larger areas.
func TestAreasGrowWithTechnology(t *testing.T) {
	for _, p := range []Profile{ProfileO, ProfileS} {
		for _, router := range []string{"base", "rr", "mrr"} {
			last := 0.0
			for _, nm := range []int{22, 32, 45, 65, 90} {
				a := area(t, configured(p, nm, FIFOUsual), router).Total()
				if a <= last {
					t.Errorf("profile %s, %s: %g mm2 at %d nm, %g below", p, router, a, nm, last)
				}
				last = a
			}
		}
	}
	for _, fifo := range circuitsOf[ProfileO] {
		c := configured(ProfileO, 65, fifo)
		if small, large := area(t, c, "base"), deeper(c); large.Buffers <= small.Buffers || large.Crossbar != small.Crossbar {
			t.Errorf("%s: %+v, with one more phit %+v", fifo, small, large)
		}
	}
}

// deeper returns the area of BASE with one more phit in each channel.
func deeper(c Config) Area {
	h := baseHardware()
	h.Depth[0]++
	a, _ := AreaOf(h, c)
	return a
}

// TestNoArea: what nothing public covers has no area.
func TestNoArea(t *testing.T) {
	for _, c := range []Config{configured(ProfileO1, 100, FIFOUsual), configured(ProfileS, 16, FIFOUsual)} {
		if a, ok := AreaOf(baseHardware(), c); ok || a != (Area{}) {
			t.Errorf("profile %s, %d nm: %+v, %v", c.Profile, c.TechNM, a, ok)
		}
		if l := must.Get(PriceListOf(baseHardware(), c)); len(l.AreaMM2) > 0 {
			t.Errorf("profile %s, %d nm: price list with areas %v", c.Profile, c.TechNM, l.AreaMM2)
		}
	}
	h := baseHardware()
	h.FIFOs, h.Crossbar = [len(h.FIFOs)]int{}, false
	if _, ok := AreaOf(h, Default()); ok {
		t.Error("a network without routers has an area")
	}
}

// TestSynthesis: yosys makes cells of BASE in SystemVerilog with links of 128 bits. All of its 300 phits of
// buffers are registers, and its cells take 1.42 times the area of profile S at 45 nm, if they have the
// sizes of this profile.
func TestSynthesis(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("set CAROUSEL_LONG=1, as .ci/run does")
	}
	if _, err := exec.LookPath("yosys"); err != nil {
		t.Skip("yosys is not installed")
	}
	command := exec.Command("yosys", "-q", "-p",
		"read_verilog -sv ../noc/program/source/router.sv; chparam -set W 128 router; synth -top router; tee -o /dev/stderr stat")
	var stat strings.Builder
	command.Stdout, command.Stderr = &stat, &stat
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stat.String())
	}
	g, whole := cellPlan(45).gates, 0.0
	counts := map[string]int{}
	for _, cell := range regexp.MustCompile(`\$_([A-Z]+)(_\w*)? +(\d+)`).FindAllStringSubmatch(stat.String()[strings.LastIndex(stat.String(), "Number of cells"):], -1) {
		n, _ := strconv.Atoi(cell[3])
		kind, area := "gates", g.And
		switch name := cell[1]; {
		case strings.Contains(name, "DFF"):
			kind, area = "flip-flops", g.FlipFlop
		case name == "MUX":
			kind, area = "multiplexers", g.Mux2
		case name == "NOT":
			area = g.Inverter
		case name == "XOR", name == "XNOR":
			area = 2 * g.And
		}
		counts[kind] += n
		whole += float64(n) * area * 1e-6
	}
	model := area(t, configured(ProfileS, 45, FIFOUsual), "base").Total()
	t.Logf("%v, %.3f mm2, %.2f of the model's %.3f mm2", counts, whole, whole/model, model)
	if !strings.Contains(stat.String(), "$_DFFE_PP_                  38400\n") {
		t.Error("the buffers are not 300 phits of 128 bits")
	}
	near(t, "area of the cells over that of the model", whole/model, 1.42, 0.01)
}
