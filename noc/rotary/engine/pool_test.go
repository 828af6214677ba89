package engine

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestPool: a router has a place for whatever may stand in it, each once, and the first free one is
// taken.
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

// TestWordsLayout: what words says about lines of the cache, of 64 bytes.
func TestWordsLayout(t *testing.T) {
	for what, got := range map[string][2]uintptr{
		"segments begin at": {unsafe.Offsetof(words{}.segment), 64},
		"ports begin at":    {unsafe.Offsetof(words{}.port), 64 * 5},
		"words take":        {unsafe.Sizeof(words{}), 64 * 10},
		"a segment takes":   {unsafe.Sizeof(wordSegment{}), 16},
		"a port takes":      {unsafe.Sizeof(wordPort{}), 32},
	} {
		if got[0] != got[1] {
			t.Errorf("%s %d bytes, want %d", what, got[0], got[1])
		}
	}
}
