package silicon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Report compares kernels with their recordings. Errors are fractions of what was measured.
type Report struct {
	Loop       string     `json:"loop"` // closed or open
	Parameters Parameters `json:"parameters"`
	Replicas   int        `json:"replicas"`
	Kernels    []Kernel   `json:"kernels"`
	Score
	Groups []GroupScore `json:"groups"`
	Null   []NullScore  `json:"null_models"`
}

// Score sums up errors.
type Score struct {
	Mean   float64 `json:"mean_abs_error"`
	Median float64 `json:"median_abs_error"`
	Worst  float64 `json:"worst_abs_error"`
	Bias   float64 `json:"mean_error"`
}

// GroupScore is the score of the kernels of a group.
type GroupScore struct {
	Group   string `json:"group"`
	Kernels int    `json:"kernels"`
	Score
}

// NullScore is the score of a model without a network of routers.
type NullScore struct {
	Model string `json:"model"`
	Doc   string `json:"doc"`
	Score
}

// ScoreOf sums up some errors.
func ScoreOf(errors []float64) (s Score) {
	if len(errors) == 0 {
		return s
	}
	var sizes []float64
	for _, e := range errors {
		s.Bias += e / float64(len(errors))
		s.Mean += math.Abs(e) / float64(len(errors))
		sizes = append(sizes, math.Abs(e))
	}
	slices.Sort(sizes)
	middle := len(sizes) / 2
	s.Worst, s.Median = sizes[len(sizes)-1], sizes[middle]
	if len(sizes)%2 == 0 {
		s.Median = (sizes[middle-1] + sizes[middle]) / 2
	}
	return s
}

// Run replays all kernels, some at a time (jobs 0: as many as there are processors), and tells
// progress how many are done. The report does not depend on how many ran at a time.
func Run(ctx context.Context, traces []*ttmetal.Trace, o Options, jobs int, progress func(done int)) (Report, error) {
	r := Report{Loop: "closed", Parameters: o.Parameters, Replicas: o.Replicas, Kernels: make([]Kernel, len(traces))}
	if o.Open {
		r.Loop = "open"
	}
	err := parallel.Until(ctx, len(traces), jobs, progress, func(i int) (err error) {
		if r.Kernels[i], err = Simulate(ctx, traces[i], o); err != nil {
			return err
		}
		r.Kernels[i].Null, err = nullModels(traces[i], o.Parameters)
		return err
	})
	if err != nil {
		return r, err
	}
	slices.SortStableFunc(r.Kernels, func(a, b Kernel) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Name, b.Name)) })
	r.sum()
	return r, nil
}

// sum fills in the scores.
func (r *Report) sum() {
	var all []float64
	groups, null := map[string][]float64{}, map[string][]float64{}
	for _, k := range r.Kernels {
		all = append(all, k.Error)
		if len(groups[k.Group]) == 0 {
			r.Groups = append(r.Groups, GroupScore{Group: k.Group})
		}
		groups[k.Group] = append(groups[k.Group], k.Error)
		for name, cycles := range k.Null {
			null[name] = append(null[name], float64(cycles)/float64(k.Measured)-1)
		}
	}
	r.Score = ScoreOf(all)
	for i := range r.Groups {
		g := &r.Groups[i]
		g.Kernels, g.Score = len(groups[g.Group]), ScoreOf(groups[g.Group])
	}
	for _, n := range NullNames {
		r.Null = append(r.Null, NullScore{n.Name, n.Doc, ScoreOf(null[n.Name])})
	}
}

// NullNames lists the models without a network of routers, with what they are.
var NullNames = []struct{ Name, Doc string }{
	{"last_issue", "the last recorded issue and what one read takes alone: no network, open loop"},
	{"no_contention", "closed loop with every read as fast as alone"},
}

// nullModels are what the models without a network of routers say.
func nullModels(t *ttmetal.Trace, q Parameters) (map[string]uint64, error) {
	p, err := Program(t)
	if err != nil {
		return nil, ForeignKernel{err}
	}
	return map[string]uint64{"last_issue": counted(lastIssue(p, q)), "no_contention": counted(withoutContention(p, q))}, nil
}

// lastIssue adds to the last issue what the read takes alone.
func lastIssue(p closedloop.Program, q Parameters) (end noc.Cycle) {
	for i := range p.Processes {
		for _, s := range p.Processes[i].Steps {
			if s.Kind == closedloop.Read {
				end = max(end, s.At+q.alone(p.Processes[i].Node, &s)+barrier)
			} else {
				end = max(end, s.At)
			}
		}
	}
	return end
}

// alone is what a step's transfer takes alone.
func (p Parameters) alone(node noc.NodeID, s *closedloop.Step) noc.Cycle {
	return p.zeroLoad(links(node, s.Peer), ttmetal.KindOf(placeOf(s.Peer)), s.Bytes)
}

// withoutContention goes through each process by itself: each of its requests is answered as fast
// as if it were alone, and its barriers wait for all its requests.
func withoutContention(p closedloop.Program, q Parameters) (end noc.Cycle) {
	for i := range p.Processes {
		now, last := p.Processes[i].Start, noc.Cycle(0)
		for _, s := range p.Processes[i].Steps {
			now += s.After
			switch {
			case s.Kind.Waits():
				now = max(now, last) + barrier
			case s.Kind != closedloop.Pause && s.Kind != closedloop.Multicast:
				last = max(last, now+q.alone(p.Processes[i].Node, &s))
			}
		}
		end = max(end, now)
	}
	return end
}

// Sheet lists kernels, and below them what they come to.
func (r Report) Sheet() *sheet.Sheet {
	s := sheet.New("group", "kernel", "measured", "simulated", "error %", "spread %", "barriers", "wait measured", "wait simulated")
	whole := func(v float64) sheet.Digits { return sheet.Digits(strconv.FormatFloat(v, 'f', 0, 64)) }
	for _, k := range r.Kernels {
		s.Add(k.Group, k.Name, k.Measured, k.Cycles, sheet.Digits(hundredths(k.Error)),
			sheet.Digits(hundredths(k.Spread/float64(k.Measured))), k.Waits, whole(k.WaitMeasured), whole(k.WaitSimulated))
	}
	s.Note("", fmt.Sprintf("%d kernels, %s loop: error %s", len(r.Kernels), r.Loop, scoreText(r.Score)), "", "by group:")
	for _, g := range r.Groups {
		s.Note(fmt.Sprintf("  %-14s %2d kernels: %s", g.Group, g.Kernels, scoreText(g.Score)))
	}
	s.Note("", "models without a network of routers:")
	for _, n := range r.Null {
		s.Note(fmt.Sprintf("  %-14s %s; %s", n.Model, scoreText(n.Score), n.Doc))
	}
	return s
}

// scoreText is "mean 1.40 %, median 0.90 %, worst 4.26 %, bias -0.10 %".
func scoreText(s Score) string {
	return fmt.Sprintf("mean %s %%, median %s %%, worst %s %%, bias %s %%", hundredths(s.Mean), hundredths(s.Median), hundredths(s.Worst), hundredths(s.Bias))
}

// hundredths writes a fraction in per cent.
func hundredths(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) }
