package silicon

import (
	"context"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Fit is what a fit found.
type Fit struct {
	Parameters  Parameters `json:"parameters"`
	Score                  // on the kernels of the fit
	RMS         float64    `json:"rms_error"`
	Evaluations int        `json:"evaluations"` // parameter sets that were simulated
	Knobs       []KnobFit  `json:"knobs"`
	// LeaveOneOut is the score of each kernel under the parameters fitted to the others,
	// LeaveGroupOut of each group under those fitted to the other groups.
	LeaveOneOut   Score     `json:"leave_one_out"`
	LeaveGroupOut Score     `json:"leave_one_group_out"`
	Left          []LeftOut `json:"groups_left_out"`
}

// KnobFit is one parameter of a fit. Between Low and High, the others as they are, the mean square
// error is at most 1+1/(n-p) times the least, for n kernels and p parameters: an interval of one
// standard deviation if errors were independent. Without is the mean error when the model lacks
// what the parameter stands for.
type KnobFit struct {
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Value   int     `json:"value"`
	Low     int     `json:"low"`
	High    int     `json:"high"`
	Without float64 `json:"mean_abs_error_without"`
}

// LeftOut is a group under parameters fitted to the others.
type LeftOut struct {
	Group      string     `json:"group"`
	Parameters Parameters `json:"parameters"`
	Score
}

// fitting is a fit under way. Errors of kernels are remembered, so that fits to parts of them cost
// little.
type fitting struct {
	ctx      context.Context
	traces   []*ttmetal.Trace
	options  Options
	jobs     int
	progress func(sets int, rms float64)
	errors   map[Parameters][]float64 // by kernel
}

// FitTo finds the parameters with the least mean square error on the kernels: coordinate by
// coordinate, in steps that are halved from eight down to one, until nothing gets better. It begins
// at the options' parameters.
func FitTo(ctx context.Context, traces []*ttmetal.Trace, o Options, jobs int, progress func(sets int, rms float64)) (Fit, error) {
	f := &fitting{ctx: ctx, traces: traces, options: o, jobs: jobs, progress: progress, errors: map[Parameters][]float64{}}
	everything := f.among(func(int) bool { return true })
	best, err := f.descend(o.Parameters, everything, 8)
	if err != nil {
		return Fit{}, err
	}
	result := Fit{Parameters: best}
	if result.Knobs, err = f.knobs(best, everything); err != nil {
		return result, err
	}
	if err := f.leaveOut(best, &result); err != nil {
		return result, err
	}
	errors, err := f.at(best)
	if err != nil {
		return result, err
	}
	result.Score, result.RMS, result.Evaluations = ScoreOf(errors), rms(errors, everything), len(f.errors)
	return result, nil
}

// among lists the kernels that are kept.
func (f *fitting) among(keep func(i int) bool) (list []int) {
	for i := range f.traces {
		if keep(i) {
			list = append(list, i)
		}
	}
	return list
}

// at is the error of each kernel.
func (f *fitting) at(p Parameters) ([]float64, error) {
	if known, ok := f.errors[p]; ok {
		return known, nil
	}
	o := f.options
	o.Parameters = p
	errors := make([]float64, len(f.traces))
	err := inParallel(f.ctx, len(f.traces), f.jobs, nil, func(i int) error {
		k, err := Simulate(f.ctx, f.traces[i], o)
		errors[i] = k.Error
		return err
	})
	if err != nil {
		return nil, err
	}
	f.errors[p] = errors
	if f.progress != nil {
		f.progress(len(f.errors), rms(errors, f.among(func(int) bool { return true })))
	}
	return errors, nil
}

// rms is the root of the mean square of some kernels' errors.
func rms(errors []float64, of []int) float64 {
	sum := 0.0
	for _, i := range of {
		sum += errors[i] * errors[i]
	}
	return math.Sqrt(sum / float64(len(of)))
}

// descend goes to where no step changes the error of some kernels for the better.
func (f *fitting) descend(from Parameters, of []int, widest int) (Parameters, error) {
	errors, err := f.at(from)
	if err != nil {
		return from, err
	}
	least := rms(errors, of)
	for step := widest; step > 0; {
		improved := false
		for _, k := range Knobs {
			for _, by := range []int{-step, step} {
				for {
					next := from
					v := k.of(&next)
					*v += by
					if *v < k.Low || *v > k.High {
						break
					}
					errors, err := f.at(next)
					if err != nil {
						return from, err
					}
					r := rms(errors, of)
					if r >= least {
						break
					}
					from, least, improved = next, r, true
				}
			}
		}
		if !improved {
			step /= 2
		}
	}
	return from, nil
}

// knobs finds the interval and the worth of each parameter.
func (f *fitting) knobs(best Parameters, of []int) (list []KnobFit, err error) {
	errors, err := f.at(best)
	if err != nil {
		return nil, err
	}
	free := max(1, len(of)-len(Knobs))
	bound := rms(errors, of) * math.Sqrt(1+1/float64(free))
	for _, k := range Knobs {
		fit := KnobFit{Name: k.Name, Unit: k.Unit, Value: *k.of(&best)}
		ends := [2]int{}
		for side, by := range []int{-1, 1} {
			p := best
			v := k.of(&p)
			for *v+by >= k.Low && *v+by <= k.High {
				*v += by
				errors, err := f.at(p)
				if err != nil {
					return nil, err
				}
				if rms(errors, of) > bound {
					*v -= by
					break
				}
				by += by / 2 // wide intervals need not be exact
			}
			ends[side] = *v
		}
		fit.Low, fit.High = ends[0], ends[1]
		without := best
		*k.of(&without) = k.Without
		errors, err := f.at(without)
		if err != nil {
			return nil, err
		}
		fit.Without = ScoreOf(errors).Mean
		list = append(list, fit)
	}
	return list, nil
}

// leaveOut fits again without each kernel and without each group.
func (f *fitting) leaveOut(best Parameters, result *Fit) error {
	var names []string
	groups := map[string]int{}
	for _, t := range f.traces {
		g := Group(t.Name)
		if groups[g]++; groups[g] == 1 {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	var one, group []float64
	for i := range f.traces {
		p, err := f.descend(best, f.among(func(k int) bool { return k != i }), 2)
		if err != nil {
			return err
		}
		one = append(one, f.errors[p][i])
	}
	if len(names) > 1 {
		for _, name := range names {
			p, err := f.descend(best, f.among(func(k int) bool { return Group(f.traces[k].Name) != name }), 4)
			if err != nil {
				return err
			}
			var left []float64
			for i, t := range f.traces {
				if Group(t.Name) == name {
					left = append(left, f.errors[p][i])
				}
			}
			group = append(group, left...)
			result.Left = append(result.Left, LeftOut{name, p, ScoreOf(left)})
		}
	}
	result.LeaveOneOut, result.LeaveGroupOut = ScoreOf(one), ScoreOf(group)
	return nil
}
