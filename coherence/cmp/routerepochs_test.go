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
	for cycles := noc.Cycle(1); cycles < 20_000; cycles += 37 {
		c := &counters{}
		e := newRouterEpochs(c)
		for now := noc.Cycle(1); now <= cycles; now++ {
			c.links, c.ejected = c.links+uint64(now), c.ejected+1
			if now >= e.next || now == cycles {
				e.sample(c, now, now == cycles)
			}
		}
		if n := len(e.list); n > mostRouterEpochs || n < mostRouterEpochs/2 && cycles > firstRouterEpoch*mostRouterEpochs/2 {
			t.Fatalf("%d cycles give %d epochs", cycles, n)
		}
		var links, ejected uint64
		for i, epoch := range e.list {
			links, ejected = links+epoch.Phits[0], ejected+epoch.Phits[1]
			if want := e.length * noc.Cycle(i+1); i < len(e.list)-1 && epoch.Cycle != want {
				t.Fatalf("%d cycles: epoch %d of %d ends at %d; want %d", cycles, i, len(e.list), epoch.Cycle, want)
			}
		}
		if links != c.links || ejected != c.ejected {
			t.Fatalf("%d cycles: %d and %d phits of %d and %d", cycles, links, ejected, c.links, c.ejected)
		}
	}
	c := &counters{}
	e := newRouterEpochs(c)
	if n := testing.AllocsPerRun(100, func() { e.sample(c, 1, false) }); n > 0 {
		t.Errorf("a sample allocates %g times", n)
	}
}
