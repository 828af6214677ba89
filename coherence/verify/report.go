package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
)

// Report is what the checks of some protocols found. Lists that were not asked for are empty, not
// nil.
type Report struct {
	Passed       bool                `json:"passed"`
	Interrupted  bool                `json:"interrupted"`
	Explorations []ExplorationReport `json:"explorations"`
	Random       []RandomReport      `json:"random_tests"`
	Coverage     []CoverageReport    `json:"coverage"`
	Chips        []ChipReport        `json:"chips"`
	Litmus       []LitmusReport      `json:"litmus"`
	Defects      []DefectReport      `json:"defects"`
}

// NewReport returns an empty report, which is passed until a check fails.
func NewReport() Report {
	return Report{Passed: true, Explorations: []ExplorationReport{}, Random: []RandomReport{}, Coverage: []CoverageReport{},
		Chips: []ChipReport{}, Litmus: []LitmusReport{}, Defects: []DefectReport{}}
}

// ExplorationReport is the result of an exploration.
type ExplorationReport struct {
	Protocol string `json:"protocol"`
	Name     string `json:"name"`
	explore.Result
	// Live reports whether the chip can always come to rest; nil where that was not checked.
	Live        *bool            `json:"live"`
	Independent int              `json:"independent_model_states,omitempty"`
	Seconds     float64          `json:"wall_seconds"`
	Violation   *ViolationReport `json:"violation"`
}

// ViolationReport is a broken law, with a shortest scenario that breaks it.
type ViolationReport struct {
	Law      string `json:"law"`
	Steps    int    `json:"steps"`
	Scenario string `json:"scenario"`
}

// RandomReport is the result of the random tests of a protocol.
type RandomReport struct {
	Protocol   string `json:"protocol"`
	Runs       int    `json:"runs"`
	Operations uint64 `json:"operations"`
	Messages   uint64 `json:"messages"`
	Violation  string `json:"violation,omitempty"`
}

// CoverageReport tells which cells of a protocol's transition tables explorations and random tests
// took.
type CoverageReport struct {
	Protocol string   `json:"protocol"`
	Cells    int      `json:"cells"`
	Taken    int      `json:"taken"`
	Missing  []string `json:"missing"`
}

// ChipReport is the result of random programs on whole chips.
type ChipReport struct {
	Protocol  string `json:"protocol"`
	Runs      int    `json:"runs"`
	Accesses  uint64 `json:"accesses"`
	Cycles    uint64 `json:"cycles"`
	Violation string `json:"violation,omitempty"`
	// Scenario is a short trace that breaks a law on the same chip.
	Scenario string `json:"scenario,omitempty"`
}

// LitmusReport is the result of a litmus test under one memory model.
type LitmusReport struct {
	Protocol  string `json:"protocol"`
	Test      string `json:"test"`
	Variables string `json:"variables"`
	Model     string `json:"model"`
	Runs      int    `json:"runs"`
	Watched   int    `json:"watched"` // runs with the outcome that the test watches for
	Allowed   bool   `json:"allowed"`
	Violation string `json:"violation,omitempty"`
}

// DefectReport is how a seeded defect was found.
type DefectReport struct {
	Protocol string `json:"protocol"`
	Name     string `json:"name"`
	Breaks   string `json:"breaks"`
	Trap     string `json:"trap,omitempty"`
	FoundBy  string `json:"found_by"` // the check; "" when nothing found it
	Law      string `json:"law"`      // that was seen broken
	Size     int    `json:"size"`     // steps of the scenario, or operations of the random test
	Scenario string `json:"scenario"` // a shortest one, or how to repeat the random test
}

// addExploration adds the result of an exploration.
func (r *Report) addExploration(e Exploration, x *explore.Result, seconds float64) {
	entry := ExplorationReport{Protocol: e.Protocol, Name: e.Name, Result: *x, Independent: e.Independent, Seconds: seconds}
	if x.Complete && !e.SafetyOnly {
		entry.Live = &x.Live
	}
	if w := x.Violation; w != nil {
		entry.Violation = &ViolationReport{w.Why.Error(), w.Steps(), w.Scenario()}
		r.Passed = false
	}
	r.Explorations = append(r.Explorations, entry)
}

// addDefect adds how a seeded defect was found.
func (r *Report) addDefect(f DefectReport) {
	r.Defects = append(r.Defects, f)
	r.Passed = r.Passed && f.FoundBy != ""
}

// addCoverage sums up the transition tables of a protocol.
func (r *Report) addCoverage(protocol string, covered *Coverage) {
	taken, missing := covered.Taken()
	entry := CoverageReport{Protocol: protocol, Cells: taken + len(missing), Taken: taken, Missing: []string{}}
	for _, x := range missing {
		entry.Missing = append(entry.Missing, fmt.Sprintf("%s %s in %s", x.Role, x.Event, x.State))
		r.Passed = false
	}
	r.Coverage = append(r.Coverage, entry)
}

// Coverage sums up how often the cells of a protocol's transition tables have been taken, over
// checks with different options. Pairs of state and event outside the tables need no counting: a
// controller that meets one panics, which every check reports.
type Coverage struct {
	counts map[coherence.Cell]uint64 // by cell without its count
}

// Add counts the cells of one check.
func (c *Coverage) Add(cells []coherence.Cell) {
	if c.counts == nil {
		c.counts = map[coherence.Cell]uint64{}
	}
	for _, x := range cells {
		n := x.Count
		x.Count = 0
		c.counts[x] += n
	}
}

// Cells returns all cells that some option makes legal, with their sums, in the order of their
// names.
func (c *Coverage) Cells() []coherence.Cell {
	list := slices.SortedStableFunc(maps.Keys(c.counts), func(a, b coherence.Cell) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Event, b.Event), cmp.Compare(a.State, b.State))
	})
	for i, x := range list {
		list[i].Count = c.counts[x]
	}
	return list
}

// Taken returns the number of cells taken, and Missing lists the others.
func (c *Coverage) Taken() (taken int, missing []coherence.Cell) {
	for _, x := range c.Cells() {
		if x.Count == 0 {
			missing = append(missing, x)
		} else {
			taken++
		}
	}
	return taken, missing
}
