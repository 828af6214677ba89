package multicast

import (
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// stages returns the unidirectional or the bidirectional network of a case: b^n nodes and b x b
// switches.
func (c workedCase) stages(bidirectional bool) topology.Multistage {
	b, nodes := input[int](c, "b"), 1
	for range input[int](c, "n") {
		nodes *= b
	}
	return must(topology.NewMultistage(bidirectional, nodes, b))
}

// workStages works wiring, switch groups, routes and trees of multistage networks.
func workStages(c workedCase) map[string]any {
	uni, bi := c.stages(false), c.stages(true)
	r := c.request()
	switch kind := input[string](c, "kind"); kind {
	case "uni wiring":
		return map[string]any{"wiring": stageWiring(uni)}
	case "bi wiring":
		return map[string]any{"wiring": stageWiring(bi)}
	case "uni groups", "bi backward groups":
		m, consumption := uni, 1
		if kind != "uni groups" {
			m = bi
		}
		if input[bool](c, "b_consumption") {
			consumption = m.Arity
		}
		return map[string]any{"groups": partition(must(NewSwitchGroups(m, consumption)), m)}
	case "unicast":
		to := input[noc.NodeID](c, "dest")
		one, two := unicast(uni, r.Source, to), unicast(bi, r.Source, to)
		return map[string]any{"bi_turn": bi.TurnStage(r.Source, to), "uni": channelNames(uni, one), "bi_lowest_port": channelNames(bi, two),
			"uni_ns": must(one.Latency(uni.Wiring(), TreeTiming(64))), "bi_ns": must(two.Latency(bi.Wiring(), TreeTiming(64)))}
	case "multicast":
		one, two := treeWorm(uni, r), treeWorm(bi, r)
		return map[string]any{"bi_turn": bi.TurnStage(r.Source, r.Targets()...),
			"uni_branches": branchPoints(uni, one), "uni_channels": inAnyOrder{channelNames(uni, one)}, "uni_atbm_ns": must(one.Latency(uni.Wiring(), TreeTiming(64))),
			"bi_branches": branchPoints(bi, two), "bi_channels": inAnyOrder{channelNames(bi, two)}, "bi_atbm_ns": must(two.Latency(bi.Wiring(), TreeTiming(64)))}
	case "latency example":
		for switches := range noc.NodeID(bi.Rows()) { // to one node under each switch: it branches at the turn only
			r.Destinations = append(r.Destinations, switches*noc.NodeID(bi.Arity))
		}
		return map[string]any{"bi_atbm_ns": must(treeWorm(bi, r).Latency(bi.Wiring(), TreeTiming(64)))}
	default:
		panic("not a kind of case: " + kind)
	}
}

func unicast(m topology.Multistage, from, to noc.NodeID) Plan {
	return must(Copies(Request{from, nodes{to}}, 1, m.Route))
}

func treeWorm(m topology.Multistage, r Request) Plan {
	return checked(m.Wiring(), r, TreeWorm(m, must(NewSwitchGroups(m, 1)), r))
}

// stageWiring lists, for each stage, row and right port, the next row and its input port.
func stageWiring(m topology.Multistage) [][][][2]int {
	all := make([][][][2]int, m.Stages-1)
	for stage := range all {
		all[stage] = make([][][2]int, m.Rows())
		for row := range m.Rows() {
			for p := range m.Arity {
				next, in := m.Right(stage, row, p)
				all[stage][row] = append(all[stage][row], [2]int{next, in})
			}
		}
	}
	return all
}

// partition lists the rows of every group of each stage, ascending; nil for a stage without groups.
func partition(g *SwitchGroups, m topology.Multistage) [][][]int {
	all := make([][][]int, m.Stages)
	for stage := range all {
		place := map[int32]int{}
		for row := range m.Rows() {
			group := g.Of(m.Router(stage, row))
			if group < 0 {
				continue
			}
			if _, known := place[group]; !known {
				place[group] = len(all[stage])
				all[stage] = append(all[stage], nil)
			}
			all[stage][place[group]] = append(all[stage][place[group]], row)
		}
	}
	return all
}

// crossed is an output port of a switch.
type crossed struct{ stage, row, port int }

// channelsOf lists the outputs by which a worm leaves switches, those to nodes excepted.
func channelsOf(m topology.Multistage, worm Worm) (list []crossed) {
	worm.Visit(m.Wiring(), func(from, to noc.NodeID) {
		stage, row := m.Place(from)
		for out := range 2 * m.Arity {
			if next, _, ok := m.Step(from, out); ok && next == to && (m.Bidirectional || out < m.Arity) {
				list = append(list, crossed{stage, row, out})
			}
		}
	})
	return list
}

// channelNames names the channels of a worm: inj:source, f:stage:row:port to the right,
// b:stage:row:port to the left, con:destination.
func channelNames(m topology.Multistage, p Plan) []string {
	var names []string
	for _, worm := range p {
		names = append(names, fmt.Sprintf("inj:%d", worm.From))
		for _, c := range channelsOf(m, worm) {
			side := "f"
			if m.Bidirectional && c.port < m.Arity {
				side = "b"
			}
			names = append(names, fmt.Sprintf("%s:%d:%d:%d", side, c.stage, c.row, c.port%m.Arity))
		}
		for _, s := range worm.Stops {
			names = append(names, fmt.Sprintf("con:%d", s))
		}
	}
	return names
}

// branchPoints lists [stage, row, ports] of every switch where a tree needs several ports.
func branchPoints(m topology.Multistage, p Plan) (list [][3]any) {
	ports := map[[2]int][]int{}
	for _, worm := range p {
		for _, c := range channelsOf(m, worm) {
			if !m.Bidirectional || c.port < m.Arity {
				ports[[2]int{c.stage, c.row}] = append(ports[[2]int{c.stage, c.row}], c.port)
			}
		}
		for _, s := range worm.Stops {
			exit := m.Wiring().Exit[s]
			stage, row := m.Place(exit.Router)
			ports[[2]int{stage, row}] = append(ports[[2]int{stage, row}], int(exit.Port))
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(ports), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		if slices.Sort(ports[at]); len(ports[at]) > 1 {
			list = append(list, [3]any{at[0], at[1], ports[at]})
		}
	}
	return list
}

// workChain works software multicast by recursive doubling.
func workChain(c workedCase) map[string]any {
	r := c.request()
	chain := RotatedChain(r)
	got := map[string]any{"chain": chain}
	for i, bidirectional := range []bool{false, true} {
		m := c.stages(bidirectional)
		p := checked(m.Wiring(), r, Doubling(chain, WithSender, m.Route))
		got["schedule"], got["steps"] = schedule(p, 0), must(p.Measure()).Steps
		got[[]string{"conflicts_uni", "conflicts_bi_lowest_port"}[i]] = len(must(p.contending(m.Wiring())))
	}
	return got
}

// workTree works trees, paths and recursive doubling of irregular networks. Processor i is written
// as vertex switches+i.
func workTree(c workedCase) map[string]any {
	g := topology.Graph{Name: "links", Switches: input[int](c, "switches"), Links: input[[][2]int](c, "links"),
		Processors: input[[]int](c, "processor_switch"), Root: input[int](c, "root")}
	u, w := must(topology.NewUpDown(g, g.Root)), g.Wiring()
	r := c.request()
	first := noc.NodeID(g.Switches)
	r.Source -= first
	for i := range r.Destinations {
		r.Destinations[i] -= first
	}
	p := checked(w, r, Doubling(PostorderChain(u, r), WithSender, u.Route))
	var chain []int
	for _, n := range PostorderChain(u, r) {
		chain = append(chain, u.Vertex(n))
	}
	var paths []map[string]any
	for _, ends := range input[[]struct{ From, To int }](c, "paths") {
		paths = append(paths, map[string]any{"from": ends.From, "to": ends.To, "strict": u.Strict(ends.From, ends.To),
			"relaxed": sortedPaths(u.Relaxed(ends.From, ends.To)), "selected": u.Selected(ends.From, ends.To)})
	}
	return map[string]any{"parent": u.Parent, "level": u.Level, "postorder_id": u.ID, "chain": chain, "schedule": schedule(p, g.Switches),
		"paths": paths, "latency_ns": must(p.Latency(w, PostorderTiming(128)))}
}

func sortedPaths(list [][]int) [][]int {
	slices.SortFunc(list, slices.Compare)
	return list
}

// workFigure works figures 1 and 2 of Libeskind-Hadas, Mazzoni and Rajagopalan, whose vertices are
// called by their postorder numbers: a broadcast among the numbers themselves.
func workFigure(c workedCase) map[string]any {
	parents := input[map[int]int](c, "parent_by_id")
	n := len(parents) + 1
	parent := make([]int, n) // vertex = number - 1
	parent[n-1] = -1
	for id, p := range parents {
		parent[id-1] = p - 1
	}
	var cross [][2]int
	for _, link := range input[[][2]int](c, "cross") {
		cross = append(cross, [2]int{link[0] - 1, link[1] - 1})
	}
	u := must(topology.NewUpDownTree(parent, cross))
	r := Request{Source: input[nodes](c, "chain")[0]}
	for v, id := range u.ID {
		if id != v+1 {
			panic(fmt.Sprintf("vertex %d has number %d", v, id))
		}
		r.Destinations = append(r.Destinations, noc.NodeID(id))
	}
	relaxed := [][]int{}
	for _, path := range u.Relaxed(0, 3) {
		relaxed = append(relaxed, numbers(path))
	}
	not := input[[]int](c, "not_relaxed")
	if slices.ContainsFunc(relaxed, func(path []int) bool { return slices.Equal(path, not) }) {
		panic(fmt.Sprintf("%v is a relaxed path", not))
	}
	p := Doubling(RotatedChain(r), WithSender, func(_, _ noc.NodeID) []noc.NodeID { return nodes{} })
	steps := schedule(p, 0)
	named := input[[][3]int](c, "schedule_steps_named_in_text")
	for _, row := range named {
		if !slices.Contains(steps.list.([][3]int), row) {
			panic(fmt.Sprintf("the schedule lacks %v", row))
		}
	}
	return map[string]any{"chain": RotatedChain(r), "schedule": steps, "strict_1_to_4": numbers(u.Strict(0, 3)), "relaxed_1_to_4": sortedPaths(relaxed)}
}

// numbers calls vertices by their postorder numbers.
func numbers(path []int) (list []int) {
	for _, v := range path {
		list = append(list, v+1)
	}
	return list
}
