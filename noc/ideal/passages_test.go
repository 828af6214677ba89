package ideal

import (
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestPassages compares the table with one that forgets nothing, in waves that make it grow.
func TestPassages(t *testing.T) {
	r, table, want := random.Stream(1), newPassages(4), map[uint64]*passage{}
	for now := noc.Cycle(0); now < 20_000; now++ {
		for range r.Below(1 + int(now%512)/16) {
			pair := uint64(r.Below(60))<<32 | uint64(r.Below(60))
			if want[pair] == nil {
				want[pair] = &passage{}
			}
			route, phits := noc.Cycle(r.Below(40)), noc.Cycle(1+r.Below(30))
			if got, all := table.of(pair, now).follow(now, route, phits), want[pair].follow(now, route, phits); got != all {
				t.Fatalf("cycle %d: a copy starts in cycle %d, want %d", now, got, all)
			}
		}
	}
	if table.most < 1<<9 || table.most > 1<<12 {
		t.Errorf("up to %d passages are kept", table.most)
	}
}

// TestMemoryFollowsTraffic: a network of thousands of nodes takes megabytes, not a table of all pairs.
func TestMemoryFollowsTraffic(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g := topology.Mesh(64, 64)
	n := must.Get(New(g, Default()))
	for node := range noc.NodeID(g.Nodes()) {
		n.Offer(noc.Packet{Src: node, Dst: noc.One(noc.NodeID(g.Nodes()-1) - node), Phits: 5})
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 16<<20 {
		t.Errorf("%d MiB were allocated", bytes>>20)
	}
}
