package vectors

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// network is the input that cases on direct networks share: a mesh or a labelled graph.
type network struct {
	about
	Dims   []int         `json:"dims"`
	Adj    [][]int       `json:"adj"`
	Labels []int         `json:"labels"`
	Source noc.NodeID    `json:"source"`
	Dests  []noc.NodeID  `json:"dests"`
	grid   topology.Grid // of Dims
}

// open builds the network with its labels.
func (n *network) open() *multicast.Labelled {
	if n.Adj == nil {
		if len(n.Dims) == 0 {
			fail(`neither "dims" nor "adj" is given`)
		}
		n.grid = topology.Mesh(n.Dims...)
		if slices.Min(n.Dims) != 1 || slices.Max(n.Dims) != 1 { // one router is a mesh here
			need(n.grid.Validate())
		}
		return get(multicast.NewLabelled(n.grid.Wiring(), n.grid.Snake()))
	}
	g := topology.Graph{Name: "adj", Switches: len(n.Adj)}
	for a, list := range n.Adj {
		for _, b := range list {
			if b >= 0 && b < len(n.Adj) && !slices.Contains(n.Adj[b], a) {
				fail("adj: %d lists %d but not the other way round", a, b)
			}
			if a <= b || b < 0 {
				g.Links = append(g.Links, [2]int{a, b})
			}
		}
	}
	need(g.Validate())
	return get(multicast.NewLabelled(g.Wiring(), n.Labels))
}

// openRequest builds the network and checks the source and destinations.
func (n *network) openRequest() (*multicast.Labelled, multicast.Request) {
	l, r := n.open(), multicast.Request{Source: n.Source, Destinations: n.Dests}
	need(r.Validate(l.Wiring.Nodes()))
	return l, r
}

// openMesh does so for a network that has to be a mesh.
func (n *network) openMesh() (*multicast.Labelled, multicast.Request) {
	if n.Adj != nil {
		fail(`"adj" is given; this kind of case needs a mesh, "dims"`)
	}
	return n.openRequest()
}

// labelRoutes has labels and routes of the function R.
func labelRoutes(c *task) object {
	var in struct {
		network
		Routes []struct {
			From      noc.NodeID `json:"from"`
			To        noc.NodeID `json:"to"`
			Manhattan *int       `json:"manhattan"`
		} `json:"routes"`
	}
	c.input(&in)
	l := in.open()
	routes, results := []object{}, object{}
	for _, r := range in.Routes {
		need(multicast.Request{Source: r.From, Destinations: []noc.NodeID{r.To}}.Validate(l.Wiring.Nodes()))
		route := object{"from": r.From, "to": r.To, "path": l.Route([]noc.NodeID{r.From}, r.From, r.To), "d": l.Distance(r.From, r.To)}
		if r.Manhattan != nil && in.Adj == nil {
			route["manhattan"] = in.grid.Distance(r.From, r.To)
		}
		routes = append(routes, route)
	}
	results["routes"] = routes
	if in.Adj == nil {
		labels := in.grid.Snake()
		results["labels"] = labels[:min(len(in.Labels), len(labels))]
	}
	return results
}

// worms writes a valid plan the way cases do: of each worm the nodes from the sender on, and for
// each stop its node and the number of channels before it; with senders, also who sends it.
func worms(p multicast.Plan, senders bool) []object {
	var list []object
	for _, m := range p {
		route, at := append([]noc.NodeID{m.From}, m.Path...), 0
		var stops [][2]noc.NodeID
		for _, s := range m.Stops {
			for route[at] != s {
				at++
			}
			stops = append(stops, [2]noc.NodeID{s, noc.NodeID(at)})
		}
		worm := object{"route": route, "stops": stops}
		if senders {
			worm["rep"] = m.From
		}
		list = append(list, worm)
	}
	return list
}

// paths has dual-path, multi-path and column-path.
func paths(c *task) object {
	var in network
	c.input(&in)
	l, r := in.openMesh()
	column := get(multicast.ColumnPath(in.grid, r, 4))
	dual, multi := multicast.DualPath(l, r), multicast.MultiPath(l, &in.grid, r)
	results := object{"eq10_DP_Ts33_L32": c.latency(dual, l.Wiring, multicast.GroupTiming(32)),
		"eq11_MP_Ts33_L32": c.latency(multi, l.Wiring, multicast.GroupTiming(32))}
	var longest, channels, additional [3]int
	for i, p := range []multicast.Plan{dual, multi, column} {
		name := []string{"dual", "multi", "column"}[i]
		c.valid(name, p.Check(l.Wiring, r))
		results[name] = worms(p, false)
		m, err := p.Measure(l.Wiring)
		c.valid(name, err)
		longest[i], channels[i], additional[i] = m.Longest, m.Channels, m.Additional
	}
	results["max_len"], results["channels"], results["additional_traffic"] = longest, channels, additional
	return results
}

// groups has every phase of Qualified Groups.
func groups(c *task) object {
	var in struct {
		network
		TD json.Number
	}
	c.input(&in)
	l, r := in.openMesh()
	o := multicast.DefaultGroupOptions()
	o.Threshold = thousandths(in.TD)
	q := get(multicast.QualifiedGroups(in.grid, r, o))
	var primary []object
	var shares []float64
	for _, g := range q.Primary {
		primary = append(primary, object{"nodes": g.Nodes, "pn": g.Nearest, "pf": g.Farthest, "ext": g.External, "int": g.Internal, "wm": g.Weight})
		shares = append(shares, math.Round(share(g, q)*1e9)/1e9) // as they are printed
	}
	var final, representatives []any
	for _, g := range q.Final {
		final, representatives = append(final, g.Nodes), append(representatives, g.Nearest)
	}
	results := object{"lo": q.Area.Low, "hi": q.Area.High, "mid": q.Area.Middle, "N": q.Area.Imbalance, "divisor": q.Area.Divisor,
		"primary": primary, "wav": average(q), "qp": shares, "final": final, "representatives": representatives}
	p := q.Plan(l, &in.grid, r, o)
	c.valid("plan", p.Check(l.Wiring, r))
	first := 0
	for first < len(p) && p[first].After < 0 {
		first++
	}
	results["step1_dual"], results["step2_dual"] = worms(p[:first], false), worms(p[first:], true)
	timing := multicast.GroupTiming(32)
	results["latency_eq7_Ts33_L32"] = c.latency(p, l.Wiring, timing)
	timing.Start = multicast.Cut
	results["latency_cut_Ts33_L32"] = c.latency(p, l.Wiring, timing)
	return results
}

// thousandths reads a threshold as a whole number of thousandths.
func thousandths(n json.Number) int {
	value, err := n.Float64()
	whole := math.Round(1000 * value)
	if err != nil || whole/1000 != value || math.Abs(whole) > 1<<40 {
		fail("TD is %s; it has at most three decimals", n)
	}
	return int(whole)
}

// average returns the average weight of primary groups as a fraction.
func average(q multicast.Grouping) [2]int64 {
	r := big.NewRat(int64(q.WeightSum()), int64(max(1, len(q.Primary))))
	return [2]int64{r.Num().Int64(), r.Denom().Int64()}
}

// share returns by how much of the average a group's weight exceeds it.
func share(g multicast.Group, q multicast.Grouping) float64 {
	sum := q.WeightSum()
	return float64(g.Weight*len(q.Primary)-sum) / float64(sum)
}

// weights has the arithmetic of the paper's worked example, whose nodes are not printed: each
// weight is the sum of an internal and an external one, as far as those are given.
func weights(c *task) object {
	var in struct {
		about
		Weights []int `json:"weights"`
		Int     []int `json:"int"`
		Ext     []int `json:"ext"`
		TD      json.Number
	}
	c.input(&in)
	threshold := thousandths(in.TD)
	if len(in.Weights) == 0 || slices.Min(in.Weights) < 1 {
		fail("weights are %v; at least one, all positive, are needed", in.Weights)
	}
	var q multicast.Grouping
	for _, w := range in.Weights {
		q.Primary = append(q.Primary, multicast.Group{Weight: w})
	}
	sums := slices.Clone(in.Weights)
	for i := range min(len(sums), len(in.Int), len(in.Ext)) {
		sums[i] = in.Int[i] + in.Ext[i]
	}
	var qualified []bool
	for _, g := range q.Primary {
		qualified = append(qualified, q.Qualified(g, threshold))
	}
	results := object{"weights": sums, "wav": average(q), "qualified": qualified}
	if _, given := c.fields["qp_G3"]; given && len(q.Primary) > 2 {
		results["qp_G3"] = share(q.Primary[2], q)
	}
	return results
}

// sides are the inputs of a case of stars: for each side and rule, stars of the size that it gives.
type sides struct {
	Strict, Free struct {
		OCMS []nodeAndList `json:"ocms_witness"`
		OTMS []nodeAndList `json:"otms_witness"`
	}
}

// stars has the totals of OCMS and the longest worms of OTMS. Several stars are optimal, so the
// witnesses are only checked to be stars of the size that the case gives them.
func stars(c *task) object {
	var in struct {
		network
		High, Low sides
	}
	c.input(&in)
	l, r := in.openRequest()
	high, low, results := object{}, object{}, object{}
	for rule, name := range multicast.PortRules {
		ocms, otms := get(l.OCMS(r, multicast.PortRule(rule))), get(l.OTMS(r, multicast.PortRule(rule)))
		c.valid(name+" ocms", ocms.Plan(l, r.Source).Check(l.Wiring, r))
		c.valid(name+" otms", otms.Plan(l, r.Source).Check(l.Wiring, r))
		results[name] = object{"ocms_total": ocms.High.Total() + ocms.Low.Total(), "otms_max": max(otms.High.Longest(), otms.Low.Longest())}
		for _, side := range []struct {
			name       string
			into       object
			ocms, otms multicast.Half
			given      sides
		}{{"high ", high, ocms.High, otms.High, in.High}, {"low ", low, ocms.Low, otms.Low, in.Low}} {
			side.into["k"] = len(slices.Concat(side.ocms.Stops...))
			given := side.given.Strict
			if multicast.PortRule(rule) == multicast.Free {
				given = side.given.Free
			}
			what := side.name + name
			c.witness(what+" ocms_witness", l, r.Source, side.ocms, side.ocms.Total(), -1, given.OCMS)
			c.witness(what+" otms_witness", l, r.Source, side.ocms, side.otms.Total(), side.otms.Longest(), given.OTMS)
			side.into[name] = object{"ports": side.ocms.Ports, "ocms_total": side.ocms.Total(), "otms_max": side.otms.Longest(),
				"otms_total_at_max": side.otms.Total(), "ocms_witness": given.OCMS, "otms_witness": given.OTMS}
		}
	}
	results["high"], results["low"] = high, low
	return results
}

// nodeAndList is a node and those that belong to it, written [node, [nodes]]: the port of a worm of
// a star, and the stops behind it.
type nodeAndList struct {
	json.RawMessage
	node noc.NodeID
	list []noc.NodeID
}

// UnmarshalJSON reads [node, [nodes]].
func (n *nodeAndList) UnmarshalJSON(text []byte) error {
	n.RawMessage = slices.Clone(text)
	parts := []any{&n.node, &n.list}
	err := json.Unmarshal(text, &parts)
	if err == nil && len(parts) != 2 {
		err = fmt.Errorf("%s has %d parts; it is [node, [nodes]]", text, len(parts))
	}
	return err
}

// witness checks that a star of a case serves what another one serves, with total channels, and
// worms of at most longest channels.
func (c *task) witness(what string, l *multicast.Labelled, source noc.NodeID, other multicast.Half, total, longest int, list []nodeAndList) {
	var h multicast.Half
	for _, w := range list {
		for _, n := range append(w.list, w.node) {
			if int(n) >= l.Wiring.Nodes() {
				fail("%s: it names node %d; nodes are 0 to %d", what, n, l.Wiring.Nodes()-1)
			}
		}
		if !slices.Contains(other.Ports, w.node) {
			c.valid(what, fmt.Errorf("it names port %d; ports are %v", w.node, other.Ports))
		}
		h.Ports, h.Stops = append(h.Ports, w.node), append(h.Stops, w.list)
	}
	p := multicast.Star{High: h}.Plan(l, source)
	c.valid(what, p.Check(l.Wiring, multicast.Request{Source: source, Destinations: slices.Concat(other.Stops...)}))
	for _, m := range p {
		h.Lengths = append(h.Lengths, len(m.Path))
	}
	if h.Total() != total || longest >= 0 && h.Longest() != longest {
		c.valid(what, fmt.Errorf("it has %d channels and a longest worm of %d; optimal are %d", h.Total(), h.Longest(), total))
	}
}
