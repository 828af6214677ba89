package dispatch

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
)

// TestLoop drives interfaces whose worms arrive after nine cycles: the loop stops when a source
// queue that had refused a packet has room, and when a delivery becomes visible.
func TestLoop(t *testing.T) {
	b := newBench(Config{Ports: 1, PortsOf: []uint32{1}}, nil)
	b.Drive(fabric.Engine{Work: func() noc.Cycle { return b.Dispatch.Next(b.Clock) }, Cycle: func() {
		for _, id := range b.Dispatch.Serve(b.Clock) {
			b.Dispatch.Leaves(id, b.Clock)
			b.Dispatch.Tail(id, b.Dispatch.At(id).Stops[0], 1, b.Clock, b.Clock+9)
			b.Dispatch.End(id)
		}
	}, Check: b.CheckDestinations}, false)
	for range 8 {
		b.offer(noc.Packet{Src: 1, Dst: noc.One(2)})
	}
	if b.Offer(noc.Packet{Src: 1, Dst: noc.One(2), Phits: 4}) {
		t.Error("a full queue has room")
	}
	if list := b.Queued(nil); len(list) != 1 || list[0].At != 1 || list[0].Holds != "source queue 0" {
		t.Errorf("waiting: %v", list)
	}
	if now := b.Step(100); now != 1 || len(b.Deliveries()) != 0 {
		t.Errorf("stopped in cycle %d, want 1, when there is room again", now)
	}
	if now := b.Step(100); now != 9 || b.InFlight() != 8 {
		t.Errorf("stopped in cycle %d with %d deliveries to come, want 9 and 8", now, b.InFlight())
	}
	if list := b.Deliveries(); len(list) != 1 || list[0].Arrived != 9 || b.InFlight() != 7 || b.Totals().Injected != 1 {
		t.Errorf("delivered %v, %d to come, %+v", list, b.InFlight(), b.Totals())
	}
}
