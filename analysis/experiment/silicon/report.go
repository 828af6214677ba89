package silicon

import (
	"cmp"
	"context"
	"math"
	"slices"

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
