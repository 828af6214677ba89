package multicast

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// workedWorm is one worm as cases write it: the nodes from the sender on, and for each stop its
// node and the number of channels before it.
type workedWorm struct {
	Route nodes           `json:"route"`
	Stops [][2]noc.NodeID `json:"stops"`
	Rep   *noc.NodeID     `json:"rep,omitempty"` // the representative that sends it
}

// workedWorms writes a plan the way cases do.
func workedWorms(p Plan, second bool) inAnyOrder {
	var list []workedWorm
	for _, m := range p {
		w := workedWorm{Route: append(nodes{m.From}, m.Path...)}
		at := 0
		for _, s := range m.Stops {
			for w.Route[at] != s {
				at++
			}
			w.Stops = append(w.Stops, [2]noc.NodeID{s, noc.NodeID(at)})
		}
		if second {
			w.Rep = &m.From
		}
		list = append(list, w)
	}
	return inAnyOrder{list}
}

// workLabels works labels and routes of the function R.
func workLabels(c workedCase) map[string]any {
	l, got := c.labelled(), map[string]any{}
	if !c.inputs["labels"] {
		var wanted []int // the first ones
		_ = json.Unmarshal(c.fields["labels"], &wanted)
		got["labels"] = SnakeLabels(c.grid())[:len(wanted)]
	}
	type route struct {
		From, To, D int
		Path        nodes
		Manhattan   *int
	}
	var routes []map[string]any
	for _, r := range input[[]route](c, "routes") {
		from, to := noc.NodeID(r.From), noc.NodeID(r.To)
		way := map[string]any{"from": from, "to": to, "path": l.Route(nodes{from}, from, to), "d": l.Distance(from, to)}
		if r.Manhattan != nil {
			way["manhattan"] = c.grid().Distance(from, to)
		}
		routes = append(routes, way)
	}
	got["routes"] = routes
	return got
}

// workPaths works dual-path, multi-path and column-path.
func workPaths(c workedCase) map[string]any {
	l, r, g := c.labelled(), c.request(), c.grid()
	plans := [3]Plan{DualPath(l, r), MultiPath(l, &g, r), must(ColumnPath(g, r, 4))}
	var longest, channels, additional [3]int
	var latency [3]int64
	for i, p := range plans {
		m := must(checked(l.Wiring, r, p).Measure())
		longest[i], channels[i], additional[i] = m.Longest, m.Channels, m.Additional
		latency[i] = must(p.Latency(l.Wiring, GroupTiming(32)))
	}
	return map[string]any{"dual": workedWorms(plans[0], false), "multi": workedWorms(plans[1], false), "column": workedWorms(plans[2], false),
		"max_len": longest, "channels": channels, "additional_traffic": additional,
		"eq10_DP_Ts33_L32": latency[0], "eq11_MP_Ts33_L32": latency[1]}
}

// workGroups works every phase of Qualified Groups.
func workGroups(c workedCase) map[string]any {
	l, r, g, o := c.labelled(), c.request(), c.grid(), DefaultGroupOptions()
	o.Threshold = must(ParseThousandths(input[json.Number](c, "TD").String()))
	q := must(QualifiedGroups(g, r, o))
	var primary []map[string]any
	var share []float64
	for _, p := range q.Primary {
		primary = append(primary, map[string]any{"nodes": p.Nodes, "pn": p.Nearest, "pf": p.Farthest, "ext": p.External, "int": p.Internal, "wm": p.Weight})
		share = append(share, math.Round(overAverage(q, p)*1e9)/1e9) // as it is printed
	}
	var final []nodes
	var representatives nodes
	for _, group := range q.Final {
		final, representatives = append(final, group.Nodes), append(representatives, group.Nearest)
	}
	p := checked(l.Wiring, r, q.Plan(l, &g, r, o))
	step := slices.IndexFunc(p, func(m Worm) bool { return m.After >= 0 })
	if step < 0 {
		step = len(p)
	}
	store, cut := GroupTiming(32), GroupTiming(32)
	cut.Start = Cut
	return map[string]any{"lo": q.Area.Low, "hi": q.Area.High, "mid": q.Area.Middle, "N": q.Area.Imbalance, "divisor": q.Area.Divisor,
		"primary": primary, "wav": average(q), "qp": share, "final": final, "representatives": representatives,
		"step1_dual": workedWorms(p[:step], false), "step2_dual": workedWorms(p[step:], true),
		"latency_eq7_Ts33_L32": must(p.Latency(l.Wiring, store)), "latency_cut_Ts33_L32": must(p.Latency(l.Wiring, cut))}
}

// average returns the average weight of the primary groups as a fraction.
func average(q Grouping) [2]int64 {
	wav := new(big.Rat)
	if len(q.Primary) > 0 {
		wav.SetFrac64(int64(q.WeightSum()), int64(len(q.Primary)))
	}
	return [2]int64{wav.Num().Int64(), wav.Denom().Int64()}
}

// overAverage returns by which share a group weighs more than the average.
func overAverage(q Grouping, g Group) float64 {
	return float64(g.Weight*len(q.Primary)-q.WeightSum()) / float64(q.WeightSum())
}

// workWeights works the arithmetic of the paper's worked example, whose nodes are not printed.
func workWeights(c workedCase) map[string]any {
	var q Grouping
	for _, w := range input[[]int](c, "weights") {
		q.Primary = append(q.Primary, Group{Weight: w})
	}
	for i, inside := range input[[]int](c, "int") {
		if outside := input[[]int](c, "ext")[i]; inside+outside != q.Primary[i].Weight {
			panic(fmt.Sprintf("group %d weighs %d + %d", i, inside, outside))
		}
	}
	threshold := must(ParseThousandths(input[json.Number](c, "TD").String()))
	var qualified []bool
	for _, g := range q.Primary {
		qualified = append(qualified, q.qualifies(threshold)(g))
	}
	return map[string]any{"wav": average(q), "qualified": qualified, "qp_G3": overAverage(q, q.Primary[2])}
}

// workedHalf is one side of a star under both rules. Several stars are optimal, so a witness, which
// lists the port of each worm and the stops through it, is only checked to be a star of the size
// that the case gives it.
type workedHalf struct {
	Strict, Free struct {
		Ports nodes
		OCMS  [][2]json.RawMessage `json:"ocms_witness"`
		OTMS  [][2]json.RawMessage `json:"otms_witness"`
	}
}

// workStars works the totals of OCMS and the longest worms of OTMS.
func workStars(c workedCase) map[string]any {
	l, r := c.labelled(), c.request()
	got := map[string]any{}
	halves := [2]map[string]any{{}, {}}
	for rule, name := range PortRules {
		ocms, otms := must(l.OCMS(r, PortRule(rule))), must(l.OTMS(r, PortRule(rule)))
		checked(l.Wiring, r, ocms.Plan(l, r.Source))
		checked(l.Wiring, r, otms.Plan(l, r.Source))
		got[name] = map[string]any{"ocms_total": ocms.High.Total() + ocms.Low.Total(), "otms_max": max(otms.High.Longest(), otms.Low.Longest())}
		for i, side := range []string{"high", "low"} {
			one, two := []Half{ocms.High, ocms.Low}[i], []Half{otms.High, otms.Low}[i]
			wanted := input[workedHalf](c, side)
			witness := wanted.Strict
			if PortRule(rule) == Free {
				witness = wanted.Free
			}
			total, best := witnessed(l, r.Source, one, witness.OCMS), witnessed(l, r.Source, one, witness.OTMS)
			if total.Total() != one.Total() || best.Total() != two.Total() || best.Longest() != two.Longest() {
				panic(fmt.Sprintf("%s %s: the witnesses have lengths %v and %v; OCMS has %v, OTMS %v", side, name, total.Lengths, best.Lengths, one.Lengths, two.Lengths))
			}
			halves[i]["k"] = len(slices.Concat(one.Stops...))
			halves[i][name] = map[string]any{"ports": inOrderOf(witness.Ports, one.Ports), "ocms_total": one.Total(), "otms_max": two.Longest(), "otms_total_at_max": two.Total(),
				"ocms_witness": witness.OCMS, "otms_witness": witness.OTMS}
		}
	}
	got["high"], got["low"] = halves[0], halves[1]
	return got
}

// inOrderOf returns a set in the order in which a case lists it, if that is the same set.
func inOrderOf(wanted, got nodes) nodes {
	if slices.Equal(slices.Sorted(slices.Values(wanted)), slices.Sorted(slices.Values(got))) {
		return wanted
	}
	return got
}

// witnessed checks that a witness is a star that serves what another one serves, and sizes it.
func witnessed(l *Labelled, source noc.NodeID, other Half, list [][2]json.RawMessage) Half {
	var h Half
	for _, w := range list {
		var port noc.NodeID
		var stops nodes
		if err := cmp.Or(json.Unmarshal(w[0], &port), json.Unmarshal(w[1], &stops)); err != nil {
			panic(err)
		}
		if !slices.Contains(other.Ports, port) {
			panic(fmt.Sprintf("a witness names port %d; ports are %v", port, other.Ports))
		}
		h.Ports, h.Stops = append(h.Ports, port), append(h.Stops, stops)
	}
	p := Star{High: h}.Plan(l, source)
	checked(l.Wiring, Request{Source: source, Destinations: slices.Concat(other.Stops...)}, p)
	for _, m := range p {
		h.Lengths = append(h.Lengths, len(m.Path))
	}
	return h
}
