package engine

import (
	"math"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/noc/wormhole"
)

// TestZeroLoad: a packet alone takes pipeline and link per router, the link from its node, and one
// cycle per further flit.
func TestZeroLoad(t *testing.T) {
	for _, v := range []struct {
		name     string
		g        topology.Grid
		pipeline int
		change   func(*wormhole.Config)
	}{
		{"four stages", topology.Mesh(8, 8), 4, func(*wormhole.Config) {}},
		{"speculative", topology.Mesh(8, 8), 3, func(c *wormhole.Config) { c.Speculative = true }},
		{"looking ahead, speculative", topology.Mesh(8, 8), 2, func(c *wormhole.Config) { c.Speculative, c.RouteCycles = true, 0 }},
		{"long stages", topology.Torus(4, 4, 4), 9, func(c *wormhole.Config) {
			c.Classes, c.RouteCycles, c.SwitchCycles, c.LinkCycles, c.BufferPhits = 4, 3, 4, 2, 16
		}},
		{"the longest stages", topology.Torus(4, 4), 18, func(c *wormhole.Config) {
			c.RouteCycles, c.SwitchCycles, c.LinkCycles, c.CreditCycles, c.BufferPhits = 8, 8, 16, 16, 64
		}},
	} {
		c := wormhole.Default()
		v.change(&c)
		for _, phits := range []int{1, 5, 20} {
			for to := noc.NodeID(1); int(to) < v.g.Nodes(); to += 7 {
				n := build(t, v.g, c, nil)
				n.Offer(noc.Packet{Dst: noc.One(to), Phits: uint16(phits)})
				n.Step(10000)
				d := n.Deliveries()
				hops := v.g.Distance(0, to)
				want := (hops+1)*(v.pipeline+c.LinkCycles) + c.LinkCycles + phits - 1
				if len(d) != 1 || int(d[0].Arrived) != want || int(d[0].Hops) != hops {
					t.Fatalf("%s: to %d with %d flits: %+v, want %d cycles", v.name, to, phits, d, want)
				}
			}
		}
	}
}

// TestManyEjected: a network may run until more flits have gone to nodes than the count of their
// places goes down to.
func TestManyEjected(t *testing.T) {
	n := build(t, topology.Mesh(4, 4), wormhole.Default(), nil)
	n.upstream[n.noChannel].credits = 1
	n.Offer(noc.Packet{Dst: noc.One(15), Phits: 20})
	n.Step(1000)
	if left := n.upstream[n.noChannel].credits; left < math.MaxInt32/2 || len(n.Deliveries()) != 1 {
		t.Errorf("%d more flits can go to nodes", left)
	}
}

// TestCreditLoop: a channel shallower than the way of a credit streams at its depth per round trip.
func TestCreditLoop(t *testing.T) {
	c := wormhole.Default()
	c.Classes = 1
	trip := 1 + c.SwitchCycles + c.LinkCycles + 1 + c.CreditCycles // grant, arrival and next grant, credit's use
	for depth := 1; depth <= trip+1; depth++ {
		c.BufferPhits = depth
		n := build(t, topology.Mesh(8, 2), c, nil)
		n.Offer(noc.Packet{Dst: noc.One(7), Phits: 120})
		n.Step(10000)
		d := n.Deliveries()
		streaming := 8*(c.RouteCycles+2+c.SwitchCycles+c.LinkCycles) + c.LinkCycles + 120 - 1
		slow := int(d[0].Arrived) - streaming
		if want := 120*trip/min(depth, trip) - 120; slow < want-2*trip || slow > want+2*trip {
			t.Errorf("channels of %d flits, round trip %d: %d cycles more than streaming, want about %d", depth, trip, slow, want)
		}
	}
}

// TestSaturation: the classic mesh, four channels of eight flits, saturates near 0.4 flits per node
// and cycle under uniform traffic; speculation and a fifth of the buffers move it as they should.
func TestSaturation(t *testing.T) {
	accepted := func(change func(*wormhole.Config)) float64 {
		g := topology.Mesh(8, 8)
		c := wormhole.Default()
		c.Classes, c.VirtualChannels = 1, 4
		change(&c)
		n := build(t, g, c, nil)
		d := noctest.Drive(t, n, g, traffic.Config{Load: 0.9, PacketPhits: 1, Classes: 1})
		d.Run(1500)
		d.Clear()
		d.Run(4500)
		return d.Window().Delivered
	}
	classic := accepted(func(*wormhole.Config) {})
	short := accepted(func(c *wormhole.Config) { c.Speculative, c.RouteCycles = true, 0 })
	shallow := accepted(func(c *wormhole.Config) { c.VirtualChannels, c.BufferPhits = 1, 4 })
	t.Logf("accepted at overload: classic %.3f, short pipeline %.3f, one channel of four flits %.3f", classic, short, shallow)
	if classic < 0.35 || classic > 0.48 {
		t.Errorf("the classic mesh accepts %.3f flits per node and cycle, want about 0.4", classic)
	}
	if short < classic || shallow > 0.8*classic {
		t.Errorf("short pipeline %.3f, classic %.3f, shallow %.3f: want them falling", short, classic, shallow)
	}
}

// TestDatelines: saturated rings of every shape go on with two halves of channels; with one half
// for all they stop, and Explain tells of packets that wait for channels.
func TestDatelines(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(8), topology.Torus(4, 4), topology.Torus(3, 5), topology.Torus(4, 3, 2)} {
		c := wormhole.Default()
		c.Classes, c.BufferPhits, c.MaxPhits = 1, 2, 8
		if overload(t, build(t, g, c, nil), g) {
			t.Errorf("%s: standstill", g)
		}
	}
	g := topology.Torus(8)
	c := wormhole.Default()
	c.Classes, c.BufferPhits, c.MaxPhits = 1, 2, 8
	n := build(t, g, c, nil)
	n.sets[0] = [2]channelSet{1, 1}
	if !overload(t, n, g) {
		t.Fatal("without datelines the rings do not stop")
	}
	if stuck := n.Explain(); len(stuck) < 4 || stuck[0].Holds == "" || stuck[0].Waits == "" {
		t.Errorf("a standstill is explained by %v", stuck)
	}
	c.VirtualChannels = 1
	if _, err := onGrid(g, c, nil); err == nil || !strings.Contains(err.Error(), "need 2") {
		t.Errorf("one channel on a torus: %v", err)
	}
}

// TestPathWorms: label-ordered worms and label-routed unicasts do not stop, whatever the channels;
// plans need a way out of every input.
func TestPathWorms(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(4, 4), topology.Torus(4, 4), topology.Mesh(3, 3, 3)} {
		c := wormhole.Default()
		c.Classes, c.BufferPhits, c.MaxPhits, c.Routing, c.EjectionPerInput = 1, 2, 8, wormhole.Labels, true
		n := build(t, g, c, newGroups(g))
		if overload(t, n, g) {
			t.Errorf("%s: standstill", g)
		}
		c.EjectionPerInput = false
		if _, err := onGrid(g, c, newGroups(g)); err == nil || !strings.Contains(err.Error(), "ejection_per_input") {
			t.Errorf("plans with one way out: %v", err)
		}
	}
}

// overload sends more than a network can carry and reports whether it stopped.
func overload(t *testing.T, n *Network, g topology.Grid) bool {
	t.Helper()
	return noctest.StandsStill(t, n, noctest.Drive(t, n, g, traffic.Config{Load: 2, PacketPhits: 8, Classes: 1,
		MulticastFraction: 0.1, MulticastDestinations: 3, Seed: 3}), 20_000)
}

// TestInvariantsCanFail: each invariant finds its defect.
func TestInvariantsCanFail(t *testing.T) {
	for name, spoil := range map[string]func(*Network){
		"a lost credit":         func(n *Network) { n.upstream[n.layout.channelAt(5, 1, 0)].credits-- },
		"a lost stop":           func(n *Network) { n.Dispatch.At(0).Stops = nil },
		"a lost flit":           func(n *Network) { n.switches.words[0].occupied ^= 1 },
		"a request for nothing": func(n *Network) { n.switches.words[0].active ^= 2 },
		"another way":           func(n *Network) { n.switches.requests[0] ^= 8 },
		"a header forgotten":    func(n *Network) { n.port[n.layout.portAt(1, 2)].sleeper = n.noChannel },
		"a header that sleeps on": func(n *Network) {
			n.channel[n.port[n.layout.portAt(1, 2)].sleeper].allowed = 2
		},
		"a channel nobody has": func(n *Network) { n.port[n.layout.portAt(0, 2)].free ^= 1 },
	} {
		n := build(t, topology.Mesh(4, 4), wormhole.Default(), nil)
		n.Offer(noc.Packet{Dst: noc.One(15), Phits: 20})
		n.Offer(noc.Packet{Src: 1, Dst: noc.One(15), Phits: 20})
		n.Step(10) // the header of the first waits in router 1 for the channel of the second
		must.Do(n.CheckInvariants())
		if spoil(n); n.CheckInvariants() == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestSinkTurns: where a sink takes one packet at a time, the inputs of its router take turns,
// however many packets wait in each.
func TestSinkTurns(t *testing.T) {
	c := wormhole.Default()
	c.Classes, c.MaxPhits = 1, 1
	n := build(t, topology.Mesh(3), c, nil)
	n.LimitSink(1, 0, 1)
	for tag := range noc.Tag(6) {
		for _, src := range []noc.NodeID{0, 1, 2} {
			n.Offer(noc.Packet{Src: src, Dst: noc.One(1), Tag: tag, Phits: 1})
		}
	}
	var from []noc.NodeID
	for len(from) < 18 && n.Now() < 1000 {
		n.Step(n.Now() + 40)
		for _, d := range n.Deliveries() {
			from = append(from, d.Src)
			n.FreeSink(1, 0)
		}
	}
	if len(from) != 18 {
		t.Fatalf("%d of 18 packets arrived", len(from))
	}
	for i := 3; i < 12; i++ { // while packets of all three are there
		seen := map[noc.NodeID]bool{from[i]: true, from[i+1]: true, from[i+2]: true}
		if len(seen) != 3 {
			t.Fatalf("the sources come in the order %v", from)
		}
	}
}

// TestInjection: a node that sends one packet of a class at a time sends the second when the first
// has left.
func TestInjection(t *testing.T) {
	for _, one := range []bool{false, true} {
		c := wormhole.Default()
		c.Classes, c.VirtualChannels, c.MaxPhits, c.BufferPhits = 1, 4, 20, 20
		if one {
			c.Injection = 1
		}
		n := build(t, topology.Mesh(3), c, nil)
		for tag := range noc.Tag(2) {
			n.Offer(noc.Packet{Src: 0, Dst: noc.One(2), Tag: tag, Phits: 20})
		}
		d := noctest.Drain(t, n)
		if apart := d[1].Arrived - d[0].Arrived; (apart >= 20) != one {
			t.Errorf("one at a time: %v: tails arrive %d cycles apart", one, apart)
		}
	}
}
