package paper

import (
	"fmt"
	"math"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func TestSaturationDrop(t *testing.T) {
	rows := new(tables.Rows)
	for seed := range uint64(2) {
		for fraction, load := range map[float64]float64{0: 0.5, 0.01: 0.4} {
			for _, probe := range []float64{1, 0.25, 0.4, 0.5, 0.6} {
				verdict := tables.Unsaturated
				if probe > load {
					verdict = tables.Saturated
				}
				rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: fmt.Sprint(len(rows.Traffic)), Router: "base", Seed: seed, MulticastFraction: fraction,
					Offered: probe, Saturated: tables.Some(verdict), ExitState: tables.Finished})
			}
		}
	}
	if c := judge(t, mrr.Section1(), rows, "S2-06"); c.Verdict != tables.Confirmed || math.Abs(c.Measured.Value-0.8) > 1e-9 {
		t.Errorf("the claim is %+v", c)
	}
}

func TestFallAfterSaturation(t *testing.T) {
	curve := func(fall float64) *tables.Rows {
		rows := new(tables.Rows)
		for _, pattern := range []string{"uniform", "bit-reversal"} {
			for _, router := range []string{"base", "base-mc", "rr", "mrr"} {
				for _, load := range []float64{0.1, 0.2, 1} {
					v := min(load, 0.15)
					if router == "base-mc" {
						v *= 1.05
						if load == 1 && pattern == "bit-reversal" {
							v *= fall
						}
					}
					for seed := range uint64(3) {
						rows.Traffic = append(rows.Traffic, tables.Traffic{RunKey: fmt.Sprint(len(rows.Traffic)), Router: router, Pattern: pattern, Offered: load,
							Seed: seed, ExitState: tables.Finished, Accepted: tables.Some(v), Delivered: tables.Some(v)})
					}
				}
			}
		}
		return rows
	}
	if c := judge(t, mrr.Fig9(), curve(0.8), "S2-21"); c.Verdict != tables.Confirmed || math.Abs(c.Measured.Value-0.8) > 1e-9 {
		t.Errorf("throughput that falls: %+v", c)
	}
	if c := judge(t, mrr.Fig9(), curve(1), "S2-21"); c.Verdict != tables.NotConfirmed {
		t.Errorf("throughput that does not fall: %+v", c)
	}
	// A fall from which a router recovers at the largest load is one.
	for dip, want := range map[float64]string{1: tables.Confirmed, 0.7: tables.NotConfirmed} {
		rows := curve(1)
		for i := range rows.Traffic {
			if r := &rows.Traffic[i]; r.Router == "mrr" && r.Offered == 0.2 {
				r.Offered, r.Delivered = 0.5, tables.Some(0.15*dip)
			} else if r.Router == "mrr" && r.Offered == 0.1 {
				r.Delivered = tables.Some(0.15)
			}
		}
		if c := judge(t, mrr.Fig9(), rows, "S2-21 rotary"); c.Verdict != want {
			t.Errorf("MRR with a dip to %g: %+v", dip, c)
		}
	}
}

// curves makes rows over loads: what of gives each router at a load.
func curves(routers []string, loads []float64, of func(router string, load float64) tables.Traffic) *tables.Rows {
	rows := new(tables.Rows)
	for _, router := range routers {
		for _, load := range loads {
			for seed := range uint64(3) {
				r := of(router, load)
				r.RunKey, r.Router, r.Offered, r.Seed, r.ExitState = fmt.Sprint(len(rows.Traffic)), router, load, seed, tables.Finished
				rows.Traffic = append(rows.Traffic, r)
			}
		}
	}
	return rows
}

// TestThreeWays feeds figure 1 with the paper's picture, with paths that carry less than trees, and with
// both at the limit of the nodes.
func TestThreeWays(t *testing.T) {
	for path, want := range map[float64]string{0.9: tables.Confirmed, 0.6: tables.NotConfirmed, 0.8: tables.NotConfirmed} {
		most := map[string]float64{"rr": 0.4, "rr-tree": 0.8, "rr-path": path}
		latency := map[string]float64{"rr": 50, "rr-tree": 20, "rr-path": 30}
		rows := curves([]string{"rr", "rr-tree", "rr-path"}, []float64{0.1, 1}, func(router string, load float64) tables.Traffic {
			return tables.Traffic{LatencyMean: tables.Some(latency[router] * (1 + load)), Delivered: tables.Some(min(load, most[router]))}
		})
		c := judge(t, mrr.Fig1(), rows, "S2-07")
		if c.Verdict != want || math.Abs(c.Measured.Value-path/0.8) > 1e-9 {
			t.Errorf("paths that carry %g: %s, %s", path, c.Verdict, c.Detail)
		}
	}
}

// TestAdaptiveTree feeds figure 6 with the paper's picture, with an MRR that stays a tree, and with
// one that carries as much as a tree.
func TestAdaptiveTree(t *testing.T) {
	for _, x := range []struct {
		stretch, most float64
		want          string
	}{{1.5, 0.9, tables.Confirmed}, {1, 0.9, tables.NotConfirmed}, {1.5, 0.8, tables.NotConfirmed}} {
		stretch, want := x.stretch, x.want
		rows := curves([]string{"rr-tree", "rr-path", "mrr"}, []float64{0.001, 0.02}, func(router string, load float64) tables.Traffic {
			distance, most := map[string]float64{"rr-tree": 4, "rr-path": 16, "mrr": 4.1}[router], map[string]float64{"rr-tree": 0.8, "rr-path": 0.9, "mrr": x.most}[router]
			if router == "mrr" && load > 0.01 {
				distance *= stretch
			}
			return tables.Traffic{LatencyMean: tables.Some(10 * distance), MulticastPathMean: tables.Some(distance), Delivered: tables.Some(min(63*load, most))}
		})
		if c := judge(t, mrr.Fig6(), rows, "S2-11"); c.Verdict != want || math.Abs(c.Measured.Value-4.1*stretch/4) > 1e-9 {
			t.Errorf("distances that grow by %g: %s, %s", stretch, c.Verdict, c.Detail)
		}
	}
}
