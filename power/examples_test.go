package power

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
)

// example is a packet of five phits that crosses an empty 8x8 mesh alone, and what happens on its
// way, counted by hand: how often the whole packet does each thing. Node 1 is the eastern
// neighbour of node 0, 2 the next one, and 9 the northern neighbour of 1.
type example struct {
	router, scheme string
	to             []noc.NodeID
	buffers        int // accesses of virtual channels: written; read as often unless reads says otherwise
	reads          int
	crossbar       int
	inputs         int // input stages, which are as many entries into rings
	segments       int // of rings, entries included; 0 takes what was counted
	duals          int // copies that leave a segment while it moves on
	outputs        int // output stages
	switches       int // grants of each allocator of the switch: one for each packet, or phit
	allocations    int // of virtual channels
	tests, writes  int // of destination sets
	links          int

	commands int // packets of one phit, one after the other, in place of the packet
}

// phits of a packet, and bits of a destination set.
const examplePhits, exampleNodes = 5, 64

var examples = []example{
	// Three routers, two links. The switch is granted once for the whole packet.
	{router: "base", to: []noc.NodeID{2}, buffers: 3, crossbar: 3, switches: 3, links: 2},
	{router: "base-mc", to: []noc.NodeID{2}, buffers: 3, crossbar: 3, switches: 3, links: 2},
	// Three packets over 1, 2 and 2 links.
	{router: "base", to: []noc.NodeID{1, 2, 9}, buffers: 8, crossbar: 8, switches: 8, links: 5},
	// A tree of three links. The router of node 1 reads the packet three times, once for each
	// branch, and writes two headers at each of its two replications.
	{router: "base-mc", to: []noc.NodeID{1, 2, 9}, buffers: 4, reads: 6, crossbar: 6, switches: 6, writes: 4, links: 3},

	// A packet enters one segment where it is injected, leaves a router straight on from its
	// second, turns from its first, and goes to the node from its second: 1+2+2 on the way to
	// node 2.
	{router: "rr", to: []noc.NodeID{2}, inputs: 3, segments: 5, outputs: 3, links: 2},
	{router: "mrr", to: []noc.NodeID{2}, inputs: 3, segments: 5, outputs: 3, tests: 5, links: 2},
	{router: "rr-tree", to: []noc.NodeID{2}, inputs: 3, segments: 5, outputs: 3, tests: 5, links: 2},
	{router: "rr-path", to: []noc.NodeID{2}, inputs: 3, segments: 5, outputs: 3, tests: 5, links: 2},
	// Copies to 1, 2 and 9 visit 1+2, 1+2+2 and 1+1+2 segments.
	{router: "rr", to: []noc.NodeID{1, 2, 9}, inputs: 8, segments: 12, outputs: 8, links: 5},
	// In the router of node 1 a copy leaves at each of three segments, and two times the packet
	// moves on in the same cycle: 1+3+2+2 segments, which are eight tests of the destination set.
	{router: "mrr", to: []noc.NodeID{1, 2, 9}, inputs: 4, segments: 8, duals: 2, outputs: 6, tests: 8, writes: 4, links: 3},
	{router: "rr-tree", to: []noc.NodeID{1, 2, 9}, inputs: 4, segments: 8, duals: 2, outputs: 6, tests: 8, writes: 4, links: 3},
	// One path: to 1, to 2, and over two links to 9. Three packets leave for a node, four on a
	// link. How many segments that takes depends on the ring, which is free to choose.
	{router: "rr-path", to: []noc.NodeID{1, 2, 9}, inputs: 5, duals: 2, outputs: 7, writes: 4, links: 4},

	// Every phit asks for the switch; the header has asked for a channel before.
	{router: "wormhole", to: []noc.NodeID{2}, buffers: 3, crossbar: 3, switches: 15, allocations: 3, links: 2},
	// Dual-path: along the labels from 1 over 2 and 10 to 9. At 1 and 2 the node takes its copy
	// of what passes: read once, and through the crossbar twice.
	{router: "wormhole", scheme: "dual-path", to: []noc.NodeID{1, 2, 9}, buffers: 5, crossbar: 7, switches: 25, allocations: 5, links: 4},
}

// run lets the example happen; it returns what all routers did together, and what they are made of.
func (e *example) run(t *testing.T) (sum noc.Activity, h noc.Hardware) {
	t.Helper()
	o := models.DefaultOptions()
	o.Grid, o.Scheme = topology.Mesh(8, 8), e.scheme
	if e.router == "wormhole" { // the channels of the reference rows
		o.Classes, o.Wormhole.VirtualChannels, o.Wormhole.BufferPhits = 1, 6, 10
		o.Wormhole.EjectionPerInput = e.scheme != ""
	}
	model, err := models.Lookup(e.router)
	if err != nil {
		t.Fatal(err)
	}
	n, err := model.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	packet := noc.Packet{Src: 0, Dst: noc.SetOf(exampleNodes, e.to...), Phits: examplePhits}
	if e.commands > 0 {
		packet.Phits = 1
	}
	for i := range max(1, e.commands) {
		for n.Offer(packet); n.InFlight() > 0 && n.Now() < noc.Cycle(1000*(i+1)); {
			n.Step(n.Now() + 1000)
			n.Deliveries()
		}
		n.Step(n.Now() + 300) // the pace of the interface
	}
	_, sums := counters(&sum)
	for _, a := range n.Activity(nil) {
		_, all := counters(&a)
		for i := range all {
			*sums[i] += *all[i]
		}
	}
	return sum, n.Hardware()
}

// handPrices are pJ per event, of phits of 128 bits.
type handPrices struct {
	config                                             Config
	write, read, crossbar                              float64 // a channel of 10 phits, one of six
	first, second, allocation                          float64 // allocators of the switch and of channels
	write10, read10, write20, read20                   float64 // stages of rotary routers
	demux, mux, wire, dual, ring, test, rewrite, link1 float64 // ring is a round robin of two
}

// handwritten returns the prices as the tools print them (rule 13), or follow from the equations
// of rules 1 to 10 by a line of arithmetic.
func handwritten() []handPrices {
	o, s := Default(), configured(ProfileS, 45, FIFOBanked)
	o.ClockGating, o.LinkMM, s.LinkMM = true, 1, 1 // an arbiter's clock belongs to its event, as printed
	const bits = 128e-3                            // pJ for each fJ per bit
	const phit = 0.5 * 128 * 1.1 * 1.1 / 2 * 1e-3  // pJ for each fF that half of the bits charge
	const triIn, triOut, nextGate = 2.7606 * (2.214 + 0.923 + 0.554 + 3.69), 4.5287 + 16.1575, 2.7606 * (4.428 + 7.38)
	wire := phit * (12.5631/phit - 77.45*2.6) * 0.2 // what is not repeater, over 0.2 mm
	return []handPrices{
		{config: o, write: 1.38279, read: 19.0232, crossbar: 22.9758, first: 0.700673, second: 0.801362, allocation: 0.700673 + 21.0919,
			write10: 1.38279, read10: 11.68, write20: 1.91, read20: 12.81,
			demux: phit * (triIn + 2*triOut), mux: phit * (triIn + 2*triOut + nextGate), wire: wire, dual: phit*(triIn+2*triOut) + wire,
			ring: 0.333732, test: 0.5 * 1.21 / 2 * 4 * 20.664e-3, rewrite: 0.10856, link1: 12.5631},
		{config: s, write: bits * (10.95 + 15.09), read: bits * (8.17 + 15.06 + 6*1.373), crossbar: bits * (-0.6 + 5*1.285 + 3.74 + 5*1.373),
			first: 6.60e-3 * 6 * 5, second: 6.60e-3 * 5 * 4, allocation: 6.60e-3 * (6*5 + 24*23),
			write10: bits * (10.95 + 15.09), read10: bits * (8.17 + 15.06), write20: bits * (10.95 + 30.18), read20: bits * (8.17 + 30.12),
			demux: bits * 1.373, mux: bits * 1.373 * 2, wire: 0.25 * bits * 157 * 0.2, dual: bits*1.373 + 0.25*bits*157*0.2,
			ring: 6.60e-3 * 2, test: 4 * 1.373e-3 / 2, rewrite: 3.74e-3, link1: 5.16634},
	}
}

// TestEnergyByHand: the energy of one packet, unicast and replicated, in every router, part by
// part: events counted by hand times prices written by hand.
func TestEnergyByHand(t *testing.T) {
	for i := range examples {
		e := &examples[i]
		sum, h := e.run(t)
		if e.segments == 0 && e.inputs > 0 {
			e.segments = int(sum.BufferWrites[noc.RingSegment]) / examplePhits
			e.tests = e.segments
		}
		if e.reads == 0 {
			e.reads = e.buffers
		}
		for _, p := range handwritten() {
			router, link := mustRouter(t, h, p.config), mustLink(t, h.PhitBits, p.config)
			b := router.Price(sum, 0).Add(link.Price(sum.LinkPhits, 0))
			phits := func(packets int) float64 { return examplePhits * float64(packets) }
			grants := float64(e.switches)
			for _, part := range []struct {
				name      string
				got, want float64
			}{
				{"writes", b.BufferWrite, phits(e.buffers)*p.write + phits(e.inputs)*p.write10 + phits(e.segments)*p.write20 + phits(e.outputs)*p.write20},
				// A segment is read once for each packet that leaves it, whichever ways it goes.
				{"reads", b.BufferRead, phits(e.reads)*p.read + phits(e.inputs)*p.read10 + phits(e.segments)*p.read20 + phits(e.outputs)*p.read20},
				{"crossbar", b.Crossbar, phits(e.crossbar) * p.crossbar},
				{"arbiters", b.Arbiter, grants*(p.first+p.second) + float64(e.allocations)*p.allocation + float64(e.segments+e.outputs)*p.ring},
				{"rings", b.Ring, phits(e.inputs)*p.demux + phits(e.segments)*(p.mux+p.wire) + phits(e.duals)*p.dual + phits(e.outputs)*p.mux},
				{"headers", b.Header, exampleNodes * (float64(e.tests)*p.test + float64(e.writes)*p.rewrite)},
				{"links", b.Link, phits(e.links) * p.link1},
			} {
				near(t, e.router+" "+e.scheme+", profile "+string(p.config.Profile)+", "+part.name+" in pJ", part.got*1e12, part.want, 0.004)
			}
			if b.Leakage != 0 || b.LinkLeakage != 0 {
				t.Errorf("%s: %g J leak in no time", e.router, b.Leakage+b.LinkLeakage)
			}
		}
	}
}

// TestIdealWormholeByHand: channels of a phit, which no printed price is about, in profile S. A
// packet over two links is buffered behind each, passes three crossbars, and is granted two
// channels and the node.
func TestIdealWormholeByHand(t *testing.T) {
	e := example{router: "wormhole-ideal", to: []noc.NodeID{2}}
	sum, h := e.run(t)
	c := configured(ProfileS, 45, FIFOBanked)
	c.LinkMM = 1
	b := mustRouter(t, h, c).Price(sum, 0)
	const bits = 128e-15
	near(t, "writes", b.BufferWrite, 10*bits*(10.95+1.509), 1e-9)
	near(t, "reads", b.BufferRead, 10*bits*(8.17+1.506), 1e-9)
	near(t, "crossbar", b.Crossbar, 15*bits*(-0.6+5*1.285+3.74+5*1.373), 1e-9)
	near(t, "arbiters", b.Arbiter, 3*6.60e-15*20, 1e-9)
	near(t, "links", mustLink(t, 128, c).Price(sum.LinkPhits, 0).Link, 10*5.16634e-12, 0.001)
	if rest := b.Ring + b.Header; rest != 0 {
		t.Errorf("%g J for rings and headers, of which there are none", rest)
	}
}

// TestEnergyIsLinearInAlpha: priced at two switching activities, any other follows.
func TestEnergyIsLinearInAlpha(t *testing.T) {
	for i := range examples {
		sum, h := examples[i].run(t)
		for _, p := range handwritten() {
			var at [3]float64
			for k, alpha := range []float64{0, 0.2, 1} {
				c := p.config
				c.Alpha = alpha
				at[k] = mustRouter(t, h, c).Price(sum, 1000).Total() + mustLink(t, h.PhitBits, c).Price(sum.LinkPhits, 1000).Total()
			}
			near(t, examples[i].router+" at alpha 0.2", at[1], 0.8*at[0]+0.2*at[2], 1e-12)
		}
	}
}
