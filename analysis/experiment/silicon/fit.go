package silicon

import (
	"context"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// Fit is what a fit found.
type Fit struct {
	Parameters Parameters `json:"parameters"`
	Score                 // on the kernels of the fit
	RMS        float64    `json:"rms_error"`
	Replays    int        `json:"replays"` // of one kernel each
	Knobs      []KnobFit  `json:"knobs"`
	// LeaveGroupOut is the score of each group of kernels under parameters that the same search
	// found without it.
	LeaveGroupOut Score     `json:"leave_one_group_out"`
	Left          []LeftOut `json:"groups_left_out"`
}

// KnobFit is one parameter of a fit.
type KnobFit struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Value int    `json:"value"`
	// Between Low and High the misfit is at most 1+1/(n-p) times that of Value, for n kernels and p
	// parameters, the others as they are: an interval of one standard deviation if errors were
	// independent.
	Low  int `json:"low"`
	High int `json:"high"`
	// LeftLow and LeftHigh are the least and the greatest value among the searches that each leave
	// a group out.
	LeftLow  int `json:"left_out_low"`
	LeftHigh int `json:"left_out_high"`
	// Without is the mean error when the model lacks what the parameter stands for.
	Without float64 `json:"mean_abs_error_without"`
}

// LeftOut is a group under parameters found without it.
type LeftOut struct {
	Group      string     `json:"group"`
	Parameters Parameters `json:"parameters"`
	Score
}

// FitTo finds parameters that suit the kernels, and repeats the search without each group of them.
// What is known of the parameters beforehand are their bounds alone.
func FitTo(ctx context.Context, traces []*ttmetal.Trace, jobs int, progress func(replays int, rms float64)) (Fit, error) {
	s, err := newSearch(ctx, traces, jobs, progress)
	if err != nil {
		return Fit{}, err
	}
	everything := s.among(func(string) bool { return true })
	best, err := s.find(everything)
	if err != nil {
		return Fit{}, err
	}
	result := Fit{Parameters: best}
	errors, err := s.judge(best, everything)
	if err != nil {
		return result, err
	}
	result.Score, result.RMS = ScoreOf(errors), math.Sqrt(meanSquare(errors))
	if err := s.leaveOut(&result); err != nil {
		return result, err
	}
	for i := range Knobs {
		k, err := s.knob(&Knobs[i], everything, &result)
		if err != nil {
			return result, err
		}
		result.Knobs = append(result.Knobs, k)
	}
	result.Replays = len(s.outcomes)
	return result, nil
}

// among lists the kernels of some groups.
func (s *search) among(keep func(group string) bool) (list []int) {
	for i, t := range s.traces {
		if keep(Group(t.Name)) {
			list = append(list, i)
		}
	}
	return list
}

// judge returns the errors of some kernels, in as many replicas as count.
func (s *search) judge(p Parameters, of []int) ([]float64, error) {
	if err := s.simulate([]Parameters{p}, of, finalReplicas); err != nil {
		return nil, err
	}
	return s.errors(p, of, finalReplicas), nil
}

// leaveOut searches again without each group.
func (s *search) leaveOut(result *Fit) error {
	var names []string
	for _, t := range s.traces {
		names = append(names, Group(t.Name))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) < 2 {
		return nil
	}
	var all []float64
	for _, name := range names {
		p, err := s.find(s.among(func(group string) bool { return group != name }))
		if err != nil {
			return err
		}
		left, err := s.judge(p, s.among(func(group string) bool { return group == name }))
		if err != nil {
			return err
		}
		all = append(all, left...)
		result.Left = append(result.Left, LeftOut{name, p, ScoreOf(left)})
	}
	result.LeaveGroupOut = ScoreOf(all)
	return nil
}

// interval is the stage on whose grid a parameter's interval is told.
var interval = stage{parts: 32, reach: 5, replicas: 4}

// knob finds how far the parameter's value can be trusted, and what it is worth.
func (s *search) knob(k *Knob, of []int, result *Fit) (KnobFit, error) {
	best := result.Parameters
	value := *k.of(&best)
	fit := KnobFit{Name: k.Name, Unit: k.Unit, Value: value, Low: value, High: value, LeftLow: value, LeftHigh: value}
	sets := along(best, k, interval)
	if err := s.simulate(sets, of, interval.replicas); err != nil {
		return fit, err
	}
	bound := s.misfit(best, of, interval.replicas) * (1 + 1/float64(max(1, len(of)-len(Knobs))))
	at := slices.Index(sets, best)
	for i := at; i >= 0 && s.misfit(sets[i], of, interval.replicas) <= bound; i-- {
		fit.Low = *k.of(&sets[i])
	}
	for i := at; i < len(sets) && s.misfit(sets[i], of, interval.replicas) <= bound; i++ {
		fit.High = *k.of(&sets[i])
	}
	for i := range result.Left {
		v := *k.of(&result.Left[i].Parameters)
		fit.LeftLow, fit.LeftHigh = min(fit.LeftLow, v), max(fit.LeftHigh, v)
	}
	without := best
	*k.of(&without) = k.Without
	errors, err := s.judge(without, of)
	fit.Without = ScoreOf(errors).Mean
	return fit, err
}
