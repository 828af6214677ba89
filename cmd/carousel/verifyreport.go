package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
)

// verifyReport is what the command prints.
type verifyReport struct {
	Passed       bool                `json:"passed"`
	Interrupted  bool                `json:"interrupted"`
	Explorations []explorationReport `json:"explorations"`
	Random       []randomReport      `json:"random_tests"`
	Coverage     []coverageReport    `json:"coverage"`
	Chips        []chipReport        `json:"chips"`
	Litmus       []litmusReport      `json:"litmus"`
	Defects      []defectReport      `json:"defects"`
	Networks     []networkReport     `json:"networks"`
}

// newVerifyReport has empty lists, not null ones, for checks that were not asked for.
func newVerifyReport() verifyReport {
	return verifyReport{Passed: true, Explorations: []explorationReport{}, Random: []randomReport{}, Coverage: []coverageReport{},
		Chips: []chipReport{}, Litmus: []litmusReport{},
		Defects: []defectReport{}, Networks: []networkReport{}}
}

type explorationReport struct {
	Protocol    string `json:"protocol"`
	Name        string `json:"name"`
	States      int    `json:"states"`
	Expanded    int    `json:"expanded"`
	Transitions uint64 `json:"transitions"`
	Depth       int    `json:"depth"`
	Quiescent   int    `json:"quiescent"`
	MostEvents  int    `json:"most_events_under_way"`
	Complete    bool   `json:"complete"`
	// Live is null where it has not been looked at.
	Live        *bool            `json:"live"`
	Independent int              `json:"independent_model_states,omitempty"`
	Seconds     float64          `json:"wall_seconds"`
	Violation   *violationReport `json:"violation"`
}

type violationReport struct {
	Law      string `json:"law"`
	Steps    int    `json:"steps"`
	Scenario string `json:"scenario"`
}

type randomReport struct {
	Protocol   string `json:"protocol"`
	Runs       int    `json:"runs"`
	Operations uint64 `json:"operations"`
	Messages   uint64 `json:"messages"`
	Violation  string `json:"violation,omitempty"`
}

type coverageReport struct {
	Protocol string   `json:"protocol"`
	Cells    int      `json:"cells"`
	Taken    int      `json:"taken"`
	Missing  []string `json:"missing"`
}

type defectReport struct {
	Protocol string `json:"protocol"`
	Name     string `json:"name"`
	Breaks   string `json:"breaks"`
	Trap     string `json:"trap,omitempty"`
	FoundBy  string `json:"found_by"` // "" when it was not found
	Law      string `json:"law"`
	Size     int    `json:"size"` // steps of the scenario, or operations of the random test
	Scenario string `json:"scenario"`
}

type networkReport struct {
	Router     string `json:"router"`
	Topology   string `json:"topology"`
	Scheme     string `json:"scheme"`
	Packets    uint64 `json:"packets"`
	Multicasts uint64 `json:"multicasts"`
	Deliveries uint64 `json:"deliveries"`
	Cycles     uint64 `json:"cycles"`
	Digest     string `json:"digest"`
	Violation  string `json:"violation,omitempty"`
}

// exploration adds the result of an exploration.
func (r *verifyReport) exploration(e verify.Exploration, x *explore.Result, took time.Duration) {
	entry := explorationReport{Protocol: e.Protocol, Name: e.Name, States: x.States, Expanded: x.Expanded, Transitions: x.Transitions,
		Depth: x.Depth, Quiescent: x.Quiescent, MostEvents: x.MostEvents, Complete: x.Complete,
		Independent: e.Independent, Seconds: took.Seconds()}
	if x.Complete && !e.SafetyOnly {
		entry.Live = &x.Live
	}
	if w := x.Violation; w != nil {
		entry.Violation = &violationReport{w.Why.Error(), w.Steps(), w.Scenario()}
		r.Passed = false
	}
	r.Explorations = append(r.Explorations, entry)
}

// defect adds how a seeded defect was found.
func (r *verifyReport) defect(protocol string, f verify.Finding) {
	r.Defects = append(r.Defects, defectReport{protocol, f.Name, f.Breaks, f.Trap, f.By, f.Why, f.Size, f.Way})
	if f.By == "" {
		r.Passed = false
	}
}

// verdict is the result of an exploration in words.
func (x *explorationReport) verdict() string {
	text := "complete"
	switch {
	case x.Violation != nil:
		return "VIOLATION: " + x.Violation.Law
	case !x.Complete:
		text = fmt.Sprintf("bounded: first %d states, %d expanded, no violation", x.States, x.Expanded)
	case x.Live != nil && *x.Live:
		text += ", can always come to rest"
	}
	if x.Independent > 0 {
		text += fmt.Sprintf("; independent model %d", x.Independent)
	}
	return text
}

// table is the report for people and spreadsheets.
func (r *verifyReport) table() *sheet {
	s := &sheet{header: []string{"check", "of", "what", "size", "steps", "depth", "result"}}
	independent, largest := false, 0
	for i := range r.Explorations {
		x := &r.Explorations[i]
		s.add("exploration", x.Protocol, x.Name, fmt.Sprint(x.States), fmt.Sprint(x.Transitions), fmt.Sprint(x.Depth), x.verdict())
		independent, largest = independent || x.Independent > 0, max(largest, x.States)
		if x.Violation != nil {
			s.after = append(s.after, fmt.Sprintf("\n%s, %s: %s", x.Protocol, x.Name, x.Violation.Law), x.Violation.Scenario)
		}
	}
	for _, x := range r.Random {
		s.add("random tests", x.Protocol, fmt.Sprintf("%d runs", x.Runs), fmt.Sprint(x.Operations), fmt.Sprint(x.Messages), "-",
			passed(x.Violation))
	}
	for _, x := range r.Coverage {
		result := "every cell of the transition tables taken"
		if len(x.Missing) > 0 {
			result = "NEVER TAKEN: " + strings.Join(x.Missing, "; ")
		}
		s.add("coverage", x.Protocol, "transition tables", fmt.Sprint(x.Taken), fmt.Sprint(x.Cells), "-", result)
	}
	r.addChips(s)
	for _, x := range r.Defects {
		result := fmt.Sprintf("found by %s", x.FoundBy)
		if x.FoundBy == "" {
			result = "NOT FOUND"
		}
		s.add("seeded defect", x.Protocol, x.Name, "-", "-", fmt.Sprint(x.Size), result)
		s.after = append(s.after, x.note())
	}
	for _, x := range r.Networks {
		s.add("random traffic", x.Router, x.Topology+", "+x.Scheme, fmt.Sprint(x.Packets), fmt.Sprint(x.Deliveries), "-",
			passed(x.Violation))
	}
	s.before = append(s.before, "size and steps: states and transitions; operations and messages; cells taken and cells; accesses and cycles; runs and tests; packets and deliveries.")
	if largest > 0 {
		s.before = append(s.before, fmt.Sprintf("States are recognised by 128 bits of SHA-256; that two of the largest search "+
			"were taken for one has a chance below %.0e.", explore.Collision(largest)))
	}
	if independent {
		s.before = append(s.before, "The independent model has no queue at the home and lets tokens move more freely, hence other counts",
			"(see the documentation of package coherence/verify); it found no violation either.")
	}
	return s
}

func passed(violation string) string {
	if violation == "" {
		return "passed"
	}
	return "VIOLATION: " + violation
}

// note tells a defect and its counterexample.
func (x *defectReport) note() string {
	text := fmt.Sprintf("\n%s with %s: %s", x.Protocol, x.Name, x.Breaks)
	if x.Trap != "" {
		text += fmt.Sprintf(" (trap %s)", x.Trap)
	}
	if x.FoundBy == "" {
		return text + "\nNOT FOUND"
	}
	return fmt.Sprintf("%s\n%s: %s\n%s", text, x.FoundBy, x.Law, strings.TrimRight(x.Scenario, "\n"))
}
