package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/traces"
)

// boundedChip runs a chip whose interfaces hold as many messages of each class as bound says.
func boundedChip(t *testing.T, protocol, model string, bound, records int) *System {
	t.Helper()
	m, err := models.Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	network, err := m.Build(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	busy := busyStreams(16)
	for i := range busy.records {
		busy.records[i] = busy.records[i][:records]
	}
	c := Default()
	c.Protocol, c.InterfaceQueue, c.InterfaceSlots, c.CheckEvery, c.Token.Timeout = protocol, bound, bound, 16, 150
	c.L1, c.L2 = cache.Config{Sets: 4, Ways: 2}, cache.Config{Sets: 1, Ways: 2, Policy: cache.TreePLRU}
	c.WatchdogCycles = 100_000
	s, err := New(c, network, traces.NewMemory(busy.records, nil), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// However small the interfaces, everything gets through, no interface holds more than its size, and
// in the end every credit and slot has been given back.
func TestInterfacesOfFiniteSize(t *testing.T) {
	for _, protocol := range []string{"token", "directory", "msi"} {
		for _, model := range []string{"base", "base-mc", "ideal"} {
			s := boundedChip(t, protocol, model, 1, 80)
			in := make([][noc.MaxClasses]int, len(s.nic.credits.room))
			for !s.quiet() && s.failure == nil {
				s.cycle()
				clear(in)
				for _, p := range s.nic.credits.in {
					if p.left > 0 {
						in[p.node][p.class]++
					}
				}
				for router, room := range s.nic.credits.room {
					for class := range s.protocol.classes {
						if out := 1 - room[class]; out < 0 || out > 1 || in[router][class] > 1 {
							t.Fatalf("%s on %s, cycle %d: router %d, class %d: %d messages on their way out, %d packets on their way in; one each has room",
								protocol, model, s.now, router, class, out, in[router][class])
						}
					}
				}
			}
			if s.failure != nil {
				t.Fatalf("%s on %s: %v", protocol, model, s.failure)
			}
			if err := s.audit.checkEnd(); err != nil {
				t.Errorf("%s on %s: %v", protocol, model, err)
			}
			if free, all := len(s.nic.credits.free), len(s.nic.credits.in); free != all {
				t.Errorf("%s on %s: at the end %d of %d slots are free", protocol, model, free, all)
			}
			for router, room := range s.nic.credits.room {
				for class := range s.protocol.classes {
					if room[class] != 1 {
						t.Fatalf("%s on %s: at the end router %d, class %d, has %d of 1 credits", protocol, model, router, class, room[class])
					}
				}
			}
		}
	}
}
