package cmp

import (
	"context"
	"fmt"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads"
)

// TestHitLatency: what waits for a load that hits waits as long as the L1 takes; loads that do not wait overlap.
func TestHitLatency(t *testing.T) {
	load := access(traces.Load, 64, 1)
	dependent := access(traces.Load, 640, 1)
	dependent.Dependence = 1
	atomic := access(traces.Atomic, 64, 1)
	for _, c := range []struct {
		records []traces.Record
		want    noc.Cycle // with a hit in 4 cycles; 3 less for each that waits with one in 1
	}{
		{[]traces.Record{load, end(0)}, 5},
		{[]traces.Record{load, load, end(0)}, 5},
		{[]traces.Record{load, dependent, end(0)}, 9},
		{[]traces.Record{atomic, atomic, end(0)}, 9},
	} {
		r, _ := replay(t, hits, func(c *Config) { c.Latency.Hit = 4 }, one(c.records...))
		if r.Cycles != c.want {
			t.Errorf("%v took %d cycles, want %d", c.records, r.Cycles, c.want)
		}
	}
}

// TestMisprediction: instructions behind each tenth branch wait until it has retired, and for the refill. Of 40
// instructions, four are mispredicted: 3 cycles to dispatch ten of them, one to retire the last, 15 to refill.
func TestMisprediction(t *testing.T) {
	for _, c := range []struct {
		records []traces.Record
		every   uint64
		want    noc.Cycle
	}{
		{[]traces.Record{end(40)}, 10, 3*(3+15) + 3},
		{[]traces.Record{end(40)}, 40, 10},
		{[]traces.Record{end(40)}, 39, 10 + 15 + 1},
		{[]traces.Record{end(1000)}, 500, 125 + 15 + 125},
		// The branch behind a miss waits for it: the load issues in cycle 1 and is ready in 302.
		{[]traces.Record{access(traces.Load, 64, 1), end(39)}, 20, 302 + 4 + 15 + 5},
	} {
		r, _ := replay(t, misses(300), func(k *Config) { k.Core.MispredictEvery = c.every }, one(c.records...))
		if r.Cycles != c.want {
			t.Errorf("a misprediction every %d instructions: %d cycles, want %d", c.every, r.Cycles, c.want)
		}
	}
}

// TestPrefetch: a load that misses requests the blocks behind it, as far as its page reaches.
func TestPrefetch(t *testing.T) {
	_, p := replay(t, misses(300), func(c *Config) { c.Core.Prefetch = 2 }, one(access(traces.Load, 64*61, 1), access(traces.Load, 64*62, 1), end(0)))
	var blocks []coherence.Block
	for _, a := range p.caches[0].log {
		blocks = append(blocks, a.Block)
	}
	want := []coherence.Block{61, 62, 63, 62, 63}
	if len(blocks) != len(want) {
		t.Fatalf("blocks %v, want %v", blocks, want)
	}
	for i := range want {
		if blocks[i] != want[i] {
			t.Fatalf("blocks %v, want %v", blocks, want)
		}
	}
}

// TestOrderIgnored: a core that ignores the recorded order does not wait for the write that another core makes.
func TestOrderIgnored(t *testing.T) {
	source := func() *script {
		return &script{records: [][]traces.Record{{access(traces.Store, 64, 4000), end(0)}, {access(traces.Load, 64, 1), end(0)}},
			edges: [][]traces.Edge{nil, {{At: 0, Producer: 0, Position: 0}}}}
	}
	for order, want := range map[string]noc.Cycle{Keep: 1000, Ignore: 2} {
		r, _ := replay(t, hits, func(c *Config) { c.Core.Order = order }, source)
		if got := r.Cores[1].FinishCycle; got < want || got > want+5 {
			t.Errorf("order %s: the reader ends in cycle %d, want %d", order, got, want)
		}
	}
}

// TestLatencies: the latency of each part and the clock of the network lengthen misses by what a miss passes through.
func TestLatencies(t *testing.T) {
	miss := func(edit func(*Config)) uint64 {
		c := Default()
		c.Perturb = 0
		edit(&c)
		source := &script{records: make([][]traces.Record, 16)}
		for i := range source.records {
			source.records[i] = []traces.Record{end(0)}
		}
		source.records[0] = []traces.Record{access(traces.Load, 64*5, 1), end(0)}
		r := must.Get(must.Get(New(c, build(t, "ideal"), source, 1)).Run(context.Background(), nil))
		return r.MissLatencySum
	}
	for _, protocol := range []string{"token", "directory", "msi"} {
		base := miss(func(c *Config) { c.Protocol = protocol })
		for _, part := range []struct {
			name  string
			at    func(*Config) *noc.Cycle
			times uint64
		}{
			{"l1", func(c *Config) *noc.Cycle { return &c.Latency.L1 }, 1},
			{"bank", func(c *Config) *noc.Cycle { return &c.Latency.Bank }, map[string]uint64{"token": 1, "directory": 2, "msi": 2}[protocol]},
			{"controller", func(c *Config) *noc.Cycle { return &c.Latency.Controller }, 1},
			{"hit", func(c *Config) *noc.Cycle { return &c.Latency.Hit }, 0},
		} {
			got := miss(func(c *Config) { c.Protocol = protocol; *part.at(c) += 10 })
			if got != base+10*part.times {
				t.Errorf("%s: 10 cycles more at %s make a miss of %d cycles take %d", protocol, part.name, base, got)
			}
		}
		half, quarter := miss(func(c *Config) { c.Protocol, c.NetworkClock = protocol, "1/2" }), miss(func(c *Config) { c.Protocol, c.NetworkClock = protocol, "1/4" })
		if flight := half - base; flight < 20 || quarter < base+3*flight-8 || quarter > base+3*flight+8 {
			t.Errorf("%s: a miss takes %d, %d and %d cycles with networks of the clocks 1, 1/2, 1/4", protocol, base, half, quarter)
		}
	}
}

// TestSlowNetwork: with a slower network, results do not depend on whether quiet cycles are skipped. In router ideal
// packets leave when they are offered.
func TestSlowNetwork(t *testing.T) {
	for _, router := range []string{"mrr", "ideal"} {
		c := Default()
		if c.NetworkClock = "1/4"; router == "mrr" {
			c.InterfaceSlots, c.CheckEvery = 8, 500
			c.Core.Prefetch, c.Core.MispredictEvery, c.Latency.Hit = 2, 100, 3
		}
		var digests [2]uint64
		for i := range digests {
			c.EveryCycle = i == 1
			w := workloads.Default()
			w.Records = 300
			source := must.Get(workloads.Open("uniform-sharing", w))
			digests[i] = must.Get(must.Get(New(c, build(t, router), source, 1)).Run(context.Background(), nil)).Digest
		}
		if digests[0] != digests[1] {
			t.Errorf("%s: digests %x", router, digests)
		}
	}
}

// TestPrefetchRepeated: a prefetch whose request finds no tokens is still repeated after the last core has
// finished, so that nothing waits at the end.
func TestPrefetchRepeated(t *testing.T) {
	c := Default()
	c.Latency.Hit, c.Core.Prefetch, c.L1.Sets = 4, 1, 2
	for records := range 120 {
		streams := mixedStreams(4, 1+records)
		runBoth(t, fmt.Sprint(records), c, func() traces.Source { return traces.NewMemory(streams, nil) })
	}
}
