package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/verify"
)

// TestVerifyViolation explores a protocol with a seeded defect as if it were the real one: the report names the
// law and the way, and is not passed.
func TestVerifyViolation(t *testing.T) {
	v := &verification{ctx: context.Background(), flags: verifyFlags{memory: 1, jobs: 1}, report: newVerifyReport()}
	var covered verify.Coverage
	directory, err := verify.Lookup("directory")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range directory.Explorations("skip-ack")[:1] {
		if err := v.exploration(e, v.options(e.Name), &covered); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	if err := v.report.table().align(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"VIOLATION: core 0 reads data of block 0 that is not the latest", "\nstore C0 X\n", "LAW BROKEN"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if v.report.Passed || v.report.Explorations[0].Live != nil {
		t.Errorf("%+v", v.report)
	}
}

// TestVerifyFailures: whatever is missing makes the report fail.
func TestVerifyFailures(t *testing.T) {
	v := &verification{report: newVerifyReport()}
	var covered verify.Coverage
	covered.Add([]coherence.Cell{{State: "S", Event: "Inv"}, {State: "M", Event: "Inv", Count: 1}})
	v.coverage("directory", &covered)
	if v.report.Passed || len(v.report.Coverage[0].Missing) != 1 {
		t.Errorf("a cell is missing: %+v", v.report)
	}
	v.report.Passed = true
	v.report.defect("directory", verify.Finding{Defect: coherence.Defect{Name: "unseen"}})
	if v.report.Passed {
		t.Errorf("a defect is not found: %+v", v.report)
	}
	v.report.exploration(verify.Exploration{Protocol: "token"}, &explore.Result{States: 7, Expanded: 3}, time.Second)
	var text bytes.Buffer
	if err := v.report.table().align(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NEVER TAKEN: cache Inv in S", "NOT FOUND", "bounded: first 7 states, 3 expanded, no violation"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}

// TestVerifyInterrupted: an interrupted command prints what it has.
func TestVerifyInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errs bytes.Buffer
	a := &app{stdout: &out, stderr: &errs, format: "json"}
	err := a.verify(ctx, "all", verifyFlags{memory: 1, jobs: 1})
	if exitCode(err) != exitInterrupted || !errors.As(err, new(interruptedError)) || !strings.Contains(out.String(), `"interrupted": true`) {
		t.Errorf("%v, %s", err, out.String())
	}
}
