package fabric

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

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
