package wormholeideal

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/dispatch"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/noctest"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// deadlockCase is a worked case: messages, and whether they can reach a deadlock.
type deadlockCase struct {
	ID       string `json:"id"`
	B        int    `json:"b"`
	N        int    `json:"n"`
	Network  string `json:"network"`
	Several  bool   `json:"b_consumption"`
	Messages [][2]json.RawMessage
	Without  bool `json:"deadlock_reachable_without_token"`
}

// cases reads the worked cases, which an exhaustive search of another program has decided.
func cases(t *testing.T) []deadlockCase {
	t.Helper()
	text := must.Get(os.ReadFile("../../multicast/testdata/deadlock.json"))
	var file struct{ Cases []deadlockCase }
	must.Do(json.Unmarshal(text, &file))
	return file.Cases
}

// messages are the sources and destinations of a case.
func (k *deadlockCase) messages(t *testing.T) (packets []noc.Packet) {
	t.Helper()
	m := topology.Multistage{Arity: k.B, Stages: k.N}
	for i, message := range k.Messages {
		p := noc.Packet{Tag: noc.Tag(i), Phits: 100}
		var to []noc.NodeID
		if json.Unmarshal(message[0], &p.Src) != nil || json.Unmarshal(message[1], &to) != nil {
			t.Fatalf("%s: message %d is unreadable", k.ID, i)
		}
		p.Dst = noc.SetOf(m.Nodes(), to...)
		p.Dst.Remove(p.Src)
		packets = append(packets, p)
	}
	return packets
}

// try sends the messages of a case, each after a random time, among unicasts that hold them up,
// and returns the circle in which they wait.
func (k *deadlockCase) try(t *testing.T, tokens bool, random *random.Stream) []noc.Stuck {
	t.Helper()
	m := topology.Multistage{Bidirectional: k.Network == "bi", Arity: k.B, Stages: k.N}
	c := DefaultTree()
	c.MaxPhits, c.BufferPhits, c.Startup, c.Tree.Tokens, c.Tree.Adaptive, c.Tree.Arbitration = 100, 1, 0, tokens, false, RoundRobin
	c.RouteCycles = random.Below(3)
	if k.Several {
		c.EjectionChannels = k.B
	}
	n := build(t, m, c)
	packets := k.messages(t)
	for i := range random.Below(12) {
		packets = append(packets, noc.Packet{Src: noc.NodeID(random.Below(m.Nodes())), Dst: noc.One(noc.NodeID(random.Below(m.Nodes()))),
			Tag: noc.Tag(100 + i), Phits: uint16(1 + random.Below(40))})
	}
	starts := make([]noc.Cycle, len(packets))
	for i := range starts {
		starts[i] = noc.Cycle(random.Below(40))
	}
	for n.Now() < 40 || n.InFlight() > 0 {
		for i, p := range packets {
			if starts[i] == n.Now() {
				n.Offer(p)
			}
		}
		n.Step(n.Now() + 1)
		n.Deliveries()
		if n.Now() > 5000 {
			circle := n.Deadlock()
			if len(circle) == 0 {
				t.Fatalf("%s stands still and no circle is found: %v", k.ID, n.Explain())
			}
			return circle
		}
	}
	return nil
}

// TestVectors: the messages that can deadlock without tokens do in the engine, if they meet at the
// right time, and the circle is explained; those that cannot do not, and with tokens none does.
func TestVectors(t *testing.T) {
	random := random.Stream(11)
	deadlocks := 0
	for _, k := range cases(t) {
		var circle []noc.Stuck
		tries := 0
		for limit := 5000; tries < limit && circle == nil; tries++ {
			if !k.Without && tries == 40 {
				break
			}
			circle = k.try(t, false, &random)
		}
		if (circle != nil) != k.Without {
			t.Errorf("%s: deadlock after %d tries: %v, want %v", k.ID, tries, circle, k.Without)
		}
		if circle != nil {
			t.Logf("%s: after %d tries", k.ID, tries)
			deadlocks++
			explained(t, k.ID, circle)
		}
		for range 40 {
			if circle := k.try(t, true, &random); circle != nil {
				t.Errorf("%s: with tokens: %v", k.ID, circle)
			}
		}
	}
	t.Logf("%d cases deadlock", deadlocks)
	if deadlocks == 0 {
		t.Error("no case deadlocks: the test cannot fail")
	}
}

// explained: each header of a circle waits for something that the message of the next one holds.
func explained(t *testing.T, id string, circle []noc.Stuck) {
	t.Helper()
	for i, s := range circle {
		next := circle[(i+1)%len(circle)]
		if !strings.Contains(s.Waits, "held by packet") || s.Holds == "" {
			t.Errorf("%s: %+v does not say what it waits for", id, s)
		}
		if len(circle) < 2 || s.Tag == next.Tag && s.At == next.At {
			t.Errorf("%s: %+v waits for %+v", id, s, next)
		}
	}
}

// saturate sends random messages as fast as a network takes them, and returns how many arrived and
// the circle that ended it, if one did.
func saturate(n *Network, messages int, seed uint64) (int, []noc.Stuck) {
	random := random.Stream(seed)
	nodes := n.Nodes()
	sent, last, moved := 0, 0, noc.Cycle(0)
	for n.InFlight() > 0 || sent < messages {
		for node := range nodes {
			for sent < messages {
				to := noc.NewNodeSet(nodes)
				for range 1 + random.Below(nodes) {
					to.Add(noc.NodeID(random.Below(nodes)))
				}
				if random.Below(3) == 0 {
					to = noc.SetOf(nodes, noc.NodeID(random.Below(nodes)))
				}
				if !n.Offer(noc.Packet{Src: noc.NodeID(node), Dst: to, Tag: noc.Tag(sent), Phits: uint16(1 + random.Below(n.config.MaxPhits))}) {
					break
				}
				sent++
			}
		}
		n.Step(n.Now() + 4096)
		if n.Deliveries(); n.InFlight() != last {
			last, moved = n.InFlight(), n.Now()
		}
		if n.Now()-moved > 20_000 {
			return sent, n.Deadlock()
		}
	}
	return sent, nil
}

// TestSaturation: with tokens random messages never wait in a circle, however the network is
// driven; without them they soon do.
func TestSaturation(t *testing.T) {
	messages := 2000
	if os.Getenv("CAROUSEL_LONG") != "" {
		messages = 100_000
	}
	for _, m := range []topology.Multistage{{Arity: 2, Stages: 3}, {Arity: 4, Stages: 2}, {Butterfly: true, Arity: 2, Stages: 4}, {Butterfly: true, Arity: 3, Stages: 3},
		{Bidirectional: true, Arity: 2, Stages: 4}, {Bidirectional: true, Arity: 4, Stages: 2}} {
		for _, consumption := range []int{1, m.Arity} {
			for _, release := range []Release{Headers, Flits} {
				c := DefaultTree()
				c.MaxPhits, c.BufferPhits, c.Startup, c.RouteCycles, c.EjectionChannels, c.Tree.Release = 24, 1, 0, 0, consumption, release
				if consumption > 1 {
					c.Tree.Arbitration = RoundRobin
				}
				n := build(t, m, c)
				if sent, circle := saturate(n, messages, 1); sent != messages || circle != nil || n.InFlight() > 0 {
					t.Errorf("%s, %d consumption channels, %s: %d of %d messages, %d deliveries missing: %v", m, consumption, release, sent, messages, n.InFlight(), circle)
				}
				if r := n.Releases(); (r.Counted > 0) != (release == Flits) || r.Arrived == 0 || r.Early > 0 {
					t.Errorf("%s, %s: tokens %+v", m, release, r)
				}
			}
			c := DefaultTree()
			c.MaxPhits, c.BufferPhits, c.Startup, c.RouteCycles, c.EjectionChannels, c.Tree.Tokens, c.Tree.Arbitration = 24, 1, 0, 0, consumption, false, RoundRobin
			if sent, circle := saturate(build(t, m, c), messages, 1); circle == nil {
				t.Errorf("%s, %d consumption channels: %d messages without tokens and no deadlock", m, consumption, sent)
			} else {
				explained(t, m.String(), circle)
			}
		}
	}
}

// TestMultipleTurnaround: worms that branch on their way up do not wait in a circle if all
// switches share a token, and do without tokens.
func TestMultipleTurnaround(t *testing.T) {
	for _, m := range []topology.Multistage{{Bidirectional: true, Arity: 2, Stages: 4}, {Bidirectional: true, Arity: 4, Stages: 2}} {
		for _, release := range []Release{Headers, Flits} {
			c := DefaultTree()
			c.MaxPhits, c.BufferPhits, c.Startup, c.RouteCycles, c.Tree.Release, c.Tree.Multiple = 24, 1, 0, 0, release, true
			n := build(t, m, c)
			if sent, circle := saturate(n, 2000, 1); sent != 2000 || circle != nil || n.InFlight() > 0 || n.Releases().Early > 0 {
				t.Errorf("%s, %s: %d messages, %d deliveries missing, tokens %+v: %v", m, release, sent, n.InFlight(), n.Releases(), circle)
			}
		}
		c := DefaultTree()
		c.MaxPhits, c.BufferPhits, c.Startup, c.Tree.Multiple, c.Tree.Tokens, c.Tree.Arbitration = 24, 1, 0, true, false, RoundRobin
		if sent, circle := saturate(build(t, m, c), 2000, 1); circle == nil {
			t.Errorf("%s: %d messages without tokens and no deadlock", m, sent)
		}
	}
}

// TestDilated: with b^j channels in each link into stage j and as many consumption channels as
// nodes, trees need no tokens (section 3.1). With one consumption channel they still wait for
// each other at the nodes.
func TestDilated(t *testing.T) {
	for _, m := range []topology.Multistage{{Arity: 2, Stages: 4}, {Arity: 4, Stages: 2}, {Butterfly: true, Arity: 3, Stages: 3}} {
		for _, consumption := range []int{1, m.Nodes()} {
			c := DefaultTree()
			c.MaxPhits, c.BufferPhits, c.Startup, c.EjectionChannels = 24, 1, 0, consumption
			c.Tree.Tokens, c.Tree.Dilated, c.Tree.Arbitration = false, true, RoundRobin
			n := build(t, m, c)
			sent, circle := saturate(n, 2000, 1)
			if done := sent == 2000 && circle == nil && n.InFlight() == 0; done != (consumption > 1) {
				t.Errorf("%s, %d consumption channels: %d messages, %d deliveries missing: %v", m, consumption, sent, n.InFlight(), circle)
			}
		}
	}
}

type nodes = []noc.NodeID

// TestLastStageCanDeadlock refutes section 3.2 of Varavithya and Mohapatra, which gives the last
// stage of a bidirectional network no tokens where there are as many consumption channels as
// ports: six messages that meet in one switch of it can wait in a circle. Tokens of the switch
// prevent it.
func TestLastStageCanDeadlock(t *testing.T) {
	try := func(tokens bool, wait noc.Cycle) (stuck []noc.Stuck) {
		c := DefaultTree()
		c.EjectionChannels, c.Startup, c.BufferPhits, c.Tree.Arbitration = 3, 0, 1, RoundRobin
		n := build(t, topology.Multistage{Bidirectional: true, Arity: 3, Stages: 2}, c)
		if !tokens {
			for router := range n.locals {
				n.locals[router] = none
			}
		}
		for _, e := range []struct {
			at   noc.Cycle
			from noc.NodeID
			to   nodes
		}{
			{0, 3, nodes{0}}, {0, 4, nodes{2}}, {300, 1, nodes{0}}, {300, 2, nodes{1}}, // set whose turn it is at each output
			{600, 3, nodes{0, 1, 2}}, {600, 4, nodes{0, 1, 2}}, {600, 5, nodes{0, 1, 2}},
			{600 + wait, 0, nodes{1, 2}}, {600 + wait, 1, nodes{0, 2}}, {600 + wait, 2, nodes{0, 1}},
		} {
			for n.Now() < e.at {
				n.Step(e.at)
				n.Deliveries()
			}
			n.Offer(noc.Packet{Src: e.from, Dst: noc.SetOf(9, e.to...), Phits: 60})
		}
		for n.Now() < 3000 {
			n.Step(3000)
			n.Deliveries()
		}
		if n.InFlight() == 0 {
			return nil
		}
		return n.Deadlock()
	}
	circles := 0
	for wait := noc.Cycle(0); wait < 40; wait++ {
		if len(try(false, wait)) > 0 {
			circles++
		}
		if stuck := try(true, wait); stuck != nil {
			t.Errorf("with tokens, %d cycles apart: %+v", wait, stuck)
		}
	}
	if circles == 0 {
		t.Error("without tokens of the last stage nothing deadlocks")
	}
}

// overload sends more than a 4x4 mesh can carry, a tenth of it multicasts, and reports whether it
// stopped.
func overload(t *testing.T, n *Network, g topology.Grid, cycles noc.Cycle) bool {
	t.Helper()
	return noctest.StandsStill(t, n, noctest.Drive(t, n, g, traffic.Config{Load: 2, PacketPhits: 16, Classes: 1,
		MulticastFraction: 0.1, MulticastDestinations: 5, Seed: 3}), cycles)
}

// TestDeadlock: label-ordered worms are free of deadlock with
// unicasts that follow the labels, and not with unicasts in dimension order; those alone are.
func TestDeadlock(t *testing.T) {
	g := topology.Mesh(4, 4)
	c := Default()
	c.MaxPhits, c.Classes = 16, 1
	worms := noctest.Scheme("dual-path", g)
	for _, v := range []struct {
		name    string
		routing Routing
		planner dispatch.Planner
		stops   bool
	}{
		{"label-ordered worms, unicasts by labels", Labels, worms, false},
		{"unicasts in dimension order", DimensionOrder, nil, false},
		{"label-ordered worms, unicasts in dimension order", DimensionOrder, worms, true},
	} {
		c.Routing = v.routing
		n := buildGrid(t, g, c, v.planner)
		stopped := overload(t, n, g, 100_000)
		circle := n.Deadlock()
		if stopped != v.stops || (len(circle) > 0) != v.stops {
			t.Fatalf("%s: standstill %v at cycle %d, circle %v, want deadlock %v", v.name, stopped, n.Now(), circle, v.stops)
		}
		for i, s := range circle {
			next := circle[(i+1)%len(circle)]
			if name, _, _ := strings.Cut(s.Waits, ":"); !strings.HasPrefix(name, "channel") || s.Tag == next.Tag && len(circle) > 1 {
				t.Errorf("%s: %+v waits for %+v", v.name, s, next)
			}
		}
		if v.stops {
			t.Logf("deadlock by cycle %d: %d worms wait in a circle: %v", n.Now(), len(circle), circle)
		}
	}
}

// TestSingleEjectionChannel: worms with several stops could wait for each other's ejection
// channels, so a network with too few of them takes no planner.
func TestSingleEjectionChannel(t *testing.T) {
	g := topology.Mesh(4, 4)
	c := Default()
	c.EjectionChannels = 1
	if _, err := New(g.Layout(), c, nil, noctest.Scheme("dual-path", g)); err == nil || !strings.Contains(err.Error(), "ejection_channels is 1") {
		t.Errorf("one ejection channel: %v", err)
	}
	// What the refusal prevents.
	c.EjectionChannels, c.MaxPhits, c.Classes = 0, 16, 1
	n := buildGrid(t, g, c, noctest.Scheme("dual-path", g))
	for _, p := range n.exits {
		n.queues[p].count, n.waits[p].free = 1, 1
	}
	if !overload(t, n, g, 100_000) || len(n.Deadlock()) == 0 {
		t.Error("worms with several stops do not deadlock on single ejection channels")
	}
}

// TestTorusRings: following the labels keeps a torus free of deadlock with one channel per link.
func TestTorusRings(t *testing.T) {
	g := topology.Torus(4, 4)
	c := Default()
	c.MaxPhits, c.Classes = 16, 1
	n := buildGrid(t, g, c, noctest.Scheme("dual-path", g))
	if overload(t, n, g, 50_000) {
		t.Errorf("standstill: %v", n.Deadlock())
	}
	c.Routing = DimensionOrder
	if _, err := New(g.Layout(), c, nil, nil); err == nil || !strings.Contains(err.Error(), "a ring would deadlock") {
		t.Errorf("dimension order on a torus: %v", err)
	}
}
