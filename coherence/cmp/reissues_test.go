package cmp_test

import (
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// misses makes streams in which nearly every access misses and few want the same block, with so
// many instructions in between: the load of the network, and no races.
func misses(cores, records int, gap uint32) *traces.Memory {
	streams := make([][]traces.Record, cores)
	for c := range streams {
		r := rng(uint64(c)*104729 + 1)
		for range records {
			k := traces.Load
			if r.next(4) == 0 {
				k = traces.Store
			}
			streams[c] = append(streams[c], traces.Record{Kind: k, Address: r.next(4096) * 64, Instructions: gap, Size: 3})
		}
	}
	return traces.NewMemory(streams, nil)
}

// However slow a network and whatever its load, fewer requests are issued again than misses are
// made: a core that waits for its network does not load it further. The fixed timeout shows what
// happens otherwise.
func TestFewRequestsAreIssuedAgain(t *testing.T) {
	reissues := func(router, topologyName, scheme string, gap uint32, fixed bool) float64 {
		c := cmp.Default()
		c.L1 = cache.Config{Sets: 4, Ways: 2, Policy: cache.LRU}
		if fixed {
			c.Token.Adaptive, c.Token.Timeout = false, 100
		}
		n := network(t, router, 1, func(o *models.Options) {
			if topologyName != "" {
				layout, err := topology.Open(topologyName)
				if err != nil {
					t.Fatal(err)
				}
				o.Other, o.Scheme = &layout, scheme
			}
		})
		r := run(t, c, n, misses(16, 60, gap), 1)
		return float64(r.Counter("reissues")) / float64(r.L1Misses)
	}
	type machine struct{ router, topology, scheme string }
	list := []machine{{"wormhole-ideal", "bimin:butterfly:64:2", "atbm"}, {"wormhole-ideal", "min:baseline:64:8", "atbm"},
		{"wormhole-ideal", "bimin:butterfly:64:8", "umin"}, {"wormhole", "lattice:64:1", "postorder-doubling"}, {"ideal", "lattice:64:1", ""}}
	for _, name := range models.Names() {
		list = append(list, machine{router: name})
	}
	for _, m := range list {
		for _, gap := range []uint32{0, 100} {
			if got := reissues(m.router, m.topology, m.scheme, gap, false); got >= 1 {
				t.Errorf("%v, %d instructions between accesses: %.2f requests are issued again per miss", m, gap, got)
			}
		}
	}
	if got := reissues("wormhole-ideal", "bimin:butterfly:64:2", "atbm", 0, true); got < 1 {
		t.Errorf("with a fixed timeout of 100 cycles only %.2f requests are issued again per miss: the networks are not loaded", got)
	}
}
