package dispatch

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// TestClock: interfaces that have nothing to send wait for the arrival of what is under way; the clock stops there,
// and where the client wants it to.
func TestClock(t *testing.T) {
	b := newBench(Config{Ports: 1, PortsOf: []uint32{1}}, nil)
	b.offer(noc.Packet{Src: 1, Dst: noc.One(2)})
	if b.Next() != 0 {
		t.Errorf("a packet is offered, and the next step is in cycle %d", b.Next())
	}
	b.runTo(1)
	b.Dispatch.Tail(b.live[0], 2, 1, b.Clock, 9)
	if b.News() || b.Next() != 9 {
		t.Errorf("news before the arrival, or the next step in cycle %d instead of 9", b.Next())
	}
	for _, step := range []struct {
		work, until, clock noc.Cycle
		stops              bool
	}{{1, 5, 1, false}, {3, 5, 3, false}, {9, 5, 5, true}, {9, 20, 9, true}, {9, 20, 9, false}} {
		if stops := b.Skip(step.work, step.until); stops != step.stops || b.Now() != step.clock {
			t.Errorf("skipping to the work of cycle %d, at most to %d: cycle %d, stops %v", step.work, step.until, b.Now(), stops)
		}
	}
	if list := b.Deliveries(); len(list) != 1 || list[0].Arrived != 9 || b.InFlight() != 0 || b.Next() != noc.Never {
		t.Errorf("delivered %v, next step in cycle %d", list, b.Next())
	}
}

// TestNewsOfRoom: a source queue that has refused a packet is news when a packet has left it.
func TestNewsOfRoom(t *testing.T) {
	b := newBench(Config{Ports: 1, PortsOf: []uint32{1}}, nil)
	for range 8 {
		b.offer(noc.Packet{Src: 1, Dst: noc.One(2)})
	}
	if b.News() || b.Offer(noc.Packet{Src: 1, Dst: noc.One(2), Phits: 4}) {
		t.Error("a full queue has room")
	}
	if list := b.Queued(nil); len(list) != 1 || list[0].At != 1 || list[0].Holds != "source queue 0" {
		t.Errorf("waiting: %v", list)
	}
	b.runTo(1)
	if !b.News() || b.News() {
		t.Error("room is not news, or twice")
	}
}
