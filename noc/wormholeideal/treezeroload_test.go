package wormholeideal

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// nanoseconds of a cycle in the paper.
const cycleTime = 20

// build makes a network or ends the test.
func build(t testing.TB, m topology.Multistage, c Config) *Network {
	return noctest.Must(NewStages(m, c, TreePlanner{}))
}

// packet is a request of 64 flits.
func packet(m topology.Multistage, r multicast.Request) noc.Packet {
	return noc.Packet{Src: r.Source, Dst: noc.SetOf(m.Nodes(), r.Destinations...), Phits: 64}
}

// TestExample is that of section 5.2: in the bidirectional network of 64 nodes and 8x8 switches a
// multicast takes 2.12 us, which is 0.5 of startup, three decisions of 60 ns, half a round of the
// token of eight switches, four channels and 64 flits of 20 ns. It has one token, so that both
// rules of its time give it.
func TestExample(t *testing.T) {
	m := topology.Multistage{Bidirectional: true, Arity: 8, Stages: 2}
	all := multicast.Request{Source: 9}
	for d := range noc.NodeID(64) {
		if d != 9 {
			all.Destinations = append(all.Destinations, d)
		}
	}
	for _, rule := range []TokenTime{Stage, Once} {
		c := DefaultTree()
		c.Tree.TokenTime = rule
		for d, at := range alone(t, build(t, m, c), packet(m, all)) {
			if at*cycleTime != 2120 {
				t.Errorf("token time %s: node %d has the message after %d ns, want 2120", rule, d, at*cycleTime)
			}
		}
	}
}

// TestIdleNetworkFollowsTheFormula: in an idle network every destination has the message when the
// formula says so, whatever the buffers, the consumption channels and the rule that releases
// tokens.
func TestIdleNetworkFollowsTheFormula(t *testing.T) {
	random := random.Stream(5)
	for _, m := range []topology.Multistage{{Arity: 2, Stages: 4}, {Arity: 4, Stages: 2}, {Bidirectional: true, Arity: 2, Stages: 4},
		{Bidirectional: true, Arity: 4, Stages: 2}, {Bidirectional: true, Arity: 8, Stages: 1}} {
		for _, consumption := range []int{1, m.Arity} {
			c := DefaultTree()
			c.EjectionChannels, c.Tree.Release = consumption, []Release{Headers, Flits}[random.Below(2)]
			c.BufferPhits = random.Below(4)
			timing := multicast.TreeTiming(64)
			if timing.TokenOnce = random.Below(2) == 0; timing.TokenOnce {
				c.Tree.TokenTime = Once
			}
			n := build(t, m, c)
			groups := noctest.Must(multicast.NewSwitchGroups(m, consumption))
			for range 40 {
				r := multicast.Request{Source: noc.NodeID(random.Below(m.Nodes()))}
				for range 1 + random.Below(m.Nodes()) {
					r.Destinations = append(r.Destinations, noc.NodeID(random.Below(m.Nodes())))
				}
				if r.Destinations = r.Targets(); len(r.Destinations) == 0 {
					continue
				}
				got := alone(t, n, packet(m, r))
				want, err := multicast.TreeWorm(m, groups, r).Arrivals(m.Wiring(), timing)
				if err != nil || len(want) != len(got) {
					t.Fatalf("%s, %v: %d arrivals, want %d (%v)", m, r, len(got), len(want), err)
				}
				for _, a := range want {
					if got[a.Node]*cycleTime != a.Tail {
						t.Fatalf("%s, %v: node %d has it after %d ns, want %d", m, r, a.Node, got[a.Node]*cycleTime, a.Tail)
					}
				}
			}
		}
	}
}

// TestLongerHeader: a header of one bit per node in flits of 16 bits adds its flits and nothing
// else.
func TestLongerHeader(t *testing.T) {
	m := topology.Multistage{Arity: 4, Stages: 3}
	c := DefaultTree()
	r := multicast.Request{Source: 0, Destinations: []noc.NodeID{5, 40}}
	usual := alone(t, build(t, m, c), packet(m, r))
	c.HeaderPhits = 4
	for d, at := range alone(t, build(t, m, c), packet(m, r)) {
		if at != usual[d]+3 {
			t.Errorf("node %d: %d cycles, with a header of four flits %d", d, usual[d], at)
		}
	}
}

// TestNoAllocation: a network that has seen its load allocates nothing but for plans.
func TestNoAllocation(t *testing.T) {
	m := topology.Multistage{Bidirectional: true, Arity: 2, Stages: 4}
	n := noctest.Must(NewStages(m, DefaultTree(), nil))
	d := noctest.Drive(t, n, topology.Mesh(4, 4), traffic.Config{PacketPhits: 8, Classes: 1, MulticastFraction: 0.1, Seed: 2})
	d.Run(40_000)
	fewest := 1e9
	for range 5 {
		fewest = min(fewest, testing.AllocsPerRun(4, func() { d.Run(n.Now() + 500) }))
	}
	if fewest > 0 {
		t.Errorf("%v allocations in 500 cycles after warm-up", fewest)
	}
}
