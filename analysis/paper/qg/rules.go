package qg

import (
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// qgExample is a multicast on a 10x10 mesh that has every number of the paper's worked example; the
// paper prints the numbers and, in a figure, the nodes.
func qgExample() multicast.Request {
	return multicast.Request{Source: 45, Destinations: []noc.NodeID{4, 12, 13, 18, 19, 31, 32, 37, 40, 44, 48, 52, 55, 57, 58, 59, 65, 67, 68, 69,
		76, 78, 79, 83, 87, 88, 90, 95, 96, 97, 98}}
}

// Rules returns the entry of section 3, section 4.1, figure 2: grouping, and latency in an idle
// network.
func Rules() claim.Entry {
	const example = "10x10 mesh, a multicast that has all numbers of the example"
	grouping := func(judge func(multicast.Grouping) claim.Finding) func(*chart.Data) claim.Finding {
		return func(*chart.Data) claim.Finding {
			q := claim.Must(multicast.QualifiedGroups(topology.Mesh(10, 10), qgExample(), multicast.DefaultGroupOptions()))
			return judge(q)
		}
	}
	preparation := claim.NewCount("S4-06", "Steps of preparation over the printed bound", "m + k log k + g log g + max k_i log k_i", claim.CountPreparation)
	const idle = "16x16 mesh, 32 flits, startup 33, 200 random multicasts to 10 nodes, one at a time"
	return claim.Entry{
		ID: "qg.rules", Paper: QG, Figure: "section 3, section 4.1, figure 2", Title: "Grouping, and latency in an idle network",
		Counts: []claim.Count{preparation},
		Claims: []claim.Claim{
			{ID: "S4-01", Text: "In the example the halves differ by 11 destinations along X and 9 along Y, so the divisor is Y.", Conditions: example, Printed: "9 < 11, Y",
				Criterion: "imbalance 11 and 9, divisor 1; measured value: imbalance along Y", Judge: grouping(exampleDivisor)},
			{ID: "S4-02", Text: "Its groups weigh 13, 11, 25 and 13, the first being (5+7)+1.", Conditions: example, Printed: "13, 11, 25, 13",
				Criterion: "these weights, in any order, and a group with internal distance 12 and external 1; measured value: largest weight", Judge: grouping(exampleWeights)},
			{ID: "S4-03", Text: "The average weight is 15.5.", Conditions: example, Printed: "15.5", Criterion: "exact; measured value: average",
				Judge: grouping(exampleAverage)},
			{ID: "S4-04", Text: "Only the third group exceeds the average by more than half, by 0.61, and is split in two along X.", Conditions: example, Printed: "0.6",
				Criterion: "one group is unqualified, with a share of 9.5/15.5, and its parts are divided by a column; measured value: that share", Judge: grouping(exampleSplit)},
			{ID: "S4-05", Text: "In n dimensions there are 1 to 2^n primary groups, and an unqualified one gives 2 to 2^n.", Conditions: "meshes of one to three dimensions, 3,000 random multicasts",
				Printed: "2^n", Criterion: "both ranges hold for every multicast, and a qualified group stays whole; an unqualified group of one node, which cannot be divided, is outside, for the text does not except it; measured value: largest number of groups", Judge: func(*chart.Data) claim.Finding { return groupCounts(multicast.QualifiedGroups) }},
			preparation.AsClaim("Preparation takes O(m + k log k + g log g + max k_i log k_i) steps with m partitions into g groups, k log k with dual-path and multi-path, and max k_i log k_i more with column-path.",
				"64x64 mesh, 8 to 2,048 destinations; 96 destinations in meshes of 4,096 nodes with one to six dimensions and up to 95 groups, where the printed bound is taken n times: it leaves out that an address has n coordinates"),
			{ID: "S4-07", Text: "Qualified Groups take two message passing steps with a startup each.", Conditions: idle, Printed: "two",
				Criterion: "with 100 cycles more of startup each multicast takes 200 more, 100 when its plan has one step; measured value: multicasts examined",
				Judge:     func(*chart.Data) claim.Finding { return twoSteps("qg") }},
			{ID: "S4-08", Text: "In a mesh with c columns a message crosses c/4 channels per dimension on average.", Conditions: "16 columns, all pairs of different columns or not", Printed: "c/4",
				Criterion: "mean distance of all pairs of coordinates equals 4; measured value: that mean", Judge: func(*chart.Data) claim.Finding { return meanDistance(16) }},
			{ID: "S4-09", Text: "Without contention dual-path and multi-path take startup, flits and the longest path, and multi-path never longer than dual-path.",
				Conditions: idle, Printed: "Ts + L + D; T_MP <= T_DP", Criterion: "exact for every multicast; measured value: multicasts that contradict",
				Judge: func(*chart.Data) claim.Finding { return pathTimes(33) }},
			{ID: "S4-10", Text: "Without contention Qualified Groups take two startups, the flits twice, and both paths; table 3 is an example.",
				Conditions: idle, Printed: "2 (Ts + L) + D1 + D2; mean 120.76", Cause: "two startups and twice the flits alone are 130 cycles, more than the printed mean of all", Criterion: "exact for every multicast whose worms do not meet, and the smallest latency is not above the printed mean; " +
					"measured value: smallest latency", Judge: func(*chart.Data) claim.Finding { return groupTimes() }},
			{ID: "S4-38", Text: "All runs: buffers of one flit, four injection and four ejection channels, a flit per channel and cycle, startup 33, exponential intervals.",
				Conditions: "the plans of figures 10 to 20, and worms over one channel of an idle network", Printed: "1; 4 and 4; 1; 33; exponential",
				Criterion: "every plan leaves buffers and startup as they are by default, 1 and 33; those of figures 15 to 20 have exponential intervals; a worm of L flits over one channel takes 33 + 1 + L; of one node's worms to its neighbours, and of theirs to it, four arrive at the earliest time; measured value: latency over one channel with 64 flits",
				Judge:     func(*chart.Data) claim.Finding { return configured(messages.Default(), models.DefaultOptions()) }},
			{ID: "S4-39", Text: "Without contention column-path takes as many times startup, flits and the farthest node as its copies need rounds.",
				Conditions: "16x16 mesh, 32 flits, 2,000 random multicasts to 10 nodes, four copies at a time", Printed: "lambda (Ts + L + D); mean 130.701, 124.50 to 136.90",
				Criterion: "the mean of equation 13 lies in the interval that table 3 prints; measured value: that mean", Judge: func(*chart.Data) claim.Finding { return columnTimes() }},
		},
	}
}

func exampleDivisor(q multicast.Grouping) claim.Finding {
	n := q.Area.Imbalance
	return claim.Fact(n[0] == 11 && n[1] == 9 && q.Area.Divisor == 1, float64(n[1]), fmt.Sprintf("imbalance %v, divisor %d", n, q.Area.Divisor))
}

func exampleWeights(q multicast.Grouping) claim.Finding {
	counts, most, sum := map[int]int{}, 0, false
	for _, g := range q.Primary {
		counts[g.Weight]++
		most = max(most, g.Weight)
		sum = sum || g.Weight == 13 && g.Internal == 12 && g.External == 1
	}
	return claim.Fact(counts[11] == 1 && counts[13] == 2 && counts[25] == 1 && sum, float64(most), fmt.Sprintf("weights and how often: %v", counts))
}

func exampleAverage(q multicast.Grouping) claim.Finding {
	average := float64(q.WeightSum()) / float64(len(q.Primary))
	return claim.Fact(average == 15.5, average, fmt.Sprintf("%d over %d groups", q.WeightSum(), len(q.Primary)))
}

func exampleSplit(q multicast.Grouping) claim.Finding {
	unqualified, share := 0, 0.0
	for _, g := range q.Primary {
		if !q.Qualified(g, 500) {
			unqualified++
			share = float64(g.Weight*len(q.Primary))/float64(q.WeightSum()) - 1
		}
	}
	// The heavy group covers columns 5 to 9; its parts are the columns up to 7 and from 8 on.
	columns := len(q.Final) == 5
	for _, g := range q.Final[len(q.Final)-2:] {
		left := g.Nodes[0]%10 <= 7
		for _, n := range g.Nodes {
			columns = columns && (n%10 <= 7) == left && n%10 >= 5
		}
	}
	return claim.Fact(unqualified == 1 && columns && share > 0.6129 && share < 0.613, share, fmt.Sprintf("%d unqualified, %d groups in the end, divided by a column: %v", unqualified, len(q.Final), columns))
}

// groupCounts counts the groups of random multicasts, and into how many each primary group goes.
func groupCounts(group func(topology.Grid, multicast.Request, multicast.GroupOptions) (multicast.Grouping, error)) claim.Finding {
	random := claim.NewRandoms(1)
	most, examined, unqualified, single, other := 0, 0, 0, 0, 0
	for _, g := range []topology.Grid{topology.Mesh(30), topology.Mesh(9, 8), topology.Mesh(5, 4, 4)} {
		limit := 1 << len(g.Radix)
		for range 1000 {
			q := claim.Must(group(g, random.Request(g.Nodes(), 1+random.IntN(g.Nodes()-2)), multicast.DefaultGroupOptions()))
			if len(q.Primary) < 1 || len(q.Primary) > limit {
				other++
			}
			for _, primary := range q.Primary {
				least, largest := 1, 1
				if !q.Qualified(primary, 500) {
					least, largest = 2, limit
					unqualified++
				}
				switch n := partsOf(q, primary); {
				case n >= least && n <= largest:
				case n == 1 && len(primary.Nodes) == 1:
					single++
				default:
					other++
				}
			}
			examined++
			most = max(most, len(q.Final))
		}
	}
	f := claim.Fact(single+other == 0 && unqualified > 0, float64(most), fmt.Sprintf("%d multicasts with %d unqualified groups, %d of them of one node, which stay one; %d others outside",
		examined, unqualified, single, other))
	f.Reason = fmt.Sprintf("%d of %d unqualified groups have one node, so that they give one group and not two; %d other numbers are outside", single, unqualified, other)
	return f
}

// partsOf is how many groups a primary group ends in.
func partsOf(q multicast.Grouping, primary multicast.Group) (n int) {
	for _, part := range q.Final {
		if slices.Contains(primary.Nodes, part.Nodes[0]) {
			n++
		}
	}
	return n
}

// twoSteps counts the startups of a scheme.
func twoSteps(scheme string) claim.Finding {
	var times []int64
	collect := func(_ multicast.Request, _ multicast.Plan, s messages.Sent) { times = append(times, s.Latency) }
	claim.Planned(scheme, 33, 2, collect)
	i, wrong, two := 0, 0, 0
	claim.Planned(scheme, 133, 2, func(_ multicast.Request, p multicast.Plan, s messages.Sent) {
		m, _ := p.Measure()
		if s.Latency-times[i] != int64(100*m.Steps) || m.Steps > 2 {
			wrong++
		}
		if m.Steps == 2 {
			two++
		}
		i++
	})
	return claim.Fact(wrong == 0 && two > 0, float64(i), fmt.Sprintf("%d with two steps, %d with another difference", two, wrong))
}

func meanDistance(c int) claim.Finding {
	sum := 0
	for a := range c {
		for b := range c {
			sum += max(a-b, b-a)
		}
	}
	mean := float64(sum) / float64(c*c)
	return claim.Fact(mean == float64(c)/4, mean, fmt.Sprintf("(c^2-1)/(3c) = %g; c/4 = %g is that of a torus", mean, float64(c)/4))
}

// pathTimes compares latencies with the formula for a startup.
func pathTimes(startup int64) claim.Finding {
	var dual []int64
	wrong, longer := 0, 0
	check := func(p multicast.Plan, s messages.Sent) {
		if m := claim.Must(p.Measure()); s.Latency != startup+32+int64(m.Longest) {
			wrong++
		}
	}
	claim.Planned("dual-path", 33, 3, func(_ multicast.Request, p multicast.Plan, s messages.Sent) {
		check(p, s)
		dual = append(dual, s.Latency)
	})
	i := 0
	claim.Planned("multi-path", 33, 3, func(_ multicast.Request, p multicast.Plan, s messages.Sent) {
		check(p, s)
		if s.Latency > dual[i] {
			longer++
		}
		i++
	})
	return claim.Fact(wrong+longer == 0, float64(wrong+longer), fmt.Sprintf("%d of %d latencies differ from the formula, multi-path is longer in %d of %d", wrong, 2*i, longer, i))
}

func groupTimes() claim.Finding {
	layout := claim.Must(topology.Open("mesh:16x16"))
	least, exact, wrong, met := int64(1<<40), 0, 0, 0
	claim.Planned("qg", 33, 4, func(_ multicast.Request, p multicast.Plan, s messages.Sent) {
		want, pairs := claim.Must(p.Latency(layout.Wiring, multicast.GroupTiming(32))), claim.Must(p.Contending(layout.Wiring))
		switch {
		case s.Latency < want || s.Latency > want && len(pairs) == 0:
			wrong++
		case s.Latency > want:
			met++
		default:
			exact++
		}
		least = min(least, s.Latency)
	})
	f := claim.Fact(wrong == 0 && float64(least) <= 120.76, float64(least), fmt.Sprintf(
		"%d exact, %d longer because worms meet, %d differ; the formula cannot give less than 2 (33+32) = 130, and table 3 prints a mean of 120.76", exact, met, wrong))
	f.Reason = fmt.Sprintf("the least latency is %d cycles", least)
	return f
}

// columnTimes is the mean of equation 13.
func columnTimes() claim.Finding {
	const tries, flits, startup = 2000, 32, 33
	random := claim.NewRandoms(7)
	g, sum := topology.Mesh(16, 16), 0
	for range tries {
		p := claim.Must(multicast.ColumnPath(g, random.Request(g.Nodes(), 10), 4))
		m := claim.Must(p.Measure())
		sum += m.Steps * (startup + flits + m.Longest)
	}
	mean := float64(sum) / tries
	return claim.Fact(mean >= 124.50 && mean <= 136.90, mean, fmt.Sprintf("%.1f on average; the printed mean needs about one round and a half", mean))
}

// Section42 returns the entry of section 4.2: the threshold of Qualified Groups.
func Section42() claim.Entry {
	latency := chart.Chart{Name: "qg.sec42", Title: "Qualified Groups by threshold, for 10, 20 and 40 destinations, 16x16 mesh, one multicast at a time", Measure: "multicast_latency_mean", Quantity: "mean latency",
		Unit: "cycles", Series: "multicast_destinations", X: "threshold", XLabel: "threshold [thousandths]"}
	byThreshold := chart.Chart{Name: "qg.sec42-compared", Title: "Qualified Groups by number of destinations", Measure: "multicast_latency_mean", Quantity: "mean latency", Unit: "cycles",
		Series: "threshold", X: "multicast_destinations", XLabel: "destinations", TableOnly: true}
	return claim.Entry{
		ID: "qg.sec42", Paper: QG, Figure: "section 4.2", Title: "The threshold of Qualified Groups", Plan: "qg.sec42.yaml",
		Charts: []chart.Chart{latency, byThreshold},
		Claims: []claim.Claim{{
			ID: "S4-29", Text: "A threshold of 0.5 is a good compromise: 0.2 makes many groups, 0.8 large and unbalanced ones.", Conditions: "16x16, 64 flits, 10 to 40 destinations, " + aloneConditions,
			Printed: "0.5", Criterion: "of 2,000 random multicasts to 10 nodes, 0.2 makes more groups than 0.5 on average and 0.8 fewer, whose largest has a larger share of the destinations; and the latency with 0.5 is within 2 % of that with 0.2 and with 0.8 in every cell; " +
				"measured value: largest ratio of latencies, 0.5 over 0.2 or 0.8",
			Judge: func(d *chart.Data) claim.Finding { return compromise(d, &byThreshold) },
		}},
	}
}

// compromise judges the threshold of 0.5 by number and balance of groups, and by latency.
func compromise(d *chart.Data, c *chart.Chart) claim.Finding {
	var n claim.Sides
	var worst *claim.Comparison
	for _, other := range []string{"200", "800"} {
		list, missing := claim.Compare(d, c, "500", other, nil)
		one, _ := claim.Tally(list, missing, claim.Below, 1.02)
		n = n.Add(one)
		if e := claim.Extreme(list, claim.Above); e != nil && (worst == nil || e.Mean > worst.Mean) {
			worst = e
		}
	}
	if worst == nil {
		return claim.Nothing("nothing was measured")
	}
	f := claim.Finding{Verdict: n.Verdict(), Detail: fmt.Sprintf("%d of %d cells within 2 %%", n.Hold, n.Hold+n.Contradict+n.Undecided+n.Missing)}
	f.Some(worst.Estimate)
	var groups, shares []float64
	for _, threshold := range []int{200, 500, 800} {
		count, share := groupsByThreshold(threshold)
		groups, shares = append(groups, count), append(shares, share)
	}
	return claim.Join(f, claim.Fact(groups[0] > groups[1] && groups[1] > groups[2] && shares[2] > shares[1], groups[1],
		fmt.Sprintf("groups for 10 destinations: %.2f at 0.2, %.2f at 0.5, %.2f at 0.8; the largest has %.3f, %.3f and %.3f of the destinations", groups[0], groups[1], groups[2], shares[0], shares[1], shares[2])))
}

// groupsByThreshold is how many groups there are on average, and the mean share of the largest.
func groupsByThreshold(threshold int) (groups, share float64) {
	const tries, destinations = 2000, 10
	random := claim.NewRandoms(5)
	for range tries {
		q := claim.Must(multicast.QualifiedGroups(topology.Mesh(16, 16), random.Request(256, destinations), multicast.GroupOptions{Threshold: threshold}))
		largest := 0
		for _, g := range q.Final {
			largest = max(largest, len(g.Nodes))
		}
		groups += float64(len(q.Final)) / tries
		share += float64(largest) / destinations / tries
	}
	return groups, share
}
