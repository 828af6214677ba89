package verify

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestExplorations runs the small searches, all of those of a quick run with CAROUSEL_LONG=1.
// Nothing may be found, and the counts of states are pinned: those that an independent model
// confirms, and the small ones of msi.
func TestExplorations(t *testing.T) {
	counts := map[string]int{
		"directory 1 L1, names kept": 129, "directory 2 L1s, names kept": 8590, "directory 2 L1s, silent S, names kept": 10521,
		"msi 1 L1, every access": 252, "msi 2 L1s, every access": 3468, "msi 3 L1s": 5750, "msi 2 L1s, 2 blocks": 6167,
		"token 1 L1, T=2": 128, "token 1 L1 and bank, T=2": 6534, "token 1 L1 and bank, split reads, T=2": 7228,
		"token 1 L1 and bank, split reads, T=3": 34506, "token 1 L1 and bank, split reads, 3 persistent in flight, T=2": 16305,
	}
	for _, protocol := range Protocols {
		for _, e := range protocol.Explorations("") {
			name := protocol.Name + " " + e.Name
			want := counts[name]
			if e.Long || want == 0 && os.Getenv("CAROUSEL_LONG") == "" {
				continue
			}
			r := must.Get(explore.Run(context.Background(), e.Model, explore.Options{States: e.States, SafetyOnly: e.SafetyOnly}))
			if r.Violation != nil {
				t.Errorf("%s: %v\n%s", name, r.Violation.Why, r.Violation.Scenario())
			}
			if want != 0 && (r.States != want || !r.Live) {
				t.Errorf("%s: %d states (live %t), want %d", name, r.States, r.Live, want)
			}
			delete(counts, name)
		}
	}
	if len(counts) > 0 {
		t.Errorf("not among the explorations: %v", counts)
	}
}

// stressRuns returns the number of random tests of a protocol: by default, those that take every
// cell, and some more.
func stressRuns(t *testing.T, protocol string) int {
	text := os.Getenv("CAROUSEL_STRESS_RUNS")
	if text == "" {
		enough := map[string]int{"token": 24, "msi": 12}
		return cmp.Or(enough[protocol], 48)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("CAROUSEL_STRESS_RUNS is %q; a number is allowed", text)
	}
	return n
}

// TestStress runs random accesses over chips with every option. CAROUSEL_STRESS_RUNS asks for more
// of them. Together with the explorations of one L1, in which banks give blocks up at any time,
// they must take every cell of the transition tables that some option makes legal; pairs that are
// not in the tables panic.
func TestStress(t *testing.T) {
	for _, protocol := range Protocols {
		t.Run(protocol.Name, func(t *testing.T) {
			t.Parallel()
			var covered Coverage
			var operations, messages uint64
			for _, e := range protocol.Explorations("") {
				if e.Cores > 1 || e.Blocks > 1 {
					continue
				}
				r := must.Get(explore.Run(context.Background(), e.Model, explore.Options{Workers: 1}))
				covered.Add(r.Cells)
			}
			for k := range stressRuns(t, protocol.Name) {
				report, err := protocol.Stress(k, "").Run()
				if err != nil {
					t.Fatalf("case %d: %v", k, err)
				}
				covered.Add(report.Cells)
				operations += report.Operations
				messages += report.Messages
			}
			taken, missing := covered.Taken()
			for _, x := range missing {
				t.Errorf("%s: event %q in state %s never happened", x.Role, x.Event, x.State)
			}
			t.Logf("%d cells, %d operations, %d message copies", taken, operations, messages)
		})
	}
}

// TestCoverage sums cells over checks with different tables.
func TestCoverage(t *testing.T) {
	var c Coverage
	c.Add([]coherence.Cell{{Role: coherence.Bank, State: "S", Event: "PutS", Count: 2}, {Role: coherence.Cache, State: "I", Event: "Inv"}})
	c.Add([]coherence.Cell{{Role: coherence.Bank, State: "S", Event: "PutS", Count: 3}})
	taken, missing := c.Taken()
	if taken != 1 || len(missing) != 1 || missing[0].Event != "Inv" || c.Cells()[1].Count != 5 {
		t.Errorf("%d taken, missing %v of %v", taken, missing, c.Cells())
	}
}

// TestFind seeds one mistake at a time: an exploration or a random test must find each. Explorations
// are shorter than those of carousel verify --self-test, which visit states that TestExplorations has
// visited without a mistake.
func TestFind(t *testing.T) {
	for _, protocol := range Protocols {
		for _, d := range protocol.Defects() {
			t.Run(protocol.Name+" "+d.Name, func(t *testing.T) {
				t.Parallel()
				f, err := protocol.Find(context.Background(), d, explore.Options{Workers: 1, States: 3000})
				if err != nil || f.FoundBy == "" || f.Scenario == "" || f.Size == 0 {
					t.Fatalf("not found: %+v, %v", f, err)
				}
				t.Logf("%s, %d: %s", f.FoundBy, f.Size, f.Law)
			})
		}
	}
}
