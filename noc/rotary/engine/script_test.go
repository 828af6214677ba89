package engine

import (
	"fmt"
	"math/rand/v2"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// script is a list of offers and sink changes, made before the run so that several models see the
// same.
type script struct {
	offers []scripted
	places int // of every sink; 0 is unbounded
	every  noc.Cycle
}

type scripted struct {
	at      noc.Cycle
	packet  noc.Packet
	content []noc.Word
}

var grids = []topology.Grid{
	topology.Torus(4, 4), topology.Torus(3, 3), topology.Mesh(4, 3), topology.Torus(5), topology.Mesh(4),
	topology.Torus(2, 2), topology.Torus(3, 2, 3), topology.Mesh(2, 3, 2), topology.Torus(9, 8),
}

// randomConfig draws from all options.
func randomConfig(rng *rand.Rand) Config {
	c := extended(rotary.DefaultRR())
	c.Seed = rng.Uint64()
	coin := func(odds int) bool { return rng.IntN(odds) == 0 }
	c.Multicast = []Scheme{Replicate, Adaptive, Adaptive, Tree, Path}[rng.IntN(5)]
	c.UnlimitedOutput = coin(3)
	c.SlotPhits = []int{5, 5, 5, 1, 3}[rng.IntN(5)]
	c.InputStagePhits = c.SlotPhits * []int{2, 2, 1, 3}[rng.IntN(4)]
	c.SegmentPhits = c.SlotPhits * []int{4, 4, 3, 6}[rng.IntN(4)]
	c.OutputStagePhits = c.SlotPhits * []int{4, 4, 2, 6}[rng.IntN(4)]
	c.MissLimit = []int{6, 6, 3, 10, 255}[rng.IntN(5)]
	c.InjectLimit = []int{22, 22, 30, 40, 12}[rng.IntN(5)]
	c.CalmInjection = !coin(3)
	c.CalmPatience = []int{256, 1, 20}[rng.IntN(3)]
	c.PacePercent = []int{120, 0, 100, 333}[rng.IntN(4)]
	c.PaceSlack = []int{40, 0, 7}[rng.IntN(3)]
	c.SenderPercent = []int{5, 0, 100, 37}[rng.IntN(4)]
	c.PruneAfter = []int{5, 0, 9}[rng.IntN(3)]
	c.Classes = []int{6, 1, 3}[rng.IntN(3)]
	c.SourceQueue = 1 + rng.IntN(16)
	c.HoldAfter = []int{8, 1, 40}[rng.IntN(3)]
	if coin(3) {
		c.Rule4Scope = LaneScope
	}
	if coin(4) {
		c.InterfaceOrder = Priority
	}
	c.ClassLimit = !coin(4)
	c.ClassStep = rng.IntN(3)
	c.RingTurnBalance = !coin(3)
	c.EntryHold = !coin(3)
	c.LaneBlock = !coin(3)
	c.EntryHysteresis = coin(4)
	c.EveryCycle = coin(3)
	c.PhitBits = []int{128, 128, 77, 64, 1}[rng.IntN(5)]
	return c
}

func randomScript(rng *rand.Rand, nodes int, c Config, cycles int) script {
	s := script{every: noc.Cycle(1 + rng.IntN(20))}
	if rng.IntN(3) == 0 {
		s.places = 1 + rng.IntN(3)
	}
	load := []float64{0.01, 0.1, 0.3, 1}[rng.IntN(4)]
	multicast := []float64{0, 0.1, 1}[rng.IntN(3)]
	ordered := []float64{0, 0, 0.2, 1}[rng.IntN(4)]
	fixed := rng.IntN(2) == 0
	hotspot := rng.IntN(4) == 0
	for t := range cycles {
		for at := range nodes {
			p := noc.Packet{Src: noc.NodeID(at), Phits: uint16(c.SlotPhits), Tag: noc.Tag(len(s.offers))}
			if !fixed {
				p.Phits = uint16(1 + rng.IntN(c.SlotPhits))
			}
			if rng.Float64() >= load/float64(p.Phits) {
				continue
			}
			p.Class = noc.Class(rng.IntN(c.Classes))
			p.Ordered = rng.Float64() < ordered
			p.Dst = noc.NewNodeSet(nodes)
			p.Dst.Add(noc.NodeID(rng.IntN(nodes)))
			if hotspot {
				p.Dst = noc.SetOf(nodes, 0)
			}
			if rng.Float64() < multicast {
				for range rng.IntN(nodes) {
					p.Dst.Add(noc.NodeID(rng.IntN(nodes)))
				}
			}
			content := make([]noc.Word, p.Phits)
			for i := range content {
				content[i] = noc.Word{rng.Uint64(), rng.Uint64()}
			}
			s.offers = append(s.offers, scripted{noc.Cycle(t), p, content})
		}
	}
	return s
}

// play runs the script on the engine for the given cycles and returns the deliveries.
func (s *script) play(n *Network, cycles noc.Cycle) []noc.Delivery {
	var all []noc.Delivery
	s.limit(n.Nodes(), n.config.Classes, func(node, class int) { n.LimitSink(noc.NodeID(node), noc.Class(class), s.places) })
	i := 0
	for n.Now() < cycles {
		if s.places > 0 && n.Now()%s.every == 0 {
			for node := range n.Nodes() {
				n.FreeSink(noc.NodeID(node), noc.Class(node+int(n.Now()/s.every))%noc.Class(n.config.Classes))
			}
		}
		for ; i < len(s.offers) && s.offers[i].at == n.Now(); i++ {
			n.Offer(s.offers[i].packet)
		}
		next := cycles
		if i < len(s.offers) {
			next = s.offers[i].at
		}
		if s.places > 0 {
			next = min(next, n.Now()/s.every*s.every+s.every)
		}
		for now := n.Now(); n.Now() < next; now = n.Now() {
			if n.Step(next) == now {
				panic("Step made no progress")
			}
			all = append(all, n.Deliveries()...)
		}
	}
	return all
}

func (s *script) limit(nodes, classes int, limit func(node, class int)) {
	if s.places == 0 {
		return
	}
	for node := range nodes {
		for class := range classes {
			limit(node, class)
		}
	}
}

// firstDifference names the first delivery that two runs disagree on.
func firstDifference(got, want []noc.Delivery) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("delivery %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d deliveries, want %d", len(got), len(want))
	}
	return ""
}
