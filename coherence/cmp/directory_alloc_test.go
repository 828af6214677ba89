package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/noc/models"
)

// After warm-up the directory protocol allocates no more than token coherence does: nothing.
func TestDirectoryDoesNotAllocatePerCycle(t *testing.T) {
	m, err := models.Lookup("mrr")
	if err != nil {
		t.Fatal(err)
	}
	network, err := m.New(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.Protocol = "directory"
	c.EpochCycles = 1 << 40 // the table of epochs grows with the run by design
	s, err := New(c, network, busyStreams(16), 1)
	if err != nil {
		t.Fatal(err)
	}
	const warmup, cycles = 200_000, 2_000
	for range warmup {
		s.cycle()
	}
	if got := testing.AllocsPerRun(3, func() {
		for range cycles {
			s.cycle()
		}
	}); got >= 1 {
		t.Errorf("%.1f allocations in %d cycles", got, cycles)
	}
	if s.failure != nil {
		t.Error(s.failure)
	}
}
