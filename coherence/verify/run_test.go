package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/msi"
	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestViolationIsReported explores a protocol with a seeded defect as if it were the real one: the
// report names the law and the way, and is not passed.
func TestViolationIsReported(t *testing.T) {
	directory := &Protocols[slices.IndexFunc(Protocols, func(p Protocol) bool { return p.Name == "directory" })]
	r := NewReport()
	c := &checker{Options: Options{Memory: 1 << 30, Jobs: 1},
		ctx: t.Context(), protocol: directory, report: &r}
	must.Do(c.exploration(directory.Explorations("skip-ack")[0]))
	x := r.Explorations[0]
	if r.Passed || x.Live != nil || x.Violation == nil || !strings.Contains(x.Violation.Law, "core 0 reads data of block 0 that is not the latest") ||
		!strings.Contains("\n"+x.Violation.Scenario, "\nstore C0 X\n") || !strings.Contains(x.Violation.Scenario, "LAW BROKEN") {
		t.Errorf("%+v\n%+v", x, x.Violation)
	}
}

// TestMissingFails: a cell that nothing takes and a defect that nothing finds make the report fail.
func TestMissingFails(t *testing.T) {
	r := NewReport()
	var covered Coverage
	covered.Add([]coherence.Cell{{State: "S", Event: "Inv"}, {State: "M", Event: "Inv", Count: 1}})
	r.addCoverage("directory", &covered)
	if r.Passed || len(r.Coverage[0].Missing) != 1 || r.Coverage[0].Missing[0] != "cache Inv in S" {
		t.Errorf("a cell is missing: %+v", r)
	}
	r.Passed = true
	r.addDefect(DefectReport{Protocol: "directory", Name: "unseen"})
	if r.Passed {
		t.Errorf("a defect is not found: %+v", r)
	}
	r.Passed = true
	r.addExploration(Exploration{Protocol: "token"}, &explore.Result{States: 7, Expanded: 3}, 1)
	if !r.Passed || r.Explorations[0].Complete || r.Explorations[0].Live != nil {
		t.Errorf("a bounded exploration: %+v", r)
	}
}

// forgetful loses every third delivery of answers.
type forgetful struct {
	noc.Network
	count int
	out   []noc.Delivery
}

func (f *forgetful) Deliveries() []noc.Delivery {
	f.out = f.out[:0]
	for _, d := range f.Network.Deliveries() {
		if d.Class == 4 {
			f.count++
		}
		if d.Class != 4 || f.count%3 != 0 {
			f.out = append(f.out, d)
		}
	}
	return f.out
}

// TestChipFailureIsShrunk: a chip whose network loses messages fails, and the report has a short
// trace that fails again. Cases of each protocol have numbers of their own.
func TestChipFailureIsShrunk(t *testing.T) {
	networks := []stress.Network{{Name: "forgetful", New: func(s stress.Shape) (noc.Network, error) {
		n, err := ideal.New(topology.Torus(s.Columns, s.Rows), ideal.Default())
		return &forgetful{Network: n}, err
	}}}
	mine := cmp.Protocols[0]
	mine.Name = "mine"
	for protocol, i := range map[string]int{"directory": 0, "token": 3, "mine": 2} {
		c, err := stress.CaseOf(networks, protocol, i, mine)
		if err != nil {
			t.Fatal(err)
		}
		if c.Chip.Protocol != protocol {
			t.Errorf("case %d of %s is %s", i, protocol, c.Name)
		}
		if protocol != "directory" {
			continue
		}
		c.Chip.WatchdogCycles = 20_000
		if _, err = stress.Run(t.Context(), c, nil); err == nil {
			t.Fatal("lost messages go unnoticed")
		}
		if scenario := shrink(t.Context(), err); !strings.Contains(scenario, "core,gap,kind") {
			t.Errorf("the scenario is\n%s", scenario)
		}
	}
}

// TestTablesAgree: every protocol that a chip runs is checked, by checks of its own, and both rows
// are complete.
func TestTablesAgree(t *testing.T) {
	var names, checked []string
	for _, p := range cmp.Protocols {
		names = append(names, p.Name)
		if p.Doc == "" || p.New == nil || p.Validate == nil || p.Harden == nil {
			t.Errorf("the chip's row of %s has gaps", p.Name)
		}
	}
	for _, p := range Protocols {
		checked = append(checked, p.Name)
		if len(p.Defects()) == 0 || len(p.Explorations("")) == 0 || p.Stress(0, "").New == nil {
			t.Errorf("the row of %s has gaps", p.Name)
		}
		for _, e := range p.Explorations("") {
			if e.Protocol != p.Name {
				t.Errorf("exploration %q of %s says it is of %q", e.Name, p.Name, e.Protocol)
			}
		}
	}
	if !slices.Equal(names, checked) {
		t.Errorf("chips run %v, checked are %v", names, checked)
	}
}

// TestWith: a protocol of another module has a row, with the checks that its module brings.
func TestWith(t *testing.T) {
	rows := With([]cmp.ProtocolEntry{{Name: "mine"}, {Name: "yours"}}, []Protocol{{Name: "yours", Defects: msi.Description.Mistakes}})
	if n := len(Protocols); len(rows) != n+2 || rows[n].Name != "mine" || rows[n].Defects != nil || rows[n+1].Name != "yours" || rows[n+1].Defects == nil {
		t.Errorf("with two protocols of another module the rows are %+v", rows)
	}
}
