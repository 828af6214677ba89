package rotary

import (
	"math/rand/v2"
	"testing"
)

// TestPool: a router has a place for whatever may stand in it, each once, and the first free one is taken.
func TestPool(t *testing.T) {
	for ports := 3; ports <= maxWordPorts; ports++ {
		places, s := poolPlaces(ports), words{}
		s.clearPool(places)
		if need := 14 * ports; places-1 < need {
			t.Errorf("%d ports have %d places, need %d", ports, places-1, need)
		}
		for want := 1; want < places; want++ {
			if got := s.take(); int(got) != want {
				t.Fatalf("%d ports: place %d, want %d", ports, got, want)
			}
		}
		if s.free != 0 || s.rest != 0 {
			t.Errorf("%d ports have places left when all are taken", ports)
		}
		for _, place := range rand.New(rand.NewPCG(1, uint64(ports))).Perm(places - 1) {
			s.drop(uint8(place + 1))
			if got := s.take(); int(got) != place+1 {
				t.Fatalf("%d ports: place %d, want %d, which is free", ports, got, place+1)
			}
		}
	}
}
