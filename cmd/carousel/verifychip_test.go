package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence/stress"
	"github.com/carousel-sim/carousel/noc"
)

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

// A chip that fails is reported with a trace that fails again, and cases of each protocol have numbers of
// their own.
func TestVerifyChipFailure(t *testing.T) {
	networks := stressNetworks()
	sound := networks[0].New
	networks[0].New = func(s stress.Shape) (noc.Network, error) {
		n, err := sound(s)
		return &forgetful{Network: n}, err
	}
	first, err := stress.CaseOf("directory", 0)
	if err != nil {
		t.Fatal(err)
	}
	fourth, err := stress.CaseOf("token", 3)
	if err != nil {
		t.Fatal(err)
	}
	c := stress.Case(networks, first)
	if c.Chip.Protocol != "directory" || stress.Case(networks, fourth).Chip.Protocol != "token" {
		t.Errorf("the first case of the directory protocol is %s", c.Name)
	}
	c.Chip.WatchdogCycles = 20_000
	_, err = stress.Run(t.Context(), c, nil)
	if err == nil {
		t.Fatal("lost messages go unnoticed")
	}
	v := &verification{ctx: context.Background(), report: newVerifyReport()}
	v.report.Chips = append(v.report.Chips, chipReport{Protocol: "directory", Runs: 1, Violation: "standstill", Scenario: v.shrink(err)})
	v.report.Litmus = append(v.report.Litmus, litmusReport{Protocol: "token", Model: "total store order", Runs: 7, Violation: "mp came up"})
	var text bytes.Buffer
	if err := v.report.table().align(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"VIOLATION: standstill", "carousel trace text 1", "VIOLATION: mp came up"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}
