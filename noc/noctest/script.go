package noctest

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// offer is one line of a script: a packet and the cycle in which its node offers it.
type offer struct {
	at     noc.Cycle
	packet noc.Packet
}

// script makes random traffic of all kinds: unicast, multicast, broadcast, to oneself, all
// classes, all lengths. load is in phits handed to destinations per node and cycle, were they all
// taken.
func (s Subject) script(g topology.Grid, seed uint64, cycles noc.Cycle, load float64) []offer {
	r := random.Stream(seed)
	n := g.Nodes()
	var all []offer
	tag := noc.Tag(0)
	owed := 0.0
	for at := noc.Cycle(0); at < cycles; at++ {
		for owed += load * float64(n); owed > 0; tag++ {
			p := noc.Packet{Src: noc.NodeID(r.Below(n)), Tag: tag, Dst: noc.NewNodeSet(n), Phits: uint16(1 + r.Below(s.Phits)),
				Class: noc.Class(r.Below(s.Classes))}
			switch kind := r.Below(40); {
			case kind == 0: // broadcast
				for i := range n {
					p.Dst.Add(noc.NodeID(i))
				}
				if r.Below(2) == 0 {
					p.Dst.Remove(p.Src)
				}
			case kind < 8: // multicast
				for range 1 + r.Below(min(n, 9)) {
					p.Dst.Add(noc.NodeID(r.Below(n)))
				}
			case kind == 8:
				p.Dst.Add(p.Src)
			default:
				p.Dst.Add(noc.NodeID(r.Below(n)))
			}
			owed -= float64(p.Dst.Count() * int(p.Phits))
			all = append(all, offer{at: at, packet: p})
		}
	}
	return all
}

// reversedNodes reorders the offers of each cycle so that the nodes take turns in the opposite
// order; each node's own offers keep theirs.
func reversedNodes(script []offer) []offer {
	out := slices.Clone(script)
	slices.SortStableFunc(out, func(a, b offer) int {
		if a.at != b.at {
			return int(a.at) - int(b.at)
		}
		return int(b.packet.Src) - int(a.packet.Src)
	})
	return out
}
