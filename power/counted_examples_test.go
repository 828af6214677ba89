package power

import (
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// counted is a packet whose flipped bits have been counted by hand. Its header begins with four
// ones, bits 0 to 3, and has one for each destination, or the destination's number; behind it
// come a word of ones, another one, a word of zeros, and one that is 1. So whatever the header,
// 128 bits flip on wires that were at zero up to the second word, then 0, 128 and 1: 257. On
// wires that the same packet, or a copy of it, has crossed before, the header meets the 1 that is
// left there, of which one bit is not new: 256.
//
// Numbers are of packets: how often one crosses wires of a kind, and how many such wires it was
// the first on.
type countedExample struct {
	router                                              string
	to                                                  []noc.NodeID
	write, read, in, out, link, eject, demux, hop, dual crossing // write and read of virtual channels or ring segments
	stages, outputs                                     crossing // write and read of input and output stages
}

type crossing struct{ packets, wires int }

func (c crossing) flips() uint64 { return uint64(256*c.packets + c.wires) }

// once returns a number of packets each of which is the first on its wires.
func once(packets int) crossing { return crossing{packets, packets} }

var countedExamples = []countedExample{
	// Three routers, two links.
	{router: "base", to: []noc.NodeID{2}, write: once(3), read: once(3), in: once(3), out: once(3), link: once(2), eject: once(1)},
	{router: "base-mc", to: []noc.NodeID{2}, write: once(3), read: once(3), in: once(3), out: once(3), link: once(2), eject: once(1)},
	// Copies to 1, 2 and 9 leave node 0 one after the other by the same way up to node 1, where
	// one stays and the others part: channels and crossbar inputs 3+3 packets on two, 1+1 on two;
	// outputs 3 on one, 3 of their own, 2 more.
	{router: "base", to: []noc.NodeID{1, 2, 9}, write: crossing{8, 4}, read: crossing{8, 4}, in: crossing{8, 4}, out: crossing{8, 6},
		link: crossing{5, 3}, eject: once(3)},
	// One packet, read three times at node 1.
	{router: "base-mc", to: []noc.NodeID{1, 2, 9}, write: once(4), read: crossing{6, 4}, in: crossing{6, 4}, out: once(6), link: once(3), eject: once(3)},
	// Segments entered: 1+2+2, of which 3 from input stages.
	{router: "rr", to: []noc.NodeID{2}, stages: once(3), demux: once(3), hop: once(2), write: once(5), read: once(5), outputs: once(3), link: once(2), eject: once(1)},
	{router: "mrr", to: []noc.NodeID{2}, stages: once(3), demux: once(3), hop: once(2), write: once(5), read: once(5), outputs: once(3), link: once(2), eject: once(1)},
	// 1+3+2+2 segments; at node 1 two copies leave while the packet moves on, so that 10 ways out
	// of segments are 8 reads.
	{router: "mrr", to: []noc.NodeID{1, 2, 9}, stages: once(4), demux: once(4), hop: once(4), dual: once(2), write: once(8), read: once(8), outputs: once(6), link: once(3), eject: once(3)},
}

// TestFlippedBitsByHand: the flipped bits of one packet, unicast and replicated, in every router,
// and their energy by prices of profile S written by hand.
func TestFlippedBitsByHand(t *testing.T) {
	for i := range countedExamples {
		e := &countedExamples[i]
		sum, h := (&example{router: e.router, to: e.to, counted: true}).run(t)
		want := noc.Toggles{Counted: true, CrossbarIn: e.in.flips(), CrossbarOut: e.out.flips(), InputDemux: e.demux.flips(),
			RingHop: e.hop.flips(), RingDual: e.dual.flips(), Link: e.link.flips(), Eject: e.eject.flips()}
		if kind := noc.VirtualChannel; h.Crossbar {
			want.BufferWrites[kind], want.BufferReads[kind], want.Arrived = e.write.flips(), e.read.flips(), e.write.flips()
		} else {
			want.BufferWrites[noc.InputStage], want.BufferReads[noc.InputStage], want.Arrived = e.stages.flips(), e.stages.flips(), e.stages.flips()
			want.BufferWrites[noc.RingSegment], want.BufferReads[noc.RingSegment] = e.write.flips(), e.read.flips()
			want.BufferWrites[noc.OutputStage], want.BufferReads[noc.OutputStage] = e.outputs.flips(), e.outputs.flips()
		}
		if sum.Toggles != want {
			t.Errorf("%s to %v: %+v\nby hand %+v", e.router, e.to, sum.Toggles, want)
			continue
		}
		checkFlipPrices(t, e, sum, h)
	}
}

// checkFlipPrices compares the energy with fJ per event and per flipped bit at 45 nm and 1 V,
// from the coefficients of rule 9 and the shares of rule 12: three quarters of a write, all of a
// read multiplexer, half of a register; twice that for a bit that flips for sure, where random
// ones do half of the time.
func checkFlipPrices(t *testing.T, e *countedExample, sum noc.Activity, h noc.Hardware) {
	t.Helper()
	c := configured(ProfileS, 45, FIFOBanked)
	c.Activity, c.LinkMM = ActivityHamming, 1
	b := mustRouter(t, h, c).Price(sum, 0)
	const fJ = 1e-15
	write := func(entries, phits, flips uint64) float64 {
		cell := 10.95 + 1.509*float64(entries)
		return fJ * (0.25*128*cell*float64(phits) + 0.75*2*cell*float64(flips))
	}
	read := func(entries, phits, flips uint64) float64 {
		return fJ * (8.17*128*float64(phits) + 2*1.506*float64(entries)*float64(flips))
	}
	f := sum.Toggles
	wantWrite := write(10, sum.BufferWrites[noc.VirtualChannel]+sum.BufferWrites[noc.InputStage], f.BufferWrites[noc.VirtualChannel]+f.BufferWrites[noc.InputStage]) +
		write(20, sum.BufferWrites[noc.RingSegment]+sum.BufferWrites[noc.OutputStage], f.BufferWrites[noc.RingSegment]+f.BufferWrites[noc.OutputStage])
	wantRead := read(10, sum.BufferReads[noc.VirtualChannel]+sum.BufferReads[noc.InputStage], f.BufferReads[noc.VirtualChannel]+f.BufferReads[noc.InputStage]) +
		read(20, sum.BufferReads[noc.RingSegment]+sum.BufferReads[noc.OutputStage], f.BufferReads[noc.RingSegment]+f.BufferReads[noc.OutputStage]) +
		fJ*6*2*1.373*float64(f.CrossbarIn)
	wantCrossbar := fJ * (128*(-0.6+0.5*3.74)*float64(sum.Crossbar) + 5*2*1.285*float64(f.CrossbarIn) + (3.74+5*2*1.373)*float64(f.CrossbarOut))
	const wire = 157 * 0.2 / 2 // fJ of a bit over 0.2 mm
	wantRing := fJ * (2*2*1.373*float64(f.BufferWrites[noc.RingSegment]) + wire*float64(f.InputDemux+f.RingHop) + (2*1.373+wire)*float64(f.RingDual) +
		2*1.373*float64(f.InputDemux))
	if !h.Crossbar {
		wantRing += fJ * 2 * 2 * 1.373 * float64(f.Link+f.Eject)
	}
	for _, part := range []struct {
		name      string
		got, want float64
	}{{"writes", b.BufferWrite, wantWrite}, {"reads", b.BufferRead, wantRead}, {"crossbar", b.Crossbar, wantCrossbar}, {"rings", b.Ring, wantRing},
		{"links", mustLink(t, 128, c).PriceFlips(f.Link, 0).Link, 5.16634e-12 / 64 * float64(f.Link)}} {
		near(t, e.router+" "+part.name, part.got, part.want, 2e-3)
	}
}

// TestRepeatedPacketsFlipNothing: equal packets of one phit leave all wires as they are once each
// lane of the rotary routers has had one, and cost what no data costs.
func TestRepeatedPacketsFlipNothing(t *testing.T) {
	for _, router := range []string{"base", "base-mc", "rr", "mrr"} {
		once, h := (&example{router: router, to: []noc.NodeID{2}, counted: true, commands: 4}).run(t)
		twice, _ := (&example{router: router, to: []noc.NodeID{2}, counted: true, commands: 8}).run(t)
		if once.Toggles != twice.Toggles || once.Toggles.Link == 0 || twice.LinkPhits != 2*once.LinkPhits {
			t.Errorf("%s: four packets flip %+v, eight equal ones %+v", router, once.Toggles, twice.Toggles)
		}
		c := Default()
		c.Activity = ActivityHamming
		r := mustRouter(t, h, c)
		still := once
		still.Toggles = noc.Toggles{Counted: true}
		c.Alpha = 0 // of the headers, too
		c.Activity = ActivityHalf
		none := mustRouter(t, h, c).Price(once, 0)
		none.Header = r.Price(still, 0).Header
		near(t, router, r.Price(twice, 0).Total()-r.Price(once, 0).Total(), none.Total(), 1e-9)
	}
}
