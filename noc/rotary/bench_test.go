package rotary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// schedule is uniform traffic, a share of it broadcast, made before the clock starts: what generating it costs is not
// the network's.
type schedule struct {
	length  noc.Cycle
	at      []noc.Cycle // ascending, below length
	packets []noc.Packet
}

func newSchedule(nodes int, load, broadcast float64, phits int, length noc.Cycle) *schedule {
	s := &schedule{length: length}
	rng := rand.New(rand.NewPCG(1, 2))
	rate := load / float64(phits) * float64(nodes)
	to := make([]noc.NodeSet, nodes) // shared: large sets would crowd the network out of the caches
	for d := range to {
		to[d] = noc.SetOf(nodes, noc.NodeID(d))
	}
	for at := 0.0; ; {
		at += -math.Log(1-rng.Float64()) / rate
		if at >= float64(length) {
			return s
		}
		src := rng.IntN(nodes)
		dst := (src + 1 + rng.IntN(nodes-1)) % nodes
		set := to[dst]
		if rng.Float64() < broadcast {
			set = noc.NewNodeSet(nodes)
			for d := range nodes {
				if d != src {
					set.Add(noc.NodeID(d))
				}
			}
		}
		s.at = append(s.at, noc.Cycle(at))
		s.packets = append(s.packets, noc.Packet{Src: noc.NodeID(src), Dst: set,
			Phits: uint16(phits), Class: noc.Class(rng.IntN(6))})
	}
}

// replay drives the network with the schedule, repeated, for some cycles. Packets refused are lost:
// above saturation the queues are full all the time anyway.
func (s *schedule) replay(n *Network, cycles noc.Cycle) {
	end, start, i := n.Now()+cycles, n.Now(), 0
	for n.Now() < end {
		for i < len(s.at) && start+s.at[i] <= n.Now() {
			n.Offer(s.packets[i])
			i++
		}
		if i == len(s.at) {
			start, i = start+s.length, 0
		}
		next := end
		if i < len(s.at) {
			next = min(end, max(start+s.at[i], n.Now()+1))
		}
		n.Step(next)
		n.Deliveries()
	}
}

// BenchmarkStep simulates uniform 5-phit unicast; an operation is one cycle.
func BenchmarkStep(b *testing.B) {
	for _, k := range []int{8, 16, 32, 64} {
		for _, load := range []float64{0.05, 0.3, 1} {
			if k > 16 && load < 1 {
				continue
			}
			b.Run(fmt.Sprintf("%dx%d/load=%v", k, k, load), func(b *testing.B) {
				measure(b, topology.Torus(k, k), DefaultRR(), load, 0)
			})
		}
	}
}

// BenchmarkBroadcast simulates the same with a tenth of the messages for all other nodes, on the MRR.
func BenchmarkBroadcast(b *testing.B) {
	for _, load := range []float64{0.005, 0.1, 1} {
		b.Run(fmt.Sprintf("8x8/load=%v", load), func(b *testing.B) {
			measure(b, topology.Torus(8, 8), DefaultMRR(), load, 0.1)
		})
	}
}

// measure reports speed and memory of a network whose source queues have filled as far as they will.
func measure(b *testing.B, g topology.Grid, c Config, load, broadcast float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := build(b, g, c)
	runtime.GC()
	runtime.ReadMemStats(&after)
	built := after.HeapAlloc - before.HeapAlloc
	s := newSchedule(n.Nodes(), load, broadcast, 5, noc.Cycle(1_280_000/n.Nodes()))
	runtime.GC()
	runtime.ReadMemStats(&before)
	s.replay(n, max(600, noc.Cycle(320_000/n.Nodes()))) // warm up
	runtime.GC()
	runtime.ReadMemStats(&after)
	hops := n.Totals().PhitHops
	b.ResetTimer()
	s.replay(n, noc.Cycle(b.N))
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(float64(n.Totals().PhitHops-hops)/5), "ns/hop")
	b.ReportMetric(float64(built)/float64(n.Nodes()), "B/router")
	b.ReportMetric(float64(int64(built)+int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(n.Nodes()), "B/router-loaded")
}
