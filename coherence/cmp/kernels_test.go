package cmp_test

import (
	"context"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// kernelCycles replays a recorded kernel of traces/record/testdata/kernels on a network.
func kernelCycles(t *testing.T, name, router string) noc.Cycle {
	t.Helper()
	f, err := traces.Open("../../traces/record/testdata/kernels/"+name+".trace", traces.DefaultReaderConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := cmp.New(cmp.Default(), network(t, router, 1, nil), f, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatalf("%s on %s: %v", name, router, err)
	}
	return r.Cycles
}

// TestFalseSharingIsNoOrder: what threads pay for a line that they share falsely is what its misses
// cost, whatever the turns in which they were recorded, and next to nothing where others only read.
func TestFalseSharingIsNoOrder(t *testing.T) {
	agree := func(a, b string) {
		t.Helper()
		x, y := float64(kernelCycles(t, a, "base-mc")), float64(kernelCycles(t, b, "base-mc"))
		if max(x, y) > 1.1*min(x, y) {
			t.Errorf("%s takes %.0f cycles, %s %.0f: more than 10 %% apart", a, x, b, y)
		}
	}
	agree("readonly-8", "readonly-64")
	agree("sharing-8-turn-10", "sharing-8-turn-1000")
	agree("sharing-8-turn-100", "sharing-8-turn-1000")
	if shared, apart := kernelCycles(t, "sharing-8-turn-100", "base-mc"), kernelCycles(t, "sharing-128", "base-mc"); shared < 2*apart {
		t.Errorf("counters in one line take %d cycles, apart %d", shared, apart)
	}
}
