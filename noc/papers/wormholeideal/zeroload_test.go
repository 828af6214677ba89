package wormholeideal

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// fixed is a plan that does not depend on the request.
type fixed multicast.Plan

func (f fixed) Plan(multicast.Request) (multicast.Plan, error) { return multicast.Plan(f), nil }

// alone sends one packet through an idle network and returns when each node had it.
func alone(t *testing.T, n *Network, p noc.Packet) map[noc.NodeID]int64 {
	t.Helper()
	for start := n.Now() + 1000; n.Now() < start; {
		n.Step(start)
	}
	if !n.Offer(p) {
		t.Fatal("an idle network refuses a packet")
	}
	at := map[noc.NodeID]int64{}
	for _, d := range noctest.Drain(t, n) {
		at[d.At] = int64(d.Arrived - d.Offered)
	}
	return at
}

// alonePlans are plans of one step, of rounds and of two steps on a mesh of 6x5.
func alonePlans() map[string]multicast.Plan {
	return map[string]multicast.Plan{
		"unicast": {{From: 0, Stops: nodes{3}, Path: nodes{1, 2, 3}, After: -1}},
		"path":    {{From: 0, Stops: nodes{1, 3, 8}, Path: nodes{1, 2, 3, 9, 8}, After: -1}},
		"rounds": {{From: 0, Stops: nodes{3}, Path: nodes{1, 2, 3}, After: -1},
			{From: 0, Stops: nodes{6}, Path: nodes{6}, After: -1, Round: 1},
			{From: 0, Stops: nodes{2}, Path: nodes{1, 2}, After: -1, Round: 2}},
		"steps": {{From: 0, Stops: nodes{1, 3}, Path: nodes{1, 2, 3}, After: -1},
			{From: 3, Stops: nodes{5, 11}, Path: nodes{4, 5, 11}, After: 0},
			{From: 1, Stops: nodes{13}, Path: nodes{7, 13}, After: 0},
			{From: 13, Stops: nodes{25}, Path: nodes{19, 25}, After: 2}},
	}
}

// paperModel is the latency model of a paper, and the engine configured for it.
type paperModel struct {
	name   string
	timing multicast.Timing
	unit   int64 // of the timing, per cycle
	change func(*Config)
}

// paperModels are all of them, for messages of so many flits.
func paperModels(flits int64) []paperModel {
	cut := multicast.GroupTiming(flits)
	cut.Start, cut.Preparation = multicast.Cut, 16
	return []paperModel{
		{"groups", multicast.GroupTiming(flits), 1, func(c *Config) { c.Startup = 33 }},
		{"groups, cut through", cut, 1, func(c *Config) { c.Startup, c.Preparation, c.CutThrough = 33, 16, true }},
		// A star's alpha does not count the way from the last router into the node.
		{"star", multicast.Timing{Startup: 100, Route: 2, Channel: 1, Flits: flits}, 1, func(c *Config) { c.Startup, c.RouteCycles = 99, 2 }},
		{"postorder", multicast.PostorderTiming(flits), 10, func(c *Config) {
			c.Startup, c.RouteCycles, c.InjectionChannels = 1000, 2, true
		}},
		{"tree", multicast.TreeTiming(flits), 20, func(c *Config) {
			c.Startup, c.RouteCycles, c.InjectionChannels, c.HeaderPhits = 25, 3, true, 1
		}},
	}
}

// TestContentionFree holds the engine to the latency model of each paper, as package multicast
// computes it from a plan: one step, rounds, two steps, header or tail first.
func TestContentionFree(t *testing.T) {
	g := topology.Mesh(6, 5)
	w := g.Wiring()
	const flits = 24
	for _, m := range paperModels(flits) {
		for name, plan := range alonePlans() {
			if name == "rounds" && m.name != "groups" && m.name != "postorder" {
				continue // stars and trees have one round; under cut-through rounds share a channel
			}
			c := Default()
			m.change(&c)
			if c.RouteCycles > 0 && name != "unicast" {
				// A header that decides at every router stalls the body in buffers of one flit,
				// which the models of intermediate stops do not know; with buffers for a whole
				// worm it does not.
				c.BufferPhits = flits + 1
			}
			n := buildGrid(t, g, c, fixed(plan))
			p := noc.Packet{Phits: flits, Dst: noc.NewNodeSet(w.Nodes())}
			for _, worm := range plan {
				for _, s := range worm.Stops {
					p.Dst.Add(s)
				}
			}
			got := alone(t, n, p)
			timing := m.timing
			if p.Dst.Count() == 1 {
				timing.Preparation = 0 // there is nothing to plan
			}
			want := must.Get(plan.Arrivals(w, timing))
			for _, a := range want {
				if got[a.Node]*m.unit != a.Tail {
					t.Errorf("%s, %s: node %d has it after %d cycles, want %d / %d", m.name, name, a.Node, got[a.Node], a.Tail, m.unit)
				}
			}
		}
	}
}

// TestOnHeader: a node has the header of a worm as many cycles before the whole as the worm has
// further flits.
func TestOnHeader(t *testing.T) {
	for _, phits := range []uint16{1, 2, 20} {
		n := buildGrid(t, topology.Mesh(5), Default(), nil)
		var headers, tails noc.Cycle
		n.OnHeader = func(message noc.Tag, from noc.Cycle) {
			if headers += from; message != 7 {
				t.Errorf("the header is of message %d, want 7", message)
			}
		}
		n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(5, 0, 1, 4), Tag: 7, Phits: phits})
		for _, d := range noctest.Drain(t, n) {
			tails += d.Arrived
		}
		if tails-headers != 3*noc.Cycle(phits-1) {
			t.Errorf("%d flits: three nodes have headers for %d cycles before the whole", phits, tails-headers)
		}
	}
}

// nanoseconds of a cycle in the paper.
const cycleTime = 20

// build makes a network or ends the test.
func build(t testing.TB, m topology.Multistage, c Config) *Network {
	return must.Get(New(m.Layout(), c, nil, TreePlanner{}))
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
// formula says so, whatever the consumption channels and the rule that releases tokens. With shallow
// buffers it may come later: a branch that waits for its token holds up the flits of the others.
func TestIdleNetworkFollowsTheFormula(t *testing.T) {
	random := random.Stream(5)
	for _, m := range []topology.Multistage{{Arity: 2, Stages: 4}, {Arity: 4, Stages: 2}, {Butterfly: true, Arity: 2, Stages: 4},
		{Bidirectional: true, Arity: 2, Stages: 4}, {Bidirectional: true, Arity: 4, Stages: 2}, {Bidirectional: true, Arity: 8, Stages: 1}} {
		for _, consumption := range []int{1, m.Arity} {
			c := DefaultTree()
			c.EjectionChannels, c.Tree.Release = consumption, []Release{Headers, Flits}[random.Below(2)]
			c.Tree.Multiple = m.Bidirectional && random.Below(2) == 0
			c.BufferPhits = []int{0, 1, 2, 8, 8, 8}[random.Below(6)]
			timing := multicast.TreeTiming(64)
			if timing.TokenOnce = random.Below(2) == 0; timing.TokenOnce {
				c.Tree.TokenTime = Once
			}
			n := build(t, m, c)
			groups := must.Get(multicast.NewSwitchGroups(m, consumption))
			for range 40 {
				r := multicast.Request{Source: noc.NodeID(random.Below(m.Nodes()))}
				for range 1 + random.Below(m.Nodes()) {
					r.Destinations = append(r.Destinations, noc.NodeID(random.Below(m.Nodes())))
				}
				if r.Destinations = r.Targets(); len(r.Destinations) == 0 {
					continue
				}
				got := alone(t, n, packet(m, r))
				plan := multicast.TreeWorm(m, groups, r)
				if c.Tree.Multiple {
					plan = must.Get(multicast.TurningTree(m, r))
				}
				want, err := plan.Arrivals(m.Wiring(), timing)
				if err != nil || len(want) != len(got) {
					t.Fatalf("%s, %v: %d arrivals, want %d (%v)", m, r, len(got), len(want), err)
				}
				for _, a := range want {
					if at := got[a.Node] * cycleTime; at < a.Tail || at > a.Tail && c.BufferPhits == 8 {
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
	n := must.Get(New(m.Layout(), DefaultTree(), nil, nil))
	d := noctest.Drive(t, n, topology.Mesh(4, 4), traffic.Config{PacketPhits: 8, Classes: 1, MulticastFraction: 0.1, Seed: 2})
	d.Run(40_000)
	fewest := 1e9
	for range 5 {
		fewest = min(fewest, must.Allocations(4, func() { d.Run(n.Now() + 500) }))
	}
	if fewest > 0 {
		t.Errorf("%v allocations in 500 cycles after warm-up", fewest)
	}
}

func TestValidate(t *testing.T) {
	w := topology.Mesh(4, 4).Wiring()
	for want, spoil := range map[string]func(*Config){
		"classes is 9":           func(c *Config) { c.Classes = 9 },
		"max_phits is 0":         func(c *Config) { c.MaxPhits = 0 },
		"buffer_phits is 0":      func(c *Config) { c.BufferPhits = 0 },
		"use 4 or more":          func(c *Config) { c.BufferPhits, c.CreditCycles = 3, 3 },
		"injection_ports is 16":  func(c *Config) { c.InjectionPorts = 16 },
		`routing is "xy"`:        func(c *Config) { c.Routing = "xy" },
		"startup is -1":          func(c *Config) { c.Startup = -1 },
		"source_queue is 100000": func(c *Config) { c.SourceQueue = 100000 },
	} {
		c := Default()
		spoil(&c)
		if err := c.Validate(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if n, err := New(topology.Mesh(4, 4).Layout(), c, nil, nil); err == nil || n != nil {
			t.Errorf("New accepts what Validate refuses: %q", want)
		}
	}
}

// TestInvariantsCanFail: each invariant finds its defect.
func TestInvariantsCanFail(t *testing.T) {
	for name, spoil := range map[string]func(*Network){
		"a channel without a worm": func(n *Network) { n.holdings[n.injectionChannel(15, 0)].holder = 0 },
		"a worm without a channel": func(n *Network) { n.holdings[n.positions.at(1).channel].holder = none },
		"a lost stop":              func(n *Network) { n.Dispatch.At(0).Stops = nil },
		"a lost ejection channel":  func(n *Network) { n.waits[n.exits[3]].free-- },
		"a free channel that is not given": func(n *Network) {
			n.ask(n.exits[3], request{position: 1, copies: true}, 1, n.Clock)
			n.waits[n.exits[3]].listed = false
		},
	} {
		n := buildGrid(t, topology.Mesh(4, 4), Default(), nil)
		n.Offer(noc.Packet{Dst: noc.One(15), Phits: 20}) // is on its way
		n.Step(4)
		must.Do(n.CheckInvariants())
		if spoil(n); n.CheckInvariants() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestValidateTree: what cannot be built of switches is refused with its key.
func TestValidateTree(t *testing.T) {
	m := topology.Multistage{Arity: 4, Stages: 2}
	for want, change := range map[string]func(*Config, *topology.Multistage){
		"classes is 0":            func(c *Config, _ *topology.Multistage) { c.Classes = 0 },
		"max_phits is 20000":      func(c *Config, _ *topology.Multistage) { c.MaxPhits = 20_000 },
		"release is \"soon\"":     func(c *Config, _ *topology.Multistage) { c.Tree.Release = "soon" },
		"arbitration is \"any\"":  func(c *Config, _ *topology.Multistage) { c.Tree.Arbitration = "any" },
		"ejection_channels: 3":    func(c *Config, _ *topology.Multistage) { c.EjectionChannels = 3 },
		"128 ports to each side":  func(_ *Config, m *topology.Multistage) { m.Arity = 128 },
		"token_hop is -1":         func(c *Config, _ *topology.Multistage) { c.Tree.TokenHop = -1 },
		"source_queue is 0; use ": func(c *Config, _ *topology.Multistage) { c.SourceQueue = 0 },
	} {
		c, of := DefaultTree(), m
		if _, err := New(of.Layout(), c, nil, nil); err != nil {
			t.Fatal(err)
		}
		change(&c, &of)
		if _, err := New(of.Layout(), c, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// TestTokenTime: half a round of the group, and nothing for a switch alone.
func TestTokenTime(t *testing.T) {
	n := build(t, topology.Multistage{Arity: 2, Stages: 4}, DefaultTree())
	for stage, want := range []noc.Cycle{4, 2, 1, 0} {
		if got := n.queues[n.tokens[n.stages.Router(stage, 0)]].passes; got != want {
			t.Errorf("the token of stage %d comes after %d cycles, want %d", stage, got, want)
		}
	}
}
