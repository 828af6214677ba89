package cmp

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/cache"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// partly replays a random trace of which a part is measured; 0 records stand for all of them.
func partly(t *testing.T, lead, records uint64, edit func(*Config)) (*Result, uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 1))
	streams := make([][]traces.Record, 4)
	total := uint64(0)
	for core := range streams {
		for i := range 1500 + 100*core {
			kinds := []traces.Kind{traces.Load, traces.Load, traces.Store, traces.Fetch, traces.Atomic, traces.Fence}
			rec := traces.Record{Kind: kinds[r.IntN(len(kinds))], Address: 64 * uint64(r.IntN(96)), Instructions: 1 + r.Uint32N(5)}
			switch {
			case r.IntN(100) == 0:
				rec.Instructions = 500
			case i%200 == 199 && i < 1400:
				rec = traces.Record{Kind: traces.Barrier, Address: 1, Count: 4, Instructions: 1}
			case rec.Kind == traces.Fence:
				rec.Address = 0
			}
			streams[core] = append(streams[core], rec)
		}
		total += uint64(len(streams[core])) + 1
	}
	c := Default()
	c.L1, c.L2 = cache.Config{Sets: 8, Ways: 2}, cache.Config{Sets: 4, Ways: 4}
	c.BanksPerRouter, c.Place.MemoryControllers, c.EpochCycles, c.AuditEvery = 1, 2, 700, 1000
	if edit != nil {
		edit(&c)
	}
	network := build(t, "mrr", func(o *models.Options) { o.Grid = topology.Torus(2, 2) })
	s := must.Get(New(c, network, traces.NewMemory(streams, nil).Measuring(lead, records), 1))
	result := must.Get(s.Run(context.Background(), nil))
	return &result, total
}

// TestPartsAddUp: the parts of a trace take as long as the whole together, and count as much.
func TestPartsAddUp(t *testing.T) {
	for _, edit := range []func(*Config){nil, func(c *Config) { c.Protocol = "directory" }, func(c *Config) { c.Core.Plain = true }} {
		whole, total := partly(t, 0, 0, edit)
		var sum Result
		sum.Cores = make([]CoreResult, 4)
		start := whole.Start
		for _, ends := range [][2]uint64{{0, 700}, {700, 4000}, {4000, 4100}, {4100, total}} {
			p, _ := partly(t, ends[0], ends[1]-ends[0], edit)
			if p.Start != start {
				t.Errorf("the part from %d starts in cycle %d, want %d", ends[0], p.Start, start)
			}
			start += p.Cycles
			sum.Cycles += p.Cycles
			sum.Instructions += p.Instructions
			sum.Loads, sum.Fetches, sum.Barriers = sum.Loads+p.Loads, sum.Fetches+p.Fetches, sum.Barriers+p.Barriers
			sum.L1Hits, sum.L1Misses = sum.L1Hits+p.L1Hits, sum.L1Misses+p.L1Misses
			sum.MemoryReads, sum.MissLatencySum = sum.MemoryReads+p.MemoryReads, sum.MissLatencySum+p.MissLatencySum
			sum.Network.Delivered, sum.Network.PhitHops = sum.Network.Delivered+p.Network.Delivered, sum.Network.PhitHops+p.Network.PhitHops
			if last := p.RouterEpochs[len(p.RouterEpochs)-1]; last.Cycle != p.Cycles+p.DrainCycles {
				t.Errorf("the part from %d takes %d cycles, but its routers have been sampled for %d", ends[0], p.Cycles, last.Cycle)
			}
			for i := range p.Cores {
				c := &p.Cores[i]
				stalls, parts := uint64(0), uint64(0)
				for _, n := range c.StallCycles {
					stalls += n
				}
				for _, n := range c.ComponentCycles {
					parts += n
				}
				if c.RetiringCycles+stalls != uint64(c.FinishCycle) || parts != stalls || c.FinishCycle > p.Cycles {
					t.Errorf("core %d of the part from %d: %d retiring, %d stalls, %d in parts, of %d in %d", i, ends[0], c.RetiringCycles, stalls, parts, c.FinishCycle, p.Cycles)
				}
				sum.Cores[i].Records += c.Records
				sum.Cores[i].StallCycles[StallLoad] += c.StallCycles[StallLoad]
			}
		}
		if sum.Cycles != whole.Cycles || sum.Instructions != whole.Instructions || sum.Loads != whole.Loads || sum.Fetches != whole.Fetches || sum.Barriers != whole.Barriers {
			t.Errorf("parts take %d cycles for %d instructions, the whole %d for %d", sum.Cycles, sum.Instructions, whole.Cycles, whole.Instructions)
		}
		if sum.L1Hits != whole.L1Hits || sum.L1Misses != whole.L1Misses || sum.MemoryReads > whole.MemoryReads || sum.MissLatencySum != whole.MissLatencySum ||
			sum.Network.Delivered > whole.Network.Delivered || sum.Network.Delivered < whole.Network.Delivered*99/100 {
			t.Errorf("parts: %+v; whole: %+v", sum, whole)
		}
		for i := range sum.Cores {
			if sum.Cores[i].Records != whole.Cores[i].Records || sum.Cores[i].StallCycles[StallLoad] != whole.Cores[i].StallCycles[StallLoad] {
				t.Errorf("core %d: %+v in parts, %+v in the whole", i, sum.Cores[i], whole.Cores[i])
			}
		}
	}
}

// TestNoPart: a trace that ends before the part that is to be measured gives an error.
func TestNoPart(t *testing.T) {
	network := build(t, "mrr", func(o *models.Options) { o.Grid = topology.Torus(2, 2) })
	c := Default()
	c.BanksPerRouter, c.Place.MemoryControllers = 1, 2
	s := must.Get(New(c, network, traces.NewMemory(make([][]traces.Record, 4), nil).Measuring(9, 1), 1))
	if _, err := s.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "measuring starts after 9 records of all cores, and the trace has 4") {
		t.Errorf("no part: %v", err)
	}
}

// TestPartEveryCycle: a part is the same if quiet cycles are simulated.
func TestPartEveryCycle(t *testing.T) {
	for _, lead := range []uint64{1, 333, 2800, 4001} {
		quick, _ := partly(t, lead, 1900, nil)
		slow, _ := partly(t, lead, 1900, func(c *Config) { c.EveryCycle = true })
		a, b := reflect.ValueOf(*quick), reflect.ValueOf(*slow)
		for i := range a.NumField() {
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				t.Errorf("lead %d: %s is %+v, and if every cycle is simulated %+v", lead, a.Type().Field(i).Name, a.Field(i), b.Field(i))
			}
		}
	}
}
