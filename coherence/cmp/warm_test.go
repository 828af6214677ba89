package cmp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/timestamps"
	"github.com/carousel-sim/carousel/traces/timestamps/timestampstest"
)

// warmChip assembles a small chip whose caches were used as a random history says, and simulates
// that history.
func warmChip(t *testing.T, protocol string, l1, l2 cache.Config, seed uint64, edit func(*Config)) (*System, *timestampstest.Simulation) {
	t.Helper()
	const cores, banks = 4, 4
	limit := traces.CacheLimit{L1Sets: 8, L1Ways: 3, L2Sets: 32, L2Ways: 8}
	r := rand.New(rand.NewPCG(seed, 5))
	tracker := must.Get(timestamps.NewTracker(cores, limit))
	plain := timestampstest.Simulate(cores, timestamps.Shape{L1Sets: l1.Sets, L1Ways: l1.Ways, L2Sets: banks * l2.Sets, L2Ways: l2.Ways,
		Set: func(b uint32) int { return int(b) % (banks * l2.Sets) }})
	for range 200 + r.IntN(1500) {
		core, kind, address := timestampstest.RandomAccess(r, cores)
		tracker.Access(core, kind, address)
		plain.Access(core, kind, address)
	}
	streams := make([][]traces.Record, cores)
	for range 800 {
		core, kind, address := timestampstest.RandomAccess(r, cores)
		streams[core] = append(streams[core], traces.Record{Kind: kind, Address: address, Instructions: 1 + r.Uint32N(5)})
	}
	source := traces.NewMemory(streams, nil).WithTimestamps(tracker.Record(), limit)
	network := build(t, "ideal", func(o *models.Options) { o.Grid = topology.Torus(2, 2) })
	c := Default()
	c.Protocol, c.L1, c.L2, c.BanksPerRouter, c.Place.MemoryControllers, c.CheckEvery = protocol, l1, l2, 1, 2, 1
	if edit != nil {
		edit(&c)
	}
	s := must.Get(New(c, network, source, seed))
	return s, plain
}

// TestSharedFilling: a chip that finds the filling of another one holds the same and runs the same,
// without reading the trace's record again, whatever the other one has done since.
func TestSharedFilling(t *testing.T) {
	for _, entry := range Protocols {
		small := cache.Config{Sets: 2, Ways: 2}
		first, _ := warmChip(t, entry.Name, small, cache.Config{Sets: 4, Ways: 4}, 1, nil)
		filling, digests := new(Filling), [3]uint64{}
		for i := range digests {
			streams := make([][]traces.Record, 4)
			for n := range uint64(200) { // everything leaves the caches
				streams[0] = append(streams[0], traces.Record{Kind: traces.Store, Address: 192 + 64*n, Instructions: 1})
			}
			source := traces.NewMemory(streams, nil)
			if i < 2 {
				source = source.WithTimestamps(&traces.Timestamps{Entries: []traces.Timestamp{{Block: 3, Cache: 2}, {Block: 5, Cache: 2},
					{Block: 1, Cache: 2, Flags: traces.Wrote | traces.Written}}}, // block 3 is in the L2 alone
					traces.CacheLimit{L1Sets: 8, L1Ways: 3, L2Sets: 32, L2Ways: 8})
			} else {
				source = source.WithTimestamps(nil, traces.CacheLimit{}) // a second reading would leave the caches empty
			}
			share := filling
			if i == 0 {
				share = new(Filling)
			}
			network := build(t, "ideal", func(o *models.Options) { o.Grid = topology.Torus(2, 2) })
			s := must.Get(NewFilled(first.config, network, source, 1, share))
			if got := holds(s.agents.caches[1]); !s.Warm() || !slices.Equal(got, []uint32{1, 5}) {
				t.Fatalf("%s, chip %d: L1 1 holds %v", entry.Name, i, got)
			}
			digests[i] = must.Get(s.Run(context.Background(), nil)).Digest
		}
		if digests[1] != digests[0] || digests[2] != digests[0] {
			t.Errorf("%s: digests %x", entry.Name, digests)
		}
	}
}

// holds lists the blocks of a controller, ordered.
func holds(c coherence.Controller) (list []uint32) {
	c.VisitLines(func(b coherence.Block, l coherence.Line) {
		if l.Readable || l.Valid || !l.Sharers.Empty() {
			list = append(list, uint32(b))
		}
	})
	slices.Sort(list)
	return list
}

// compareL1s reports how the L1s differ from the simulation's, without the blocks that are missing
// in an inclusive L2.
func compareL1s(s *System, plain *timestampstest.Simulation, inclusive bool) error {
	for core, c := range s.agents.caches {
		var want []uint32
		for _, sets := range plain.L1[2*core : 2*core+2] {
			for _, set := range sets {
				for _, b := range set {
					if !inclusive || slices.Contains(plain.L2[plain.Shape.Set(b)], b) {
						want = append(want, b)
					}
				}
			}
		}
		slices.Sort(want)
		if got := holds(c); !slices.Equal(got, want) {
			return fmt.Errorf("core %d holds %v, want %v", core, got, want)
		}
	}
	return nil
}

// compareBanks reports how the L2 differs from the simulation's. A bank of the token protocol has
// no frame for a block of which one L1 has all tokens.
func compareBanks(s *System, plain *timestampstest.Simulation, token bool) error {
	for bank, c := range s.agents.banks {
		var want []uint32
		for _, set := range plain.L2 {
			for _, b := range set {
				if int(b)%len(s.agents.banks) != bank {
					continue
				}
				here := true
				for _, l1 := range s.agents.caches {
					here = here && !(token && l1.Line(coherence.Block(b)).Owner)
				}
				if here {
					want = append(want, b)
				}
			}
		}
		slices.Sort(want)
		if got := holds(c); !slices.Equal(got, want) {
			return fmt.Errorf("bank %d holds %v, want %v", bank, got, want)
		}
	}
	return nil
}

// TestWarmCaches: before the first cycle the caches hold what a simulation of all accesses before
// it holds, in every size up to the limit and under every protocol, in a legal state; and from
// there the protocols run as ever, with every block and value checked in every cycle.
func TestWarmCaches(t *testing.T) {
	for _, entry := range Protocols {
		token := entry.Name == "token"
		for seed := range uint64(3) {
			for sets := 1; sets <= 8; sets *= 2 {
				for ways := 1; ways <= 3; ways++ {
					l1 := cache.Config{Sets: sets, Ways: ways}
					l2 := cache.Config{Sets: sets, Ways: 2*ways + 2}
					s, plain := warmChip(t, entry.Name, l1, l2, seed, nil)
					err := s.audit.checkNow()
					if err == nil {
						err = compareL1s(s, plain, entry.Inclusive)
					}
					if err == nil {
						err = compareBanks(s, plain, token)
					}
					if err == nil && sets == 2 {
						_, err = s.Run(context.Background(), nil)
					}
					if err != nil || !s.Warm() {
						t.Fatalf("%s, seed %d, L1 %+v, L2 %+v: %v", entry.Name, seed, l1, l2, err)
					}
				}
			}
		}
	}
}

// TestColdCaches: chip.cold leaves them empty, and caches beyond the record's limit are refused.
func TestColdCaches(t *testing.T) {
	small := cache.Config{Sets: 2, Ways: 2}
	s, _ := warmChip(t, "token", small, small, 1, func(c *Config) { c.Cold = true })
	for core, c := range s.agents.caches {
		if list := holds(c); s.Warm() || len(list) > 0 {
			t.Errorf("core %d holds %v", core, list)
		}
	}
	least := traces.CacheLimit{L1Sets: 1, L1Ways: 1, L2Sets: 1, L2Ways: 1}
	source := traces.NewMemory(make([][]traces.Record, 4), nil).WithTimestamps(new(traces.Timestamps), least)
	if err := s.warm(source, new(Filling)); err != nil {
		t.Error(err)
	}
	s.config.Cold = false
	if err := s.warm(source, new(Filling)); err == nil {
		t.Error("caches beyond the limit are filled")
	}
}
