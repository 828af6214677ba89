package vectors

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// size is the input that cases on multistage networks share: b^n nodes and b x b switches.
type size struct {
	about
	B      int          `json:"b"`
	N      int          `json:"n"`
	Source noc.NodeID   `json:"source"`
	Dests  []noc.NodeID `json:"dests"`
}

// open builds the unidirectional and the bidirectional network.
func (s size) open() (uni, bi topology.Multistage) {
	nodes := int(min(math.Pow(float64(s.B), float64(s.N)), topology.MaxNodes+1))
	return get(topology.NewMultistage(false, nodes, s.B)), get(topology.NewMultistage(true, nodes, s.B))
}

// stages has wiring, switch groups, routes and trees of multistage networks.
func stages(c *task) object {
	var in struct {
		size
		Kind    string     `json:"kind"`
		Several bool       `json:"b_consumption"`
		Dest    noc.NodeID `json:"dest"`
	}
	c.input(&in)
	uni, bi := in.open()
	all := append([]noc.NodeID{in.Dest}, in.Dests...)
	need(multicast.Request{Source: in.Source, Destinations: all}.Validate(uni.Nodes()))
	r := multicast.Request{Source: in.Source, Destinations: in.Dests}
	switch in.Kind {
	case "uni wiring":
		return object{"wiring": wiring(uni)}
	case "bi wiring":
		return object{"wiring": wiring(bi)}
	case "uni groups":
		return switchGroups(uni, in.Several)
	case "bi backward groups":
		return switchGroups(bi, in.Several)
	case "unicast":
		if in.Dest == in.Source {
			fail("a unicast from node %d to itself", in.Source)
		}
		results := object{"bi_turn": bi.TurnStage(in.Source, in.Dest)}
		results["uni"], results["uni_ns"] = c.unicast(uni, in.Source, in.Dest)
		results["bi_lowest_port"], results["bi_ns"] = c.unicast(bi, in.Source, in.Dest)
		return results
	case "multicast":
		results := object{"bi_turn": bi.TurnStage(in.Source, r.Targets()...)}
		results["uni_channels"], results["uni_branches"], results["uni_atbm_ns"] = c.tree(uni, r, c.fields["uni_channels"])
		results["bi_channels"], results["bi_branches"], results["bi_atbm_ns"] = c.tree(bi, r, c.fields["bi_channels"])
		return results
	case "latency example":
		// From node 0 to one node under each switch: it branches at the turn only.
		for n := 0; n < bi.Nodes(); n += in.B {
			r.Destinations = append(r.Destinations, noc.NodeID(n))
		}
		_, _, ns := c.tree(bi, r, nil)
		return object{"bi_atbm_ns": ns}
	}
	panic(malformed{fmt.Errorf("kind %q is not known", in.Kind)})
}

func wiring(m topology.Multistage) (got [][][][2]int) {
	for stage := range m.Stages - 1 {
		rows := make([][][2]int, m.Rows())
		for row := range rows {
			for p := range m.Arity {
				next, in := m.Right(stage, row, p)
				rows[row] = append(rows[row], [2]int{next, in})
			}
		}
		got = append(got, rows)
	}
	return got
}

func switchGroups(m topology.Multistage, several bool) object {
	consumption := 1
	if several {
		consumption = m.Arity
	}
	groups := get(multicast.NewSwitchGroups(m, consumption))
	var partitions [][][]int
	for stage := range m.Stages {
		partitions = append(partitions, partition(groups, m, stage))
	}
	return object{"groups": partitions}
}

// partition lists the rows of every group of a stage, ascending; nil when the stage has none.
func partition(groups *multicast.SwitchGroups, m topology.Multistage, stage int) (list [][]int) {
	place := map[int32]int{}
	for row := range m.Rows() {
		group := groups.Of(m.Router(stage, row))
		if group < 0 {
			continue
		}
		if _, known := place[group]; !known {
			place[group] = len(list)
			list = append(list, nil)
		}
		list[place[group]] = append(list[place[group]], row)
	}
	return list
}

// unicast returns the channels that a unicast crosses, and its latency.
func (c *task) unicast(m topology.Multistage, from, to noc.NodeID) (channels []string, ns int64) {
	p := multicast.Plan{{From: from, Stops: []noc.NodeID{to}, Path: m.Route(from, to), After: -1}}
	return channelNames(m, p[0]), c.latency(p, m.Wiring(), multicast.TreeTiming(64))
}

// tree returns the channels of a tree worm, or their number if the case gives no list, the switches at
// which it branches, and its latency.
func (c *task) tree(m topology.Multistage, r multicast.Request, given any) (channels any, branches [][3]any, ns int64) {
	p, names := multicast.TreeWorm(m, get(multicast.NewSwitchGroups(m, 1)), r), []string{}
	c.valid(m.String(), p.Check(m.Wiring(), r))
	if len(p) > 0 {
		names, branches = channelNames(m, p[0]), branchPoints(m, p[0])
	}
	if channels = any(names); given != nil {
		if _, list := given.([]any); !list {
			channels = len(names)
		}
	}
	return channels, branches, c.latency(p, m.Wiring(), multicast.TreeTiming(64))
}

// channelNames names the channels of a worm: inj:source, f:stage:row:port to the right,
// b:stage:row:port to the left, con:destination.
func channelNames(m topology.Multistage, worm multicast.Worm) []string {
	names, w := []string{fmt.Sprintf("inj:%d", worm.From)}, m.Wiring()
	worm.Visit(w, func(from, to noc.NodeID) {
		stage, row := m.Place(from)
		side, port := "f", int(w.Channels[w.Channel(from, to)].Out)
		if next, _ := m.Place(to); next < stage {
			side = "b"
		}
		names = append(names, fmt.Sprintf("%s:%d:%d:%d", side, stage, row, port%m.Arity))
	})
	for _, s := range worm.Stops {
		names = append(names, fmt.Sprintf("con:%d", s))
	}
	return names
}

// branchPoints lists [stage, row, ports] of every switch where a tree needs several ports.
func branchPoints(m topology.Multistage, worm multicast.Worm) (list [][3]any) {
	ports, w := map[noc.NodeID][]int{}, m.Wiring()
	worm.Visit(w, func(from, to noc.NodeID) {
		if port := int(w.Channels[w.Channel(from, to)].Out); !m.Bidirectional || port < m.Arity {
			ports[from] = append(ports[from], port)
		}
	})
	for _, s := range worm.Stops {
		exit := w.Exit[s]
		ports[exit.Router] = append(ports[exit.Router], int(exit.Port))
	}
	for _, r := range slices.Sorted(maps.Keys(ports)) {
		slices.Sort(ports[r])
		if several := slices.Compact(ports[r]); len(several) > 1 {
			stage, row := m.Place(r)
			list = append(list, [3]any{stage, row, several})
		}
	}
	return list
}

// chains has software multicast by recursive doubling.
func chains(c *task) object {
	var in size
	c.input(&in)
	uni, bi := in.open()
	r := multicast.Request{Source: in.Source, Destinations: in.Dests}
	need(r.Validate(uni.Nodes()))
	chain := multicast.RotatedChain(r)
	results := object{"chain": chain}
	for i, m := range []topology.Multistage{uni, bi} {
		p := multicast.Doubling(chain, multicast.WithSender, m.Route)
		c.valid(m.String(), p.Check(m.Wiring(), r))
		size, err := p.Measure(m.Wiring())
		c.valid("measure", err)
		pairs, err := p.Contending(m.Wiring())
		c.valid("contending", err)
		results["schedule"], results["steps"] = schedule(p, 0), size.Steps // the same in both
		results[[]string{"conflicts_uni", "conflicts_bi_lowest_port"}[i]] = len(pairs)
	}
	return results
}

// schedule lists [step, from, to] of every unicast of a plan. The first node has a number.
func schedule(p multicast.Plan, first int) (list [][3]int) {
	for i, m := range p {
		list = append(list, [3]int{p.Step(i), first + int(m.From), first + int(m.Stops[0])})
	}
	return list
}

// trees has trees, paths and recursive doubling of irregular networks. Processor i is written as vertex
// switches+i.
func trees(c *task) object {
	var in struct {
		about
		Switches int      `json:"switches"`
		Links    [][2]int `json:"links"`
		At       []int    `json:"processor_switch"`
		Root     int      `json:"root"`
		Source   int      `json:"source"`
		Dests    []int    `json:"dests"`
		Paths    []struct {
			From int `json:"from"`
			To   int `json:"to"`
		} `json:"paths"`
	}
	c.input(&in)
	g := topology.Graph{Name: "links", Switches: in.Switches, Links: in.Links, Processors: in.At, Root: in.Root}
	need(g.Validate())
	u := get(topology.NewUpDown(g, in.Root))
	var processors []noc.NodeID
	for _, v := range append([]int{in.Source}, in.Dests...) {
		if v < in.Switches || v >= len(u.ID) {
			fail("vertex %d is not a processor; those are %d to %d", v, in.Switches, len(u.ID)-1)
		}
		processors = append(processors, noc.NodeID(v-in.Switches))
	}
	r := multicast.Request{Source: processors[0], Destinations: processors[1:]}
	chain, w := multicast.PostorderChain(u, r), g.Wiring()
	p := multicast.Doubling(chain, multicast.WithSender, u.Route)
	c.valid("plan", p.Check(w, r))
	vertices, paths := []int{}, []object{}
	for _, n := range chain {
		vertices = append(vertices, u.Vertex(n))
	}
	for _, path := range in.Paths {
		if min(path.From, path.To) < 0 || max(path.From, path.To) >= len(u.ID) {
			fail("path from %d to %d: vertices are 0 to %d", path.From, path.To, len(u.ID)-1)
		}
		paths = append(paths, object{"from": path.From, "to": path.To, "strict": u.Strict(path.From, path.To),
			"relaxed": u.Relaxed(path.From, path.To), "selected": u.Selected(path.From, path.To)})
	}
	return object{"parent": u.Parent, "level": u.Level, "postorder_id": u.ID, "chain": vertices, "schedule": schedule(p, in.Switches),
		"paths": paths, "latency_ns": c.latency(p, w, multicast.PostorderTiming(128))}
}

// figure has figure 1 of Libeskind-Hadas, Mazzoni and Rajagopalan, whose vertices are called by their
// postorder numbers.
func figure(c *task) object {
	var in struct {
		about
		Parent map[int]int `json:"parent_by_id"`
		Cross  [][2]int    `json:"cross"`
		Chain  []int       `json:"chain"`
		Named  [][3]int    `json:"schedule_steps_named_in_text"`
		Not    []int       `json:"not_relaxed"`
	}
	c.input(&in)
	n := len(in.Parent) + 1
	parent := make([]int, n) // vertex = number - 1
	parent[n-1] = -1
	for id, p := range in.Parent {
		if id < 1 || id >= n || p < 1 || p > n {
			fail("parent of %d is %d; numbers are 1 to %d, the root %d", id, p, n, n)
		}
		parent[id-1] = p - 1
	}
	for i := range in.Cross {
		in.Cross[i][0]--
		in.Cross[i][1]--
	}
	u := get(topology.NewUpDownTree(parent, in.Cross))
	if n < 4 || len(in.Chain) == 0 || in.Chain[0] < 1 || in.Chain[0] > n {
		fail("the chain %v does not start at one of %d vertices, or there is no vertex 4", in.Chain, n)
	}
	byNumber := make(map[int]int, n)
	for v, p := range u.Parent {
		if p >= 0 {
			byNumber[u.ID[v]] = u.ID[p]
		}
	}
	var relaxed [][]int
	for _, path := range u.Relaxed(0, 3) {
		relaxed = append(relaxed, numbers(u, path))
	}
	if slices.ContainsFunc(relaxed, func(path []int) bool { return slices.Equal(path, in.Not) }) {
		c.problems = append(c.problems, fmt.Sprintf("%v is a relaxed path", in.Not))
	}
	r := multicast.Request{Source: noc.NodeID(in.Chain[0])} // a broadcast among the numbers themselves
	for id := range n {
		r.Destinations = append(r.Destinations, noc.NodeID(id+1))
	}
	chain := multicast.RotatedChain(r)
	steps := schedule(multicast.Doubling(chain, multicast.WithSender, func(_, _ noc.NodeID) []noc.NodeID { return []noc.NodeID{} }), 0)
	for _, row := range in.Named {
		if !slices.Contains(steps, row) {
			c.problems = append(c.problems, fmt.Sprintf("the schedule lacks %v", row))
		}
	}
	return object{"parent_by_id": byNumber, "chain": chain, "schedule": steps, "strict_1_to_4": numbers(u, u.Strict(0, 3)), "relaxed_1_to_4": relaxed}
}

// numbers calls vertices by their postorder numbers.
func numbers(u *topology.UpDown, path []int) (list []int) {
	for _, v := range path {
		list = append(list, u.ID[v])
	}
	return list
}
