package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestPace keeps an interface busy for long: it injects at the price of rule 20. Each copy of a
// multicast costs an RR its length; of those that routers copy, the sender pays its share, and the
// node that consumes them the rest.
func TestPace(t *testing.T) {
	const cycles = 6000
	torus, large := topology.Torus(4, 4), topology.Torus(8, 8)
	for _, c := range []struct {
		name            string
		config          rotary.Config
		grid            topology.Grid
		percent, sender int
		destinations    int
		broadcast       bool // another node sends half of what this one can consume
		least, most     uint64
	}{
		{"free", rotary.DefaultMRR(), torus, 0, 0, 1, false, 1195, 1200},
		{"120 percent", rotary.DefaultMRR(), torus, 120, 0, 1, false, 1000, 1008},
		{"200 percent", rotary.DefaultMRR(), torus, 200, 0, 1, false, 600, 605},
		{"copies take half the time", rotary.DefaultMRR(), torus, 120, 0, 1, true, 490, 512},
		{"of which their senders pay a part", rotary.DefaultMRR(), torus, 120, 5, 1, true, 515, 537},
		{"multicasts are free", rotary.DefaultMRR(), large, 120, 0, 63, false, 1100, 1200},
		{"5 percent of 63 copies", rotary.DefaultMRR(), large, 120, 5, 63, false, 378, 388},     // 15.75 cycles each
		{"20 percent of 63 copies", rotary.DefaultMRR(), large, 120, 20, 63, false, 94, 98},     // 63 cycles each
		{"20 percent of 8 copies", rotary.DefaultMRR(), large, 120, 20, 8, false, 745, 760},     // 8 cycles each
		{"all of 63 copies", rotary.DefaultMRR(), large, 120, 100, 63, false, 19, 21},           // 315 cycles each, as from an RR
		{"copies made at the source", rotary.DefaultRR(), large, 120, 5, 63, false, 1140, 1200}, // each pays its length
	} {
		config := extended(c.config)
		config.PacePercent, config.SenderPercent, config.CalmInjection = c.percent, c.sender, false
		n := build(t, c.grid, config)
		to, all := noc.NewNodeSet(n.Nodes()), noc.NewNodeSet(n.Nodes())
		for d := range noc.NodeID(n.Nodes() - 1) {
			if all.Add(d); int(d) < c.destinations {
				to.Add(d + 1)
			}
		}
		for n.Now() < cycles {
			n.Offer(noc.Packet{Src: 0, Dst: to, Phits: 5, Tag: 1})
			if c.broadcast && n.Now()%10 == 0 {
				n.Offer(noc.Packet{Src: noc.NodeID(n.Nodes() - 1), Dst: all, Phits: 5, Tag: 2})
			}
			n.Step(n.Now() + 1)
			n.Deliveries()
		}
		if got := n.Activity(nil)[0].InjectPhits / 5; got < c.least || got > c.most {
			t.Errorf("%s: %d packets in %d cycles, want %d to %d", c.name, got, cycles, c.least, c.most)
		}
	}
}
