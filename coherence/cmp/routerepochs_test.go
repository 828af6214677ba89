package cmp

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// counters is a network of two routers that only counts.
type counters struct {
	noc.Network
	links, ejected uint64
}

func (c *counters) Activity(into []noc.Activity) []noc.Activity {
	return append(into, noc.Activity{LinkPhits: c.links}, noc.Activity{EjectPhits: c.ejected})
}

// TestRouterEpochs: whatever the length of a run, epochs are few, in order, of one length but for
// the last, and nothing is lost or counted twice. Sampling allocates nothing.
func TestRouterEpochs(t *testing.T) {
	for samples := range 300 {
		c := &counters{}
		e := newRouterEpochs(c)
		for i := range samples {
			c.links, c.ejected = c.links+uint64(i), c.ejected+1
			e.sample(c, noc.Cycle(10*(i+1)), i == samples-1)
		}
		if len(e.list) > mostRouterEpochs || samples > 0 && len(e.list) == 0 || samples <= mostRouterEpochs && len(e.list) != samples {
			t.Fatalf("%d samples give %d epochs", samples, len(e.list))
		}
		var links, ejected uint64
		for i, epoch := range e.list {
			links, ejected = links+epoch.Phits[0], ejected+epoch.Phits[1]
			if want := noc.Cycle(10 * e.length * (i + 1)); i < len(e.list)-1 && epoch.Cycle != want {
				t.Fatalf("%d samples: epoch %d of %d ends at %d; want %d", samples, i, len(e.list), epoch.Cycle, want)
			}
		}
		if links != c.links || ejected != c.ejected {
			t.Fatalf("%d samples: %d and %d phits of %d and %d", samples, links, ejected, c.links, c.ejected)
		}
	}
	c := &counters{}
	e := newRouterEpochs(c)
	if n := testing.AllocsPerRun(100, func() { e.sample(c, 1, false) }); n > 0 {
		t.Errorf("a sample allocates %g times", n)
	}
}
