package engine

import (
	"os"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

var patterns = []string{"uniform", "bit-reversal", "transpose", "perfect-shuffle", "tornado"}

// TestSaturationLives offers all that the sources can take, for RR and MRR: something must be
// delivered in every 1,000 cycles, the laws must hold, and the throughput must be that of the one
// saturated state. CAROUSEL_LONG asks for all patterns instead of two.
func TestSaturationLives(t *testing.T) {
	warm, cycles := noc.Cycle(7000), noc.Cycle(20_000)
	if testing.Short() {
		warm, cycles = 1000, 4000
	}
	for _, c := range []struct {
		config    rotary.Config
		multicast float64
		delivered [5]float64 // per pattern
	}{
		{extended(rotary.DefaultRR()), 0, [5]float64{0.82, 0.59, 0.54, 0.61, 0.33}},
		{extended(rotary.DefaultRR()), 0.1, [5]float64{0.81, 0.79, 0.78, 0.79, 0.72}},
		{extended(rotary.DefaultMRR()), 0.01, [5]float64{0.89, 0.83, 0.82, 0.81, 0.47}},
		{extended(rotary.DefaultMRR()), 0.1, [5]float64{0.96, 0.98, 0.98, 0.96, 0.96}},
	} {
		for i, pattern := range patterns {
			if i%4 != 0 && os.Getenv("CAROUSEL_LONG") == "" {
				continue
			}
			g := topology.Torus(8, 8)
			n := build(t, g, c.config)
			got := measureFrom(t, drive(t, n, g, pattern, 1, c.multicast), warm, cycles).Delivered
			if err := n.CheckInvariants(); err != nil {
				t.Error(err)
			}
			if want := c.delivered[i]; want > 0 && cycles == 20_000 && (got < want-0.03 || got > want+0.03) {
				t.Errorf("%s, %s, %v multicast: %.3f phits per node and cycle, want about %.2f", c.config.Multicast, pattern, c.multicast, got, want)
			}
		}
	}
}

// TestNobodyStarves: where some nodes send nothing but broadcasts, the unicasts of all others still
// get through, and they do not when those broadcasts are free.
func TestNobodyStarves(t *testing.T) {
	const warm, cycles = 4000, 12_000
	g := topology.Torus(8, 8)
	for _, c := range []struct {
		pattern string
		percent int
		starves bool
	}{
		{"bit-reversal", rotary.DefaultMRR().SenderPercent, false},
		{"transpose", rotary.DefaultMRR().SenderPercent, false},
		{"transpose", 0, true},
	} {
		config := extended(rotary.DefaultMRR())
		config.SenderPercent = c.percent
		n := &unicasts{Network: build(t, g, config), several: map[noc.Tag]bool{}}
		d := drive(t, n, g, c.pattern, 1, 0.15)
		d.Run(warm)
		n.got = make([]int, g.Nodes())
		d.Run(cycles)
		least := cycles
		for at, packets := range n.got {
			if targets(t, g, c.pattern)[at] != noc.NodeID(at) {
				least = min(least, packets)
			}
		}
		if starves := 5*least < (cycles-warm)*3/100; starves != c.starves {
			t.Errorf("%s, senders pay %d %%: some node delivers %d unicasts in %d cycles", c.pattern, c.percent, least, cycles-warm)
		}
	}
}

// targets returns the destination of each node under a pattern, itself if it sends no unicasts.
func targets(t *testing.T, g topology.Grid, pattern string) []noc.NodeID {
	t.Helper()
	c := traffic.Default()
	c.Pattern = pattern
	list, err := c.Targets(g)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// unicasts counts the packets with one destination that are delivered, by source.
type unicasts struct {
	noc.Network
	several map[noc.Tag]bool // packets with more
	got     []int
}

func (n *unicasts) Offer(p noc.Packet) bool {
	n.several[p.Tag] = p.Dst.Count() > 1
	return n.Network.Offer(p)
}

func (n *unicasts) Deliveries() []noc.Delivery {
	list := n.Network.Deliveries()
	for _, d := range list {
		if n.got != nil && !n.several[d.Tag] {
			n.got[d.Src]++
		}
	}
	return list
}
