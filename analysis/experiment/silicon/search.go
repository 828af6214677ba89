package silicon

import (
	"context"
	"math"

	"github.com/carousel-sim/carousel/analysis/experiment/closedloop"
	"github.com/carousel-sim/carousel/coherence/parallel"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// The search is a descent along one parameter after the other, from coarse to fine and of fixed
// length: nothing in it depends on how fast a machine is. It begins in the middle of what is
// possible. After each sweep through the parameters it goes on in the direction in which that has
// led, as Hooke and Jeeves do, because parameters stand for each other in part.
var stages = []stage{{8, 8, 1, 2}, {16, 4, 2, 3}, {32, 3, 4, 3}, {64, 3, 4, 3}}

// stage is a part of the search: how fine its grid is, in parts of what is possible, how far it
// looks on either side, in how many replicas of each kernel, and how often it goes through all
// parameters at most.
type stage struct{ parts, reach, replicas, sweeps int }

// finalReplicas is how many replicas the result is judged by.
const finalReplicas = 16

// search looks for the parameters that suit some kernels. Replays are remembered, so that searches
// for other kernels repeat none of them. A kernel that is not among those of the search is not
// replayed for it.
type search struct {
	ctx      context.Context
	traces   []*ttmetal.Trace
	programs []closedloop.Program
	reads    []map[NodeKind]bool // by kernel: what kinds of nodes it asks
	jobs     int
	progress func(replays int, rms float64)
	measured []outcome // by kernel
	outcomes map[trial]outcome
}

// trial is one replay: its result depends on nothing else.
type trial struct {
	kernel, replica int
	parameters      Parameters
}

// outcome is what counts of a kernel: its cycles, and when the last wait on each network ended; 0
// is no wait.
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
	o[0] = countedCycles(*r)
	for _, w := range r.Waits {
		if network := p.Processes[w.Process].Steps[w.Step].Network; network != closedloop.AllNetworks {
			o[1+network] = max(o[1+network], float64(w.End))
		}
	}
	return o
}

// newSearch prepares a search.
func newSearch(ctx context.Context, traces []*ttmetal.Trace, jobs int, progress func(replays int, rms float64)) (*search, error) {
	s := &search{ctx: ctx, traces: traces, jobs: jobs, progress: progress, outcomes: map[trial]outcome{}}
	for _, t := range traces {
		p, err := Program(t)
		if err != nil {
			return nil, ForeignKernel{err}
		}
		kinds := map[NodeKind]bool{}
		for _, q := range p.Processes {
			for _, step := range q.Steps {
				if step.Kind != closedloop.Pause && !step.Kind.Waits() {
					kinds[KindOf(placeOf(step.Peer))] = true
				}
			}
		}
		s.programs, s.reads, s.measured = append(s.programs, p), append(s.reads, kinds), append(s.measured, measuredOutcome(t))
	}
	return s, nil
}

// trial is the replay of a kernel under some parameters. Those of servers that the kernel does not
// ask are left at a value common to all sets.
func (s *search) trial(kernel, replica int, p Parameters) trial {
	if kinds := s.reads[kernel]; !kinds[DRAM] {
		p.DRAMLatency = Default().DRAMLatency
	} else if len(kinds) == 1 {
		p.L1Latency, p.L1Setup = Default().L1Latency, Default().L1Setup
	}
	return trial{kernel, replica, p}
}

// simulate replays some kernels under several sets of parameters, as far as that has not been done.
func (s *search) simulate(sets []Parameters, of []int, replicas int) error {
	var missing []trial
	wanted := map[trial]bool{}
	for _, p := range sets {
		for _, kernel := range of {
			for replica := range replicas {
				t := s.trial(kernel, replica, p)
				if _, known := s.outcomes[t]; !known && !wanted[t] {
					wanted[t] = true
					missing = append(missing, t)
				}
			}
		}
	}
	found := make([]outcome, len(missing))
	err := parallel.Until(s.ctx, len(missing), s.jobs, nil, func(i int) error {
		t := missing[i]
		r, err := replay(s.ctx, s.programs[t.kernel], t.replica, Options{Parameters: t.parameters})
		found[i] = simulatedOutcome(&s.programs[t.kernel], &r)
		return err
	})
	if err != nil {
		return err
	}
	for i, t := range missing {
		s.outcomes[t] = found[i]
	}
	return nil
}

// errors are those of some kernels that have been simulated, in their order.
func (s *search) errors(p Parameters, of []int, replicas int) (list []float64) {
	for _, kernel := range of {
		list = append(list, s.deviations(p, kernel, replicas)[0])
	}
	return list
}

// deviations of a kernel's outcome from what was measured, as fractions of its cycles.
func (s *search) deviations(p Parameters, kernel, replicas int) (d outcome) {
	m := &s.measured[kernel]
	for replica := range replicas {
		o := s.outcomes[s.trial(kernel, replica, p)]
		for i := range d {
			d[i] += (o[i] - m[i]) / m[0] / float64(replicas)
		}
	}
	return d
}

// misfit is what the search makes small: half of it is the mean square error of the kernels, half
// that of the ends of their networks, which tell more about the same few kernels.
func (s *search) misfit(p Parameters, of []int, replicas int) (sum float64) {
	for _, kernel := range of {
		d, ends, n := s.deviations(p, kernel, replicas), 0.0, 0.0
		for i, end := range s.measured[kernel][1:] {
			if end > 0 {
				ends, n = ends+float64(d[1+i]*d[1+i]), n+1
			}
		}
		sum += (float64(d[0]*d[0]) + ends/max(1, n)) / 2 / float64(len(of))
	}
	return sum
}

// meanSquare is that of some errors.
func meanSquare(errors []float64) (sum float64) {
	for _, e := range errors {
		sum += float64(e*e) / float64(len(errors))
	}
	return sum
}

// Neutral is the set in the middle of what is possible, where the search begins.
func Neutral() (p Parameters) {
	for _, k := range Knobs {
		*k.of(&p) = (k.Low + k.High) / 2
	}
	return p
}

// find searches for the parameters that suit some kernels.
func (s *search) find(of []int) (p Parameters, err error) {
	p = Neutral()
	for _, g := range stages {
		for range g.sweeps {
			before := p
			for i := range Knobs {
				if p, err = s.best(along(p, &Knobs[i], g), of, g.replicas); err != nil {
					return p, err
				}
			}
			if p == before {
				break
			}
			var sets []Parameters
			for at, n := p, 0; at.possible() && n <= g.reach; n++ {
				sets = append(sets, at)
				for _, k := range Knobs {
					*k.of(&at) += *k.of(&p) - *k.of(&before)
				}
			}
			if p, err = s.best(sets, of, g.replicas); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// along lists the sets around one on a stage's grid of a parameter, as far as they are possible.
func along(p Parameters, k *Knob, g stage) (sets []Parameters) {
	for by := -g.reach; by <= g.reach; by++ {
		at := p
		if *k.of(&at) += by * max(1, (k.High-k.Low)/g.parts); at.possible() {
			sets = append(sets, at)
		}
	}
	return sets
}

// possible reports whether all parameters are within their bounds.
func (p Parameters) possible() bool {
	for _, k := range Knobs {
		if v := *k.of(&p); v < k.Low || v > k.High {
			return false
		}
	}
	return true
}

// best is the set that suits some kernels best.
func (s *search) best(sets []Parameters, of []int, replicas int) (best Parameters, err error) {
	if err := s.simulate(sets, of, replicas); err != nil {
		return best, err
	}
	least := math.Inf(1)
	for _, p := range sets {
		if m := s.misfit(p, of, replicas); m < least {
			best, least = p, m
		}
	}
	if s.progress != nil {
		s.progress(len(s.outcomes), math.Sqrt(least))
	}
	return best, nil
}
