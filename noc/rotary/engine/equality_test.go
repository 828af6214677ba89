package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/topology"
)

// script is a list of offers and sink changes, made before the run so that several models see the same.
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
	c := DefaultRR()
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

// forWords turns an option to what routers in words know, of those that they do not.
func forWords(c Config) Config {
	if c.Multicast == Tree || c.Multicast == Path {
		c.Multicast = Adaptive
	}
	c.UnlimitedOutput, c.EntryHysteresis, c.InjectLimit = false, false, referenceSlots
	c.InputStagePhits = min(c.InputStagePhits, stagePlaces*c.SlotPhits)
	c.SegmentPhits = min(c.SegmentPhits, wordPlaces*c.SlotPhits)
	c.OutputStagePhits = min(c.OutputStagePhits, rings*stagePlaces*c.SlotPhits)
	return c
}

func randomScript(rng *rand.Rand, nodes int, c Config, cycles int, mayOrder bool) script {
	s := script{every: noc.Cycle(1 + rng.IntN(20))}
	if rng.IntN(3) == 0 {
		s.places = 1 + rng.IntN(3)
	}
	load := []float64{0.01, 0.1, 0.3, 1}[rng.IntN(4)]
	multicast := []float64{0, 0.1, 1}[rng.IntN(3)]
	ordered := []float64{0, 0, 0.2, 1}[rng.IntN(4)]
	if !mayOrder {
		ordered = 0
	}
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

func (s *script) playReference(m *reference, cycles noc.Cycle) error {
	s.limit(len(m.routers), m.config.Classes, func(node, class int) { m.room[[2]int{node, class}] = s.places })
	i := 0
	for m.now < cycles {
		if s.places > 0 && m.now%s.every == 0 {
			for node := range m.routers {
				m.room[[2]int{node, int(noc.Class(node+int(m.now/s.every)) % noc.Class(m.config.Classes))}]++
			}
		}
		for ; i < len(s.offers) && s.offers[i].at == m.now; i++ {
			m.offer(s.offers[i].packet)
		}
		m.step()
		if err := m.checkPhits(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(m.deliveries, func(a, b noc.Delivery) int {
		if a.Arrived != b.Arrived {
			return int(int64(a.Arrived) - int64(b.Arrived))
		}
		return int(a.At) - int(b.At)
	})
	return nil
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

// TestEqualsReference compares the engine with the phit-by-phit model, delivery by delivery, over random
// grids, options and traffic, once with routers in sets and once in words, always or now and then; when everything has drained the
// counters must agree too. CAROUSEL_LONG=1 does 2000.
func TestEqualsReference(t *testing.T) {
	runs := 60
	switch {
	case os.Getenv("CAROUSEL_LONG") != "":
		runs = 2000
	case testing.Short():
		runs = 30
	}
	compareWithReference(t, 1506) // limits below what everybody together may take
	compareWithReference(t, 136)  // bits that sets flip in headers, on paths
	compareWithReference(t, 413)  // and of more than 64 nodes
	compareWithReference(t, 86)   // packets that enter one segment alone and together in the same cycle
	for seed := range uint64(runs) {
		compareWithReference(t, seed)
		if t.Failed() {
			return
		}
	}
}

func compareWithReference(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := grids[rng.IntN(len(grids))]
	c := randomConfig(rng)
	words := seed%4 != 0
	if words {
		c = forWords(c)
	}
	const cycles = 250
	s := randomScript(rng, g.Nodes(), c, cycles-100, !words)
	m := newReference(g, c)
	counted := rng.IntN(2) == 0
	if counted {
		m.content = func(p noc.Packet) []noc.Word { return s.offers[p.Tag].content }
	}
	if err := s.playReference(m, cycles); err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return
	}
	together := build(t, g, c)
	together.settle = math.MaxInt
	if counted {
		if err := together.CountToggles(m.content); err != nil {
			t.Fatal(err)
		}
	}
	other := byWords(t, g, c, seed)
	if words && other.banks[0].words == nil {
		t.Errorf("seed %d on %s: no words", seed, g)
	}
	for _, d := range []string{
		s.difference(together, m, cycles, counted),
		s.difference(other, m, cycles, false),
	} {
		if d != "" {
			t.Errorf("seed %d on %s, %+v: %s", seed, g, c, d)
		}
	}
}

// byWords is a network whose banks are in words always, or now and then.
func byWords(t *testing.T, g topology.Grid, c Config, seed uint64) *Network {
	n := build(t, g, c)
	n.few = []int{64, 1, 2, 5, fewRouters}[seed%5]
	n.settle, n.look = int(seed%7), 0
	return n
}

// difference runs the script on the engine and tells how it differs from what the model has done, or nothing.
func (s *script) difference(n *Network, m *reference, cycles noc.Cycle, counted bool) string {
	got := s.play(n, cycles)
	if d := firstDifference(got, m.deliveries); d != "" {
		return d
	}
	if err := n.CheckInvariants(); err != nil {
		return err.Error()
	}
	if n.InFlight() > 0 {
		return "" // events of moving packets are counted at the header by the engine, per phit by the model
	}
	n.Step(cycles) // all phits have left when the last packet has
	onLinks := make([]uint64, n.Nodes())
	for _, l := range n.Links(nil) {
		onLinks[l.From] += l.Toggles
	}
	for id, a := range n.Activity(nil) {
		want := m.routers[id].activity
		if !counted {
			want.Toggles = noc.Toggles{}
		}
		if a.Toggles.Link != onLinks[id] {
			return fmt.Sprintf("%d bits flip on the links of router %d, and %d on all of them", onLinks[id], id, a.Toggles.Link)
		}
		if a != want {
			return fmt.Sprintf("router %d\n got %+v\nwant %+v", id, a, want)
		}
	}
	return ""
}
