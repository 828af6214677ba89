package cmp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// smallDirectory returns a chip of 16 banks for two blocks each, on which the directory protocol is
// always short of something.
func smallDirectory(variant int) cmp.Config {
	c := small()
	c.Protocol = "directory"
	c.Place.MemoryControllers, c.BanksPerRouter = 4, 1
	c.Directory.SilentS = variant == 1
	if variant == 2 {
		c.Directory.Transactions, c.Directory.StallQueue, c.Directory.WriteBacks = 1, 1, 1
	}
	return c
}

// On every network, with the variants in turn: a single writer or equal readers, a home that knows
// them, every access sees data that was the latest, checked after every step; every record executed
// once; the same result whether quiet cycles are skipped or not.
func TestDirectoryObeysEveryLawOnEveryNetwork(t *testing.T) {
	t.Parallel()
	for i, name := range models.Table().Names() {
		for variant := range 3 {
			if variant != i%3 && os.Getenv("CAROUSEL_LONG") == "" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, variant), func(t *testing.T) {
				r := lawful(t, smallDirectory(variant), name, 50, 50, topology.Torus(4, 4))
				if several := r.Classes[1].Casts[cmp.Multicast]; r.MemoryWrites == 0 || several == 0 {
					t.Errorf("%d blocks written back and %d invalidations of several caches: nothing collided", r.MemoryWrites, several)
				}
			})
		}
	}
}

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
	t.Parallel()
	reissues := func(router, topologyName, scheme string, gap uint32, fixed bool) float64 {
		c := cmp.Default()
		c.L1 = cache.Config{Sets: 4, Ways: 2, Policy: cache.LRU}
		if fixed {
			c.Token.Adaptive, c.Token.Timeout = false, 100
		}
		n := network(t, router, 1, func(o *models.Options) {
			if topologyName != "" {
				layout := must.Get(topology.Open(topologyName))
				o.Other, o.Scheme = &layout, scheme
			}
		})
		r := run(t, c, n, misses(16, 40, gap), 1)
		return float64(r.Counter("reissues")) / float64(r.L1Misses)
	}
	type machine struct{ router, topology, scheme string }
	list := []machine{{"wormhole-ideal", "bimin:butterfly:64:2", "atbm"}, {"wormhole-ideal", "min:baseline:64:8", "atbm"},
		{"wormhole-ideal", "bimin:butterfly:64:8", "umin"}, {"wormhole", "lattice:64:1", "postorder-doubling"}, {"ideal", "lattice:64:1", ""}}
	for _, name := range models.Table().Names() {
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

// BenchmarkReplay runs the embedded recording on a whole chip. Its figure is the time per memory
// reference, trace decoding and network included; setting up the chip is not.
func BenchmarkReplay(b *testing.B) {
	for _, name := range models.Table().Names() {
		b.Run(name, func(b *testing.B) {
			references := uint64(0)
			for range b.N {
				b.StopTimer()
				src, err := workloads.Open("nas-is-s", workloads.Default())
				if err != nil {
					b.Fatal(err)
				}
				s, err := cmp.New(cmp.Default(), network(b, name, 1, nil), src.Source, 1)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				r, err := s.Run(context.Background(), nil)
				if err != nil {
					b.Fatal(err)
				}
				references += r.Accesses()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(references), "ns/reference")
			b.ReportMetric(float64(references)/b.Elapsed().Seconds()/1e6, "Mref/s")
		})
	}
}
