package paper

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/tables"
)

func TestSaturationDrop(t *testing.T) {
	for with, want := range map[float64]string{0.4: tables.Confirmed, 0.5: tables.NotConfirmed} {
		rows := new(tables.Rows)
		for seed := range uint64(2) {
			for fraction, load := range map[float64]float64{0: 0.5, 0.01: with} {
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
		if c := judge(t, mrr.Section1(), rows, "S2-06"); c.Verdict != want || math.Abs(c.Measured.Value-with/0.5) > 1e-9 {
			t.Errorf("the claim is %+v", c)
		}
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
	for _, id := range []string{"S2-21 uniform", "S2-21 best"} {
		if c := judge(t, mrr.Fig9(), curve(1), id); c.Verdict != tables.Confirmed || math.Abs(c.Measured.Value-1.05) > 1e-9 {
			t.Errorf("BASE-MC with 5 %% more: %+v", c)
		}
	}
	if c := judge(t, mrr.Fig9(), curve(1), "S2-21"); c.Verdict != tables.NotConfirmed {
		t.Errorf("throughput that does not fall: %+v", c)
	}
	less := curve(1)
	for i := range less.Traffic {
		if r := &less.Traffic[i]; r.Router == "base-mc" {
			r.Delivered.Value *= 0.9
		}
	}
	if c := judge(t, mrr.Fig9(), less, "S2-21 uniform"); c.Verdict != tables.NotConfirmed {
		t.Errorf("BASE-MC with less: %+v", c)
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

// TestThreeWays feeds figure 1 with the paper's picture, with paths that carry less than trees, and
// with both at the limit of the nodes: there the knee of latency decides.
func TestThreeWays(t *testing.T) {
	for _, x := range []struct {
		tree, path, steep float64 // delivered, and how latency rises with load
		want              string
		measured          float64
	}{
		{0.8, 0.9, 10, tables.Confirmed, 1.125}, {0.8, 0.6, 10, tables.NotConfirmed, 0.75}, {0.8, 0.8, 5, tables.NotConfirmed, 1},
		{1, 1, 10, tables.NotConfirmed, 1}, {1, 1, 5, tables.Confirmed, 1.4}, {1, 1, 20, tables.NotConfirmed, 0.8},
	} {
		path, want := x.path, x.want
		most := map[string]float64{"rr": 0.4, "rr-tree": x.tree, "rr-path": path}
		latency := map[string]float64{"rr": 50, "rr-tree": 20, "rr-path": 30}
		rows := curves([]string{"rr", "rr-tree", "rr-path"}, []float64{0.1, 1}, func(router string, load float64) tables.Traffic {
			steep := 10.0
			if router == "rr-path" {
				steep = x.steep
			}
			return tables.Traffic{LatencyMean: tables.Some(latency[router] * (1 + steep*load) / (1 + steep*0.1)), Delivered: tables.Some(min(load, most[router]))}
		})
		c := judge(t, mrr.Fig1(), rows, "S2-07")
		if c.Verdict != want || math.Abs(c.Measured.Value-x.measured) > 1e-9 {
			t.Errorf("paths that carry %g, latency that rises by %g: %s %v, %s", path, x.steep, c.Verdict, c.Measured.Value, c.Detail)
		}
	}
}

// TestAdaptiveTree feeds figure 6 with the paper's picture, with an MRR that stays a tree, with one
// that is a path from the start, and with ones that carry as much as a tree, up to another knee or
// the same.
func TestAdaptiveTree(t *testing.T) {
	for _, x := range []struct {
		near, stretch, tree, most, rise float64
		noise                           float64 // of MRR's distance, from seed to seed
		want                            string
	}{
		{4.1, 1.5, 0.8, 0.9, 1, 0, tables.Confirmed}, {4.1, 1, 0.8, 0.9, 1, 0, tables.NotConfirmed}, {12, 1.5, 0.8, 0.9, 1, 0, tables.NotConfirmed},
		{4.1, 1.5, 1, 1, 1, 0, tables.NotConfirmed}, {4.1, 1.5, 1, 1, 0.5, 0, tables.Confirmed}, {9.5, 1.5, 0.8, 0.9, 1, 0.1, tables.Open},
	} {
		rows := curves([]string{"rr-tree", "rr-path", "mrr"}, []float64{0.001, 0.006, 0.02, 0.04}, func(router string, load float64) tables.Traffic {
			distance, most, rise := map[string]float64{"rr-tree": 4, "rr-path": 16, "mrr": x.near}[router], x.tree, 1.0
			if router == "mrr" {
				most, rise = x.most, x.rise
				if load > 0.01 {
					distance *= x.stretch
				}
			}
			return tables.Traffic{LatencyMean: tables.Some(40 * (1 + rise*math.Pow(load/0.01, 2))), MulticastPathMean: tables.Some(distance), Delivered: tables.Some(min(63*load, most))}
		})
		for i := range rows.Traffic {
			if r := &rows.Traffic[i]; r.Router == "mrr" {
				r.MulticastPathMean.Value *= 1 + x.noise*(float64(r.Seed)-1)
			}
		}
		if c := judge(t, mrr.Fig6(), rows, "S2-11"); c.Verdict != x.want || math.Abs(c.Measured.Value-x.near*x.stretch/4) > 1e-9 {
			t.Errorf("%+v: %s, %s", x, c.Verdict, c.Detail)
		}
	}
}

// TestTrendsWithDestinations: gaps that grow with the number of destinations are told from those
// that do not, and rule sets that differ at low load from those that agree.
func TestTrendsWithDestinations(t *testing.T) {
	for _, x := range []struct {
		many, paper float64
		gap, same   string
	}{{0.7, 1, tables.Confirmed, tables.Confirmed}, {0.95, 1.02, tables.NotConfirmed, tables.NotConfirmed}} {
		rows := new(tables.Rows)
		for _, variant := range []string{"buffered", "live", "paper"} {
			for _, r := range grid(0, func(router, _ string, _ float64, destinations uint64) float64 {
				v := map[string]float64{"base": 1, "base-mc": 0.6, "rr": 0.9, "mrr": 0.5}[router]
				if router == "rr" && destinations == 63 {
					v = x.many
				}
				if variant == "paper" {
					v *= x.paper
				}
				return v
			}).Traffic {
				if (variant == "buffered") == strings.HasPrefix(r.Router, "base") {
					r.RunKey, r.Rules = variant+r.RunKey, variant
					rows.Traffic = append(rows.Traffic, r)
					rows.Axes = append(rows.Axes, tables.Axis{RunKey: r.RunKey, Key: "variant", Value: variant})
				}
			}
		}
		e := mrr.Fig7Rules()
		f, _, err := e.Charts[1].Draw(chart.NewData(rows, whole(rows)))
		if err != nil || !strings.Contains(f.Note, "; rules of rr, mrr: paper") || strings.Contains(f.Note, "live") || !strings.HasSuffix(f.Title, "rotary rules paper") {
			t.Errorf("the picture %q of one rule set says %q (%v)", f.Title, f.Note, err)
		}
		for id, want := range map[string]string{"S2-28 paper": x.gap, "S2-31": x.same} {
			if c := judge(t, mrr.Fig7Rules(), rows, id); c.Verdict != want {
				t.Errorf("%s of %+v: %s, %s", id, x, c.Verdict, c.Detail)
			}
		}
	}
}
