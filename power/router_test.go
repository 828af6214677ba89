package power

import (
	"reflect"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// baseHardware is BASE of the paper (section 5.1): 5 ports, 6 virtual channels of 10 phits of 128
// bits.
func baseHardware() noc.Hardware {
	h := noc.Hardware{Ports: 5, PhitBits: 128, VirtualChannels: 6, Crossbar: true, DestinationBits: 64}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = 30, 10
	return h
}

// rotaryHardware is RR and MRR of the paper: 10 phits per input stage, 20 per ring segment and
// output stage, two rings.
func rotaryHardware() noc.Hardware {
	h := noc.Hardware{Ports: 5, PhitBits: 128, DestinationBits: 64}
	h.FIFOs = [noc.BufferKinds]int{noc.InputStage: 5, noc.RingSegment: 10, noc.OutputStage: 5}
	h.Depth = [noc.BufferKinds]int{noc.InputStage: 10, noc.RingSegment: 20, noc.OutputStage: 20}
	return h
}

func configured(profile Profile, nm int, fifo FIFO) Config {
	c := Default()
	c.Profile, c.TechNM, c.FIFO = profile, nm, fifo
	return c
}

func mustRouter(t testing.TB, h noc.Hardware, c Config) *Router {
	t.Helper()
	r := must.Get(NewRouter(h, c))
	return &r
}

func mustLink(t testing.TB, bits int, c Config) Link {
	t.Helper()
	l := NewLink(bits, c)
	return l
}

// baseHop returns one phit that crosses BASE alone.
func baseHop() noc.Activity {
	a := noc.Activity{Crossbar: 1}
	a.BufferWrites[noc.VirtualChannel], a.BufferReads[noc.VirtualChannel] = 1, 1
	for _, s := range []noc.ArbiterStage{noc.SwitchInput, noc.SwitchOutput} {
		a.ArbRequests[s], a.ArbGrants[s] = 1, 1
	}
	return a
}

// rotaryHop is one phit that crosses RR over one segment, split by stage.
func rotaryHop() (in, segment, out noc.Activity) {
	access := func(a *noc.Activity, k noc.BufferKind) { a.BufferWrites[k], a.BufferReads[k] = 1, 1 }
	access(&in, noc.InputStage)
	in.InputDemux = 1
	access(&segment, noc.RingSegment)
	segment.RingInject = 1
	segment.ArbRequests[noc.RingEntry], segment.ArbGrants[noc.RingEntry] = 1, 1
	access(&out, noc.OutputStage)
	out.OutputMux = 1
	out.ArbRequests[noc.OutputLane], out.ArbGrants[noc.OutputLane] = 1, 1
	return in, segment, out
}

// TestHopOf: the phit that summaries are made of is the one of the hand-written hops.
func TestHopOf(t *testing.T) {
	if got := HopOf(baseHardware()); got != baseHop() {
		t.Errorf("BASE: %+v", got)
	}
	in, segment, out := rotaryHop()
	var want noc.Activity
	_, sums := counters(&want)
	for _, part := range []*noc.Activity{&in, &segment, &out} {
		_, all := counters(part)
		for i := range all {
			*sums[i] += *all[i]
		}
	}
	want.RingEject = 1
	if got := HopOf(rotaryHardware()); got != want {
		t.Errorf("RR: %+v, want %+v", got, want)
	}
	if got := HopOf(noc.Hardware{Ports: 5, PhitBits: 128}); got != (noc.Activity{}) {
		t.Errorf("wires without routers: %+v", got)
	}
}

// TestLoneChannel: a FIFO that is alone at its crossbar input drives it directly (first Orion row
// of the reference table), in profile S without a multiplexer.
func TestLoneChannel(t *testing.T) {
	h := noc.Hardware{Ports: 5, PhitBits: 128, VirtualChannels: 1, Crossbar: true}
	h.FIFOs[noc.VirtualChannel], h.Depth[noc.VirtualChannel] = 5, 5
	for _, channels := range []int{0, 1} {
		h.VirtualChannels = channels
		b := mustRouter(t, h, Default()).Price(baseHop(), 0)
		near(t, "write in pJ", b.BufferWrite*1e12, 1.14206, 1e-5)
		near(t, "read in pJ", b.BufferRead*1e12, 11.3732, 1e-5)
		banked := mustRouter(t, h, configured(ProfileS, 45, FIFOBanked)).Price(baseHop(), 0)
		single := mustRouter(t, h, configured(ProfileS, 45, FIFOSingleRAM)).Price(baseHop(), 0)
		if banked != single {
			t.Errorf("one channel banked costs %+v, in one RAM %+v", banked, single)
		}
	}
}

func TestStorageOfThePaper(t *testing.T) {
	for _, c := range []struct {
		name                   string
		h                      noc.Hardware
		phits, noInputs, bytes int
	}{
		{"BASE", baseHardware(), 300, 300, 4800},
		{"RR", rotaryHardware(), 350, 300, 5600},
	} {
		l := must.Get(PriceListOf(c.h, Default()))
		if l.StoragePhits != c.phits || l.StorageNoInput != c.noInputs || l.StorageBytes != c.bytes {
			t.Errorf("%s stores %d phits, %d without input stages, %d bytes", c.name, l.StoragePhits, l.StorageNoInput, l.StorageBytes)
		}
	}
}

// TestStaticPower holds the golden leakage and clock of BASE, and the rules by which it is
// extended to rotary routers.
func TestStaticPower(t *testing.T) {
	ungated := Default()
	ungated.ClockGating = false
	base := mustRouter(t, baseHardware(), ungated)
	near(t, "leakage of BASE in mW", base.leakage.total()*1e3, 33.469+14.887+0.306+3.889, 0.001)
	o := newOrion(Default())
	idle := 5*o.roundRobin(6).clock + 5*o.matrix(4, 0).clock
	near(t, "clock of BASE in mW", base.clock*1e3, 36.242+idle*1e12, 0.001)

	rotary := mustRouter(t, rotaryHardware(), ungated)
	near(t, "clock of RR in mW", rotary.clock*1e3, 36.242*25/15+15*o.roundRobin(2).clock*1e12, 0.001)
	if rotary.leakage.crossbar != 0 {
		t.Error("a rotary router has no crossbar to leak")
	}
	near(t, "leakage of RR's multiplexers", rotary.leakage.multiplexers,
		o.leakPower(40*128*o.triStateLeak()), 1e-9)

	cells := mustRouter(t, baseHardware(), configured(ProfileS, 45, FIFOSingleRAM))
	near(t, "leakage of BASE of cells in mW", cells.leakage.total()*1e3, 94.8, 0.05)
	near(t, "clock tree of BASE in mW", cells.clock*1e3, 0.1959+1.184e-3*640, 0.001)
	banked := mustRouter(t, baseHardware(), configured(ProfileS, 45, FIFOBanked))
	near(t, "the banks' multiplexers in mW", (banked.leakage.total()-cells.leakage.total())*1e3, 0.651e-3*128*30, 1e-6)

	halved := Default()
	halved.StaticScale = 0.5
	near(t, "halved leakage", mustRouter(t, baseHardware(), halved).leakage.total(), base.leakage.total()/2, 1e-12)
	link := mustLink(t, 128, halved)
	full := mustLink(t, 128, Default())
	near(t, "halved leakage of a link", link.leak, full.leak/2, 1e-12)
}

// TestChannelAllocator: six channels that every header may take, as in the Orion rows of the
// reference table, and the channels of the default wormhole router, where a header has no choice.
func TestChannelAllocator(t *testing.T) {
	free := baseHardware()
	free.ChannelChoices, free.ChannelRivals = 6, 6
	base, router := mustRouter(t, baseHardware(), Default()), mustRouter(t, free, Default())
	header := noc.Activity{RouteLookups: 1}
	near(t, "allocation in pJ", router.Price(header, 0).Arbiter*1e12, 0.700673+21.0919, 1e-5)
	near(t, "leakage of the allocator in mW", (router.leakage.arbiters-base.leakage.arbiters)*1e3, 31.5049, 1e-5)
	if router.clock != base.clock || base.Price(header, 0) != (Breakdown{}) {
		t.Error("the allocator is clocked when it allocates, and BASE has none")
	}
	set := baseHardware()
	set.ChannelChoices, set.ChannelRivals = 1, 2
	o := newOrion(Default())
	near(t, "allocation without a choice", mustRouter(t, set, Default()).Price(header, 0).Total(), o.matrix(8, 0).single(), 1e-12)

	cells := configured(ProfileS, 45, FIFOBanked)
	near(t, "allocation of cells in fJ", mustRouter(t, free, cells).Price(header, 0).Total()*1e15, 6.60*(6*5+24*23), 1e-9)
	near(t, "leakage of the allocator of cells in uW",
		(mustRouter(t, free, cells).leakage.arbiters-mustRouter(t, baseHardware(), cells).leakage.arbiters)*1e6, 30*2.51*(6*5+24*23), 1e-9)
}

// TestClockGating: a router in which every port moves a phit in every cycle draws what an ungated
// one draws, and an idle one nothing.
func TestClockGating(t *testing.T) {
	ungated := Default()
	ungated.ClockGating = false
	free, tied := mustRouter(t, baseHardware(), ungated), mustRouter(t, baseHardware(), Default())
	if got := tied.Price(noc.Activity{}, 1000).Clock; got != 0 {
		t.Errorf("an idle gated router draws %g J of clock", got)
	}
	half := baseHardware()
	half.ClockDivider = 2
	slow := mustRouter(t, half, ungated).Price(noc.Activity{}, 1000)
	whole := free.Price(noc.Activity{}, 1000)
	near(t, "clock of a router at half the clock", slow.Clock, whole.Clock/2, 1e-12)
	near(t, "its leakage", slow.Leakage, whole.Leakage, 1e-12)
	var busy noc.Activity
	const cycles = 1000
	busy.BufferWrites[noc.VirtualChannel] = 5 * cycles
	busy.BufferReads[noc.VirtualChannel] = 5 * cycles
	busy.Crossbar = 5 * cycles
	for _, s := range []noc.ArbiterStage{noc.SwitchInput, noc.SwitchOutput} {
		busy.ArbRequests[s], busy.ArbGrants[s] = 5*cycles, 5*cycles
	}
	near(t, "energy of a busy router", tied.Price(busy, cycles).Total(), free.Price(busy, cycles).Total(), 1e-12)
}

// TestPriceListsNameEveryCost: the events of both routers and their sum over names.
func TestPriceListsNameEveryCost(t *testing.T) {
	names := func(list []Entry) (all []string) {
		for _, e := range list {
			all = append(all, e.Name)
			if e.Value < 0 {
				t.Errorf("%s costs %g", e.Name, e.Value)
			}
		}
		return all
	}
	base, rotary := mustRouter(t, baseHardware(), Default()), mustRouter(t, rotaryHardware(), Default())
	for _, c := range []struct {
		router *Router
		want   []string
	}{
		{base, []string{"buffer_write.virtual_channel", "buffer_read.virtual_channel", "crossbar",
			"arbiter_request.switch_input", "arbiter_grant.switch_input",
			"arbiter_request.switch_output", "arbiter_grant.switch_output", "header_write_bit", "register_clock"}},
		{rotary, []string{"buffer_write.input_stage", "buffer_read.input_stage",
			"buffer_write.ring_segment", "buffer_read.ring_segment",
			"buffer_write.output_stage", "buffer_read.output_stage",
			"arbiter_request.ring_entry", "arbiter_grant.ring_entry",
			"arbiter_request.output_lane", "arbiter_grant.output_lane",
			"input_demux", "segment_mux", "ring_wire", "ring_dual", "output_mux",
			"header_test_bit", "header_write_bit", "register_clock"}},
	} {
		if got := names(c.router.eventsPJ()); !reflect.DeepEqual(got, c.want) {
			t.Errorf("events are %v, want %v", got, c.want)
		}
	}
}
