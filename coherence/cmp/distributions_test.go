package cmp_test

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
)

// The distributions agree with each other and with the sums beside them, for all protocols, and
// what a protocol cannot have is absent.
func TestDistributionsAddUp(t *testing.T) {
	for _, p := range cmp.Protocols {
		c := cmp.Default()
		c.Protocol, c.EpochCycles = p.Name, 100
		c.Directory.Transactions = 1
		r := run(t, c, network(t, "mrr", 1, nil), contention(16, 300, 8, 1), 1)
		count, sum := map[string]uint64{}, map[string]uint64{}
		for _, d := range r.Distributions {
			if d.Low > d.High || d.Count == 0 || d.Sum < d.Low*d.Count || d.Sum > d.High*d.Count {
				t.Errorf("%s: %+v cannot be", p.Name, d)
			}
			count[d.Measure] += d.Count
			sum[d.Measure] += d.Sum
		}
		if count[cmp.MissLatency] != r.MissCount || sum[cmp.MissLatency] != r.MissLatencySum {
			t.Errorf("%s: %d misses of %d cycles; the result has %d of %d", p.Name, count[cmp.MissLatency], sum[cmp.MissLatency], r.MissCount, r.MissLatencySum)
		}
		if sum[cmp.MemoryService] != r.MemoryReads+r.MemoryWrites {
			t.Errorf("%s: the memories moved %d blocks; the result has %d", p.Name, sum[cmp.MemoryService], r.MemoryReads+r.MemoryWrites)
		}
		if several := r.Packets(cmp.Multicast) + r.Packets(cmp.Broadcast); count[cmp.Destinations] < several {
			t.Errorf("%s: %d messages of several destinations; the network took %d", p.Name, count[cmp.Destinations], several)
		}
		if n := uint64(len(r.Epochs)) * 16; count[cmp.OpenMisses] != n {
			t.Errorf("%s: %d samples of open misses in %d epochs", p.Name, count[cmp.OpenMisses], len(r.Epochs))
		}
		token := p.Name == "token"
		if (count[cmp.TokenAnswers] > 0) != token || (count[cmp.HomeStalls] > 0) == token || (count[cmp.Transactions] > 0) != (p.Name == "directory") {
			t.Errorf("%s: %d answers, %d stalls, %d samples of transactions", p.Name, count[cmp.TokenAnswers], count[cmp.HomeStalls], count[cmp.Transactions])
		}
		if token && count[cmp.TokenAnswers] < r.MissCount {
			t.Errorf("answers are counted for %d misses of %d", count[cmp.TokenAnswers], r.MissCount)
		}
	}
}
