package rotary

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Ports of a two-dimensional router.
const (
	portL, portS, portE, portW = 0, 1, 2, 4
)

// mrr is the multicast rotary router.
func mrr() Config {
	c := DefaultRR()
	c.Multicast = Adaptive
	return c
}

func build(t testing.TB, g topology.Grid, c Config) *Network { return must.Get(New(g, c)) }

// stand returns a packet as if it stood in router 0.
func stand(n *Network, turns int, destinations ...noc.NodeID) *packet {
	w := fabric.Packet{Phits: 5}
	k := n.packets.take(packet{id: n.Packets.New(w, destinations[0]), phits: 5, segmentsEntered: turns})
	if len(destinations) > 1 {
		k.id = n.Packets.NewSeveral(w)
		for _, d := range destinations {
			n.Packets.Set(k.id)[d/64] |= 1 << (d % 64)
		}
	}
	n.aim(k)
	return k
}

// fill puts packets into a lane until so many slots of its buffer are in use.
func fill(n *Network, q *fifo, slots int) {
	for q.Len() < slots {
		q.Push(n.slots.take(slot{packet: stand(n, 1, 36), since: noc.Never, enters: noc.Never}))
	}
}

// TestOutputRows has a case per line of rule 12.
func TestOutputRows(t *testing.T) {
	const (
		south, farSouth = 56, 48 // served by S of node 0 on the 8x8 torus
		east            = 1
	)
	type room struct{ own, other int } // free slots of the lane that the segment feeds and of the other
	for _, c := range []struct {
		name   string
		scheme Scheme
		port   int // output
		turns  int
		room   room
		busy   bool
		set    []noc.NodeID
		want   grant
	}{
		{"not profitable", Adaptive, portS, 1, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"several, not profitable", Adaptive, portS, 1, room{2, 2}, false, []noc.NodeID{east, 2}, nothing},
		{"lane full", Adaptive, portS, 1, room{0, 2}, false, []noc.NodeID{south}, nothing},
		{"port busy", Adaptive, portS, 1, room{2, 2}, true, []noc.NodeID{south}, nothing},
		{"aged, but lane full", Adaptive, portS, 7, room{0, 2}, false, []noc.NodeID{east}, nothing},
		{"one, served", Adaptive, portS, 1, room{1, 0}, false, []noc.NodeID{south}, whole},
		{"several, all served", Adaptive, portS, 1, room{1, 0}, false, []noc.NodeID{south, farSouth}, whole},
		{"at home", Adaptive, portL, 1, room{1, 0}, false, []noc.NodeID{0}, whole},
		{"not yet aged", Adaptive, portS, 6, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"aged", Adaptive, portS, 7, room{1, 0}, false, []noc.NodeID{east}, whole},
		{"aged, never to the node", Adaptive, portL, 9, room{2, 2}, false, []noc.NodeID{east}, nothing},
		{"aged, and served in part", Adaptive, portS, 7, room{2, 2}, false, []noc.NodeID{south, east}, whole},
		{"copy to the node", Adaptive, portL, 1, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"aged, still a copy to the node", Adaptive, portL, 9, room{1, 0}, false, []noc.NodeID{0, east}, part},
		{"both slots in the lane", Adaptive, portS, 1, room{2, 0}, false, []noc.NodeID{south, east}, part},
		{"one slot in each lane", Adaptive, portS, 1, room{1, 1}, false, []noc.NodeID{south, east}, part},
		{"last slot", Adaptive, portS, 1, room{1, 0}, false, []noc.NodeID{south, east}, whole},
		{"tree, last slot, aged", Tree, portS, 9, room{1, 0}, false, []noc.NodeID{south, east}, part},
		{"tree, lane full", Tree, portS, 1, room{0, 2}, false, []noc.NodeID{south, east}, nothing},
	} {
		for ring := range Rings {
			config := mrr()
			config.Multicast, config.MissLimit = c.scheme, 6
			n := build(t, topology.Torus(8, 8), config)
			r := &n.routers[0]
			s := &r.segments[ring][n.limits.Next(1-ring, c.port)]
			fill(n, &r.outputs[c.port].lanes[ring], 2-c.room.own)
			fill(n, &r.outputs[c.port].lanes[1-ring], 2-c.room.other)
			if c.busy {
				s.toOS.until = 1
			}
			if got := n.request(r, s, stand(n, c.turns, c.set...)); got != c.want {
				t.Errorf("%s, ring %d: granted %d, want %d", c.name, ring, got, c.want)
			}
		}
	}
}

// TestEntryRules checks rule 1 at the network inputs, and the rules 2 and 17 at the source.
func TestEntryRules(t *testing.T) {
	if fabric.Invariants {
		t.Skip("the state made by hand breaks the laws")
	}
	for free, want := range []bool{false, false, true, true, true} {
		n := build(t, topology.Torus(8, 8), DefaultRR())
		r := &n.routers[0]
		fill(n, &r.segments[0][portW].lanes[0].fifo, 4-free)
		fill(n, &r.segments[1][portW].lanes[0].fifo, 4)
		s := n.slots.take(slot{packet: stand(n, 0, 1)})
		s.filled = 1
		r.inputs[portW].Push(s)
		n.enter(r)
		if got := r.inputs[portW].Len() == 0; got != want {
			t.Errorf("%d free slots: a network input enters: %v, want %v", free, got, want)
		}
	}
	for _, c := range []struct {
		free, used int
		want       bool
	}{{2, 6, false}, {3, 5, true}, {3, 21, true}, {3, 22, false}, {4, 30, false}} {
		config := DefaultRR()
		config.InjectLimit = 22
		n := build(t, topology.Torus(8, 8), config)
		r := &n.routers[0]
		fill(n, &r.segments[0][portL].lanes[0].fifo, 4-c.free)
		fill(n, &r.segments[1][portL].lanes[0].fifo, 4)
		for p := 1; p < 5; p++ { // what the segments of L have not in use
			for ring := range Rings {
				fill(n, &r.segments[ring][p].lanes[0].fifo, min(4, c.used-r.used()))
			}
		}
		n.Offer(noc.Packet{Src: 0, Dst: noc.One(9), Phits: 5})
		n.inject(r)
		if got := n.Injected == 1; got != c.want {
			t.Errorf("%d free slots, %d in use: injected %v, want %v", c.free, c.used, got, c.want)
		}
	}
}

// TestCalm puts an aged packet on a ring: its class and lower ones are not injected, higher ones
// only when the interface is starved, or the packet waits for a full sink (rule 19).
func TestCalm(t *testing.T) {
	for _, c := range []struct {
		name        string
		calm        bool
		aged, class noc.Class
		starved     bool
		full        bool // the sink of class 2
		want        bool
	}{
		{"lower class", true, 2, 1, true, false, false},
		{"same class", true, 2, 2, true, false, false},
		{"higher class, in haste", true, 2, 3, false, false, false},
		{"higher class, starved", true, 2, 3, true, false, true},
		{"switched off", false, 2, 1, false, false, true},
		{"higher class, in haste, and a full sink", true, 2, 3, false, true, true},
		{"higher class, in haste, and a full sink of another class", true, 1, 3, false, true, false},
		{"same class and a full sink", true, 2, 2, true, true, false},
	} {
		config := DefaultRR()
		config.CalmInjection, config.MissLimit = c.calm, 6
		n := build(t, topology.Torus(8, 8), config)
		k := stand(n, 9, 36)
		k.class = c.aged
		n.routers[0].segments[0][portS].lanes[1].Push(n.slots.take(slot{packet: k}))
		if c.full {
			n.LimitSink(0, 2, 0)
		}
		if got := int(c.class) > n.calmClass(&n.routers[0], c.starved); got != c.want {
			t.Errorf("%s: may be injected: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestQuota: a router takes a packet of a class if there is room at its level and all above, and
// from whom (rule 18).
func TestQuota(t *testing.T) {
	n := build(t, topology.Torus(8, 8), DefaultRR()) // quotas 27, 29, 31, 33, 35, 37; 10 takers
	r := &n.routers[0]
	for _, c := range []struct {
		held    Quota
		class   noc.Class
		packets int
		from    int
		taken   bool
		want    bool
	}{
		{Quota{}, 0, 1, portE, true, true},                    // room for everybody
		{Quota{17}, 0, 1, portE, true, true},                  // just
		{Quota{18}, 0, 1, portE, false, false},                // no longer, and it is the turn of port 0
		{Quota{18}, 0, 2, portL, false, true},                 // which may
		{Quota{18}, 0, 2, portL, true, false},                 // once
		{Quota{26}, 0, 1, portL, false, true},                 // one left
		{Quota{26}, 0, 2, portL, false, false},                // not two
		{Quota{18}, 1, 1, portE, true, true},                  // the next class has room
		{Quota{0, 0, 0, 0, 0, 36}, 0, 2, portL, false, false}, // what is above counts too
	} {
		r.seen = c.held
		if got := n.admits(r, c.from, c.class, c.packets, c.taken); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestLimits states the limits for other numbers of ports and slots.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		grid                     topology.Grid
		segment, missLimit       int
		wantMiss, inject, lowest int
	}{
		{topology.Torus(8, 8), 20, 6, 6, 22, 27},
		{topology.Torus(8), 20, 6, 4, 13, 11},
		{topology.Mesh(4, 4, 4), 20, 6, 8, 31, 43},
		{topology.Torus(8, 8), 40, 6, 6, 44, 67},
		{topology.Mesh(4, 4, 4), 20, 200, NeverAged, 31, 43},
	} {
		config := DefaultRR()
		config.SegmentPhits, config.InjectLimit, config.MissLimit = c.segment, 22, c.missLimit
		l := LimitsOf(c.grid.Ports(), config)
		if l.MissLimit != c.wantMiss || l.InjectLimit != c.inject || l.Quota[0] != c.lowest {
			t.Errorf("%s with segments of %d phits: %+v, want %d, %d, %d", c.grid, c.segment, l, c.wantMiss, c.inject, c.lowest)
		}
	}
}

// TestValidate breaks one key at a time.
func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"slot_phits":    func(c *Config) { c.SlotPhits = 0 },
		"segment_phits": func(c *Config) { c.SegmentPhits = 21 },
		"output_stage":  func(c *Config) { c.OutputStagePhits = 15 },
		"inject_slots":  func(c *Config) { c.InjectSlots = 5 },
		"inject_limit":  func(c *Config) { c.InjectLimit = 41 },
		"calm_patience": func(c *Config) { c.CalmPatience = 0 },
		"classes":       func(c *Config) { c.Classes = 9 },
		"source_queue":  func(c *Config) { c.SourceQueue = 0 },
		"multicast":     func(c *Config) { c.Multicast = "trees" },
		"longest slot":  func(c *Config) { c.SlotPhits = 25 },
	} {
		c := mrr()
		change(&c)
		if err := c.Validate(topology.Torus(8, 8)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := New(topology.Torus(8, 8), c); err == nil {
			t.Errorf("%s: a network was built", name)
		}
	}
	small := DefaultRR()
	small.SegmentPhits = 10
	if err := small.Validate(topology.Torus(8, 8)); err == nil || !strings.Contains(err.Error(), "segment_phits is 10; use 15 to 320") {
		t.Errorf("segments of two slots, of which an injection needs three: %v", err)
	}
	if err := DefaultRR().Validate(topology.Torus(1)); err == nil {
		t.Error("a torus of one router was accepted")
	}
}

// TestHardware gives the storage that the paper states.
func TestHardware(t *testing.T) {
	h := build(t, topology.Torus(8, 8), mrr()).Hardware()
	if got := h.StoragePhits() - h.FIFOs[noc.InputStage]*h.Depth[noc.InputStage]; got != 300 || h.StoragePhits() != 350 {
		t.Errorf("%d phits without and %d with the input stages, want 300 and 350", got, h.StoragePhits())
	}
	if h.DestinationBits != 64 || h.Crossbar || h.Ports != 5 {
		t.Errorf("hardware is %+v", h)
	}
}
