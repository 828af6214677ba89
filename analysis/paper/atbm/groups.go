package atbm

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/wormholeideal"
)

func atbmGroupClaims() []claim.Claim {
	const networks = "UNI, b 2 to 8, n 1 to 4, up to 512 nodes, groups by the general algorithm of figure 9, its loop starting one stage lower than printed"
	return []claim.Claim{
		{ID: "S0-10", Text: "Behind the first stage a baseline network falls into parts without common buffers: two with 8 nodes and 2x2 switches, four with 16 and 4x4.", Conditions: "UNI", Printed: "2 and 4",
			Criterion: "connected parts of the stages after the first; measured value: those of 16 nodes",
			Judge:     func(*chart.Data) claim.Finding { return behindFirst(uni(2, 3), uni(4, 2)) }},
		{ID: "S0-11", Text: "With one consumption channel the groups of stage j have b^(n-1-j) switches.", Conditions: networks, Printed: "b^((n-1)-j)",
			Criterion: "equal at every stage; measured value: stages", Judge: func(*chart.Data) claim.Finding { return groupSizes(1, multicast.TagGroups) }},
		{ID: "S0-12", Text: "With b consumption channels they have b^(n-2-j), and the last stage has none.", Conditions: networks, Printed: "b^((n-2)-j)",
			Criterion: "equal at every stage; measured value: stages", Judge: func(*chart.Data) claim.Finding { return groupSizes(0, multicast.TagGroups) }},
		{ID: "S0-13", Text: "A group has the label floor(i / N_gj): its switches follow each other.", Conditions: networks, Printed: "floor(i / N_gj)",
			Criterion: "switches of a stage have equal tags exactly if their labels are equal; measured value: stages", Judge: func(*chart.Data) claim.Finding { return groupLabels(multicast.TagGroups) }},
		{ID: "S0-14", Text: "In the butterfly of 8 nodes each switch of the last stage is a group, rows 0 and 1 of the stage before form one, and the way up with the turn at its end another.",
			Conditions: "BI 8 nodes 2x2, stages k = j up and 2n-(j+1) down", Printed: "(0,1,3) and (1,1,3)",
			Criterion: "as said, with stage 4 for the rows 0 and 1: the printed 3 contradicts k = 2n-(j+1); measured value: groups of stage 4", Judge: func(*chart.Data) claim.Finding { return butterflyGroups(multicast.TagGroups(bi(2, 3), 1)) }},
		{ID: "S0-15", Text: "All switches of the first stage of the network of 64 nodes and 4x4 switches form one group.", Conditions: "UNI, one consumption channel", Printed: "one group",
			Criterion: "equal tags; measured value: groups",
			Judge:     func(*chart.Data) claim.Finding { return firstStage(multicast.TagGroups(uni(4, 3), 1)) }},
	}
}

// tagging gives the switches of each stage the tags of their groups.
type tagging func(m topology.Multistage, channels int) [][]int

// firstStage counts the groups of the first stage.
func firstStage(tags [][]int) claim.Finding {
	n := len(slices.Compact(slices.Clone(tags[0])))
	return claim.Fact(n == 1, float64(n), fmt.Sprintf("%d groups", n))
}

// behindFirst counts the parts of two networks.
func behindFirst(eight, sixteen topology.Multistage) claim.Finding {
	a, b := parts(eight), parts(sixteen)
	return claim.Fact(a == 2 && b == 4, float64(b), fmt.Sprintf("%d with 8 nodes, %d with 16", a, b))
}

// parts counts the connected parts of all stages but the first.
func parts(m topology.Multistage) int {
	w := m.Wiring()
	part := make([]int, w.Routers)
	for r := range part {
		part[r] = r
	}
	for changed := true; changed; {
		changed = false
		for _, c := range w.Channels {
			if stage, _ := m.Place(c.From); stage > 0 && part[c.From] != part[c.To] {
				low := min(part[c.From], part[c.To])
				part[c.From], part[c.To], changed = low, low, true
			}
		}
	}
	count := 0
	for r := range part {
		if stage, _ := m.Place(noc.NodeID(r)); stage > 0 && part[r] == r {
			count++
		}
	}
	return count
}

// groupNetworks are those of the claims about groups.
func groupNetworks() (list []topology.Multistage) {
	for b := 2; b <= 8; b++ {
		for n := 1; n <= 4; n++ {
			if m := uni(b, n); m.Nodes() <= 512 {
				list = append(list, m)
			}
		}
	}
	return list
}

// raised is b^n, 0 for a negative exponent.
func raised(b, n int) int {
	if n < 0 {
		return 0
	}
	p := 1
	for range n {
		p *= b
	}
	return p
}

// groupSizes compares the sizes of groups with the formula for one consumption channel, or 0 for b
// of them.
func groupSizes(consumption int, tags tagging) claim.Finding {
	stages, wrong := 0, 0
	for _, m := range groupNetworks() {
		last, channels := m.Stages-1, 1
		if consumption == 0 {
			last, channels = m.Stages-2, m.Arity
		}
		for j, row := range tags(m, channels) {
			stages++
			sizes := map[int]int{}
			for _, g := range row {
				sizes[g]++
			}
			for g, size := range sizes {
				if g < 0 && j <= last || g >= 0 && size != raised(m.Arity, last-j) {
					wrong++
				}
			}
		}
	}
	return claim.Fact(wrong == 0, float64(stages), fmt.Sprintf("%d groups differ", wrong))
}

func groupLabels(tags tagging) claim.Finding {
	stages, wrong := 0, 0
	for _, m := range groupNetworks() {
		for j, row := range tags(m, 1) {
			stages++
			size := raised(m.Arity, m.Stages-1-j)
			for i := range row {
				for k := range row {
					if (row[i] == row[k]) != (i/size == k/size) {
						wrong++
					}
				}
			}
		}
	}
	return claim.Fact(wrong == 0, float64(stages), fmt.Sprintf("%d pairs of switches differ", wrong))
}

func butterflyGroups(g [][]int) claim.Finding {
	distinct := func(rows ...[]int) map[int]bool {
		set := map[int]bool{}
		for _, row := range rows {
			for _, group := range row {
				set[group] = true
			}
		}
		return set
	}
	holds := len(distinct(g[5])) == 4 && g[4][0] == g[4][1] && len(distinct(g[4])) == 2 && len(distinct(g[0], g[1], g[2], g[3])) == 1
	return claim.Fact(holds, float64(len(distinct(g[4]))), fmt.Sprintf("groups of stages 0 to 5: %v", g))
}

func atbmTimeClaims() []claim.Claim {
	return []claim.Claim{
		{ID: "S0-17", Text: "A multicast to any number of nodes takes one startup, messages have no largest size, and buffers need to hold a header only.", Conditions: "UNI 64 nodes 4x4, buffers of one header, 1 to 63 destinations, 64 to 16,000 flits", Printed: "one",
			Criterion: "100 cycles more of startup make every multicast 100 cycles longer; a message of 16,000 flits arrives everywhere; measured value: multicasts", Judge: func(*chart.Data) claim.Finding { return oneStartup(100) }},
		{ID: "S0-19", Text: "A flit of 16 bits takes 20 ns over links of 3.2 Gb/s.", Conditions: "arithmetic", Printed: "16 bits, 3.2 Gb/s, 20 ns", Criterion: "16 / 3.2 = 20; measured value: ns. Carousel takes 20 ns",
			Judge: func(*chart.Data) claim.Finding {
				return claim.Fact(16/3.2 == 20, 16/3.2, "16 bits take 5 ns at 3.2 Gb/s; 20 ns are 0.8 Gb/s, or flits of 64 bits")
			}},
		{ID: "S0-20", Text: "A token takes 20 N_gj / 2 ns.", Conditions: "UNI 64 nodes 2x2 and 4x4, one branch at each stage, idle network", Printed: "20 x N_gj / 2 ns",
			Criterion: "the latency with tokens less that without passing time; measured value: ns at the first stage with 2x2 switches", Judge: func(*chart.Data) claim.Finding { return tokenTimes(wormholeideal.DefaultTree()) }},
		{ID: "S0-21", Text: "A multicast in the BI network of 64 nodes and 8x8 switches takes 2.12 us.", Conditions: "64 flits, to all other nodes, from every node", Printed: "2.12 us", Criterion: "2120 ns at every destination; measured value: ns",
			Judge: func(*chart.Data) claim.Finding { return exampleTime(wormholeideal.DefaultTree()) }},
		{ID: "S0-22", Text: "Simulated latencies without contention are very close to the theoretical ones.", Conditions: "UNI and BI, 64 nodes, 2x2, 4x4 and 8x8 switches, 100 random multicasts each, 64 flits", Printed: "very close",
			Criterion: "startup + 60 ns x switches + 20 ns x (channels + flits) + tokens at every destination; measured value: destinations that differ", Judge: func(*chart.Data) claim.Finding { return theory(multicast.TreeTiming(64)) }},
	}
}

// oneStartup compares times with those after a longer startup.
func oneStartup(longer int) claim.Finding {
	m := uni(4, 3)
	c := wormholeideal.DefaultTree()
	c.MaxPhits = 16_000
	slow := c
	slow.Startup += longer
	send := idleStages(m, c)
	later := idleStages(m, slow)
	random := claim.NewRandoms(40)
	count, wrong := 0, 0
	for d := 1; d < m.Nodes(); d++ {
		r := random.Request(m.Nodes(), d)
		one, two := send(r, 64), later(r, 64)
		count++
		for node, at := range one {
			if two[node] != at+100 {
				wrong++
			}
		}
		if len(one) != d {
			wrong++
		}
	}
	long := send(random.Request(m.Nodes(), 63), 16_000)
	return claim.Fact(wrong == 0 && len(long) == 63, float64(count), fmt.Sprintf("%d differ; 16,000 flits reach %d nodes", wrong, len(long)))
}

// tokenTimes compares times with those of tokens that pass in no time.
func tokenTimes(c wormholeideal.Config) claim.Finding {
	first, wrong, text := 0.0, 0, ""
	for _, m := range []topology.Multistage{uni(2, 6), uni(4, 3)} {
		at := wormholeideal.DefaultTree()
		at.Tree.TokenHop = 0
		send := idleStages(m, c)
		free := idleStages(m, at)
		for j := range m.Stages {
			// Two destinations that differ in the digit of stage j alone branch there.
			r := multicast.Request{Source: 0, Destinations: []noc.NodeID{1, noc.NodeID(1 + raised(m.Arity, m.Stages-1-j))}}
			if j == m.Stages-1 {
				r.Destinations = []noc.NodeID{noc.NodeID(m.Nodes() - 1), noc.NodeID(m.Nodes() - 2)}
			}
			size := raised(m.Arity, m.Stages-1-j)
			want := int64(20 * size / 2)
			if size == 1 {
				want = 0 // the paper's example charges nothing for a group of one
			}
			got := 20 * (send(r, 64)[r.Destinations[1]] - free(r, 64)[r.Destinations[1]])
			if got != want {
				wrong++
			}
			if first == 0 {
				first = float64(got)
			}
			text += fmt.Sprintf("%s, stage %d: %d ns; ", m, j, got)
		}
	}
	return claim.Fact(wrong == 0, first, text+"a group of one switch passes its token in no time, as in the example of section 5.2")
}

// exampleTime does broadcasts in the network of the example.
func exampleTime(c wormholeideal.Config) claim.Finding {
	m := bi(8, 2)
	send := idleStages(m, c)
	random := claim.NewRandoms(41)
	wrong, last := 0, int64(0)
	for range 64 {
		for _, at := range send(random.Request(m.Nodes(), 63), 64) {
			if last = 20 * at; last != 2120 {
				wrong++
			}
		}
	}
	return claim.Fact(wrong == 0 && last == 2120, float64(last), fmt.Sprintf("%d destinations differ", wrong))
}

// theory compares times in idle networks with those of a timing.
func theory(timing multicast.Timing) claim.Finding {
	random := claim.NewRandoms(42)
	wrong, count := 0, 0
	for _, m := range []topology.Multistage{uni(2, 6), uni(4, 3), uni(8, 2), bi(2, 6), bi(4, 3), bi(8, 2)} {
		send := idleStages(m, wormholeideal.DefaultTree())
		groups := claim.Must(multicast.NewSwitchGroups(m, 1))
		for range 100 {
			r := random.Request(m.Nodes(), 1+random.IntN(m.Nodes()-1))
			got := send(r, 64)
			want := claim.Must(multicast.TreeWorm(m, groups, r).Arrivals(m.Wiring(), timing))
			for _, a := range want {
				if count++; 20*got[a.Node] != a.Tail {
					wrong++
				}
			}
		}
	}
	return claim.Fact(wrong == 0 && count > 0, float64(wrong), fmt.Sprintf("of %d", count))
}
