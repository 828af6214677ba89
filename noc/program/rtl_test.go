package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/buffered/engine"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// verilate compiles a design with the bridge for Verilator: a torus of routers, or what flags name.
func verilate(t *testing.T, flags ...string) string {
	t.Helper()
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("compiles for half a minute: set CAROUSEL_LONG=1, as .ci/run does")
	}
	if _, err := exec.LookPath("verilator"); err != nil {
		t.Skip("verilator is not installed")
	}
	dir := t.TempDir()
	source := must.Get(filepath.Abs("source"))
	command := exec.Command("verilator", append([]string{"--cc", "--exe", "--build", "-j", "2", "-O3", "-fno-gate", "-CFLAGS", "-I" + source,
		"--top-module", "top", "--Mdir", dir, "-o", "network", filepath.Join(source, "verilator.cpp"), filepath.Join(source, "carousel_router_main.c")}, flags...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "network")
}

// lengths are the longest packets of the classes: channels of 10 phits then have 10, 2, 5, 3, 2 and 2
// slots.
var lengths = [noc.MaxClasses]int{1, 5, 2, 3, 4, 0}

// difference offers a network of RTL and the engine of BASE the same random packets for some cycles and
// returns the first difference, with its cycle; "" if there is none. Some sinks are bounded.
func difference(rtl, model noc.Network, load float64, places int, cycles noc.Cycle) string {
	r, tag, nodes := random.Stream(7), noc.Tag(0), rtl.Nodes()
	bounded := places > 0
	if bounded {
		for sink := range nodes * 6 {
			rtl.LimitSink(noc.NodeID(sink/6), noc.Class(sink%6), places)
			model.LimitSink(noc.NodeID(sink/6), noc.Class(sink%6), places)
		}
	}
	var held []noc.Delivery // places of sinks
	for now := noc.Cycle(0); now < cycles; now++ {
		for src := range noc.NodeID(nodes) {
			if r.Float64() > load/2.5 {
				continue
			}
			class, to := r.Below(6), noc.SetOf(nodes, noc.NodeID(r.Below(nodes)))
			if r.Below(10) == 0 {
				to.Add(noc.NodeID(r.Below(nodes)))
			}
			longest := lengths[class]
			if longest == 0 {
				longest = 5
			}
			p := noc.Packet{Src: src, Dst: to, Tag: tag, Phits: uint16(1 + r.Below(longest)), Class: noc.Class(class)}
			tag++
			if one, two := rtl.Offer(p), model.Offer(p); one != two {
				return fmt.Sprintf("cycle %d: Offer of node %d and class %d is %v, in the model %v", now, src, class, one, two)
			}
		}
		for bounded && len(held) > 0 && r.Below(3) > 0 {
			i := r.Below(len(held))
			rtl.FreeSink(held[i].At, held[i].Class)
			model.FreeSink(held[i].At, held[i].Class)
			held = slices.Delete(held, i, i+1)
		}
		rtl.Step(now + 1)
		model.Step(now + 1)
		got, want := rtl.Deliveries(), model.Deliveries()
		if !slices.Equal(got, want) {
			return fmt.Sprintf("cycle %d: the RTL delivers %+v, the model %+v", now+1, got, want)
		}
		held = append(held, got...)
	}
	return ""
}

// TestRTL: the router BASE in SystemVerilog makes every delivery in the same cycle as the engine of BASE,
// up to saturation, with packets of all lengths and bounded sinks. A defect in the RTL is found.
func TestRTL(t *testing.T) {
	torus := []string{"-GKX=4", "-GKY=2", "source/router.sv", "source/torus.sv"}
	path := verilate(t, torus...)
	g, c := topology.Torus(4, 2), buffered.DefaultBase()
	c.ClassPhits = lengths
	compare := func(t *testing.T, path string, load float64, places int) string {
		s := setup(path, g)
		s.ClassPhits = lengths
		return difference(must.Get(build(t, s)), must.Get(engine.New(g, c)), load, places, 3000)
	}
	for _, load := range []float64{0.03, 0.3, 0.6, 2} {
		for _, places := range []int{0, 1, 3} {
			if what := compare(t, path, load, places); what != "" {
				t.Errorf("load %g, sinks of %d packets: %s", load, places, what)
			}
		}
	}
	defect := compare(t, verilate(t, append(torus, "-DSEEDED_DEFECT")...), 0.6, 0)
	t.Log("the seeded defect:", defect)
	if !strings.HasPrefix(defect, "cycle ") {
		t.Error("rings that a packet enters with one free slot are not found")
	}
	for want, s := range map[string]Setup{
		"for 8 nodes; 16 nodes are asked for":                 setup(path, topology.Torus(4, 4)),
		"the design has 6 classes; 8 are asked for":           func() Setup { s := setup(path, g); s.Classes = 8; return s }(),
		"do packets of 6 phits fit into the design's buffers": func() Setup { s := setup(path, g); s.Config.Longest = 6; return s }(),
	} {
		if _, err := build(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

// TestBadRTL: an error names the node and the flit that a design must not send, and what is wrong with it.
func TestBadRTL(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.sv")
	must.Do(os.WriteFile(file, []byte(`module top (input logic clk, rst, input logic [31:0] in_valid, input logic [255:0] in_flit,
  output logic [31:0] in_ready, out_valid, output logic [255:0] out_flit, input logic [31:0] out_ready, output logic [7:0] classes);
  assign classes = 8, in_ready = '1;
  always_ff @(posedge clk) begin // each flit returns to its node, changed as its destination asks
    out_flit <= in_flit;
    out_valid <= rst ? 0 : in_valid;
    if (in_flit[37:36] == 1) out_valid <= in_valid << 1 | in_valid;
    if (in_flit[37:36] == 2) out_flit[19] <= 1;
    if (in_flit[37:36] == 3) out_flit[63] <= 0;
  end
endmodule
`), 0o600))
	path := verilate(t, "-Wno-lint", file)
	for to, want := range map[int]string{1: "with out_valid 03: out_valid must have one bit", 2: "of packet 524288 with out_valid 01: no packet has this number", 3: "its head is missing"} {
		n := must.Get(build(t, setup(path, topology.Torus(2, 2))))
		n.Offer(noc.Packet{Dst: noc.One(noc.NodeID(to)), Phits: 2})
		func() {
			defer func() {
				failure, _ := recover().(*noc.Failure)
				if failure == nil || !strings.Contains(failure.Error(), "node 0 receives flit") || !strings.Contains(failure.Error(), want) {
					t.Errorf("error %v; want %q", failure, want)
				}
			}()
			n.Step(10)
		}()
	}
}
