package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// extended gives a configuration all rules.
func extended(c rotary.Config) rotary.Config { return c.WithRules(rotary.ExtendedRules) }

// mix describes open-loop traffic: load in phits per node and cycle before replication.
type mix struct {
	pattern      string // uniform, bitrev, transpose, shuffle, tornado
	load         float64
	phits        int
	multicast    float64 // share of messages
	destinations int     // of a multicast; 0 is broadcast to all but the source
	classes      int
}

// source generates a mix for a network and keeps what the network's queues refuse.
type source struct {
	net     noc.Network
	grid    topology.Grid
	mix     mix
	rng     *rand.Rand
	backlog [][]noc.Packet // per node and class
	set     noc.NodeSet
	offered int // destinations
}

func newSource(net noc.Network, g topology.Grid, m mix, seed uint64) *source {
	return &source{net: net, grid: g, mix: m, rng: rand.New(rand.NewPCG(seed, 99)),
		backlog: make([][]noc.Packet, net.Nodes()*m.classes), set: noc.NewNodeSet(net.Nodes())}
}

// manyTag marks multicasts; unicasts carry their source.
const manyTag noc.Tag = 1 << 16

// partner is the destination of the pattern, and whether there is one.
func (s *source) partner(at int) (int, bool) {
	k, nodes := s.grid.Radix[0], s.net.Nodes()
	x, y := at%k, at/k
	width := 0
	for 1<<width < nodes {
		width++
	}
	d := at
	switch s.mix.pattern {
	case "uniform":
		d = s.rng.IntN(nodes - 1)
		if d >= at {
			d++
		}
	case "bitrev":
		d = 0
		for b := range width {
			d |= at >> b & 1 << (width - 1 - b)
		}
	case "transpose":
		d = y + k*x
	case "shuffle":
		d = (at<<1 | at>>(width-1)) & (nodes - 1)
	case "tornado":
		d = (x+k/2-1)%k + k*((y+k/2-1)%k)
	}
	return d, d != at
}

// generate offers the messages of the current cycle.
func (s *source) generate() {
	for at := range s.net.Nodes() {
		if s.rng.Float64() < s.mix.load/float64(s.mix.phits) {
			if p, ok := s.message(at); ok {
				q := at*s.mix.classes + int(p.Class)
				s.backlog[q] = append(s.backlog[q], p)
				s.offered += p.Dst.Count()
			}
		}
		for c := range s.mix.classes {
			q := at*s.mix.classes + c
			for len(s.backlog[q]) > 0 && s.net.Offer(s.backlog[q][0]) {
				s.backlog[q] = s.backlog[q][1:]
			}
		}
	}
}

func (s *source) message(at int) (noc.Packet, bool) {
	p := noc.Packet{Src: noc.NodeID(at), Phits: uint16(s.mix.phits), Class: noc.Class(s.rng.IntN(s.mix.classes)), Tag: noc.Tag(at)}
	if s.rng.Float64() >= s.mix.multicast {
		d, ok := s.partner(at)
		if ok {
			p.Dst = noc.SetOf(s.net.Nodes(), noc.NodeID(d))
		}
		return p, ok
	}
	p.Tag, p.Dst = manyTag, noc.NewNodeSet(s.net.Nodes())
	if s.mix.destinations == 0 {
		for d := range s.net.Nodes() {
			if d != at {
				p.Dst.Add(noc.NodeID(d))
			}
		}
		return p, true
	}
	for p.Dst.Count() < s.mix.destinations {
		if d := s.rng.IntN(s.net.Nodes()); d != at {
			p.Dst.Add(noc.NodeID(d))
		}
	}
	return p, true
}

// result is what a run measured after its warm-up.
type result struct {
	delivered float64 // phits per node and cycle
	latency   float64 // mean over deliveries
	hops      float64
}

// run simulates cycle by cycle; it fails when nothing is delivered for 1,000 cycles.
func (s *source) run(t testing.TB, cycles, warm noc.Cycle) result {
	t.Helper()
	var r result
	count, last := 0.0, float64(s.net.Now())
	for s.net.Now() < cycles {
		for _, d := range s.net.Deliveries() {
			last = float64(d.Arrived)
			if d.Arrived >= warm {
				count++
				r.latency += float64(d.Arrived - d.Offered)
				r.hops += float64(d.Hops)
			}
		}
		if float64(s.net.Now())-last > 1000 && s.net.InFlight() > 0 {
			for _, e := range s.net.Explain() {
				t.Logf("%+v", e)
			}
			t.Fatalf("no delivery between cycles %v and %v", last, s.net.Now())
		}
		s.generate()
		s.net.Step(s.net.Now() + 1)
	}
	r.latency /= count
	r.hops /= count
	r.delivered = count * float64(s.mix.phits) / float64(cycles-warm) / float64(s.net.Nodes())
	return r
}

func build(t testing.TB, g topology.Grid, c rotary.Config) *Network {
	t.Helper()
	n, err := New(g, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// drain steps until nothing is in flight and returns the deliveries.
func drain(t testing.TB, n noc.Network, limit noc.Cycle) []noc.Delivery {
	t.Helper()
	var all []noc.Delivery
	for n.InFlight() > 0 && n.Now() < limit {
		n.Step(limit)
		all = append(all, n.Deliveries()...)
	}
	if n.InFlight() > 0 {
		for _, e := range n.Explain() {
			t.Logf("%+v", e)
		}
		t.Fatalf("%d deliveries owed at cycle %d", n.InFlight(), n.Now())
	}
	return all
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
