package claim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// measures are those of all claims.
var measures = []string{"accepted", "additional_traffic", "arrival_cv_header", "cycles", "delivered", "delivered_phits", "ed2p", "ed2p_js2", "latency_mean", "router_area_mm2", "multicast_share", "multicast_slowdown",
	"multicast_channels", "multicast_latency_mean", "multicast_path_mean", "phit_hops", "token_wait_mean", "unicast_latency_mean"}

// records are those that a plan's points have, with three seeds each and every measure 1. A search
// for a load has a few loads.
func records(t *testing.T, p *plan.Plan) (list result.Runs) {
	t.Helper()
	list = result.Runs{{Axes: map[tables.Name]string{}}}
	vary := func(choices [][]plan.Setting) {
		var more result.Runs
		for i := range list {
			for _, settings := range choices {
				r := tables.Observation{Axes: maps.Clone(list[i].Axes)}
				for _, s := range settings {
					put(&r, s.Key, fmt.Sprint(s.Value))
				}
				more = append(more, r)
			}
		}
		list = more
	}
	vary([][]plan.Setting{p.Set})
	if len(p.Variants) > 0 {
		var all [][]plan.Setting
		for _, v := range p.Variants {
			routers := []any{nil}
			for _, s := range v.Set {
				if several, ok := s.Value.([]any); ok {
					routers = several
				}
			}
			for _, r := range routers {
				settings := append(slices.Clone(v.Set), plan.Setting{Key: plan.VariantAxis, Value: v.Name})
				if r != nil {
					settings = append(settings, plan.Setting{Key: "routers", Value: r})
				}
				all = append(all, settings)
			}
		}
		vary(all)
	}
	for _, a := range p.Axes {
		var all [][]plan.Setting
		for _, v := range a.Values {
			all = append(all, []plan.Setting{{Key: a.Key, Value: v}})
		}
		vary(all)
	}
	var seeds result.Runs
	nodes := map[string]int{}
	for i := range list {
		loads := []string{list[i].Axes[col.Offered]}
		if list[i].Axes[tables.AxisName("saturation")] == "true" {
			loads = []string{"0.1", "0.2"}
		}
		for _, load := range loads {
			for seed := range 3 {
				r := tables.Observation{Axes: maps.Clone(list[i].Axes)}
				place(&r, nodes)
				r.Seed, r.Axes[col.Offered] = uint64(seed+1), load
				for _, m := range measures {
					r.Axes[tables.AxisName(m)] = "1"
				}
				r.Axes[col.Saturated] = tables.Saturated
				seeds = append(seeds, r)
			}
		}
	}
	return seeds
}

// put sets a column of a record as the tables name it.
func put(r *tables.Observation, key, value string) {
	key = strings.TrimPrefix(key, "traffic.")
	column, known := map[string]string{"routers": "router", "load": "offered", "destinations": "multicast_destinations", "flits": "packet_phits", "chip.protocol": "protocol"}[key]
	if !known {
		column = key
	}
	r.Axes[tables.AxisName(column)] = value
}

// place finds the destinations of a record: no more than there are other nodes, or a share of them. nodes
// are those of the networks that are known.
func place(r *tables.Observation, nodes map[string]int) {
	name := r.Axes[col.Topology]
	if name == "" {
		return
	}
	if nodes[name] == 0 {
		nodes[name] = must.Get(topology.Open(name)).Nodes()
	}
	others := float64(nodes[name] - 1)
	destinations, _ := r.Number(col.MulticastDestinations)
	if share, known := r.Number(tables.AxisName("share")); known {
		destinations = max(1, math.Round(share*others/1000))
	}
	r.Axes[col.MulticastDestinations] = fmt.Sprint(min(destinations, others))
}

// eachClaim calls visit with every claim of every file.
func eachClaim(t *testing.T, visit func(e *Entry, c *Claim)) {
	t.Helper()
	for _, paper := range []string{"mrr", "atbm", "ocms", "qg", "now"} {
		file := paper + ".claims.yaml"
		content := must.Get(plans.Files.ReadFile(file))
		entries := must.Get(Read(file, content))
		for k := range entries {
			for i := range entries[k].Claims {
				visit(&entries[k], &entries[k].Claims[i])
			}
		}
	}
}

// TestClaimsCanBeDecided: the figure, series and baselines of every part of every claim exist in
// its plan, and made-up tables of that plan confirm it, refute it, and leave it open.
func TestClaimsCanBeDecided(t *testing.T) {
	data := map[string]*chart.Data{}
	eachClaim(t, func(e *Entry, c *Claim) {
		figure := e.ID
		if data[figure] == nil {
			data[figure] = dataOf(t, must.Get(e.ParsePlan(true)))
		}
		d := data[figure]
		for i := range c.Parts {
			p := &c.Parts[i]
			if p.Judge == "class" || p.Judge == "completes" {
				continue // see their own tests
			}
			cells := p.source.cells(d)
			saturate(cells, p.Where.Load == "")
			if !named(t, p, cells, fmt.Sprintf("%s, %s, part %d", figure, c.ID, i+1)) {
				continue
			}
			for _, way := range []struct{ name, want string }{{"holds", tables.Confirmed}, {"fails", tables.NotConfirmed}, {"open", tables.Open}, {"missing", tables.Open}} {
				if way.name == "open" && slices.Contains([]string{"spread", "straight", "steady"}, p.Judge) ||
					way.name == "missing" && (p.Where.Load != "" || !slices.Contains([]string{"ratio", "mean", "order", "value", "printed"}, p.Judge)) {
					continue // without intervals, or about what was measured
				}
				restore := fill(p, cells, way.name)
				if f := p.Find(d); f.Verdict != way.want || (f.Reason == "") != (way.want == tables.Confirmed) {
					t.Errorf("%s, %s, part %d (%s): tables for %q make it %s: %s (%s)", figure, c.ID, i+1, p.Criterion(), way.name, f.Verdict, f.Detail, f.Reason)
				}
				restore()
			}
		}
	})
}

// dataOf is the data of a plan in which all values are 1.
func dataOf(t *testing.T, of *plan.Plan) *chart.Data {
	d := chart.NewData(new(tables.Rows), chart.Extent{Coverage: experiment.Coverage{Points: 1, Finished: 1}})
	d.Priced[experiment.AsSimulated] = records(t, of)
	for _, prices := range experiment.AllPrices() {
		d.Priced[prices.Name] = d.Priced[experiment.AsSimulated]
	}
	return d
}

// saturate makes the runs of all cells saturated, or none.
func saturate(cells []chart.Cell, yes bool) {
	for i := range cells {
		clear(cells[i].Saturated)
		for series := range cells[i].Samples {
			if yes {
				cells[i].Saturated[series] = 1
			}
		}
	}
}

// named reports whether the plan has the cells and series of a part.
func named(t *testing.T, p *Part, cells []chart.Cell, where string) bool {
	chosen := map[string]bool{}
	keep := p.Where.keep(cells, p.series())
	for i := range cells {
		if keep(&cells[i]) {
			for series := range cells[i].Samples {
				chosen[series] = true
			}
		}
	}
	ok := true
	for _, series := range p.series() {
		if !chosen[series] {
			t.Errorf("%s: no chosen cell has %q", where, series)
			ok = false
		}
	}
	for series := range p.Printed {
		ok = ok && chosen[series]
	}
	return ok
}

// fill gives the cells of a part values with which it holds, fails, or is open. The function that it
// returns puts back what is missing.
func fill(p *Part, cells []chart.Cell, way string) (restore func()) {
	restore = func() {}
	low, high := p.bounds()
	edge, target := high, high/2
	if math.IsInf(high, 1) {
		edge, target = low, 2*low
	} else if !math.IsInf(low, -1) {
		target = (low + high) / 2
	}
	if way == "fails" {
		if target = 2 * high; math.IsInf(high, 1) {
			target = low / 2
		}
	}
	if way == "holds" && (p.Judge == "spread" || p.Judge == "steady") {
		target = 1
		if p.Judge == "steady" && math.IsInf(low, -1) {
			target = high / 2
		}
	}
	keep := p.Where.keep(cells, p.series())
	first, last := math.Inf(1), 0.0
	for i := range cells {
		if keep(&cells[i]) {
			first, last = min(first, cells[i].X), max(last, cells[i].X)
		}
	}
	dropped := false
	for i := range cells {
		in := &cells[i]
		chosen := keep(in)
		for series, samples := range in.Samples {
			of := slices.Contains(p.Of, series) && chosen
			if p.Instead != nil {
				of = chosen
			}
			for k := range samples {
				v := 1.0
				switch {
				case p.Judge == "printed" && p.Printed[series] != nil && slices.Contains(p.At, in.X):
					v = p.Printed[series][slices.Index(p.At, in.X)]
					of = chosen
				case p.Judge == "straight":
					delete(in.Saturated, series)
					if v = 10 + in.X; way == "fails" {
						v = 10 + math.Pow(in.X/last, 6)
					}
					of = false
				case (p.Judge == "spread" || p.Judge == "steady") && in.X == first, p.Judge == "rise" && in.X == first:
					of = false
				}
				if of && way == "open" {
					v *= edge * []float64{0.5, 1, 1.5}[k]
				} else if of {
					v *= target
				}
				if p.Judge == "throughput" {
					v /= 100 // far below what nodes consume
				}
				x := in.X
				if p.source.Less == "startups" || p.source.Per == "startups" {
					x = startups(in.X)
				}
				if p.source.Less != "" {
					v += x
				}
				if p.source.Per != "" {
					v *= x
				}
				samples[k].Value = v
			}
			if way == "missing" && of && !dropped {
				delete(in.Samples, series)
				dropped, restore = true, func() { in.Samples[series] = samples }
			}
		}
	}
	return restore
}

// TestClassShare: the share of a class in the phits of every run decides.
func TestClassShare(t *testing.T) {
	eachClaim(t, func(_ *Entry, c *Claim) {
		if c.Parts[0].Judge != "class" {
			return
		}
		for phits, want := range map[uint64]string{1: tables.Confirmed, 100: tables.NotConfirmed} {
			rows := &tables.Rows{}
			for i, router := range c.Parts[0].Of {
				key := fmt.Sprint(i)
				rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Router: router, Workload: "ft", ExitState: tables.Finished})
				rows.Classes = append(rows.Classes, tables.Class{RunKey: key, Class: "PERS", Phits: phits}, tables.Class{RunKey: key, Class: "REQ", Phits: 900})
			}
			if f := c.find(chart.NewData(rows, chart.Extent{})); f.Verdict != want {
				t.Errorf("%s with %d phits: %s, %s", c.ID, phits, f.Verdict, f.Detail)
			}
		}
		if f := c.find(chart.NewData(new(tables.Rows), chart.Extent{})); f.Verdict != tables.Open {
			t.Errorf("%s of nothing: %s", c.ID, f.Verdict)
		}
	})
}
