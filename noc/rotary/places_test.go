package rotary

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carousel-sim/carousel/noc/topology"
)

// TestHasPlenty compares the sums of four classes at once with plain ones, within the limits.
func TestHasPlenty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := DefaultMRR()
		c.Classes = rapid.IntRange(1, 8).Draw(t, "classes")
		c.ClassStep = rapid.IntRange(0, 4).Draw(t, "step")
		n, err := New(topology.Torus(4, 4), c)
		if err != nil {
			t.Skip(err)
		}
		held, plenty := int16(0), true
		for class := range c.Classes {
			k := rapid.Int16Range(0, n.limits[class]-held).Draw(t, "places")
			for range k {
				n.takePlace(0, packet(class)<<classShift)
			}
			held += k
			plenty = plenty && n.limits[class]-held >= n.takers()
		}
		h := &n.places[0]
		if got := n.hasPlenty(h); got != plenty {
			t.Errorf("places %x of limits %v: plenty %v, want %v", h.held, n.limits, got, plenty)
		}
	})
}
