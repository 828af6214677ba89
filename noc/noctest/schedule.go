package noctest

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Schedule is uniform traffic of one packet length, made before the clock starts: what generating
// it costs is not the network's. It is for benchmarks.
type Schedule struct {
	length  noc.Cycle
	at      []noc.Cycle // ascending, below length
	packets []noc.Packet
}

// NewSchedule makes a schedule of some cycles, to be repeated. The load is in phits per node and
// cycle; a share of the messages goes to all other nodes.
func NewSchedule(nodes int, load, broadcast float64, phits, classes int, length noc.Cycle) *Schedule {
	s := &Schedule{length: length}
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

// Replay drives a network with the schedule, repeated, for some cycles. Packets refused are lost:
// above saturation the queues are full all the time anyway.
func (s *Schedule) Replay(n noc.Network, cycles noc.Cycle) {
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
