package noctest

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/audit"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

// offer is one line of a script: a packet and the cycle in which its node offers it.
type offer struct {
	at     noc.Cycle
	packet noc.Packet
}

// script makes random traffic of all kinds. load is in phits handed to destinations per node and
// cycle, were they all taken.
func (s Subject) script(g topology.Grid, seed uint64, cycles noc.Cycle, load float64) (all []offer) {
	traffic := audit.Traffic{Nodes: g.Nodes(), Classes: s.Classes, Phits: s.Phits, Random: random.Stream(seed)}
	owed := 0.0
	for at := noc.Cycle(0); at < cycles; at++ {
		for owed += load * float64(g.Nodes()); owed > 0; {
			p := traffic.Packet()
			p.Tag = noc.Tag(len(all))
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
