package messages

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// stagesPoint is a point on a multistage network with the times of the paper, in cycles of 20 ns.
func stagesPoint(network, scheme string) Config {
	c := Default()
	c.Topology, c.Scheme, c.Startup, c.Route, c.BufferFlits, c.Header, c.Arrivals = network, scheme, 25, 3, 0, 1, Normalized
	c.Load, c.MulticastFraction, c.Batches, c.BatchMessages, c.WarmBatches = 0.1, 0.5, 5, 1000, 2
	return c
}

// TestFormulas: messages arise as the formulas say: unicasts and multicasts at their intervals,
// multicasts to N/2 nodes with a deviation of N/4 that the limits cut, and copies make up the load.
func TestFormulas(t *testing.T) {
	for _, network := range []string{"min:baseline:64:4", "bimin:butterfly:64:8"} {
		for _, mix := range Mixes {
			c := stagesPoint(network, "atbm")
			c.Mix, c.MulticastFraction = mix, 0.2
			l := must.Get(topology.Open(network))
			g := newGenerator(c, l, 3)
			const n = 60_000
			multicasts, copies, squares := 0.0, 0.0, 0.0
			for range n {
				m := g.take()
				if k := float64(m.to.Count()); m.kind == toMany {
					multicasts, copies, squares = multicasts+1, copies+k, squares+k*k
				} else if k != 1 || m.to.Has(m.source) {
					t.Fatalf("a unicast to %d nodes", m.to.Count())
				}
			}
			time := float64(g.births[0].at) / (1 << 16)
			mean := copies / multicasts
			share := multicasts / n
			if mix == Copies {
				share = copies / (copies + n - multicasts)
			}
			for what, pair := range map[string][2]float64{
				"share":            {share, 0.2},
				"destinations":     {mean, 32},
				"their deviation":  {math.Sqrt(squares/multicasts - mean*mean), 15.0},
				"load of all":      {(copies + n - multicasts) / time * perCopy(l.Multistage, c.Flits), c.Load},
				"flits per copy":   {perCopy(l.Multistage, c.Flits) * 64, map[string]float64{"min:baseline:64:4": 64, "bimin:butterfly:64:8": 64 * (56.0*3 + 7) / 63 / 4}[network]},
				"unicast interval": {time * 64 / (n - multicasts), c.intervals(l.Multistage)[toOne]},
			} {
				if math.Abs(pair[0]/pair[1]-1) > 0.06 {
					t.Errorf("%s, %s: %s is %g, want %g", network, mix, what, pair[0], pair[1])
				}
			}
		}
	}
}

// onceOnly does a point whose batches decide, however short.
func onceOnly(c Config, seed uint64) *Result {
	return must.Get(simulate(context.Background(), c, seed, true, quiet))
}

// TestMulticastingInSwitches: below saturation the delivered load is the offered one, and tree
// worms are faster than software by far, and do not hold up unicasts; far above it runs say that
// they are saturated.
func TestMulticastingInSwitches(t *testing.T) {
	for _, network := range []string{"min:baseline:64:4", "bimin:butterfly:64:4"} {
		mean := map[string]tables.Batch{}
		for _, scheme := range []string{"atbm", "software"} {
			r := onceOnly(stagesPoint(network, scheme), 1)
			b := r.Batches[0]
			accepted := 0.0
			for _, b := range r.Batches {
				accepted += b.Accepted.Value / float64(len(r.Batches))
			}
			if r.Saturated || b.Multicasts == 0 || math.Abs(accepted/0.1-1) > 0.15 {
				t.Errorf("%s on %s: delivered load %g, %+v", scheme, network, accepted, b)
			}
			mean[scheme] = b
			c := stagesPoint(network, scheme)
			c.Load, c.BatchMessages = 1, 1000
			if r := must.Get(Run(context.Background(), c, 1, quiet)); !r.Saturated || r.Batches[0].Accepted.Value > 0.9 || r.Batches[0].Accepted.Value < 0.1 {
				t.Errorf("%s on %s at load 1: saturated %v, %+v", scheme, network, r.Saturated, r.Batches[0])
			}
		}
		if a, s := mean["atbm"], mean["software"]; a.MulticastLatencyMean.Value*2 > s.MulticastLatencyMean.Value || a.UnicastLatencyMean.Value > 1.05*s.UnicastLatencyMean.Value {
			t.Errorf("%s: atbm %+v, software %+v", network, a, s)
		}
	}
}

// TestBatchesAgree: near saturation the length of the batches changes neither whether a network
// carries its load nor what was measured, because both are left to longer ones.
func TestBatchesAgree(t *testing.T) {
	c := stagesPoint("bimin:butterfly:64:8", "atbm")
	c.Mix, c.MulticastFraction, c.Load, c.Batches, c.WarmBatches = Counts, 0.5, 0.3, 6, 1
	c.BatchMessages = longBatch
	want := must.Get(Run(context.Background(), c, 1, quiet))
	c.BatchMessages = 4000
	if r := must.Get(Run(context.Background(), c, 1, quiet)); r.Saturated != want.Saturated || r.Cycles != want.Cycles {
		t.Errorf("short batches: saturated %v, %d cycles; want %v, %d", r.Saturated, r.Cycles, want.Saturated, want.Cycles)
	}
}

// TestLastBatch: at a light load, where everything has arrived before the next message, the last
// batch has its load like the others.
func TestLastBatch(t *testing.T) {
	c := stagesPoint("min:baseline:16:4", "atbm")
	c.Load, c.BatchMessages = 0.01, 300
	for i, b := range must.Get(Run(context.Background(), c, 1, quiet)).Batches {
		if math.Abs(b.Accepted.Value/c.Load-1) > 0.5 {
			t.Errorf("batch %d delivers %g", i, b.Accepted.Value)
		}
	}
}

// TestStagesWithoutTokens: tree worms without tokens stop, and the error shows the circle.
func TestStagesWithoutTokens(t *testing.T) {
	c := stagesPoint("min:baseline:16:2", "atbm")
	c.Tokens, c.Load, c.MulticastFraction, c.BatchMessages, c.Arbitration = false, 0.8, 0.9, 4000, "round-robin"
	if _, err := Run(context.Background(), c, 1, quiet); err == nil || !strings.Contains(err.Error(), "wait in a circle") || !strings.Contains(err.Error(), "held by packet") {
		t.Errorf("without tokens: %v", err)
	}
	c.Tokens = true
	o := do(t, c)
	if row := o.Rows.Traffic[0]; o.State != tables.Finished || row.MulticastDestinations != 8 || row.Offered != 0.8 {
		t.Errorf("with tokens: %s, %+v, %v", o.State, row, o.Err)
	}
}

// TestShare: destinations by their share of the other nodes.
func TestShare(t *testing.T) {
	c := stagesPoint("min:baseline:64:4", "atbm")
	c.Arrivals, c.Batches, c.BatchMessages = Alone, 2, 3
	for share, want := range map[int]uint64{0: 10, 1: 1, 16: 1, 111: 7, 508: 32, 1000: 63} {
		c.Share = share
		if o := do(t, c); o.State != tables.Finished || o.Rows.Traffic[0].MulticastDestinations != want {
			t.Errorf("share %d: %d destinations, want %d (%v)", share, o.Rows.Traffic[0].MulticastDestinations, want, o.Err)
		}
	}
}

// TestTokenWait: batches count the cycles that headers wait for tokens.
func TestTokenWait(t *testing.T) {
	c := small()
	c.Arrivals, c.Topology, c.Scheme, c.Load, c.MulticastFraction = Normalized, "bimin:butterfly:16:2", "atbm", 0.1, 0.5
	c.Batches, c.BatchMessages = 3, 150
	if b := onceOnly(c, 3).Batches[0]; !(b.TokenWaitMean.Value > 0 && b.ArrivalCVHeader.Value > b.ArrivalCV.Value && b.Generated.Value > 0) {
		t.Errorf("the batch is %+v", b)
	}
}
