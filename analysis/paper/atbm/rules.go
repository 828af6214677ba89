package atbm

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

// Networks of the exact claims: unidirectional (false) or bidirectional, ports of a switch, stages.
func uni(arity, stages int) topology.Multistage {
	return topology.Multistage{Arity: arity, Stages: stages}
}

func bi(arity, stages int) topology.Multistage {
	return topology.Multistage{Bidirectional: true, Arity: arity, Stages: stages}
}

// Rules returns the entry of sections 1 to 5.2: networks, routing, groups, tokens and times.
func Rules() claim.Entry {
	return claim.Entry{
		ID: "atbm.rules", Paper: ATBM, Figure: "sections 1 to 5.2", Title: "Networks, routing, groups, tokens and times",
		Claims: slices.Concat(atbmNetworkClaims(), atbmDeadlockClaims(), atbmGroupClaims(), atbmTimeClaims()),
	}
}

func atbmNetworkClaims() []claim.Claim {
	return []claim.Claim{
		{ID: "S0-01", Text: "Software multicast to d nodes takes ceil(log2(d+1)) phases.", Conditions: "UMIN and CMIN, 64 nodes, 2x2, 4x4 and 8x8 switches, every d, random sets", Printed: "ceil(log2(d+1))",
			Criterion: "for every plan; measured value: plans examined", Judge: func(*chart.Data) claim.Finding { return phases(multicast.Doubling) }},
		{ID: "S0-02", Text: "n stages of b x b switches connect b^n nodes.", Conditions: "b 2 to 8, n 1 to 4, UNI and BI", Printed: "N = b^n",
			Criterion: "b^n nodes on b^(n-1) rows, each reached from every other; measured value: networks examined", Judge: func(*chart.Data) claim.Finding { return sizesOfStages(topology.NewMultistage) }},
		{ID: "S0-03", Text: "Destination tags route the baseline network, such as 0010 to 1010 and 1100 to 1000.", Conditions: "16 nodes, 2x2 switches, all pairs", Printed: "example",
			Criterion: "every route ends at the switch of its destination; measured value: pairs that fail", Judge: func(*chart.Data) claim.Finding { return routesArrive(uni(2, 4), topology.Multistage.Route) }},
		{ID: "S0-04", Text: "The turnaround stage is 3 for 0010 to 1010, and 2 for 1100 to 1000.", Conditions: "16 nodes, 2x2 switches, all pairs", Printed: "3 and 2",
			Criterion: "both, and every route of the butterfly arrives after 2T+1 switches; measured value: pairs that fail",
			Judge:     func(*chart.Data) claim.Finding { return turnStages(bi(2, 4), topology.Multistage.Route) }},
		{ID: "S0-05", Text: "Turnaround routing of unicasts is free of deadlock.", Conditions: "BI 16 nodes 2x2, 64 nodes 4x4, any port up; and destination tags in UNI networks", Printed: "deadlock-free",
			Criterion: "the dependencies between channels have no cycle; measured value: dependencies", Judge: func(*chart.Data) claim.Finding {
				return acyclic(dependencies, bi(2, 4), bi(4, 3), uni(2, 4), uni(4, 3))
			}},
		{ID: "S0-06", Text: "A tree with several turnarounds crosses fewer channels than one with a single turnaround.", Conditions: "BI, 8 to 256 nodes, 200 random sets each", Printed: "lower",
			Criterion: "never more, and fewer on average in every network; measured value: mean ratio", Judge: func(*chart.Data) claim.Finding {
				return turnarounds(treeChannels, bi(2, 3), bi(2, 6), bi(4, 3), bi(8, 2), bi(4, 4))
			}},
		{ID: "S0-18", Text: "In 8 nodes the destinations 0, 2, 5 and 7 are encoded as 10100101.", Conditions: "one bit per node, node 0 leftmost; the string reads the same from both ends; UNI 8 nodes 2x2, every set of destinations of node 0", Printed: "10100101",
			Criterion: "equal, and switches that compare such headers with a table of what is behind each port send every copy where its destinations are, over the channels of the tree; measured value: bits", Judge: func(*chart.Data) claim.Finding { return bitString(encode) }},
		{ID: "S0-43", Text: "Software multicast is free of contention between its own unicasts.", Conditions: "CMIN to {1,2,3} from 0 in UNI networks, UMIN to random sets in BI networks, any delays", Printed: "implied",
			Criterion: "no two unicasts that may be under way together share a channel; measured value: pairs that do in UNI 16 nodes 4x4", Judge: func(*chart.Data) claim.Finding { return ownContention() }},
	}
}

// phases counts the phases of plans for chains.
func phases(plan func(chain []noc.NodeID, middle multicast.Middle, route func(a, b noc.NodeID) []noc.NodeID) multicast.Plan) claim.Finding {
	random := claim.NewRandoms(20)
	examined, wrong := 0, 0
	for _, m := range []topology.Multistage{bi(2, 6), bi(4, 3), bi(8, 2), uni(2, 6), uni(4, 3), uni(8, 2)} {
		for d := 1; d < m.Nodes(); d++ {
			steps, err := plan(multicast.RotatedChain(random.Request(m.Nodes(), d)), multicast.WithReceiver, m.Route).Measure()
			if examined++; err != nil || steps.Steps != bits.Len(uint(d)) { // ceil(log2(d+1)) is the length of d in bits
				wrong++
			}
		}
	}
	return claim.Fact(wrong == 0, float64(examined), fmt.Sprintf("%d differ", wrong))
}

// sizesOfStages counts the nodes of networks with a number of nodes and ports of a switch.
func sizesOfStages(build func(bidirectional bool, nodes, arity int) (topology.Multistage, error)) claim.Finding {
	examined, wrong := 0, 0
	for b := 2; b <= 8; b++ {
		for n := 1; n <= 4; n++ {
			nodes := 1
			for range n {
				nodes *= b
			}
			for _, bidirectional := range []bool{false, true} {
				m, err := build(bidirectional, nodes, b)
				examined++
				if err != nil || m.Stages != n || m.Rows() != nodes/b || m.Wiring().Nodes() != nodes || m.Wiring().Routers != n*nodes/b {
					wrong++
				}
			}
		}
	}
	return claim.Fact(wrong == 0, float64(examined), fmt.Sprintf("%d differ", wrong))
}

// routesArrive follows the routes between all pairs of nodes.
func routesArrive(m topology.Multistage, route func(m topology.Multistage, s, d noc.NodeID) []noc.NodeID) claim.Finding {
	wrong, pairs := 0, 0
	for s := range noc.NodeID(m.Nodes()) {
		for d := range noc.NodeID(m.Nodes()) {
			if s == d {
				continue
			}
			pairs++
			way := route(m, s, d)
			last := m.Router(0, int(s)/m.Arity)
			if len(way) > 0 {
				last = way[len(way)-1]
			}
			want := m.Router(m.Stages-1, int(d)/m.Arity)
			switches := m.Stages
			if m.Bidirectional {
				want, switches = m.Router(0, int(d)/m.Arity), 2*m.TurnStage(s, d)+1
			}
			if last != want || len(way)+1 != switches {
				wrong++
			}
		}
	}
	return claim.Fact(wrong == 0, float64(wrong), fmt.Sprintf("%d pairs", pairs))
}

// turnStages looks at the printed turnaround stages, and follows all routes.
func turnStages(m topology.Multistage, route func(m topology.Multistage, s, d noc.NodeID) []noc.NodeID) claim.Finding {
	a, b := m.TurnStage(2, 10), m.TurnStage(12, 8)
	return claim.Join(routesArrive(m, route), claim.Fact(a == 3 && b == 2, float64(a), fmt.Sprintf("turnaround stages %d and %d", a, b)))
}

// acyclic looks for cycles among the channels that unicasts hold and ask for, whichever ports up
// they take.
func acyclic(dependencies func(topology.Multistage) []map[int]bool, networks ...topology.Multistage) claim.Finding {
	edges, cycles := 0, 0
	for _, m := range networks {
		next := dependencies(m)
		state := make([]int8, len(next)) // 1 on the way, 2 done
		var visit func(c int) bool
		visit = func(c int) bool {
			state[c] = 1
			for to := range next[c] {
				edges++
				if state[to] == 1 || state[to] == 0 && visit(to) {
					return true
				}
			}
			state[c] = 2
			return false
		}
		for c := range next {
			if state[c] == 0 && visit(c) {
				cycles++
				break
			}
		}
	}
	return claim.Fact(cycles == 0 && edges > 0, float64(edges), fmt.Sprintf("%d of %d networks have a cycle", cycles, len(networks)))
}

// dependencies are, for each channel of the wiring, those that a unicast that holds it may ask for.
func dependencies(m topology.Multistage) []map[int]bool {
	w := m.Wiring()
	index := map[[2]int]int{}
	for i, c := range w.Channels {
		index[[2]int{int(c.From), int(c.Out)}] = i
	}
	next := make([]map[int]bool, len(w.Channels))
	for i := range next {
		next[i] = map[int]bool{}
	}
	type place struct {
		router noc.NodeID
		in, by int
	}
	for d := range noc.NodeID(m.Nodes()) {
		seen := map[place]bool{}
		var open []place
		for s := range noc.NodeID(m.Nodes()) {
			open = append(open, place{w.Entry[s].Router, int(w.Entry[s].Port), -1})
		}
		for len(open) > 0 {
			p := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[p] {
				continue
			}
			seen[p] = true
			first, count := m.Outputs(p.router, p.in, d)
			for out := first; out < first+count; out++ {
				to, in, ok := m.Step(p.router, out)
				if !ok {
					continue
				}
				c := index[[2]int{int(p.router), out}]
				if p.by >= 0 {
					next[p.by][c] = true
				}
				open = append(open, place{to, in, c})
			}
		}
	}
	return next
}

// turnarounds compares the channels of trees with one and with several turnarounds.
func turnarounds(channels func(m topology.Multistage, r multicast.Request, several bool) int, networks ...topology.Multistage) claim.Finding {
	random := claim.NewRandoms(21)
	more, sum, examined := 0, 0.0, 0
	saves := true
	for _, m := range networks {
		single, several := 0, 0
		for range 200 {
			r := random.Request(m.Nodes(), 1+random.IntN(m.Nodes()-1))
			a, b := channels(m, r, false), channels(m, r, true)
			if b > a {
				more++
			}
			single, several = single+a, several+b
			sum += float64(b) / float64(max(a, 1))
			if a == 0 {
				sum++
			}
			examined++
		}
		saves = saves && several < single
	}
	mean := sum / float64(examined)
	return claim.Fact(more == 0 && saves, mean, fmt.Sprintf("%d of %d sets need more", more, examined))
}

// treeChannels is the number of channels between switches of a tree: up to the turn of the farthest
// destination, and down from there, or for each destination from the stage at which its own way
// turns.
func treeChannels(m topology.Multistage, r multicast.Request, several bool) int {
	turn := m.TurnStage(r.Source, r.Destinations...)
	type down struct{ from, stage, above int } // stage at which it turned, stage below the channel, digits above
	channels := map[down]bool{}
	for _, d := range r.Destinations {
		from := turn
		if several {
			from = m.TurnStage(r.Source, d)
		}
		block := m.Arity // of nodes that a switch of the stage below leads to
		for stage := range from {
			channels[down{from, stage, int(d) / block}] = true
			block *= m.Arity
		}
	}
	return turn + len(channels)
}

// encode writes a set as the header has it: a bit for each node, node 0 first.
func encode(nodes int, set noc.NodeSet) uint64 {
	bits := uint64(0)
	for n := range nodes {
		if bits <<= 1; set.Has(noc.NodeID(n)) {
			bits |= 1
		}
	}
	return bits
}

// reached is an entry of the routing table: the header of all nodes behind a port of a
// unidirectional network.
func reached(m topology.Multistage, router noc.NodeID, port int) (all uint64) {
	next, _, ok := m.Step(router, port)
	if !ok {
		_, row := m.Place(router)
		return encode(m.Nodes(), noc.SetOf(m.Nodes(), noc.NodeID(row*m.Arity+port)))
	}
	for p := range m.Arity {
		all |= reached(m, next, p)
	}
	return all
}

// forward sends a header from a switch through every port whose entry it meets, reduced to the
// entry. It returns what has reached nodes, and the switches that were entered.
func forward(m topology.Multistage, router noc.NodeID, header uint64) (delivered uint64, entered int) {
	for p := range m.Arity {
		share := header & reached(m, router, p)
		if share == 0 {
			continue
		}
		if next, _, ok := m.Step(router, p); ok {
			d, n := forward(m, next, share)
			delivered, entered = delivered|d, entered+n+1
		} else {
			delivered |= share
		}
	}
	return delivered, entered
}

// bitString does multicasts by the headers that an encoder makes of their destinations.
func bitString(encode func(nodes int, set noc.NodeSet) uint64) claim.Finding {
	m := uni(2, 3)
	groups := claim.Must(multicast.NewSwitchGroups(m, 1))
	wrong := 0
	for chosen := 1; chosen < 1<<8; chosen++ {
		r, set := multicast.Request{}, noc.NewNodeSet(8)
		for n := range noc.NodeID(8) {
			if chosen>>n&1 == 1 && n != r.Source {
				r.Destinations = append(r.Destinations, n)
				set.Add(n)
			}
		}
		delivered, entered := forward(m, m.Router(0, 0), encode(8, set))
		wanted := uint64(0)
		for _, n := range r.Destinations {
			wanted |= reached(m, m.Router(m.Stages-1, int(n)/m.Arity), int(n)%m.Arity)
		}
		if plan := multicast.TreeWorm(m, groups, r); delivered != wanted || plan != nil && entered != len(plan[0].Tree) {
			wrong++
		}
	}
	text := fmt.Sprintf("%08b", encode(8, noc.SetOf(8, 0, 2, 5, 7)))
	return claim.Fact(text == "10100101" && wrong == 0, float64(len(text)), fmt.Sprintf("%s; %d of 255 sets go astray", text, wrong))
}

func ownContention() claim.Finding {
	three := multicast.Request{Source: 0, Destinations: []noc.NodeID{1, 2, 3}}
	uniMeet, text := 0, ""
	for i, m := range []topology.Multistage{uni(4, 2), uni(2, 4), uni(8, 2)} {
		pairs := claim.Must(multicast.Doubling(multicast.RotatedChain(three), multicast.WithReceiver, m.Route).Contending(m.Wiring()))
		if i == 0 {
			uniMeet = len(pairs)
		}
		text += fmt.Sprintf("%s: %d pairs share a channel; ", m, len(pairs))
	}
	random := claim.NewRandoms(22)
	biMeet, sets := 0, 0
	for _, m := range []topology.Multistage{bi(2, 4), bi(4, 2), bi(8, 2)} {
		for range 200 {
			pairs := claim.Must(multicast.Doubling(multicast.RotatedChain(random.Request(m.Nodes(), 1+random.IntN(m.Nodes()-1))), multicast.WithReceiver, m.Route).Contending(m.Wiring()))
			biMeet += len(pairs)
			sets++
		}
	}
	return claim.Fact(uniMeet+biMeet == 0, float64(uniMeet), text+fmt.Sprintf("UMIN: %d pairs in %d sets", biMeet, sets))
}

// idleStages sends multicasts one after the other through an empty network and gives the cycles
// until each destination has it.
func idleStages(m topology.Multistage, c wormholeideal.Config) func(multicast.Request, int) map[noc.NodeID]int64 {
	n := claim.Must(models.NewWormsOnStages(m, c, wormholeideal.TreePlanner{}, false))
	return func(r multicast.Request, flits int) map[noc.NodeID]int64 {
		start := n.Now() + noc.Cycle(flits) + 1000
		for n.Now() < start {
			n.Step(start)
		}
		n.Offer(noc.Packet{Src: r.Source, Dst: noc.SetOf(n.Nodes(), r.Targets()...), Phits: uint16(flits)})
		at := map[noc.NodeID]int64{}
		for n.InFlight() > 0 {
			n.Step(n.Now() + 4096)
			for _, d := range n.Deliveries() {
				at[d.At] = int64(d.Arrived - start)
			}
		}
		return at
	}
}
