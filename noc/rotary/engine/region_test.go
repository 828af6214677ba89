package engine

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestThreads compares networks of several threads with those of one: in every cycle, everything
// that clients see is the same. All threads simulate every cycle without a multicast, however few
// processors there are.
func TestThreads(t *testing.T) {
	for _, run := range []struct {
		scheme       rotary.Scheme
		grid         topology.Grid
		load, others float64
	}{
		{rotary.Replicate, topology.Torus(20, 13), 0.2, 0.01},
		{rotary.Adaptive, topology.Torus(20, 13), 0.2, 0.0003},
		{rotary.Adaptive, topology.Torus(2, 100), 0.5, 0},
		{rotary.Tree, topology.Mesh(5, 9, 6), 0.1, 0.0003},
		{rotary.Path, topology.Torus(130), 0.02, 0.001},
	} {
		for threads := 1; threads <= 4; threads++ {
			t.Run(fmt.Sprintf("%s/%s/%d", run.scheme, run.grid, threads), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, threads-1)))
				c := rotary.DefaultRR()
				c.Multicast, c.SourceQueue = run.scheme, 2
				c.UnlimitedOutput = run.scheme == rotary.Tree || run.scheme == rotary.Path
				one := must.Get(New(run.grid, c))
				c.Threads = threads
				several := must.Get(New(run.grid, c))
				several.least = always
				several.Hold(true)
				defer several.Hold(false)
				p := noctest.Pair{Engine: several, Model: one, Random: random.Stream(threads), Classes: c.Classes, Phits: c.SlotPhits,
					Load: run.load, Others: run.others, Bound: true, Closely: 16}
				p.Run(t, 40)
				regions := min(threads, len(several.groups))
				if len(several.regions) != regions || several.regions[0].apart != (regions > 1) {
					t.Errorf("%d regions for %d threads; in the last cycle each had a thread: %v", len(several.regions), threads, several.regions[0].apart)
				}
			})
		}
	}
}
