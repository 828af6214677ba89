package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestFreePlaces compares the sums of four classes at once with plain ones, within the limits.
func TestFreePlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := extended(rotary.DefaultMRR())
		c.Classes = rapid.IntRange(1, 8).Draw(t, "classes")
		c.ClassStep = rapid.IntRange(0, 4).Draw(t, "step")
		n, err := New(topology.Torus(4, 4), c)
		if err != nil {
			t.Skip(err)
		}
		held, left := int16(0), make([]int16, c.Classes) // free places at the level of each class
		for class := range left {
			k := rapid.Int16Range(0, n.limits[class]-held).Draw(t, "places")
			for range k {
				n.takePlace(0, packet(class)<<classShift)
			}
			held += k
			left[class] = n.limits[class] - held
		}
		h := &n.places[0].held
		for class := range left {
			least := slices.Min(left[class:])
			for most, want := range map[*levels]bool{&n.plenty: least >= n.takers(), &n.leavesTwo: least >= 2, &n.leavesOne: least >= 1} {
				if got := n.free(h, most, noc.Class(class)); got != want {
					t.Errorf("class %d, places %x of limits %v, to leave %x: %v, want %v", class, *h, n.limits, *most, got, want)
				}
			}
		}
		if got, want := n.hasPlenty(h), n.free(h, &n.plenty, 0); got != want {
			t.Errorf("places %x of limits %v: plenty %v, want %v", *h, n.limits, got, want)
		}
	})
}
