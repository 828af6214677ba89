package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestPace keeps an interface busy for long: it injects at its price, and what its node consumes of
// multicasts that routers copy is paid too.
func TestPace(t *testing.T) {
	const cycles = 6000
	for _, c := range []struct {
		name            string
		percent, sender int
		broadcast       bool // half of what the node can consume
		least, most     uint64
	}{
		{"free", 0, 0, false, 1195, 1200},
		{"120 percent", 120, 0, false, 1000, 1008},
		{"200 percent", 200, 0, false, 600, 605},
		{"copies take half the time", 120, 0, true, 490, 512},
		{"of which their senders pay a part", 120, 5, true, 515, 537},
	} {
		config := extended(rotary.DefaultMRR())
		config.PacePercent, config.SenderPercent, config.CalmInjection = c.percent, c.sender, false
		n := build(t, topology.Torus(4, 4), config)
		all := noc.NewNodeSet(16)
		for d := range noc.NodeID(15) {
			all.Add(d)
		}
		for n.Now() < cycles {
			n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5, Tag: 1})
			if c.broadcast && n.Now()%10 == 0 {
				n.Offer(noc.Packet{Src: 15, Dst: all, Phits: 5, Tag: 2})
			}
			n.Step(n.Now() + 1)
			n.Deliveries()
		}
		if got := n.Activity(nil)[0].InjectPhits / 5; got < c.least || got > c.most {
			t.Errorf("%s: %d packets in %d cycles, want %d to %d", c.name, got, cycles, c.least, c.most)
		}
	}
}

// TestSenderPays keeps one node sending multicasts that routers copy: each costs it a share of all
// its copies.
func TestSenderPays(t *testing.T) {
	const cycles = 6000
	g := topology.Torus(8, 8)
	for _, c := range []struct {
		name                  string
		percent, destinations int
		least, most           uint64
	}{
		{"nothing", 0, 63, 1100, 1200},
		{"5 percent of 63 copies", 5, 63, 378, 388}, // 15.75 cycles each
		{"20 percent of 63 copies", 20, 63, 94, 98}, // 63 cycles each
		{"20 percent of 8 copies", 20, 8, 745, 760}, // 8 cycles each
		{"all of 63 copies", 100, 63, 19, 21},       // 315 cycles each, as from an RR
	} {
		config := extended(rotary.DefaultMRR())
		config.SenderPercent, config.CalmInjection = c.percent, false
		n := build(t, g, config)
		to := noc.NewNodeSet(g.Nodes())
		for d := range noc.NodeID(c.destinations) {
			to.Add(d + 1)
		}
		for n.Now() < cycles {
			n.Offer(noc.Packet{Src: 0, Dst: to, Phits: 5})
			n.Step(n.Now() + 1)
			n.Deliveries()
		}
		if got := n.Activity(nil)[0].InjectPhits / 5; got < c.least || got > c.most {
			t.Errorf("the sender pays %s: %d packets in %d cycles, want %d to %d", c.name, got, cycles, c.least, c.most)
		}
	}
}

// TestSeparateCopiesCostTheirLength: the interface of an RR pays each copy of a multicast once,
// when it sends it.
func TestSeparateCopiesCostTheirLength(t *testing.T) {
	n := build(t, topology.Torus(8, 8), extended(rotary.DefaultRR()))
	all := noc.NewNodeSet(64)
	for d := range noc.NodeID(63) {
		all.Add(d + 1)
	}
	for range 8 {
		n.Offer(noc.Packet{Src: 0, Dst: all, Phits: 5})
	}
	n.Step(1)
	for n.Now() < 1000 {
		n.Step(1000)
		n.Deliveries()
	}
	if got := n.Activity(nil)[0].InjectPhits; got < 950 {
		t.Errorf("%d phits of copies left in 1,000 cycles: something but their length holds them", got)
	}
}
