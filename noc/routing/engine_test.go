package routing_test

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/papers/wormholeideal"
	"github.com/carousel-sim/carousel/noc/routing"
	"github.com/carousel-sim/carousel/noc/topology"
)

// planner plans by one scheme.
type planner struct {
	scheme  multicast.Scheme
	network *multicast.Network
}

func (p planner) Plan(r multicast.Request) (multicast.Plan, error) {
	return p.scheme.Plan(p.network, r, multicast.DefaultOptions())
}

// sent is what one multicast through an idle engine took, per node, and what the plan promises.
func sent(t *testing.T, n *wormholeideal.Network, p planner, r multicast.Request, timing multicast.Timing, unit int64) (got, want map[noc.NodeID]int64) {
	t.Helper()
	packet := noc.Packet{Src: r.Source, Dst: noc.SetOf(n.Nodes(), r.Targets()...), Phits: uint16(timing.Flits)}
	if !n.Offer(packet) {
		t.Fatal("an idle network refuses a packet")
	}
	got, want = map[noc.NodeID]int64{}, map[noc.NodeID]int64{}
	for _, d := range noctest.Drain(t, n) {
		got[d.At] = unit * int64(d.Arrived-d.Offered)
	}
	plan := must.Get(p.Plan(r))
	arrivals := must.Get(plan.Arrivals(p.network.Wiring, timing))
	for _, a := range arrivals {
		want[a.Node] = a.Tail
	}
	return got, want
}

// TestSoftwareMulticastInTheEngine: recursive doubling in bidirectional multistage and in
// irregular networks takes the engine exactly as long as the plan says, because its unicasts
// never meet; in a unidirectional network they do, and it takes longer. A unicast whose way is
// left to the routing function takes as long as one with the path of the plan.
func TestSoftwareMulticastInTheEngine(t *testing.T) {
	for _, c := range []struct {
		network, scheme string
		meets           bool
	}{
		{"lattice:64:1", "postorder-doubling", false}, {"lattice:100:7", "postorder-doubling", false},
		{"bimin:butterfly:64:4", "umin", false}, {"bimin:butterfly:32:2", "umin", false}, {"min:baseline:64:4", "cmin", true},
	} {
		l := must.Get(topology.Open(c.network))
		scheme := must.Get(multicast.LookupScheme(c.scheme))
		p := planner{scheme, multicast.NewNetwork(l)}
		timing, _ := p.network.DefaultTiming()
		timing.Extra = 0 // pipelining without the flit that one paper adds
		config, unit := wormholeideal.Default(), timing.Channel
		config.InjectionChannels, config.InjectionPorts = true, 1
		config.Startup, config.RouteCycles = int(timing.Startup/unit), int(timing.Route/unit)
		// A header that decides at every router holds up a body in buffers of one flit, so that
		// its tail leaves the sender later than the models say; in buffers for a whole worm it
		// does not.
		config.MaxPhits, config.BufferPhits = int(timing.Flits), int(timing.Flits)+1
		late := int64(0)
		for i := range noc.NodeID(8) {
			r := requestOf(i, noc.NodeID(l.Wiring.Nodes()))
			n := must.Get(wormholeideal.New(l, config, function(t, l, p.network), dispatch.Planner(p)))
			got, want := sent(t, n, p, r, timing, unit)
			for node, tail := range want {
				late = max(late, got[node]-tail)
				if got[node] != tail && !c.meets || got[node] < tail {
					t.Fatalf("%s on %s, request %d: node %d has the message after %d, want %d", c.scheme, c.network, i, node, got[node], tail)
				}
			}
		}
		for a := range noc.NodeID(5) {
			n := must.Get(wormholeideal.New(l, config, function(t, l, p.network), nil))
			r := multicast.Request{Source: a * 7, Destinations: []noc.NodeID{a*5 + 3}}
			if got, want := sent(t, n, p, r, timing, unit); got[a*5+3] != want[a*5+3] {
				t.Errorf("%s: unicast from %d to %d takes %d, want %d", c.network, r.Source, a*5+3, got[a*5+3], want[a*5+3])
			}
		}
		if c.meets && late == 0 {
			t.Errorf("%s on %s: nothing is late", c.scheme, c.network)
		}
	}
}

// requestOf returns one of eight requests, to more and more of the nodes.
func requestOf(i, nodes noc.NodeID) multicast.Request {
	r := multicast.Request{Source: i * 13 % nodes}
	if i == 0 {
		r.Destinations = []noc.NodeID{1, 2, 3} // which nobody can reach in two steps without contention in cmin
	}
	for k := range i * nodes / 7 {
		r.Destinations = append(r.Destinations, (k*(2*i+1)+i)%nodes)
	}
	return r
}

// function returns the routing of a network that is not a grid.
func function(t *testing.T, l topology.Layout, n *multicast.Network) routing.Function {
	t.Helper()
	if l.Multistage != nil {
		return must.Get(routing.Stages(*l.Multistage, l.Wiring))
	}
	u := must.Get(n.Tree())
	return must.Get(routing.UpDown(u, l.Wiring))
}
