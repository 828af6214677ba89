package checks

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/soak"
)

// TestSheet: whatever is wrong or missing stands in the table, with its scenario below, and the
// document has the names that programs look for.
func TestSheet(t *testing.T) {
	live := true
	r := Report{Networks: []soak.Result{{Router: "base", Violation: "a packet is missing"}, {Router: "board", Skipped: "it has 16 nodes"}}, Report: verify.Report{
		Explorations: []verify.ExplorationReport{
			{Protocol: "token", Name: "small", Result: explore.Result{States: 7, Expanded: 3}},
			{Protocol: "token", Name: "whole", Result: explore.Result{States: 9, Complete: true}, Live: &live, Independent: 8},
			{Protocol: "directory", Violation: &verify.ViolationReport{Law: "core 0 reads old data", Scenario: "store C0 X"}},
		},
		Coverage: []verify.CoverageReport{{Cells: 2, Taken: 1, Missing: []string{"cache Inv in S"}}},
		Chips:    []verify.ChipReport{{Protocol: "directory", Runs: 1, Violation: "standstill", Scenario: "# cores 2"}},
		Litmus:   []verify.LitmusReport{{Protocol: "token", Model: "total store order", Runs: 7, Violation: "mp came up"}},
		Defects:  []verify.DefectReport{{Protocol: "token", Name: "unseen"}},
	}}
	document, err := json.Marshal(&r)
	for _, name := range []string{"passed", "interrupted", "networks", "router", "topology", "scheme", "packets", "digest", "violation"} {
		if err != nil || !strings.Contains(string(document), `"`+name+`":`) {
			t.Errorf("%q is not in %s (%v)", name, document, err)
		}
	}
	var text bytes.Buffer
	must.Do(r.Sheet().Write(&text, 0))
	for _, want := range []string{"bounded: first 7 states, 3 expanded, no violation", "complete, can always come to rest; independent model 8",
		"VIOLATION: core 0 reads old data", "\nstore C0 X\n", "NEVER TAKEN: cache Inv in S", "VIOLATION: standstill", "# cores 2",
		"VIOLATION: mp came up", "NOT FOUND", "VIOLATION: a packet is missing", "skipped: it has 16 nodes"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}
