package fabric

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

func TestSources(t *testing.T) {
	packets := NewPackets(70, 4)
	s := NewSources(packets, Shape{Nodes: 70, Classes: 2, SourceQueue: 2, MaxPhits: 5})
	offer := func(src noc.NodeID, tag noc.Tag, dst ...noc.NodeID) bool {
		return s.Offer(&noc.Packet{Src: src, Tag: tag, Phits: 5, Class: 1, Dst: noc.SetOf(70, dst...)}, 7)
	}
	if !offer(66, 1, 0, 65, 66, 69) || !offer(66, 2, 1) || offer(66, 3, 1) {
		t.Fatal("a queue of two packets should take two")
	}
	if packets, destinations := s.Waiting(); packets != 2 || destinations != 5 || s.Owed() != 5 || s.Offered() != 2 || s.Ready(66) != 2 {
		t.Errorf("%d packets with %d destinations wait", packets, destinations)
	}
	var order []noc.NodeID
	for range 4 { // ascending after the source, wrapping, the source itself last
		if s.TakeRoomAgain() {
			t.Error("room before the packet had left")
		}
		id := s.PopCopy(66, 1, 66)
		order = append(order, noc.NodeID(packets.Only(id)))
		if w := packets.At(id); w.Tag != 1 || w.Offered != 7 {
			t.Errorf("a copy is %+v", *w)
		}
	}
	if want := []noc.NodeID{69, 0, 65, 66}; !slices.Equal(order, want) {
		t.Errorf("copies for %v, want %v", order, want)
	}
	if !s.TakeRoomAgain() || s.TakeRoomAgain() {
		t.Error("room again should be told once")
	}
	if id := s.Pop(66, 1); packets.At(id).Tag != 2 || s.Ready(66) != 0 {
		t.Error("the second packet did not follow")
	}
}

func TestPacketsAreReused(t *testing.T) {
	a := NewPackets(70, 0)
	one := a.New(Packet{Tag: 1}, 69)
	two := a.NewSeveral(Packet{Tag: 2})
	a.Set(two)[0], a.Set(two)[1] = 1<<4, 1<<5
	a.Free(one)
	if again := a.New(Packet{Tag: 3}, 6); again != one || a.Only(again) != 6 || a.At(two).Tag != 2 || a.Live() != 2 {
		t.Errorf("packet %d again as %d for %d", one, again, a.Only(again))
	}
}

// A packet has a row of the arena's sets only while it has several destinations.
func TestRowsAreForSeveralDestinations(t *testing.T) {
	a := NewPackets(70, 0)
	several := func(tag noc.Tag) PacketID {
		id := a.NewSeveral(Packet{Tag: tag})
		if set := a.Set(id); set[0]|set[1] != 0 {
			t.Fatalf("a new set is %x", set)
		}
		a.Set(id)[0], a.Set(id)[1] = 1<<4, 1<<5
		return id
	}
	one := several(1)
	if a.Settle(one) >= 0 || a.Count(one) != 2 || !a.Members(one).Has(4) || !a.Members(one).Has(69) {
		t.Errorf("a packet for nodes 4 and 69 is for %v", a.Members(one))
	}
	a.Set(one)[0] = 0
	if a.Settle(one) != 69 || a.Only(one) != 69 || a.Count(one) != 1 || !a.Members(one).Has(69) {
		t.Errorf("a packet that is left with node 69 is for %v", a.Members(one))
	}
	a.Free(several(2))
	several(3)
	if rows := len(a.rows) / a.words; rows != 1 {
		t.Errorf("%d rows for one packet with several destinations at a time", rows)
	}
	defer func() {
		if recover() == nil {
			t.Error("a packet without destinations is accepted")
		}
	}()
	a.Settle(a.NewSeveral(Packet{}))
}

// Copies that share a packet divide its destinations among them; it is free with the last delivery.
func TestSharedPackets(t *testing.T) {
	a := NewPackets(70, 0)
	id := a.NewSeveral(Packet{Tag: 1})
	a.Set(id)[0], a.Set(id)[1] = 1<<4, 1<<5|1<<2
	row, live := a.TakeRow(id), a.LiveRows()
	if a.CountRow(row) != 3 || live != 1 {
		t.Errorf("%d destinations in one of %d rows", a.CountRow(row), live)
	}
	a.Await(id, 3)
	for left := 2; left > 0; left-- {
		if a.Deliver(id); a.Awaited(id) != left || a.Live() != 1 {
			t.Errorf("%d deliveries awaited, want %d", a.Awaited(id), left)
		}
	}
	if a.Deliver(id); a.Live() != 0 || a.LiveRows() != 1 {
		t.Errorf("%d packets and %d rows, want the row that was taken", a.Live(), a.LiveRows())
	}
	a.Row(row)[0], a.Row(row)[1] = 0, 1<<5
	if a.SettleRow(row) != 69 || a.LiveRows() != 0 {
		t.Errorf("a row with one destination is kept")
	}
	one := NewPackets(64, 0)
	id = one.NewSeveral(Packet{})
	one.Set(id)[0] = 1<<4 | 1<<63
	if one.TakeWord(id) != 1<<4|1<<63 || one.LiveRows() != 0 {
		t.Error("the word of a set is not what it was, or its row is kept")
	}
}

func TestNextAfter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		set := []uint64{rng.Uint64() & rng.Uint64() & rng.Uint64(), rng.Uint64() & rng.Uint64()}
		if set[0]|set[1] == 0 {
			continue
		}
		n := rng.IntN(128)
		want := n
		for {
			if want = (want + 1) % 128; set[want/64]>>(want%64)&1 != 0 {
				break
			}
		}
		if got := NextAfter(set, noc.NodeID(n)); got != noc.NodeID(want) {
			t.Fatalf("NextAfter(%x, %d) = %d, want %d", set, n, got, want)
		}
	}
}

// wire is the smallest engine: each packet is consumed by its destination a fixed time after it
// was offered.
type wire struct {
	Interfaces
	cycles []noc.Cycle // that were simulated
}

const wireDelay = 10

func newWire(everyCycle bool) *wire {
	n := &wire{Interfaces: NewInterfaces(Shape{Nodes: 3, Classes: 1, SourceQueue: 1, MaxPhits: 5})}
	n.Drive(Engine{Work: n.work, Cycle: n.cycle, Check: func() error { return nil }}, everyCycle)
	return n
}

func (n *wire) work() noc.Cycle {
	next := noc.Never
	for node := range noc.NodeID(3) {
		if n.Sources.Ready(node) != 0 {
			next = min(next, n.Packets.At(n.Sources.Head(node, 0)).Offered+wireDelay)
		}
	}
	return next
}

func (n *wire) cycle() {
	n.cycles = append(n.cycles, n.Clock)
	for node := range noc.NodeID(3) {
		if n.Sources.Ready(node) == 0 || n.Packets.At(n.Sources.Head(node, 0)).Offered+wireDelay > n.Clock {
			continue
		}
		id := n.Sources.Pop(node, 0)
		n.Packets.At(id).Inject(n.Clock)
		n.Injected++
		n.Sinks.Accept(n.Packets.At(id), 1, noc.NodeID(n.Packets.Only(id)), n.Clock)
		n.Packets.Free(id)
	}
}

// TestStepSkipsIdleCycles: the loop simulates the cycles with work, and returns for a delivery
// and for room in a queue that has refused a packet.
func TestStepSkipsIdleCycles(t *testing.T) {
	for _, everyCycle := range []bool{false, true} {
		n := newWire(everyCycle)
		p := noc.Packet{Src: 1, Dst: noc.One(2), Phits: 3}
		if !n.Offer(p) || n.Offer(p) {
			t.Fatal("a queue for one packet takes one packet")
		}
		var stops []noc.Cycle
		for n.Now() < 100 {
			stops = append(stops, n.Step(100))
			if n.Now() == 13 && n.InFlight() != 1 {
				t.Errorf("a delivery that was not taken: %d are in flight", n.InFlight())
			}
			n.Deliveries()
		}
		if want := []noc.Cycle{11, 13, 100}; !slices.Equal(stops, want) {
			t.Errorf("Step returned in cycles %d, want %d", stops, want)
		}
		if !everyCycle && !slices.Equal(n.cycles, []noc.Cycle{10}) || everyCycle && len(n.cycles) != 100 {
			t.Errorf("every cycle %v: cycles %d were simulated", everyCycle, n.cycles)
		}
		if tot := n.Totals(); n.InFlight() != 0 || tot.Delivered != 1 || tot.Injected != 1 || tot.Offered != 1 || tot.Phits != 3 {
			t.Errorf("%d in flight, totals %+v", n.InFlight(), tot)
		}
	}
}

// A packet accepted in cycle t with p phits shows up in cycle t+p, not before; several of one
// cycle are ordered by node, whatever the order in which they started.
func TestDeliveriesShowUpWhenTheirTailHasFollowed(t *testing.T) {
	s := NewSinks(8, 2)
	type start struct {
		now   noc.Cycle
		at    noc.NodeID
		phits uint16
	}
	starts := []start{{0, 7, 5}, {0, 3, 1}, {2, 1, 3}, {4, 5, 1}, {4, 0, 1}, {300, 2, 63}}
	var got []noc.Delivery
	i := 0
	for now := noc.Cycle(0); now < 400; now++ {
		if next := s.Next(); next < now {
			t.Fatalf("cycle %d: a delivery of cycle %d was not collected", now, next)
		}
		s.Collect(now)
		for _, d := range s.Take() {
			if d.Arrived != now {
				t.Errorf("a delivery of cycle %d showed up in cycle %d", d.Arrived, now)
			}
			got = append(got, d)
		}
		for ; i < len(starts) && starts[i].now == now; i++ {
			s.Accept(&Packet{Phits: starts[i].phits}, 0, starts[i].at, now)
			if want := now + noc.Cycle(starts[i].phits); s.Next() > want {
				t.Errorf("the next delivery is said to come in cycle %d, later than %d", s.Next(), want)
			}
		}
	}
	want := []noc.NodeID{3, 0, 1, 5, 7, 2}
	if len(got) != len(want) || s.Pending() != 0 || s.Next() != noc.Never || s.Delivered() != 6 || s.Phits() != 74 {
		t.Fatalf("%d deliveries, %d pending, next %d, %d phits", len(got), s.Pending(), s.Next(), s.Phits())
	}
	for k, d := range got {
		if d.At != want[k] {
			t.Errorf("delivery %d went to node %d, want %d", k, d.At, want[k])
		}
	}
}

func TestDeliveriesOfOneNodeAndCycleKeepTheirOrder(t *testing.T) {
	s := NewSinks(4, 1)
	for tag := range noc.Tag(5) {
		s.Accept(&Packet{Tag: tag, Phits: 5 - uint16(tag)}, 0, 2, noc.Cycle(tag))
	}
	s.Collect(5)
	for i, d := range s.Take() {
		if int(d.Tag) != i {
			t.Errorf("delivery %d has tag %d", i, d.Tag)
		}
	}
}

func TestBoundedSinksCountTheirPlaces(t *testing.T) {
	s := NewSinks(2, 2)
	s.Release(1, 1, 1) // an unbounded sink has no places to give back
	if !s.Room(1, 1) {
		t.Error("an unbounded sink is full")
	}
	s.Limit(1, 1, 1)
	s.Accept(&Packet{Class: 1, Phits: 1}, 0, 1, 0)
	if s.Room(1, 1) || !s.Room(1, 0) || !s.Room(0, 1) {
		t.Error("one place was taken at node 1 in class 1, and nowhere else")
	}
	s.Release(1, 1, 1)
	if !s.Room(1, 1) {
		t.Error("the place was given back")
	}
}

// TestFullSinkPanics: a router that takes a packet without room breaks an invariant; the message
// names node and cycle.
func TestFullSinkPanics(t *testing.T) {
	s := NewSinks(3, 1)
	s.Limit(2, 0, 0)
	defer func() {
		if message := fmt.Sprint(recover()); !strings.Contains(message, "cycle 7: node 2") {
			t.Errorf("the panic says %q", message)
		}
	}()
	s.Reserve(2, 0, 7)
}
