package engine

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestThreads compares networks of several threads with those of one: in every cycle, everything
// that clients see is the same. All threads simulate every cycle without a multicast, however few
// processors there are.
func TestThreads(t *testing.T) {
	for _, scheme := range []buffered.Multicast{buffered.Replicate, buffered.Tree} {
		for threads := 1; threads <= 4; threads++ {
			t.Run(fmt.Sprintf("%s/%d", scheme, threads), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, threads-1)))
				g, c := topology.Torus(20, 13), buffered.DefaultBase()
				c.Multicast, c.SourceQueue = scheme, 2
				one := must.Get(New(g, c))
				c.Threads = threads
				several := must.Get(New(g, c))
				several.least = always
				several.Hold(true)
				defer several.Hold(false)
				p := noctest.Pair{Engine: several, Model: one, Random: random.Stream(threads), Classes: c.Classes, Phits: c.SlotPhits,
					Load: 0.2, Others: 0.01, Bound: true, Closely: 8}
				p.Run(t, 60)
				if len(several.regions) != threads || (several.Team != nil) != (threads > 1) {
					t.Errorf("%d regions for %d threads", len(several.regions), threads)
				}
			})
		}
	}
}
