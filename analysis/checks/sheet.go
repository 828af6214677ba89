package checks

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
)

// verdictOf returns the result of an exploration in words.
func verdictOf(x *verify.ExplorationReport) string {
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

// Sheet is the report for people and spreadsheets.
func (r *Report) Sheet() *sheet.Sheet {
	s := sheet.New("check", "of", "what", "size", "steps", "depth", "result")
	independent, largest := false, 0
	for i := range r.Explorations {
		x := &r.Explorations[i]
		s.Add("exploration", x.Protocol, x.Name, x.States, x.Transitions, x.Depth, verdictOf(x))
		independent, largest = independent || x.Independent > 0, max(largest, x.States)
		if x.Violation != nil {
			s.Note(fmt.Sprintf("\n%s, %s: %s", x.Protocol, x.Name, x.Violation.Law), x.Violation.Scenario)
		}
	}
	for _, x := range r.Random {
		s.Add("random tests", x.Protocol, fmt.Sprintf("%d runs", x.Runs), x.Operations, x.Messages, "-", passed(x.Violation, ""))
	}
	for _, x := range r.Coverage {
		result := "every cell of the transition tables taken"
		if len(x.Missing) > 0 {
			result = "NEVER TAKEN: " + strings.Join(x.Missing, "; ")
		}
		s.Add("coverage", x.Protocol, "transition tables", x.Taken, x.Cells, "-", result)
	}
	r.addChips(s)
	for i := range r.Defects {
		x := &r.Defects[i]
		result := fmt.Sprintf("found by %s", x.FoundBy)
		if x.FoundBy == "" {
			result = "NOT FOUND"
		}
		s.Add("seeded defect", x.Protocol, x.Name, "-", "-", x.Size, result)
		s.Note(noteOn(x))
	}
	for _, x := range r.Conformance {
		s.Add("conformance", x.Router, x.Check, "-", "-", "-", passed(x.Violation, x.Skipped))
	}
	for _, x := range r.Networks {
		s.Add("random traffic", x.Router, x.Topology+", multicasts by "+x.Scheme, x.Packets, x.Deliveries, "-", passed(x.Violation, x.Skipped))
	}
	s.Before = append(s.Before, "Columns size and steps:", "  explorations: states and transitions", "  random tests: operations and messages",
		"  coverage: cells of transition tables that were taken, and all cells", "  whole chips: accesses and cycles", "  litmus tests: runs and tests",
		"  random traffic: packets and deliveries")
	if largest > 0 {
		s.Before = append(s.Before, fmt.Sprintf("States are identified by 128 bits of SHA-256. The probability that two states of the largest search "+
			"were confused is below %.0e.", explore.Collision(largest)))
	}
	if independent {
		s.Before = append(s.Before, "The independent model has no queue at the home and moves tokens more freely, so its counts differ",
			"(see the documentation of package coherence/verify). It found no violation either.")
	}
	return s
}

func passed(violation, skipped string) string {
	switch {
	case skipped != "":
		return "skipped: " + skipped
	case violation == "":
		return "passed"
	}
	return "VIOLATION: " + violation
}

// noteOn describes a defect and its counterexample.
func noteOn(x *verify.DefectReport) string {
	text := fmt.Sprintf("\n%s with %s: %s", x.Protocol, x.Name, x.Breaks)
	if x.Trap != "" {
		text += fmt.Sprintf(" (trap %s)", x.Trap)
	}
	if x.FoundBy == "" {
		return text + "\nNOT FOUND"
	}
	return fmt.Sprintf("%s\n%s: %s\n%s", text, x.FoundBy, x.Law, strings.TrimRight(x.Scenario, "\n"))
}

// addChips adds the rows of what ran on whole chips.
func (r *Report) addChips(s *sheet.Sheet) {
	for _, x := range r.Chips {
		s.Add("whole chips", x.Protocol, fmt.Sprintf("%d random programs, every network", x.Runs), x.Accesses, x.Cycles, "-", passed(x.Violation, ""))
		if x.Scenario != "" {
			s.Note(fmt.Sprintf("\n%s, shrunk to a trace as CSV, for carousel trace import:\n%s", x.Protocol, x.Scenario))
		}
	}
	for _, g := range tables.GroupBy(r.Litmus, func(x *verify.LitmusReport) [2]string { return [2]string{x.Protocol, x.Model} }) {
		runs, wrong := 0, ""
		for _, x := range g.Records {
			runs, wrong = runs+x.Runs, cmp.Or(wrong, x.Violation)
		}
		s.Add("litmus tests", g.Key[0], g.Key[1], runs, len(g.Records), "-", passed(wrong, ""))
	}
}
