package paper

import (
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// times multiplies what a router measures in some cells, by the number of the seed from 0.
func times(rows *tables.Rows, router string, in func(r *tables.Traffic) bool, factor func(seed uint64) float64) *tables.Rows {
	for i := range rows.Traffic {
		if r := &rows.Traffic[i]; r.Router == router && in(r) {
			r.Delivered.Value *= factor(r.Seed - 1)
			r.Accepted.Value *= factor(r.Seed - 1)
			r.LatencyMean.Value *= factor(r.Seed - 1)
		}
	}
	return rows
}

// steady is one factor for all seeds, and wide one that differs between them by a tenth.
func steady(factor float64) func(uint64) float64 { return func(uint64) float64 { return factor } }
func wide(factor float64) func(uint64) float64 {
	return func(seed uint64) float64 { return factor * (1 + 0.1*(float64(seed)-1)) }
}

// TestOrdersOfCells: an order of two cells is decided by an interval, seed by seed where they have
// the same; a tie refutes, a missing cell leaves it open, and single runs count as they are.
func TestOrdersOfCells(t *testing.T) {
	flat := routerValue(map[string]float64{"base": 1, "base-mc": 1, "rr": 1, "mrr": 1})
	all := func(*tables.Traffic) bool { return true }
	many := func(r *tables.Traffic) bool { return r.MulticastDestinations == 63 }
	gap := func(change func(rows *tables.Rows)) string { // of RR and BASE, by destinations
		rows := grid(0, flat)
		change(rows)
		return judge(t, mrr.Fig7(), rows, "S2-28").Verdict
	}
	for what, x := range map[string]struct {
		change func(rows *tables.Rows)
		want   string
	}{
		"lower":                     {func(r *tables.Rows) { times(r, "rr", many, steady(0.9)) }, tables.Confirmed},
		"higher":                    {func(r *tables.Rows) { times(r, "rr", many, steady(1.1)) }, tables.NotConfirmed},
		"lower in the mean alone":   {func(r *tables.Rows) { times(r, "rr", many, wide(0.95)) }, tables.Open},
		"higher in the mean alone":  {func(r *tables.Rows) { times(r, "rr", many, wide(1.05)) }, tables.Open},
		"lower with the same noise": {func(r *tables.Rows) { times(times(r, "rr", all, wide(1)), "rr", many, steady(0.95)) }, tables.Confirmed},
		"a tie":                     {func(r *tables.Rows) { times(r, "rr", many, steady(0.998)) }, tables.NotConfirmed},
		"one missing": {func(r *tables.Rows) {
			times(r, "rr", many, steady(0.9))
			r.Traffic = slices.DeleteFunc(r.Traffic, func(one tables.Traffic) bool { return one.Router == "rr" && one.Pattern == "uniform" && many(&one) })
		}, tables.Open},
		"single runs": {func(r *tables.Rows) {
			times(r, "rr", many, steady(0.97))
			r.Traffic = slices.DeleteFunc(r.Traffic, func(one tables.Traffic) bool { return one.Seed > 1 })
		}, tables.Confirmed},
		"other seeds": {func(r *tables.Rows) {
			times(times(r, "rr", many, steady(0.8)), "rr", all, func(seed uint64) float64 { return 1 + 0.001*float64(seed) })
			for i := range r.Traffic {
				if many(&r.Traffic[i]) {
					r.Traffic[i].Seed += 10
				}
			}
		}, tables.Confirmed},
		"other seeds and noise": {func(r *tables.Rows) {
			times(times(r, "rr", all, wide(1)), "rr", many, steady(0.95))
			for i := range r.Traffic {
				if many(&r.Traffic[i]) {
					r.Traffic[i].Seed += 10
				}
			}
		}, tables.Open},
	} {
		if got := gap(x.change); got != x.want {
			t.Errorf("%s: %s, want %s", what, got, x.want)
		}
	}
}

// TestOtherOrders: the claims about trends and about tornado follow the same rule.
func TestOtherOrders(t *testing.T) {
	of := map[string]float64{"base": 10, "base-mc": 9, "rr": 9, "mrr": 8}
	most := func(r *tables.Traffic) bool { return r.MulticastFraction == 0.15 || r.MulticastDestinations == 63 }
	top := func(r *tables.Traffic) bool { return r.MulticastFraction == 0.15 && r.MulticastDestinations == 63 }
	tornado := func(r *tables.Traffic) bool { return r.Pattern == "tornado" }
	lower := func(factor func(uint64) float64) *tables.Rows { // latency falls twice, with BASE-MC and MRR
		rows := times(times(grid(0, routerValue(of)), "base-mc", most, steady(0.9)), "base-mc", top, steady(0.9))
		return times(times(rows, "mrr", most, steady(0.9)), "mrr", top, factor)
	}
	higher := func(factor func(uint64) float64) *tables.Rows {
		return times(times(grid(0, routerValue(of)), "base-mc", most, steady(1.1)), "base-mc", top, factor)
	}
	first := func(factor func(uint64) float64) *tables.Rows {
		return times(grid(0, routerValue(of)), "rr", tornado, factor)
	}
	for _, x := range []struct {
		id               string
		entry            claim.Entry
		clear, mean, tie *tables.Rows
	}{
		{"S2-14", mrr.Fig7(), lower(steady(0.9)), lower(wide(0.95)), lower(steady(1))},
		{"S2-29", mrr.Fig8(), higher(steady(1.1)), higher(wide(1.05)), higher(steady(1))},
		{"S2-19", mrr.Fig8(), first(steady(1.1)), first(wide(1.05)), first(steady(1))},
	} {
		for want, rows := range map[string]*tables.Rows{tables.Confirmed: x.clear, tables.Open: x.mean, tables.NotConfirmed: x.tie} {
			if c := judge(t, x.entry, rows, x.id); c.Verdict != want {
				t.Errorf("%s is %s, want %s: %s", x.id, c.Verdict, want, c.Detail)
			}
		}
	}
}

// TestOrderOfMixes: MRR's disadvantage with many broadcasts, and that it is below BASE-MC, must be
// more than noise.
func TestOrderOfMixes(t *testing.T) {
	for what, x := range map[string]struct {
		broadcasts, others func(seed uint64) float64
		want               string
	}{
		"clearly largest":         {steady(0.8), steady(0.5), tables.Confirmed},
		"largest in the mean":     {wide(0.8), steady(0.75), tables.Open},
		"second in the mean":      {wide(0.75), steady(0.8), tables.Open},
		"largest, the same noise": {wide(0.6), wide(0.5), tables.Confirmed},
		"a tie":                   {steady(0.7), steady(0.699), tables.NotConfirmed},
		"below 1 in the mean":     {wide(0.95), steady(0.5), tables.Open},
		"above 1 in the mean":     {wide(1.02), steady(0.5), tables.Open},
		"above 1":                 {steady(1.02), steady(0.5), tables.NotConfirmed},
	} {
		d := maximumLoad(3, func(_, share, destinations string, seed int) float64 {
			if share == "0.15" && destinations == "63" {
				return x.broadcasts(uint64(seed))
			}
			return x.others(uint64(seed))
		})
		if f := mrr.Fig10().Claims[1].Judge(d); f.Verdict != x.want {
			t.Errorf("%s: %s, want %s: %s", what, f.Verdict, x.want, f.Detail)
		}
	}
}

// TestUndecidedEnergyWithFT: BASE-MC beats RR where it is below it with confidence, and what
// is undecided confirms nothing.
func TestUndecidedEnergyWithFT(t *testing.T) {
	for what, x := range map[string]struct {
		spent func(seed uint64) float64
		want  string
	}{
		"more": {steady(1.1), tables.Confirmed}, "as much": {steady(1), tables.Confirmed}, "less": {steady(0.9), tables.NotConfirmed},
		"more in the mean": {wide(1.05), tables.Open}, "less in the mean": {wide(0.95), tables.Open},
	} {
		d := chips(map[string]float64{"base": 200, "base-mc": 120, "rr": 115, "mrr": 100}, func(string, string, string) float64 { return 1 })
		for _, list := range d.Priced {
			for i := range list {
				if r := &list[i]; r.Texts["router"] == "base-mc" {
					r.Numbers["ed2p_js2"] = x.spent(uint64(r.Seed))
				}
			}
		}
		if f := verdictOf(t, d, "S2-04"); f.Verdict != x.want {
			t.Errorf("%s: %s, want %s: %s", what, f.Verdict, x.want, f.Detail)
		}
	}
}
