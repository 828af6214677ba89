package silicon

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/parallel"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// TestSearch repeats the search that has chosen the parameters. It knows their bounds, starts in
// the middle between them and ends at Default, on any machine. With -v it prints the best parameters
// of each sweep.
func TestSearch(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("some thousand replays, with CAROUSEL_LONG=1")
	}
	s := &search{traces: fitted(t), outcomes: map[trial]outcome{}}
	for _, k := range s.traces {
		p := must.Get(Program(k))
		s.programs, s.measured = append(s.programs, p), append(s.measured, measuredOutcome(k))
	}
	found := must.Get(s.find(t.Logf))
	if found != Default() {
		t.Errorf("the search finds %+v, and Default is %+v", found, Default())
	}
}

// TestMeasuredOutcome: the ends of waits on each network, as the recordings have them.
func TestMeasuredOutcome(t *testing.T) {
	for i, want := range []outcome{{3901, 3580, 3921}, {4909, 4929, 0}} {
		if got := measuredOutcome(sample(t)[i]); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// knobs lists the parameters and their bounds.
var knobs = []struct {
	low, high int
	of        func(*Parameters) *int
}{
	{8, 32, func(p *Parameters) *int { return &p.BufferFlits }},
	{1, 16, func(p *Parameters) *int { return &p.Places }},
	{0, 400, func(p *Parameters) *int { return &p.L1Latency }},
	{0, 60, func(p *Parameters) *int { return &p.L1Setup }},
	{0, 60, func(p *Parameters) *int { return &p.L1Memory }},
	{0, 400, func(p *Parameters) *int { return &p.DRAMLatency }},
}

// The search is a descent along one parameter after the other, from coarse to fine and of fixed
// length: nothing in it depends on the speed of the machine. After each sweep through the
// parameters it continues in the direction of the sweep, as Hooke and Jeeves do, because parameters
// stand for each other in part.
var stages = []stage{{8, 8, 1, 2}, {16, 4, 2, 3}, {32, 3, 4, 3}, {64, 3, 4, 3}}

// stage is a part of the search: its grid in parts of the bounds, how far it looks on either side,
// the replicas of each kernel, and the largest number of sweeps.
type stage struct{ parts, reach, replicas, sweeps int }

// search remembers all replays.
type search struct {
	traces   []*ttmetal.Trace
	programs []closedloop.Program
	measured []outcome // by kernel
	outcomes map[trial]outcome
}

// trial is one replay: its result depends on nothing else.
type trial struct {
	kernel, replica int
	parameters      Parameters
}

// outcome is a kernel's cycles, and when the last wait on each network ended; 0 is no wait.
type outcome [1 + len(Topologies)]float64

// measuredOutcome is that of a recording.
func measuredOutcome(t *ttmetal.Trace) (o outcome) {
	o[0] = float64(t.Cycles)
	for _, p := range t.Processes {
		for _, e := range p.Events {
			if _, ends := waits[e.Kind]; ends {
				o[1+e.Network] = max(o[1+e.Network], float64(e.Time))
			}
		}
	}
	return o
}

// simulatedOutcome is that of a replay.
func simulatedOutcome(p *closedloop.Program, r *closedloop.Result) (o outcome) {
	o[0] = float64(counted(r.Cycles))
	for _, w := range r.Waits {
		if network := p.Processes[w.Process].Steps[w.Step].Network; network != closedloop.AllNetworks {
			o[1+network] = max(o[1+network], float64(w.End))
		}
	}
	return o
}

// simulate replays all kernels under several sets of parameters, as far as that has not been done.
func (s *search) simulate(sets []Parameters, replicas int) error {
	var missing []trial
	wanted := map[trial]bool{}
	for _, p := range sets {
		for kernel := range s.traces {
			for replica := range replicas {
				t := trial{kernel, replica, p}
				if _, known := s.outcomes[t]; !known && !wanted[t] {
					wanted[t] = true
					missing = append(missing, t)
				}
			}
		}
	}
	found := make([]outcome, len(missing))
	err := parallel.Until(context.Background(), len(missing), 0, nil, func(i int) error {
		t := missing[i]
		r, err := replay(context.Background(), s.programs[t.kernel], t.replica, Options{Parameters: t.parameters})
		found[i] = simulatedOutcome(&s.programs[t.kernel], &r)
		return err
	})
	for i, t := range missing {
		s.outcomes[t] = found[i]
	}
	return err
}

// misfit is what the search makes small: half of it is the mean square error of the kernels, half
// that of the ends of their networks, which tell more about the same few kernels.
func (s *search) misfit(p Parameters, replicas int) (sum float64) {
	for kernel := range s.traces {
		m := &s.measured[kernel]
		var d outcome // deviations, as fractions of the kernel's cycles
		for replica := range replicas {
			o := s.outcomes[trial{kernel, replica, p}]
			for i := range d {
				d[i] += (o[i] - m[i]) / m[0] / float64(replicas)
			}
		}
		ends, n := 0.0, 0.0
		for i, end := range m[1:] {
			if end > 0 {
				ends, n = ends+float64(d[1+i]*d[1+i]), n+1
			}
		}
		sum += (float64(d[0]*d[0]) + ends/max(1, n)) / 2 / float64(len(s.traces))
	}
	return sum
}

// find searches from the middle between the bounds, and tells how far it is.
func (s *search) find(tell func(format string, parts ...any)) (p Parameters, err error) {
	for _, k := range knobs {
		*k.of(&p) = (k.low + k.high) / 2
	}
	for stage, g := range stages {
		for sweep := range g.sweeps {
			before := p
			for i := range knobs {
				if p, err = s.best(along(p, i, g), g.replicas); err != nil {
					return p, err
				}
			}
			if p == before {
				break
			}
			var sets []Parameters
			for at, n := p, 0; at.possible() && n <= g.reach; n++ {
				sets = append(sets, at)
				for _, k := range knobs {
					*k.of(&at) += *k.of(&p) - *k.of(&before)
				}
			}
			if p, err = s.best(sets, g.replicas); err != nil {
				return p, err
			}
			tell("stage %d of %d, sweep %d: %+v after %d replays", stage+1, len(stages), sweep+1, p, len(s.outcomes))
		}
	}
	return p, nil
}

// along lists the sets around one on a stage's grid of a parameter, as far as they are possible.
func along(p Parameters, knob int, g stage) (sets []Parameters) {
	k := &knobs[knob]
	for by := -g.reach; by <= g.reach; by++ {
		at := p
		if *k.of(&at) += by * max(1, (k.high-k.low)/g.parts); at.possible() {
			sets = append(sets, at)
		}
	}
	return sets
}

// possible reports whether all parameters are within their bounds.
func (p Parameters) possible() bool {
	for _, k := range knobs {
		if v := *k.of(&p); v < k.low || v > k.high {
			return false
		}
	}
	return true
}

// best is the set with the least misfit.
func (s *search) best(sets []Parameters, replicas int) (best Parameters, err error) {
	if err := s.simulate(sets, replicas); err != nil {
		return best, err
	}
	least := math.Inf(1)
	for _, p := range sets {
		if m := s.misfit(p, replicas); m < least {
			best, least = p, m
		}
	}
	return best, nil
}
