package noctest

import (
	"reflect"
	"slices"

	"github.com/carousel-sim/carousel/noc"

	"github.com/carousel-sim/carousel/noc/leaf/random"
)

// Engine is a network that checks its own state.
type Engine interface {
	noc.Network
	CheckInvariants() error
}

// Pair is an engine and its model, the plain form, side by side on random packets.
type Pair struct {
	Engine Engine
	Model  Engine
	Random random.Stream
	// Classes and Phits are the number of message classes and the longest packet.
	Classes, Phits int
	// ClassPhits is the longest packet of each class; 0 is Phits.
	ClassPhits [noc.MaxClasses]int
	// Load is the phits offered per node and cycle, a multicast counting once.
	Load float64
	// Others is the mean number of destinations beyond the first.
	Others float64
	// Hotspot sends half of the packets to node 0.
	Hotspot bool
	// Bound bounds some sinks, and Places all of them, if it is not 0; places are given back after
	// a while.
	Bound  bool
	Places int
	// Stride is the most cycles of a step; 0 is 1.
	Stride int
	// Closely is how many steps pass, on average, until counters and explanations are compared; 0
	// compares counters after every step, and no explanations.
	Closely int
	// Stops, if not 0, is the cycle by which the run ends, because packets may wait forever.
	Stops noc.Cycle

	bounded map[[2]int]int // places of sinks, by node and class
	taken   []noc.Delivery // of bounded sinks, to be freed
	tag     noc.Tag
}

// reporter is what a Pair needs of a test.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// arrivedBy is the cycle in which everything must have arrived.
const arrivedBy = 30_000

// Run offers the same random packets to both for some cycles, and goes on until all have arrived:
// every delivery is made in the same cycle, and totals and counters are the same.
func (p *Pair) Run(t reporter, cycles noc.Cycle) {
	t.Helper()
	p.boundSinks()
	for p.Engine.Now() < cycles || p.Engine.InFlight() > 0 {
		if now := p.Engine.Now(); p.Stops > 0 && now >= p.Stops {
			return
		} else if now > arrivedBy {
			t.Fatalf("%d deliveries are missing; stuck: %v", p.Engine.InFlight(), p.Engine.Explain())
		}
		for len(p.taken) > 0 && p.Random.Below(4) == 0 {
			d := p.taken[0]
			p.taken = p.taken[1:]
			p.Engine.FreeSink(d.At, d.Class)
			p.Model.FreeSink(d.At, d.Class)
		}
		// The model simulates all of the cycle after the offers.
		if d, ok := p.Engine.(noc.Divisible); ok && d.Begins() && p.Random.Below(2) == 0 {
			d.Begin()
		}
		if p.Engine.Now() < cycles {
			p.offer(t)
		}
		until := p.Engine.Now() + 1 + noc.Cycle(p.Random.Below(max(1, p.Stride)))
		if one, two := p.Engine.Step(until), p.Model.Step(until); one != two {
			t.Fatalf("Step(%d) ends in cycle %d, in the model in %d", until, one, two)
		}
		p.compareDeliveries(t)
		if got, want := p.Engine.Sent(), p.Model.Sent(); !slices.Equal(got, want) {
			t.Fatalf("cycle %d: the packets %+v have left their sources, in the model %+v", p.Engine.Now(), got, want)
		}
		p.compareStep(t)
	}
	p.compareCounters(t)
}

// boundSinks bounds up to three sinks, or all.
func (p *Pair) boundSinks() {
	p.bounded = map[[2]int]int{}
	if p.Places > 0 {
		for i := range p.Engine.Nodes() * p.Classes {
			p.bound(i/p.Classes, i%p.Classes, p.Places)
		}
	} else if p.Bound {
		for range p.Random.Below(4) {
			p.bound(p.Random.Below(p.Engine.Nodes()), p.Random.Below(p.Classes), 1+p.Random.Below(2))
		}
	}
}

func (p *Pair) bound(node, class, places int) {
	if sink := [2]int{node, class}; p.bounded[sink] == 0 {
		p.bounded[sink] = places
		p.Engine.LimitSink(noc.NodeID(node), noc.Class(class), places)
		p.Model.LimitSink(noc.NodeID(node), noc.Class(class), places)
	}
}

// offer offers the packets of a cycle; a node may have two.
func (p *Pair) offer(t reporter) {
	t.Helper()
	nodes := p.Engine.Nodes()
	for i := range 2 * nodes {
		if p.Random.Float64() > p.Load/2/float64(p.Phits) {
			continue
		}
		dst := noc.SetOf(nodes, noc.NodeID(p.Random.Below(nodes)))
		if p.Hotspot && p.Random.Below(2) == 0 {
			dst = noc.SetOf(nodes, 0)
		}
		for p.Random.Float64() < p.Others/(1+p.Others) {
			dst.Add(noc.NodeID(p.Random.Below(nodes)))
		}
		class, longest := p.Random.Below(p.Classes), p.Phits
		if p.ClassPhits[class] > 0 {
			longest = p.ClassPhits[class]
		}
		packet := noc.Packet{Src: noc.NodeID(i / 2), Dst: dst, Tag: p.tag, Phits: uint16(1 + p.Random.Below(longest)),
			Class: noc.Class(class), Receipt: p.tag%2 == 0}
		p.tag++
		if one, two := p.Engine.Offer(packet), p.Model.Offer(packet); one != two {
			t.Fatalf("cycle %d: Offer of node %d is %v, in the model %v", p.Engine.Now(), packet.Src, one, two)
		}
	}
}

func (p *Pair) compareDeliveries(t reporter) {
	t.Helper()
	got, want := p.Engine.Deliveries(), p.Model.Deliveries()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("cycle %d: the engine delivers %+v, the model %+v", p.Engine.Now(), got, want)
		}
		d := got[i]
		if places := p.bounded[[2]int{int(d.At), int(d.Class)}]; places > 0 {
			p.taken = append(p.taken, d)
			if n := p.held(d); n > places {
				t.Fatalf("cycle %d: the sink of node %d and class %d holds %d packets; its limit is %d", p.Engine.Now(), d.At, d.Class, n, places)
			}
		}
	}
}

// held returns how many packets the sink of a delivery holds.
func (p *Pair) held(d noc.Delivery) (n int) {
	for _, other := range p.taken {
		if other.At == d.At && other.Class == d.Class {
			n++
		}
	}
	return n
}

// compareStep compares what both know after each step.
func (p *Pair) compareStep(t reporter) {
	t.Helper()
	if got, want := p.Engine.Totals(), p.Model.Totals(); got != want || p.Engine.InFlight() != p.Model.InFlight() {
		t.Fatalf("cycle %d: totals %+v, in the model %+v", p.Engine.Now(), got, want)
	}
	if p.Closely > 0 {
		if p.Random.Below(p.Closely) > 0 {
			return
		}
		if one, two := p.Engine.Explain(), p.Model.Explain(); !reflect.DeepEqual(one, two) {
			t.Fatalf("cycle %d: the engine explains\n%+v\nthe model\n%+v", p.Engine.Now(), one, two)
		}
	}
	p.compareCounters(t)
	if err := p.Engine.CheckInvariants(); err != nil {
		t.Fatalf("%v", err)
	}
	if err := p.Model.CheckInvariants(); err != nil {
		t.Fatalf("model: %v", err)
	}
}

func (p *Pair) compareCounters(t reporter) {
	t.Helper()
	model := p.Model.Activity(nil)
	for r, a := range p.Engine.Activity(nil) {
		if want := model[r]; a != want {
			t.Fatalf("cycle %d, router %d:\n%+v\nin the model:\n%+v", p.Engine.Now(), r, a, want)
		}
	}
	if got, want := p.Engine.Links(nil), p.Model.Links(nil); !slices.Equal(got, want) {
		t.Fatalf("cycle %d: links %+v, in the model %+v", p.Engine.Now(), got, want)
	}
}
