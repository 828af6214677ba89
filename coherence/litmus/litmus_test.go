package litmus

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

func networks() []stress.Network {
	var all []stress.Network
	for _, m := range models.Table() {
		all = append(all, stress.Network{Name: m.Name, New: func(s stress.Shape) (noc.Network, error) {
			o := models.DefaultOptions()
			if s.Tiny {
				o = models.SmallestOptions(o.Grid)
			}
			o.Grid, o.Seed = topology.Torus(s.Columns, s.Rows), s.Seed
			return m.Build(o)
		}, FiniteSinks: m.FiniteSinks})
	}
	return all
}

// TestMemoryModel runs every test with every protocol, every layout and both memory models:
// CAROUSEL_LONG=1 asks for 100,000 runs of each, of those with many cores for 5,000.
func TestMemoryModel(t *testing.T) {
	tests := Tests()
	total := 0
	for _, test := range tests {
		t.Run(test.Name, func(t *testing.T) {
			for _, p := range cmp.Protocols {
				for layout := range Layouts {
					for _, sequential := range []bool{false, true} {
						c := Config{Protocol: p.Name, Networks: networks(), Layout: layout, Sequential: sequential, Runs: runsOf(test, layout, sequential), Seed: 1}
						total += c.Runs
						r, err := Run(t.Context(), test, c)
						if err == nil {
							err = r.Err()
						}
						if err != nil {
							t.Error(err)
						}
						if long {
							t.Logf("%s, %s, sequential %t: %d of %d", p.Name, layout, sequential, r.Watched, r.Runs)
						}
					}
				}
			}
		})
	}
	t.Logf("%d tests, %d runs", len(tests), total)
}

var long = os.Getenv("CAROUSEL_LONG") != ""

// runsOf returns how often a test runs with a protocol, layout and memory model. By default,
// outcomes that total store order allows must come up in the first layout only.
func runsOf(test Test, layout Layout, sequential bool) int {
	manyCores := len(test.Programs) > 4
	switch {
	case long && manyCores:
		return 5000
	case long:
		return 100_000
	case manyCores || sequential:
		return 25
	case test.AllowedTSO && layout == 0:
		return seenWithin
	}
	return 100
}

// TestRefusedForRoom: an access that an L1 refuses because its interface has no place for the
// request is repeated when there is one, even if nothing else happens at that L1. The network of
// this chip, whose interfaces have one place per class, takes nothing for 200 cycles now and then.
func TestRefusedForRoom(t *testing.T) {
	tests := Tests()
	for _, p := range cmp.Protocols {
		c := Config{Protocol: p.Name, Networks: networks(), Seed: 1}
		chip := c.chip(tests[0], 21)
		if chip.Chip.InterfaceQueue != 1 || chip.Faults.Refuse != 200 {
			t.Fatalf("this chip is another one now: interfaces of %d, refusals of %d cycles", chip.Chip.InterfaceQueue, chip.Faults.Refuse)
		}
		v := observations{program: newProgram(&tests[0], c.Layout, 100, chip.Seed)}
		if err := stress.Replay(t.Context(), chip, v.trace(), v.witness); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// A remote write after an own eviction that the core does not notice lets loads pass each other.
func TestForgottenEvictionsAreFound(t *testing.T) {
	tests := Tests()
	i := slices.IndexFunc(tests, func(t Test) bool { return t.Name == "mp+evictions" })
	for _, p := range cmp.Protocols {
		forgetful := p
		forgetful.Name = "forgetful " + p.Name
		forgetful.New = func(c cmp.Config, s coherence.System) (coherence.Protocol, error) {
			made, err := p.New(c, s)
			if err == nil && !made.(coherence.Defective).Seed("forget-evicted") {
				t.Fatalf("%s has no such defect", p.Name)
			}
			return made, err
		}
		r, err := Run(t.Context(), tests[i], Config{Protocol: forgetful.Name, More: []cmp.ProtocolEntry{forgetful}, Networks: networks(), Runs: 25_000, Seed: 1})
		if err == nil {
			err = r.Err()
		}
		if err == nil {
			t.Errorf("%s: the mistake is not found", p.Name)
		}
		t.Logf("%v", err)
	}
}

// TestComplete: every test has programs, an outcome and both verdicts. Its outcome names what there is, registers are
// loaded once, and what is awaited has one store.
func TestComplete(t *testing.T) {
	for _, test := range Tests() {
		text := must.Get(files.ReadFile("tests/" + test.Name + ".litmus"))
		if lines := "\n" + string(text); len(test.Programs) == 0 || len(test.Outcome) == 0 || !strings.Contains(lines, "\ntso ") || !strings.Contains(lines, "\nsc ") {
			t.Errorf("%s has no program, outcome or verdict", test.Name)
		}
		if len(test.Variables) > maxVariables {
			t.Errorf("%s has more than %d variables", test.Name, maxVariables)
		}
		loads, stores := map[string]int{}, make([]int, len(test.Variables))
		for _, op := range slices.Concat(test.Programs...) {
			switch op.Kind {
			case traces.Load:
				loads[op.Register]++
			case traces.Store:
				stores[op.Variable]++
			}
		}
		for register, n := range loads {
			if register != "" && n > 1 {
				t.Errorf("%s loads register %s %d times", test.Name, register, n)
			}
		}
		for _, op := range slices.Concat(test.Programs...) {
			if op.Kind == traces.Load && op.Register == "" && stores[op.Variable] != 1 {
				t.Errorf("%s awaits %s, which has %d stores", test.Name, test.Variables[op.Variable], stores[op.Variable])
			}
		}
		for _, e := range test.Outcome {
			if loads[e.Name] == 0 && !slices.Contains(test.Variables, e.Name) {
				t.Errorf("the outcome of %s names %q, which is neither a variable nor a register that is loaded", test.Name, e.Name)
			}
		}
	}
}

// TestBadLinePanics: a line that cannot be read panics with its text.
func TestBadLinePanics(t *testing.T) {
	for _, line := range []string{"x = 0 | r1 = x", "x = 1 | r1 = yy", "x = 1 | jump", "outcome r1 > 0", "tso maybe"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is read", line)
				}
			}()
			Parse("t", line)
		}()
	}
}

// An outcome that may come up must, and one that may not must not: a test with its verdicts
// exchanged fails in both ways.
func TestVerdictsMatter(t *testing.T) {
	for _, x := range []struct {
		text string
		want string
	}{
		{"x = 1 | y = 1\nr1 = y | r2 = x\noutcome r1 = 0 & r2 = 0\ntso forbidden\nsc forbidden", "although total store order forbids it"},
		{"x = 1 | r1 = x\noutcome r1 = 2\ntso allowed\nsc forbidden", "never occurred"},
	} {
		test := Parse("t", x.text)
		r := must.Get(Run(t.Context(), test, Config{Protocol: "token", Networks: networks(), Runs: seenWithin, Seed: 1}))
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
}
