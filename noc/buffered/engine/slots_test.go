package engine

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/topology"
)

var slotSizes = []buffered.SlotSize{buffered.ByClass, buffered.Longest, buffered.Reserved}

// commandsAndData is a router with three classes: commands of one phit, packets of up to three,
// and data of five.
func commandsAndData(size buffered.SlotSize, scheme buffered.Multicast) buffered.Config {
	c := buffered.DefaultBase()
	c.Classes, c.Slots, c.Multicast = 3, size, scheme
	c.ClassPhits = [noc.MaxClasses]int{1, 3, 5}
	return c
}

// TestSpace: how many packets of a class a channel of 10 phits holds, and how many slots have to
// be free.
func TestSpace(t *testing.T) {
	for size, want := range map[buffered.SlotSize][3]buffered.Space{
		buffered.ByClass:  {{Slots: 10, Ahead: 1, Enter: 2}, {Slots: 3, Ahead: 1, Enter: 2}, {Slots: 2, Ahead: 1, Enter: 2}},
		buffered.Longest:  {{Slots: 2, Ahead: 1, Enter: 2}, {Slots: 2, Ahead: 1, Enter: 2}, {Slots: 2, Ahead: 1, Enter: 2}},
		buffered.Reserved: {{Slots: 10, Ahead: 5, Enter: 10}, {Slots: 3, Ahead: 2, Enter: 3}, {Slots: 2, Ahead: 1, Enter: 2}},
	} {
		c := commandsAndData(size, buffered.Replicate)
		for class, space := range want {
			if got := c.SpaceOf(class); got != space {
				t.Errorf("%s, class %d: %+v, want %+v", size, class, got, space)
			}
		}
		if err := c.Validate(topology.Torus(4, 4)); err != nil {
			t.Error(err)
		}
	}
	c := commandsAndData(buffered.Reserved, buffered.Replicate)
	c.SlotPhits, c.ChannelPhits, c.ClassPhits = 4, 8, [noc.MaxClasses]int{3, 4, 4}
	if err := c.Validate(topology.Torus(4, 4)); err == nil {
		t.Error("channels of two slots, both of which every packet waits for, have no bubble")
	}
}

// TestClosedSink: what a closed sink holds back fills a channel of 10 phits with ten commands, or
// with two packets in slots as long as the longest; and the source waits for a slot.
func TestClosedSink(t *testing.T) {
	for size, want := range map[buffered.SlotSize]int{buffered.ByClass: 10, buffered.Longest: 2, buffered.Reserved: 6} {
		n := build(t, topology.Mesh(2), commandsAndData(size, buffered.Replicate))
		n.LimitSink(1, 0, 0)
		for range 24 {
			n.Offer(noc.Packet{Src: 0, Dst: noc.One(1), Phits: 1})
			n.Step(n.Now() + 20)
		}
		held, queued := 0, 0
		for _, s := range n.Explain() {
			if s.At == 1 {
				held++
			}
			if s.Holds == "source queue 0" {
				queued++
			}
		}
		if held != want || queued != 1 {
			t.Errorf("%s: the channel before the sink holds %d commands, want %d; %d sources wait, want 1", size, held, want, queued)
		}
	}
}

// TestSlotsLive: saturated rings go on in every class whatever the slots, and with unequal
// classes; without the bubble they stop.
func TestSlotsLive(t *testing.T) {
	for _, g := range []topology.Grid{topology.Torus(4, 4), topology.Torus(2, 3), topology.Torus(5)} {
		for _, scheme := range []buffered.Multicast{buffered.Replicate, buffered.Tree} {
			for _, size := range slotSizes {
				c := commandsAndData(size, scheme)
				if n, stopped := crowd(t, g, c); stopped {
					t.Errorf("%s, %s, %s: standstill at cycle %d: %v", g, scheme, size, n.Now(), n.Explain()[:1])
				}
				if c.Bubble = false; g.Nodes() == 16 {
					if _, stopped := crowd(t, g, c); !stopped {
						t.Errorf("%s, %s, %s goes on without the bubble", g, scheme, size)
					}
				}
			}
		}
	}
}

// crowd offers all that sources take, in all classes, and reports whether a class gets nothing any
// more for 2,000 cycles.
func crowd(t *testing.T, g topology.Grid, c buffered.Config) (n *Network, stopped bool) {
	t.Helper()
	n = build(t, g, c)
	rng := random.Stream(1)
	var delivered [3]int
	for n.Now() < 12_000 {
		for src := range noc.NodeID(n.Nodes()) {
			class := rng.Below(3)
			k := noc.Packet{Src: src, Dst: noc.SetOf(n.Nodes(), noc.NodeID(rng.Below(n.Nodes()))), Phits: uint16(1 + rng.Below(c.ClassPhits[class])), Class: noc.Class(class)}
			if rng.Below(4) == 0 {
				k.Dst.Add(noc.NodeID(rng.Below(n.Nodes())))
			}
			n.Offer(k)
		}
		n.Step(n.Now() + 1)
		for _, d := range n.Deliveries() {
			delivered[d.Class]++
		}
		if n.Now()%2000 == 0 {
			if err := n.CheckInvariants(); c.Bubble && err != nil {
				t.Fatal(err)
			}
			if delivered[0] == 0 || delivered[1] == 0 || delivered[2] == 0 {
				return n, true
			}
			delivered = [3]int{}
		}
	}
	return n, false
}

// baseMC is BASE with tree multicast.
func baseMC() buffered.Config {
	c := buffered.DefaultBase()
	c.Multicast = buffered.Tree
	return c
}

func build(t testing.TB, g topology.Grid, c buffered.Config) *Network { return must.Get(New(g, c)) }

// TestLongRings: packets whose way straight on is longer than what they can say of it.
func TestLongRings(t *testing.T) {
	for _, g := range []topology.Grid{topology.Mesh(1200), topology.Torus(1200), topology.Mesh(2, 600)} {
		n := build(t, g, buffered.DefaultBase())
		last := noc.NodeID(g.Nodes() - 1)
		for _, d := range []noc.NodeID{last, last - 1, mostLeft + 1, mostLeft, mostLeft - 1, 2*mostLeft + 1, 2 * mostLeft, 1, 0} {
			n.Offer(noc.Packet{Src: 0, Dst: noc.SetOf(g.Nodes(), d), Phits: 5})
			n.Step(n.Now() + 10_000)
			got, hops := n.Deliveries(), g.Distance(0, d)
			if len(got) != 1 || int(got[0].Arrived-got[0].Offered) != 5*hops+10 || int(got[0].Hops) != hops {
				t.Fatalf("%s, to node %d: %+v; want %d cycles, %d hops", g, d, got, 5*hops+10, hops)
			}
			n.Step(n.Now() + 20)
		}
	}
}
