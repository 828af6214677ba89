package silicon

import (
	"context"
	"math"
	"os"
	"reflect"
	"testing"
)

// searchFor prepares a search over the kernels in testdata: one of workers, one of DRAM.
func searchFor(t *testing.T) *search {
	t.Helper()
	s, err := newSearch(context.Background(), sample(t), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTrial: parameters of servers that a kernel does not ask do not make another trial.
func TestTrial(t *testing.T) {
	s, p := searchFor(t), Default()
	same := func(kernel int, change func(*Parameters)) bool {
		q := p
		change(&q)
		return s.trial(kernel, 0, p) == s.trial(kernel, 0, q)
	}
	for i := range Knobs {
		k := &Knobs[i]
		change := func(q *Parameters) { *k.of(q)++ }
		workers, dram := same(0, change), same(1, change)
		if workers != (k.Name == "dram_latency") || dram != (k.Name == "l1_latency" || k.Name == "l1_setup") {
			t.Errorf("%s: the kernel of workers has the same trial: %v, that of DRAM: %v", k.Name, workers, dram)
		}
	}
}

// TestUnasked: parameters that trial leaves out change nothing indeed.
func TestUnasked(t *testing.T) {
	s, p := searchFor(t), Default()
	q := p
	q.L1Latency, q.L1Setup = q.L1Latency+50, q.L1Setup+10
	for kernel, same := range []bool{false, true} {
		var cycles [2]float64
		for i, with := range []Parameters{p, q} {
			r, err := replay(context.Background(), s.programs[kernel], 0, Options{Parameters: with})
			if err != nil {
				t.Fatal(err)
			}
			cycles[i] = countedCycles(r)
		}
		if (cycles[0] == cycles[1]) != same {
			t.Errorf("kernel %d: %v cycles", kernel, cycles)
		}
	}
}

// TestMisfit: half of it is the kernel's error, half that of the ends of its networks.
func TestMisfit(t *testing.T) {
	s, p := searchFor(t), Default()
	s.measured = []outcome{{1000, 500, 900}, {1000, 980, 0}}
	s.outcomes[s.trial(0, 0, p)] = outcome{1100, 600, 900}
	s.outcomes[s.trial(1, 0, p)] = outcome{900, 1180, 0}
	want := ((0.1*0.1+0.1*0.1/2)/2 + (0.1*0.1+0.2*0.2)/2) / 2
	if got := s.misfit(p, []int{0, 1}, 1); math.Abs(got-want) > 1e-12 {
		t.Errorf("misfit %g, want %g", got, want)
	}
	if e := s.errors(p, []int{1, 0}, 1); math.Abs(e[0]+0.1) > 1e-12 || math.Abs(e[1]-0.1) > 1e-12 {
		t.Errorf("errors %v", e)
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

// TestFind: the search finds parameters with which kernels were simulated, or others that do as
// well, and replays no kernel that it was not given; with CAROUSEL_LONG, it finds the same however
// many replays run at a time.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred replays")
	}
	of, truth := []int{0}, Default()
	truth.L1Latency += 60
	var found []Parameters
	for _, jobs := range []int{3, 1} {
		if jobs == 1 && os.Getenv("CAROUSEL_LONG") == "" {
			continue
		}
		s := searchFor(t)
		s.jobs = jobs
		r, err := replay(context.Background(), s.programs[0], 0, Options{Parameters: truth})
		if err != nil {
			t.Fatal(err)
		}
		s.measured[0] = simulatedOutcome(&s.programs[0], &r)
		p, err := s.find(of)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.simulate([]Parameters{p, Neutral()}, of, 2); err != nil {
			t.Fatal(err)
		}
		if now, before := s.misfit(p, of, 2), s.misfit(Neutral(), of, 2); now > before/100 || !p.possible() {
			t.Errorf("%+v: a misfit of %g, and %g in the middle", p, now, before)
		}
		for trial := range s.outcomes {
			if trial.kernel != 0 {
				t.Fatalf("kernel %d was replayed", trial.kernel)
			}
		}
		found = append(found, p)
	}
	if len(found) > 1 && !reflect.DeepEqual(found[0], found[1]) {
		t.Errorf("%+v", found)
	}
}

// TestFit: a fit tells for each parameter what it is without each group, and predicts the groups.
func TestFit(t *testing.T) {
	if os.Getenv("CAROUSEL_LONG") == "" {
		t.Skip("some hundred replays, with CAROUSEL_LONG=1")
	}
	fit, err := FitTo(context.Background(), sample(t), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if fit.Mean > 0.05 || len(fit.Knobs) != len(Knobs) || len(fit.Left) != 2 || fit.Replays < 100 || fit.LeaveGroupOut.Worst < fit.LeaveGroupOut.Mean {
		t.Errorf("%+v", fit)
	}
	for _, k := range fit.Knobs {
		if k.Low > k.Value || k.High < k.Value || k.LeftLow > k.LeftHigh {
			t.Errorf("%+v", k)
		}
	}
}
