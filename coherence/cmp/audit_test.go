package cmp

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc/models"
)

// busyChip runs a chip until a message with tokens is on its way, and returns that message.
func busyChip(t *testing.T) (*System, *coherence.Message) {
	t.Helper()
	m, err := models.Lookup("mrr")
	if err != nil {
		t.Fatal(err)
	}
	network, err := m.Build(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Default(), network, busyStreams(16), 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		s.cycle()
		for i := range s.nic.flights.all {
			if f := &s.nic.flights.all[i]; f.live && s.now > 1000 && f.send.Count > 0 {
				return s, &f.send.Message
			}
		}
	}
	t.Fatal("no message with tokens in 3,000 cycles")
	return nil, nil
}

// The audit finds a token that was made on the way, and one that was lost, and names the block.
func TestAuditFindsTokensMadeAndLost(t *testing.T) {
	s, m := busyChip(t)
	if err := s.audit.checkNow(); err != nil {
		t.Fatalf("a sound chip is refused: %v", err)
	}
	for _, change := range []int16{1, -1} {
		m.Count += change
		if err := s.audit.checkNow(); err == nil || !strings.Contains(err.Error(), "block") {
			t.Errorf("tokens changed by %d on the way: %v", change, err)
		}
		if err := s.audit.checkBlock(m.Block); err == nil {
			t.Errorf("tokens changed by %d on the way: the block's check passes", change)
		}
		m.Count -= change
	}
}

func TestStaleValuesAreFound(t *testing.T) {
	s, _ := busyChip(t)
	s.audit.startChecking()
	s.audit.checkValue(0, 5, coherence.Store, 1)
	s.audit.checkValue(1, 5, coherence.Load, 1)
	if s.failure != nil {
		t.Fatal(s.failure)
	}
	s.audit.checkValue(2, 5, coherence.Load, 0)
	if s.failure == nil || !strings.Contains(s.failure.Error(), "core 2") {
		t.Errorf("a stale load gives %v", s.failure)
	}
}
