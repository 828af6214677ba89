package traffic

import (
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

const rateTable = "# source destination rate\n0 9 0.02\n9 0 0.05\n3 12 0.01\n3 4 0.03\n"

// TestRatesOfPairs: each pair gets its share of the packets, and the load scales all of them.
func TestRatesOfPairs(t *testing.T) {
	g := must.Get(topology.Parse("mesh:4x4"))
	c := Default()
	c.Pattern, c.PacketPhits, c.Classes = "rates:table", 5, 1
	c.Rates = must.Get(ReadRates("table", strings.NewReader(rateTable)))
	c.Load = RatesLoad(c.Rates, c.PacketPhits, g.Nodes())
	// The second load has no error of rounding.
	if c.Load != 0.034375 || RatesLoad([]Rate{{Packets: 0.05}, {Packets: 0.02}}, 5, 16) != 0.021875 {
		t.Errorf("load %v", c.Load)
	}
	for _, scale := range []float64{1, 2} {
		c := c
		c.Load *= scale
		if err := c.Validate(g); err != nil {
			t.Fatal(err)
		}
		targets := must.Get(c.Targets(g))
		m := newGenerator(g, &c, targets)
		const end = 400_000
		got := map[Rate]float64{}
		for node := range noc.NodeID(16) {
			for r := m.first(1, node); r.born < end; m.advance(node, &r) {
				set, _ := m.address(node, &r.message)
				for to := range noc.NodeID(16) {
					if set.Has(to) {
						got[Rate{From: node, To: to}]++
					}
				}
				m.release()
			}
		}
		for _, r := range c.Rates {
			n := got[Rate{From: r.From, To: r.To}]
			if want := r.Packets * scale * end; math.Abs(n-want) > 5*math.Sqrt(want) {
				t.Errorf("%d to %d at %g: %g packets, want about %g", r.From, r.To, scale, n, want)
			}
			delete(got, Rate{From: r.From, To: r.To})
		}
		if len(got) > 0 {
			t.Errorf("pairs without a rate: %v", got)
		}
	}
}

func TestBadRates(t *testing.T) {
	for text, want := range map[string]string{"": "no pair has a rate", "0 1 0\n": "no pair has a rate", "0 1\n": "line 1: 2 words", "0 x 0.1\n": "not numbers of nodes", "0 1 2\n": "not a rate",
		"0 1 -1\n": "not a rate", "0 1 NaN\n": "not a rate", "# a\n0 0 0.1\n": "line 2: node 0 sends to itself", "0 1 1e-9\n": "not a rate"} {
		if _, err := ReadRates("table", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	g := must.Get(topology.Parse("mesh:4x4"))
	c := Default()
	c.Pattern = "rates:table"
	if err := c.Validate(g); err == nil || !strings.Contains(err.Error(), "only carousel traffic") {
		t.Error(err)
	}
	c.Rates = []Rate{{0, 16, 0.1}}
	if err := c.Validate(g); err == nil || !strings.Contains(err.Error(), "has node 16, and mesh:4x4 has nodes 0 to 15") {
		t.Error(err)
	}
	c.Rates, c.Load = []Rate{{0, 1, 0.1}}, 4
	if err := c.Validate(g); err == nil || !strings.Contains(err.Error(), "node 0 would send") {
		t.Error(err)
	}
}
