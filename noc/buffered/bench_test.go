package buffered

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkCycle is one simulated cycle of an 8x8 torus under uniform traffic.
func BenchmarkCycle(b *testing.B) {
	for _, v := range []struct {
		name      string
		c         Config
		load      float64
		broadcast float64
	}{
		{"base/load=0.05", DefaultBase(), 0.05, 0},
		{"base/load=0.3", DefaultBase(), 0.3, 0},
		{"base/load=1", DefaultBase(), 1, 0},
		{"base-mc/load=0.05", DefaultBaseMC(), 0.05, 0},
		{"base-mc/load=0.3", DefaultBaseMC(), 0.3, 0},
		{"base-mc/load=1", DefaultBaseMC(), 1, 0},
		{"base/broadcast=10%", DefaultBase(), 0.1, 0.1},
		{"base-mc/broadcast=10%", DefaultBaseMC(), 0.1, 0.1},
	} {
		b.Run(v.name, func(b *testing.B) { benchmark(b, topology.Torus(8, 8), v.c, v.load, v.broadcast) })
	}
}

// BenchmarkSize shows that the cost of a packet hop does not follow the size of the network.
func BenchmarkSize(b *testing.B) {
	for _, k := range []int{8, 16, 32, 64} {
		b.Run(fmt.Sprintf("torus=%dx%d", k, k), func(b *testing.B) {
			benchmark(b, topology.Torus(k, k), DefaultBaseMC(), 1.6/float64(k), 0)
		})
	}
}

// benchmark replays recorded traffic, so that the time is the engine's alone: Offer, Step and Deliveries.
func benchmark(b *testing.B, g topology.Grid, c Config, load, broadcast float64) {
	traffic := record(g, load, broadcast)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := build(b, g, c)
	traffic.replay(n, 3000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	start := n.Totals()
	b.ReportAllocs()
	b.ResetTimer()
	traffic.replay(n, noc.Cycle(b.N))
	b.StopTimer()
	seconds := b.Elapsed().Seconds()
	hops := float64(n.Totals().PhitHops-start.PhitHops) / 5
	b.ReportMetric(float64(b.N)/seconds, "cycles/s")
	b.ReportMetric(seconds*1e9/hops, "ns/packethop")
	b.ReportMetric(seconds*1e9/(hops+float64(n.Totals().Phits-start.Phits)/5), "ns/grant")
	b.ReportMetric(float64(int64(after.HeapAlloc-before.HeapAlloc))/float64(g.Nodes()), "B/router")
	runtime.KeepAlive(traffic)
}

// recording is the traffic of some cycles, to be repeated.
type recording struct {
	cycles  [2000][]noc.Packet
	nothing []noc.Cycle // per cycle: how many follow without an offer
}

func record(g topology.Grid, load, broadcast float64) *recording {
	const phits, classes = 5, 6
	w := &recording{}
	r := noctest.Random(1)
	all := noc.NewNodeSet(g.Nodes())
	for i := range noc.NodeID(g.Nodes()) {
		all.Add(i)
	}
	for t := range w.cycles {
		for src := range noc.NodeID(g.Nodes()) {
			if r.Float() >= load/phits {
				continue
			}
			p := noc.Packet{Src: src, Phits: phits, Class: noc.Class(r.Below(classes)), Dst: all}
			if r.Float() >= broadcast {
				p.Dst = noc.SetOf(g.Nodes(), noc.NodeID(r.Below(g.Nodes())))
			}
			w.cycles[t] = append(w.cycles[t], p)
		}
	}
	w.nothing = make([]noc.Cycle, len(w.cycles))
	for t := len(w.cycles) - 2; t >= 0; t-- {
		if len(w.cycles[t+1]) == 0 {
			w.nothing[t] = w.nothing[t+1] + 1
		}
	}
	return w
}

// replay offers the recorded packets; those that find no room are dropped.
func (w *recording) replay(n *Network, cycles noc.Cycle) {
	end := n.Now() + cycles
	for now := n.Now(); now < end; now = n.Now() {
		i := now % noc.Cycle(len(w.cycles))
		for _, p := range w.cycles[i] {
			n.Offer(p)
		}
		for until := min(end, now+1+w.nothing[i]); n.Now() < until; {
			n.Step(until)
			n.Deliveries()
		}
	}
}
