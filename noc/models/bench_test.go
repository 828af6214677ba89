//go:build unix

package models

import (
	"fmt"
	"math"
	"runtime"
	"syscall"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// BenchmarkCycle is one simulated cycle of the paper's routers, and of wormhole, under uniform
// traffic of 5-phit packets: on the 8x8 torus at three loads, in both forms, and with a tenth of
// the messages broadcast, and saturated on larger tori. It reports cycles per second of processor
// time, which other processes disturb less than elapsed time, the processor time of one packet
// crossing one link, and memory per router, as built and with full queues.
func BenchmarkCycle(b *testing.B) {
	for _, name := range []string{"rr", "mrr", "base", "base-mc", "wormhole"} {
		for _, p := range []struct {
			radix           int
			load, broadcast float64
			plain           bool
		}{{8, 0.05, 0, false}, {8, 0.3, 0, false}, {8, 1, 0, false}, {8, 0.1, 0.1, false}, {8, 1, 0.1, false},
			{16, 1, 0, false}, {32, 1, 0, false}, {64, 1, 0, false}, {8, 0.05, 0, true}, {8, 0.3, 0, true}, {8, 1, 0, true}} {
			run := fmt.Sprintf("%s/%dx%d/load=%v/broadcast=%v", name, p.radix, p.radix, p.load, p.broadcast)
			if p.plain {
				run = fmt.Sprintf("plain-%s/%dx%d/load=%v", name, p.radix, p.radix, p.load)
			}
			b.Run(run, func(b *testing.B) {
				m := must.Get(Lookup(name))
				o := DefaultOptions()
				o.Grid, o.Plain = topology.Torus(p.radix, p.radix), p.plain
				measure(b, m, o, p.load, p.broadcast)
			})
		}
	}
}

// measure runs a network whose source queues have filled as far as they will.
func measure(b *testing.B, m Model, o Options, load, broadcast float64) {
	const phits = 5
	empty := heap()
	n := must.Get(m.Build(o))
	built := heap() - empty
	s := newSchedule(n.Nodes(), load, broadcast, phits, o.Classes, noc.Cycle(1_280_000/n.Nodes()))
	before := heap()
	s.replay(n, max(600, noc.Cycle(320_000/n.Nodes())))
	loaded := built + heap() - before
	hops := n.Totals().PhitHops
	b.ReportAllocs()
	b.ResetTimer()
	start := processorSeconds(b)
	s.replay(n, noc.Cycle(b.N))
	seconds := processorSeconds(b) - start
	b.StopTimer()
	b.ReportMetric(float64(b.N)/seconds, "cycles/cpu-s")
	b.ReportMetric(seconds*1e9/(float64(n.Totals().PhitHops-hops)/phits), "cpu-ns/hop")
	b.ReportMetric(built/float64(n.Nodes()), "B/router")
	b.ReportMetric(loaded/float64(n.Nodes()), "B/router-loaded")
	runtime.KeepAlive(s)
}

// heap returns the number of bytes in use.
func heap() float64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}

// processorSeconds returns the user time of this process so far.
func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

// schedule is uniform traffic of one packet length, made before the clock starts: what generating
// it costs is not the network's.
type schedule struct {
	length  noc.Cycle
	at      []noc.Cycle // ascending, below length
	packets []noc.Packet
}

// newSchedule makes a schedule of some cycles, to be repeated. The load is in phits per node and
// cycle; a share of the messages goes to all other nodes.
func newSchedule(nodes int, load, broadcast float64, phits, classes int, length noc.Cycle) *schedule {
	s := &schedule{length: length}
	random := random.Stream(1)
	rate := load / float64(phits) * float64(nodes)
	to := make([]noc.NodeSet, nodes) // shared: large sets would crowd the network out of the caches
	for d := range to {
		to[d] = noc.SetOf(nodes, noc.NodeID(d))
	}
	for at := 0.0; ; {
		at -= math.Log(1-random.Float64()) / rate
		if at >= float64(length) {
			return s
		}
		src := random.Below(nodes)
		set := to[(src+1+random.Below(nodes-1))%nodes]
		if random.Float64() < broadcast {
			set = noc.NewNodeSet(nodes)
			for d := range nodes {
				if d != src {
					set.Add(noc.NodeID(d))
				}
			}
		}
		s.at = append(s.at, noc.Cycle(at))
		s.packets = append(s.packets, noc.Packet{Src: noc.NodeID(src), Dst: set,
			Phits: uint16(phits), Class: noc.Class(random.Below(classes))})
	}
}

// replay drives a network with the schedule, repeated, for some cycles. Packets refused are lost:
// above saturation the queues are full all the time anyway.
func (s *schedule) replay(n noc.Network, cycles noc.Cycle) {
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
