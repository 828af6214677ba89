package mrr

import (
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// trafficClaims are what the paper says about the messages of the protocols.
func trafficClaims() []claim.Claim {
	return []claim.Claim{
		{
			ID: "S2-23", Text: "Under a directory protocol up to 5 % of the messages are invalidations with several destinations, whose latency without multicast support is twice the mean.",
			Conditions: "as S2-01, but directory coherence, and BASE alone; the paper quotes another protocol", Printed: "up to 5 %; twice",
			Criterion: "largest share of messages with several destinations over the recordings, and mean latency of their copies over that of all copies, geometric mean over the recordings: each half to twice the printed share and gain; measured value: the share",
			Judge:     invalidations,
		},
		{
			ID: "S2-27", Text: "Persistent requests and their ends are a small fraction of the traffic.", Conditions: chipConditions + "; all routers of the paper", Printed: "a small fraction", Rules: usual,
			Criterion: "phits of the class of persistent requests, each copy once, below 5 % of all phits in every run; measured value: the largest share",
			Judge:     func(d *chart.Data) claim.Finding { return persistent(d, 0.05, "base", "base-mc", "rr", "mrr") },
		},
		{
			ID: "S2-32", Text: "Sending messages whose order counts as unicasts, which MRR must, costs next to nothing.",
			Conditions: chipConditions + "; MRR alone. These are the persistent requests and their ends, which go to all caches, and here they are unicasts on every router", Printed: "negligible", Rules: usual,
			Criterion: "phits of the class of persistent requests, each copy once, below 1 % of all phits in every run: as multicasts they would be fewer, so that this bounds what their decomposition adds to the traffic; measured value: the largest share",
			Judge:     func(d *chart.Data) claim.Finding { return persistent(d, 0.01, "mrr") },
		},
	}
}

// runsOf are the finished runs of a study's chips under a protocol, by key, but for those with an
// assumption changed.
func runsOf(d *chart.Data, protocol string) map[string]*tables.Run {
	runs := map[string]*tables.Run{}
	rows, changed := d.Tables(), map[string]bool{}
	for i := range rows.Axes {
		if a := &rows.Axes[i]; a.Key == "variant" && slices.Contains(bandVariants(), a.Value) {
			changed[a.RunKey] = true
		}
	}
	for i := range rows.Runs {
		if r := &rows.Runs[i]; r.Protocol == protocol && r.ExitState == tables.Finished && r.Router != "ideal" && !changed[r.RunKey] {
			runs[r.RunKey] = r
		}
	}
	return runs
}

// invalidations measures the messages with several destinations of a directory protocol.
func invalidations(d *chart.Data) claim.Finding {
	type copies struct{ count, sum uint64 }
	var order []string
	several, all := map[string]*copies{}, map[string]*copies{} // by workload
	share, where := 0.0, ""
	runs := runsOf(d, "directory")
	rows := d.Tables()
	for i := range rows.Runs { // in the order of the plan
		r := &rows.Runs[i]
		if runs[r.RunKey] == nil || r.Router != "base" {
			delete(runs, r.RunKey)
			continue
		}
		if several[r.Workload] == nil {
			order = append(order, r.Workload)
			several[r.Workload], all[r.Workload] = new(copies), new(copies)
		}
		many := float64(r.PacketsMulticast.Value + r.PacketsBroadcast.Value)
		if s := many / max(1, many+float64(r.PacketsUnicast.Value)); s > share || where == "" {
			share, where = s, r.Workload
		}
	}
	for i := range rows.Latency {
		l := &rows.Latency[i]
		r := runs[l.RunKey]
		if r == nil {
			continue
		}
		to := []*copies{all[r.Workload]}
		if l.Cast != "unicast" {
			to = append(to, several[r.Workload])
		}
		for _, c := range to {
			c.count, c.sum = c.count+l.Count, c.sum+l.Sum
		}
	}
	logs, n := 0.0, 0
	for _, w := range order {
		if s, a := several[w], all[w]; s.count > 0 && a.sum > 0 {
			logs += math.Log(float64(s.sum) / float64(s.count) * float64(a.count) / float64(a.sum))
			n++
		}
	}
	if n == 0 {
		return claim.Nothing("nothing was measured")
	}
	slower := math.Exp(logs / float64(n))
	holds := share >= 0.025 && share <= 0.10 && slower >= 1.5 && slower <= 3
	return claim.Fact(holds, share, fmt.Sprintf("at most %.2f %% of the messages, in %s (2.5 to 10 asked); their copies take %.2f times as long as the mean copy (1.5 to 3 asked), over %d recordings", 100*share, where, slower, n))
}

// persistentClass is the message class of persistent requests, under token coherence.
const persistentClass = "PERS"

// persistent judges whether the share of persistent requests in the traffic of some routers is
// below a small one.
func persistent(d *chart.Data, small float64, routers ...string) claim.Finding {
	runs := runsOf(d, "token")
	of, all := map[string]uint64{}, map[string]uint64{}
	rows := d.Tables()
	for i := range rows.Classes {
		c := &rows.Classes[i]
		if r := runs[c.RunKey]; r == nil || !slices.Contains(routers, r.Router) {
			continue
		}
		all[c.RunKey] += c.Phits
		if c.Class == persistentClass {
			of[c.RunKey] += c.Phits
		}
	}
	most, where, above := 0.0, "", 0
	for i := range rows.Runs { // in the order of the plan
		r := &rows.Runs[i]
		if all[r.RunKey] == 0 {
			continue
		}
		share := float64(of[r.RunKey]) / float64(all[r.RunKey])
		if share >= small {
			above++
		}
		if share >= most {
			most, where = share, r.Workload+" on "+r.Router
		}
	}
	if where == "" {
		return claim.Nothing("nothing was measured")
	}
	return claim.Fact(above == 0, most, fmt.Sprintf("at most %.2f %% of the phits, %s; %d of %d runs have %g %% or more", 100*most, where, above, len(all), 100*small))
}
