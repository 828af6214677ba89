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
		r, held, plenty := &n.routers[0], int16(0), true
		for class := range c.Classes {
			k := rapid.Int16Range(0, n.limits[class]-held).Draw(t, "places")
			r.places[class] = k
			held += k
			plenty = plenty && n.limits[class]-held >= n.takers()
		}
		if got := n.hasPlenty(r); got != plenty {
			t.Errorf("places %v of limits %v: plenty %v, want %v", r.places, n.limits, got, plenty)
		}
	})
}
