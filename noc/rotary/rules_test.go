package rotary

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Ports of a two-dimensional router.
const (
	portL, portS, portE, portN, portW = 0, 1, 2, 3, 4
)

// place makes a packet as if it were in router 0.
func place(n *Network, turns int, destinations ...noc.NodeID) packet {
	h := header{only: several, phits: 5, turns: uint8(turns), origin: portW}
	if len(destinations) == 1 {
		h.only = int32(destinations[0])
		h.worm = n.worms.New(fabric.Worm{Phits: 5}, destinations[0])
	} else {
		h.worm = n.worms.NewSeveral(fabric.Worm{Phits: 5})
		for i := range n.worms.Set(h.worm) {
			n.worms.Set(h.worm)[i] = noc.SetOf(n.Nodes(), destinations...).Word(i)
		}
	}
	n.route(0, &h)
	return n.routers[0].newPacket(&h)
}

// TestReplicationRows has a case per row of ref 3.1, and of the scopes of rule 4.
func TestReplicationRows(t *testing.T) {
	const (
		south, farSouth = 56, 48 // served by S of node 0 on the 8x8 torus
		east            = 1
	)
	type room struct{ own, other int } // free slots of the lane that the segment feeds and of the other
	for _, c := range []struct {
		name  string
		scope Scope
		port  int // output
		turns int
		room  room
		busy  bool
		set   []noc.NodeID
		want  verdict
	}{
		{"1: not profitable", StageScope, portS, 1, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"1: several, not profitable", StageScope, portS, 1, room{2, 2}, false, []noc.NodeID{east, 2}, nothing},
		{"1: lane full", StageScope, portS, 1, room{0, 2}, false, []noc.NodeID{south}, nothing},
		{"1: port busy", StageScope, portS, 1, room{2, 2}, true, []noc.NodeID{south}, nothing},
		{"1: lost, but lane full", StageScope, portS, 7, room{0, 2}, false, []noc.NodeID{east}, nothing},
		{"2: one, served", StageScope, portS, 1, room{1, 0}, false, []noc.NodeID{south}, whole},
		{"2: several, all served", StageScope, portS, 1, room{1, 0}, false, []noc.NodeID{south, farSouth}, whole},
		{"2: at home", StageScope, portL, 1, room{1, 0}, false, []noc.NodeID{0}, whole},
		{"3: not yet lost", StageScope, portS, 6, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"3: lost", StageScope, portS, 7, room{1, 0}, false, []noc.NodeID{east}, whole},
		{"3: lost, never to the node", StageScope, portL, 9, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"3 before 5", StageScope, portS, 7, room{2, 2}, false, []noc.NodeID{south, east}, whole},
		{"4: copy to the node", StageScope, portL, 1, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"4: lost, still a copy", StageScope, portL, 9, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"5: both slots in the lane", StageScope, portS, 1, room{2, 0}, false, []noc.NodeID{south, east}, part},
		{"5: one slot in each lane", StageScope, portS, 1, room{1, 1}, false, []noc.NodeID{south, east}, part},
		{"5: lane scope", LaneScope, portS, 1, room{2, 0}, false, []noc.NodeID{south, east}, part},
		{"6: lane scope, other lane empty", LaneScope, portS, 1, room{1, 2}, false, []noc.NodeID{south, east}, nothing},
		{"6: last slot, first turn", StageScope, portS, 5, room{1, 0}, false, []noc.NodeID{south, east}, nothing},
		{"6: last slot, after a turn", StageScope, portS, 6, room{1, 0}, false, []noc.NodeID{south, east}, whole},
	} {
		for ring := range rings {
			config := DefaultMRR()
			config.Rule4Scope = c.scope
			n := build(t, topology.Torus(8, 8), config)
			s, r, o := n.feeder(c.port, ring), &n.routers[0], &n.routers[0].output[c.port]
			o.free[ring], o.free[1-ring] = uint8(c.room.own), uint8(c.room.other)
			if c.room.own == 0 {
				r.outRoom &^= 1 << s
			}
			if c.busy {
				r.outIdle &^= 1 << s
			}
			if got := n.ask(0, r, int(s), place(n, c.turns, c.set...)); got != c.want {
				t.Errorf("%s, ring %d: verdict %d, want %d", c.name, ring, got, c.want)
			}
		}
	}
}

// TestEntryRules checks rule 1 at the network inputs and rule 2 with the injection limit at the source.
func TestEntryRules(t *testing.T) {
	for free, want := range []bool{false, false, true, true, true} {
		n := build(t, topology.Torus(8, 8), DefaultRR())
		r := &n.routers[0]
		r.free[portW], r.free[n.ports+portW] = uint8(free), 0
		r.input[portW].queue.push(n.inputLane(r, portW), place(n, 0, 1))
		n.routers[r.input[portW].upstream].output[portE].credits--
		r.entering = 1 << portW
		n.enter(0, r, portW, 0)
		if got := r.input[portW].queue.size == 0; got != want {
			t.Errorf("%d free slots: a network input enters: %v, want %v", free, got, want)
		}
	}
	for _, c := range []struct {
		free, used int
		want       bool
	}{{2, 5, false}, {3, 5, true}, {3, 21, true}, {3, 22, false}, {4, 30, false}} {
		config := DefaultRR()
		config.InjectLimit = 22
		n := build(t, topology.Torus(8, 8), config)
		n.routers[0].free[portL], n.routers[0].free[n.ports+portL] = uint8(c.free), 0
		n.routers[0].used = int16(c.used)
		n.Offer(noc.Packet{Src: 0, Dst: noc.One(9), Phits: 5})
		n.stepRouter(0)
		if got := n.injected == 1; got != c.want {
			t.Errorf("%d free slots, %d in use: injected %v, want %v", c.free, c.used, got, c.want)
		}
	}
}

// TestLostPacketLeaves closes the only profitable output: after MissLimit entries the packet leaves by
// another one and still arrives (rule 3).
func TestLostPacketLeaves(t *testing.T) {
	if invariants {
		t.Skip("the state made by hand breaks the laws")
	}
	n := build(t, topology.Torus(8, 8), DefaultRR())
	for ring := range rings {
		n.routers[0].output[portE].free[ring] = 0
		n.routers[0].outRoom &^= 1 << n.feeder(portE, ring)
	}
	n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5})
	got := drain(t, n, 1000)
	a := n.Activity(nil)[0]
	if len(got) != 1 || got[0].Hops < 3 || a.Misroutes != 1 || a.RingHop < 5*6 {
		t.Errorf("%+v after %d misroutes and %d phits turned", got, a.Misroutes, a.RingHop)
	}
}

// TestHold lets an input starve before a full segment with one free slot: after HoldAfter refusals the
// segment refuses ring traffic, until the input has entered.
func TestHold(t *testing.T) {
	if invariants {
		t.Skip("the state made by hand breaks the laws")
	}
	n := build(t, topology.Torus(8, 8), DefaultRR())
	r := &n.routers[0]
	for ring := range rings { // one place left in each segment of W
		for range 3 {
			n.routers[0].used++
			r.ringFree[ring]--
			k := place(n, 1, 36)
			n.write(r, ring*n.ports+portW, k, &r.headers[k], 2, n.on(r, 5, false))
		}
	}
	r.ringIdle &^= 1<<portW | 1<<(n.ports+portW) // and nothing leaves them
	r.outIdle &^= 1<<portW | 1<<(n.ports+portW)
	r.input[portW].queue.push(n.inputLane(r, portW), place(n, 0, 1))
	n.routers[r.input[portW].upstream].output[portE].credits--
	r.mail[0] = 1 << portW
	n.wheel.Wake(0, 0)
	for cycle := range noc.Cycle(20) {
		n.Step(cycle + 1)
		held := r.holder == [rings]int8{portW, portW}
		if want := cycle >= 7; held != want {
			t.Fatalf("after cycle %d the holders are %v, held should be %v", cycle, r.holder, want)
		}
	}
	probe := *r
	probe.head, probe.ringIdle = 1<<n.segments-1, 1<<n.segments-1
	if set := n.openTurns(&probe); set>>portN&1 != 0 || set>>portS&1 == 0 {
		t.Errorf("segments that may turn: %b; N on ring 0 must not", set)
	}
	r.outIdle |= 1 << portW
	r.output[portL].free = [rings]uint8{0, 0} // no ejection: let W turn instead
	r.ringIdle |= 1 << portW
	n.wheel.Wake(0, 20)
	n.Step(21)
	if r.holder != [rings]int8{-1, -1} || r.input[portW].queue.size != 0 {
		t.Errorf("the holders are %v and %d packets wait after a slot came free", r.holder, r.input[portW].queue.size)
	}
}

// TestScaling states the limits for other numbers of ports and slots.
func TestScaling(t *testing.T) {
	for _, c := range []struct {
		grid                topology.Grid
		segment             int
		miss, prune, inject int
	}{
		{topology.Torus(8, 8), 20, 6, 5, 22},
		{topology.Torus(8), 20, 4, 3, 13},
		{topology.Mesh(4, 4, 4), 20, 8, 7, 31},
		{topology.Torus(8, 8), 40, 6, 5, 44},
	} {
		config := DefaultRR()
		config.SegmentPhits, config.InjectLimit = c.segment, 22
		n := build(t, c.grid, config)
		if n.missLimit != c.miss || n.pruneAfter != c.prune || n.injectLimit != c.inject {
			t.Errorf("%s with segments of %d phits: limits %d, %d, %d; want %d, %d, %d", c.grid, c.segment,
				n.missLimit, n.pruneAfter, n.injectLimit, c.miss, c.prune, c.inject)
		}
	}
}

// TestValidate breaks one key at a time.
func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"slot_phits":       func(c *Config) { c.SlotPhits = 0 },
		"segment_phits":    func(c *Config) { c.SegmentPhits = 21 },
		"output_stage":     func(c *Config) { c.OutputStagePhits = 15 },
		"inject_slots":     func(c *Config) { c.InjectSlots = 5 },
		"inject_limit":     func(c *Config) { c.InjectLimit = 41 },
		"calm_patience":    func(c *Config) { c.CalmPatience = 0 },
		"pace_percent":     func(c *Config) { c.PacePercent = -1 },
		"pace_slack":       func(c *Config) { c.PaceSlack = -1 },
		"sender_percent":   func(c *Config) { c.SenderPercent = 101 },
		"classes":          func(c *Config) { c.Classes = 9 },
		"source_queue":     func(c *Config) { c.SourceQueue = 0 },
		"rule4_scope":      func(c *Config) { c.Rule4Scope = "port" },
		"interface_order":  func(c *Config) { c.InterfaceOrder = "" },
		"multicast":        func(c *Config) { c.Multicast = "trees" },
		"longest slot":     func(c *Config) { c.SlotPhits = 25 },
		"negative pruning": func(c *Config) { c.PruneAfter = -1 },
	} {
		c := DefaultMRR()
		change(&c)
		if err := c.Validate(topology.Torus(8, 8)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := New(topology.Torus(8, 8), c); err == nil {
			t.Errorf("%s: a network was built", name)
		}
	}
	if err := DefaultRR().Validate(topology.Torus(1)); err == nil {
		t.Error("a torus of one router was accepted")
	}
}

// TestHardware gives the storage of ref 2.2.
func TestHardware(t *testing.T) {
	h := build(t, topology.Torus(8, 8), DefaultMRR()).Hardware()
	if got := h.StoragePhits() - h.FIFOs[noc.InputStage]*h.Depth[noc.InputStage]; got != 300 || h.StoragePhits() != 350 {
		t.Errorf("%d phits without and %d with the input stages, want 300 and 350", got, h.StoragePhits())
	}
	if h.DestinationBits != 64 || h.Crossbar || h.Ports != 5 {
		t.Errorf("hardware is %+v", h)
	}
}
