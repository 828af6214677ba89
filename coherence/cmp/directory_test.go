package cmp_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
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
	for i, name := range models.Names() {
		for variant := range 3 {
			if variant != i%3 && os.Getenv("CAROUSEL_LONG") == "" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, variant), func(t *testing.T) {
				var digests []uint64
				const records = 80
				for _, every := range []bool{false, true} {
					c := smallDirectory(variant)
					c.EveryCycle = every
					r := run(t, c, network(t, name, 1, func(o *models.Options) { o.Grid, o.EveryCycle = topology.Torus(4, 4), every }),
						contention(16, records, 50, 1), 1)
					digests = append(digests, r.Digest)
					if got := r.Loads + r.Stores + r.Atomics + r.Fetches; got != 16*records {
						t.Errorf("%d records executed, want %d", got, 16*records)
					}
					if r.MemoryWrites == 0 || r.Classes[1].Casts[cmp.Multicast] == 0 {
						t.Errorf("%d blocks written back and %d invalidations of several caches: nothing collided", r.MemoryWrites,
							r.Classes[1].Casts[cmp.Multicast])
					}
				}
				if digests[0] != digests[1] {
					t.Errorf("digest %x when skipping quiet cycles, %x when visiting all", digests[0], digests[1])
				}
			})
		}
	}
}
