package dispatch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/multicast"
)

// fixed is a plan that does not depend on the request.
type fixed multicast.Plan

func (f fixed) Plan(multicast.Request) (multicast.Plan, error) { return multicast.Plan(f), nil }

// bench is interfaces whose engine is the test: it lists launches as "cycle: node port>stops".
type bench struct {
	Interfaces
	live []int32
	log  []string
}

func newBench(c Config, p Planner) *bench {
	c.Nodes, c.Classes, c.SourceQueue, c.MaxPhits = 16, 2, 8, 64
	return &bench{Interfaces: New(p, c)}
}

func (b *bench) offer(p noc.Packet) {
	p.Phits = 4
	b.Offer(p)
}

// runTo serves every cycle that the dispatcher asks for, up to a cycle.
func (b *bench) runTo(end noc.Cycle) {
	for ; b.Clock < end; b.Clock++ {
		if b.Dispatch.Next(b.Clock) > b.Clock {
			continue
		}
		for _, id := range b.Dispatch.Serve(b.Clock) {
			w := b.Dispatch.At(id)
			b.live = append(b.live, id)
			b.log = append(b.log, fmt.Sprintf("%d: %d %d>%v", b.Clock, w.From, w.Port, w.Stops))
		}
	}
}

// end ends the i-th launched worm now: its stops have it, its port is free.
func (b *bench) end(i int) {
	id := b.live[i]
	w := b.Dispatch.At(id)
	from, port, stops := w.From, w.Port, append([]noc.NodeID(nil), w.Stops...)
	for _, s := range stops {
		b.Dispatch.Tail(id, s, 1, b.Clock, b.Clock+1)
	}
	b.Dispatch.End(id)
	b.Dispatch.FreePort(from, port)
}

func (b *bench) want(t *testing.T, launches ...string) {
	t.Helper()
	if got, want := strings.Join(b.log, ", "), strings.Join(launches, ", "); got != want {
		t.Errorf("launched %s\nwant     %s", got, want)
	}
}

// TestSeparateCopies: copies leave in ascending order after the source as ports are free, those of
// the next packet after them; with a startup, each serves as many copies as there are ports.
func TestSeparateCopies(t *testing.T) {
	b := newBench(Config{Ports: 2, PortsOf: []uint32{3}}, nil)
	b.offer(noc.Packet{Src: 5, Dst: noc.SetOf(16, 1, 7, 9)})
	b.offer(noc.Packet{Src: 5, Dst: noc.One(2)})
	b.runTo(10)
	b.end(1)
	b.runTo(20)
	b.end(0)
	b.runTo(30)
	b.want(t, "0: 5 0>[7]", "0: 5 1>[9]", "10: 5 1>[1]", "20: 5 0>[2]")

	b = newBench(Config{Startup: 7, Preparation: 2, Ports: 2, PortsOf: []uint32{3}}, nil)
	b.offer(noc.Packet{Src: 5, Dst: noc.SetOf(16, 1, 7, 9)})
	b.runTo(20)
	b.end(0)
	b.runTo(30)
	b.end(1)
	b.runTo(50)
	b.want(t, "9: 5 0>[7]", "9: 5 1>[9]", "37: 5 0>[1]")
}

// TestClasses: with a station for each class none waits for another's ports; without, the oldest
// packet goes first and of one cycle the highest class.
func TestClasses(t *testing.T) {
	packets := func(b *bench) {
		b.offer(noc.Packet{Src: 1, Dst: noc.One(2), Class: 0})
		b.offer(noc.Packet{Src: 1, Dst: noc.One(3), Class: 0})
		b.offer(noc.Packet{Src: 1, Dst: noc.One(4), Class: 1})
		b.runTo(5)
	}
	b := newBench(Config{Ports: 1, PortsOf: []uint32{1, 2}}, nil)
	packets(b)
	b.want(t, "0: 1 0>[2]", "0: 1 1>[4]")
	b = newBench(Config{Ports: 2, PortsOf: []uint32{3}}, nil)
	packets(b)
	b.want(t, "0: 1 0>[4]", "0: 1 1>[2]")
}

// TestSharedPort: classes that share a port take it in turn, the higher one first, whatever the
// order of offers.
func TestSharedPort(t *testing.T) {
	for _, order := range [][]noc.Class{{0, 0, 0, 1, 1, 1}, {1, 1, 0, 0, 1, 0}} {
		b := newBench(Config{Ports: 1, PortsOf: []uint32{1, 1}}, nil)
		for _, class := range order {
			b.offer(noc.Packet{Src: 5, Dst: noc.One(noc.NodeID(8 + class)), Class: class})
		}
		for i := range 5 {
			b.runTo(noc.Cycle(4*i + 4))
			b.end(i)
		}
		b.runTo(24)
		b.want(t, "0: 5 0>[9]", "4: 5 0>[8]", "8: 5 0>[9]", "12: 5 0>[8]", "16: 5 0>[9]", "20: 5 0>[8]")
	}
}

// TestOwnWay: copies of a node to itself have a port of their own, if they are given one.
func TestOwnWay(t *testing.T) {
	for own, want := range map[bool]string{true: "0: 3 0>[8], 0: 3 31>[3]", false: "0: 3 0>[8]"} {
		b := newBench(Config{Ports: 1, PortsOf: []uint32{1}, OwnWay: own}, nil)
		b.offer(noc.Packet{Src: 3, Dst: noc.SetOf(16, 3, 8)})
		b.runTo(3)
		b.want(t, want)
	}
}

// TestForwarding: a node forwards once it has the message, after a startup; what it got first goes
// first; under cut-through the header's cycle is the first of the startup. A planned message counts
// once.
func TestForwarding(t *testing.T) {
	plan := fixed{{From: 0, Stops: []noc.NodeID{4, 6}, After: -1}, {From: 6, Stops: []noc.NodeID{9}, After: 0}}
	for _, cut := range []bool{false, true} {
		b := newBench(Config{Startup: 5, CutThrough: cut, Ports: 1, PortsOf: []uint32{1}}, plan)
		b.offer(noc.Packet{Src: 0, Dst: noc.SetOf(16, 4, 6, 9)})
		b.runTo(20)
		b.Dispatch.Head(b.live[0], 6, 2, b.Clock)
		b.Dispatch.Leaves(b.live[0], b.Clock)
		b.runTo(24)
		b.end(0)
		b.runTo(60)
		if cut {
			b.want(t, "5: 0 0>[4 6]", "25: 6 0>[9]")
		} else {
			b.want(t, "5: 0 0>[4 6]", "30: 6 0>[9]")
		}
		b.Dispatch.Leaves(b.live[1], b.Clock)
		if left := b.Totals().Injected; left != 1 {
			t.Errorf("the worms of one plan count as %d packets", left)
		}
		if w := b.Dispatch.At(b.live[1]); w.Base != map[bool]int32{true: 2, false: 1}[cut] || b.InFlight() != 3 {
			t.Errorf("cut-through %v: base %d, %d deliveries owed", cut, w.Base, b.InFlight())
		}
		if err := b.CheckDestinations(); err != nil {
			t.Error(err)
		}
		if b.Dispatch.At(b.live[1]).Stops = nil; b.CheckDestinations() == nil {
			t.Error("a lost stop is not noticed")
		}
	}
}

// TestTies: deliveries of one node and cycle are in a fixed order.
func TestTies(t *testing.T) {
	x := New(nil, Config{Nodes: 4, Classes: 2, SourceQueue: 1, MaxPhits: 1, Ports: 1, PortsOf: []uint32{1}})
	for _, d := range []noc.Delivery{{Src: 3}, {Src: 1}, {Src: 1, Class: 1}, {Src: 1, Tag: 5}} {
		d.Arrived, d.At = 1, 2
		*x.Sinks.Arrival(1, 1, 0) = d
	}
	x.Sinks.Collect(1)
	var got []string
	for _, d := range x.Deliveries() {
		got = append(got, fmt.Sprint(d.Src, d.Class, d.Tag))
	}
	if s := strings.Join(got, ", "); s != "1 1 0, 1 0 0, 1 0 5, 3 0 0" {
		t.Error(s)
	}
}

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

// without is a scheme that has no plan.
type without struct{ error }

func (w without) Plan(multicast.Request) (multicast.Plan, error) { return nil, w.error }

// TestNoPlan: a scheme without a plan for some destinations, as otms for too many, ends the run with its error.
// No invariant is broken.
func TestNoPlan(t *testing.T) {
	none := errors.New("too many destinations")
	b := newBench(Config{Ports: 1, PortsOf: []uint32{1}}, without{none})
	defer func() {
		if failure, _ := recover().(*noc.Failure); failure == nil || !errors.Is(failure, none) {
			t.Errorf("the failure is %v; want one that wraps %q", failure, none)
		}
	}()
	b.offer(noc.Packet{Src: 0, Dst: noc.SetOf(16, 1, 2, 3)})
	b.runTo(3)
	t.Error("the multicast left without a plan")
}
