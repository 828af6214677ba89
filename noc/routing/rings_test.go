package routing

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestDatelines: no circle of channels can wait for itself, because the half of a channel and its
// place give an order that every way climbs; without halves there are circles.
func TestDatelines(t *testing.T) {
	for _, spec := range []string{"utorus:5", "utorus:4x3", "utorus:3x5:-y+x", "utorus:2x3x4:+z-x-y"} {
		l := noctest.Must(topology.Open(spec))
		for _, halves := range []bool{true, false} {
			if got := circular(t, l, halves); got == halves {
				t.Errorf("%s, halves %v: waits in a circle: %v", spec, halves, got)
			}
		}
	}
}

// circular reports whether channels can wait for each other in a circle.
func circular(t *testing.T, l topology.Layout, halves bool) bool {
	f := noctest.Must(Rings(*l.UniTorus, l.Wiring))
	waits := map[[2]int32]map[[2]int32]bool{} // by channel and half
	for a := range noc.NodeID(l.Nodes()) {
		for b := range noc.NodeID(l.Nodes()) {
			before := [2]int32{-1, 0}
			for at := a; at != b; {
				here := [2]int32{f.Next(at, b), 0}
				if halves {
					here[1] = int32(f.(Datelined).Half(at, b))
				}
				if waits[here] == nil {
					waits[here] = map[[2]int32]bool{}
				}
				if before[0] >= 0 {
					waits[before][here] = true
				}
				at, before = l.Wiring.Channels[here[0]].To, here
			}
		}
	}
	for len(waits) > 0 { // take away those that wait for nobody who is left
		free := 0
		for c, others := range waits {
			for o := range others {
				if waits[o] == nil {
					delete(others, o)
				}
			}
			if len(others) == 0 {
				delete(waits, c)
				free++
			}
		}
		if free == 0 {
			return true
		}
	}
	return false
}
