package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Ports of a two-dimensional router.
const (
	portL, portS, portE, portN, portW = 0, 1, 2, 3, 4
)

// place makes a packet as if it were in router 0.
func place(n *Network, turns int, destinations ...noc.NodeID) packet {
	h := header{origin: portW}
	if len(destinations) == 1 {
		h.worm = n.worms.New(fabric.Worm{Phits: 5}, destinations[0])
	} else {
		h.worm = n.worms.NewSeveral(fabric.Worm{Phits: 5})
		for i := range n.worms.Set(h.worm) {
			n.worms.Set(h.worm)[i] = noc.SetOf(n.Nodes(), destinations...).Word(i)
		}
	}
	n.owe(0, &h)
	return n.routed(0, packet(turns)<<turnShift|5<<phitShift|n.newHeader(h))
}

// fill makes the free slots of a segment of router 0 so many, though nothing is in it.
func fill(n *Network, s, free int) { n.banks[0].segment[s].free.set(0, free, n.planes) }

// arriveAt puts a packet into the input stage of port W of router 0 as if E of its neighbour had
// sent it.
func arriveAt(n *Network, k packet) *input {
	in := &n.banks[0].input[portW]
	in.stage.push(0, k, 0)
	n.banks[0].output[portE].credits[in.upstream[0]]--
	return in
}

// TestReplicationRows has a case per line of rule 12, and of the scopes of rule 4.
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
		{"1: aged, but lane full", StageScope, portS, 7, room{0, 2}, false, []noc.NodeID{east}, nothing},
		{"2: one, served", StageScope, portS, 1, room{1, 0}, false, []noc.NodeID{south}, whole},
		{"2: several, all served", StageScope, portS, 1, room{1, 0}, false, []noc.NodeID{south, farSouth}, whole},
		{"2: at home", StageScope, portL, 1, room{1, 0}, false, []noc.NodeID{0}, whole},
		{"3: not yet aged", StageScope, portS, 6, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"3: aged", StageScope, portS, 7, room{1, 0}, false, []noc.NodeID{east}, whole},
		{"3: aged, never to the node", StageScope, portL, 9, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"3 before 5", StageScope, portS, 7, room{2, 2}, false, []noc.NodeID{south, east}, whole},
		{"4: copy to the node", StageScope, portL, 1, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"4: aged, still a copy", StageScope, portL, 9, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"5: both slots in the lane", StageScope, portS, 1, room{2, 0}, false, []noc.NodeID{south, east}, part},
		{"5: one slot in each lane", StageScope, portS, 1, room{1, 1}, false, []noc.NodeID{south, east}, part},
		{"5: lane scope", LaneScope, portS, 1, room{2, 0}, false, []noc.NodeID{south, east}, part},
		{"6: lane scope, other lane empty", LaneScope, portS, 1, room{1, 2}, false, []noc.NodeID{south, east}, nothing},
		{"6: last slot, first turn", StageScope, portS, 5, room{1, 0}, false, []noc.NodeID{south, east}, nothing},
		{"6: last slot, after a turn", StageScope, portS, 6, room{1, 0}, false, []noc.NodeID{south, east}, whole},
	} {
		for ring := range rings {
			config := extended(rotary.DefaultMRR())
			config.Rule4Scope = c.scope
			n := build(t, topology.Torus(8, 8), config)
			b, s := &n.banks[0], int(n.feeder(c.port, ring))
			o, x := &b.output[c.port], &b.segment[s]
			o.lanes.queue[ring<<6].tail, o.lanes.queue[(1-ring)<<6].tail = uint8(2-c.room.own), uint8(2-c.room.other)
			if c.room.own == 0 {
				x.outRoom &^= 1
			}
			if c.busy {
				x.outIdle &^= 1
			}
			if got := n.ask(b, x, 0, place(n, c.turns, c.set...)); got != c.want {
				t.Errorf("%s, ring %d: verdict %d, want %d", c.name, ring, got, c.want)
			}
		}
	}
}

// TestEntryRules checks rule 1 at the network inputs and rule 2 with the injection limit at the
// source.
func TestEntryRules(t *testing.T) {
	for free, want := range []bool{false, false, true, true, true} {
		n := build(t, topology.Torus(8, 8), extended(rotary.DefaultRR()))
		fill(n, portW, free)
		fill(n, n.ports+portW, 0)
		in := arriveAt(n, place(n, 0, 1))
		in.occupied, n.banks[0].occupied = 1, 1<<portW
		n.enterAll(&n.banks[0], 1)
		if got := in.stage.length(0) == 0; got != want {
			t.Errorf("%d free slots: a network input enters: %v, want %v", free, got, want)
		}
	}
	for _, c := range []struct {
		free, used int
		want       bool
	}{{2, 6, false}, {3, 5, true}, {3, 21, true}, {3, 22, false}, {4, 30, false}} {
		config := extended(rotary.DefaultRR())
		config.InjectLimit = 22
		n := build(t, topology.Torus(8, 8), config)
		fill(n, portL, c.free)
		fill(n, n.ports+portL, 0)
		for s, rest := 1, c.used-(4-c.free)-4; s < n.segments; s++ { // what the segments of L have not in use
			if s != n.ports+portL {
				fill(n, s, 4-min(4, rest))
				rest -= min(4, rest)
			}
		}
		n.Offer(noc.Packet{Src: 0, Dst: noc.One(9), Phits: 5})
		n.injectAll(&n.banks[0], 1)
		if got := n.injected == 1; got != c.want {
			t.Errorf("%d free slots, %d in use: injected %v, want %v", c.free, c.used, got, c.want)
		}
	}
}

// TestLostPacketLeaves closes the only profitable output: after MissLimit entries the packet leaves
// by another one and still arrives (rule 3).
func TestLostPacketLeaves(t *testing.T) {
	if fabric.Invariants {
		t.Skip("the state made by hand breaks the laws")
	}
	n := build(t, topology.Torus(8, 8), extended(rotary.DefaultRR()))
	for ring := range rings {
		n.banks[0].segment[n.feeder(portE, ring)].outRoom &^= 1
	}
	n.banks[0].words = nil // closed by hand, in the sets
	n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 5})
	got := drain(t, n, 1000)
	a := n.Activity(nil)[0]
	if len(got) != 1 || got[0].Hops < 3 || a.Misroutes != 1 || a.RingHop < 5*6 {
		t.Errorf("%+v after %d misroutes and %d phits turned", got, a.Misroutes, a.RingHop)
	}
}

// TestHold lets an input starve before a full segment with one free slot: after HoldAfter refusals
// the segment refuses ring traffic, until the input has entered.
func TestHold(t *testing.T) {
	if fabric.Invariants {
		t.Skip("the state made by hand breaks the laws")
	}
	n := build(t, topology.Torus(8, 8), extended(rotary.DefaultRR()))
	n.settle = math.MaxInt // what is looked at are sets
	b := &n.banks[0]
	for ring := range rings { // one place left in each segment of W
		for range 3 {
			n.packets[0] = place(n, 1, 36)
			n.intoRings(b, portW, 1, uint64(ring), 2)
		}
		x := &b.segment[ring*n.ports+portW]
		x.toRing[0] = 1 // and nothing leaves them
		x.outIdle &^= 1
	}
	in := arriveAt(n, place(n, 0, 1))
	in.entered = [maxAgendas]uint64{} // nor does the input
	in.mail[0], b.mail[0], in.streaming, b.wake = 1, 1<<portW, 0, 0
	for cycle := range noc.Cycle(20) {
		n.Step(cycle + 1)
		held := in.holds == [rings]uint64{1, 1}
		if want := cycle >= 7; held != want {
			t.Fatalf("after cycle %d the holders are %v, held should be %v", cycle, in.holds, want)
		}
	}
	if open := [2]uint64{n.openTurns(&b.segment[portN]), n.openTurns(&b.segment[portS])}; open[0]&1 != 0 || open[1]&1 == 0 {
		t.Errorf("N may turn: %b, S: %b; N on ring 0 must not", open[0]&1, open[1]&1)
	}
	b.segment[portW].toRing[0] = 0 // let W turn, as there is no ejection
	b.segment[portW].ready[0] |= 1
	b.headed |= 1 << portW
	b.wake = 20
	n.Step(21)
	if in.holds != [rings]uint64{} || in.stage.length(0) != 0 {
		t.Errorf("the holders are %v and %d packets wait after a slot came free", in.holds, in.stage.length(0))
	}
}

// TestCyclesRunOver: words keep the low 16 bits of cycles and of numbers. Traffic that comes after
// a long silence, however long, or after a time in which only one link was busy, and traffic over
// which these bits run over, is what it is without words; so are the counters, whether anybody
// looked at them before or not.
func TestCyclesRunOver(t *testing.T) {
	for _, start := range []noc.Cycle{1<<13 - 20, 1<<15 - 20, 1<<15 + 10, 1<<15 + 200, 1<<16 - 60, 1<<16 + 7, 3 << 15, 1<<32 - 60, 5 << 32} {
		runOver(t, start, 0, false, false)
		runOver(t, start, 0, true, false)
		runOver(t, start, 0, false, true) // which ends the words
	}
	runOver(t, 100, 1<<15+100, false, false)
	runOver(t, 100, 1<<17, false, false)
}

// runOver has traffic, silence until a cycle, one busy link for some cycles, and the same traffic
// again, or the same with ordered packets.
func runOver(t *testing.T, start, busy noc.Cycle, look, ordered bool) {
	traffic := func(from, cycles noc.Cycle, ordered bool) (s script) {
		for i := range cycles {
			s.offers = append(s.offers, scripted{at: from + i, packet: noc.Packet{Src: noc.NodeID(i * 7 % 16), Phits: uint16(1 + i%2*4), Ordered: ordered,
				Dst: noc.SetOf(16, noc.NodeID(i*5%16), noc.NodeID(i*3%16), noc.NodeID(i%16))}})
		}
		return s
	}
	one, again := script{}, start+busy
	for i := noc.Cycle(0); i < busy; i += 5 {
		one.offers = append(one.offers, scripted{at: start + i, packet: noc.Packet{Src: 1, Phits: 5, Dst: noc.One(2)}})
	}
	c := forWords(extended(rotary.DefaultMRR()))
	sets, words := build(t, topology.Torus(4, 4), c), byWords(t, topology.Torus(4, 4), c, 0)
	sets.settle = math.MaxInt
	for _, part := range []struct {
		script script
		until  noc.Cycle
		look   bool
	}{{traffic(0, 40, false), start, look}, {one, again, false}, {traffic(again, 150, ordered), again + 200, true}} {
		if d := firstDifference(part.script.play(words, part.until), part.script.play(sets, part.until)); d != "" {
			t.Errorf("from cycle %d, %d busy, to %d: %s", start, busy, part.until, d)
		}
		if part.look && (!slices.Equal(words.Activity(nil), sets.Activity(nil)) || !slices.Equal(words.Links(nil), sets.Links(nil))) {
			t.Errorf("from cycle %d, %d busy, to %d: counters differ", start, busy, part.until)

		}
	}
}
