package cmp_test

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// TestCyclesAddUp: on every network and under every protocol, what a core's cycles are charged to
// adds up to its time, by cause and by component.
func TestCyclesAddUp(t *testing.T) {
	for _, protocol := range cmp.Protocols {
		for _, router := range []string{"base", "mrr", "ideal"} {
			for seed := range uint64(2) {
				s := newStory(seed, 400)
				c := small()
				c.Protocol, c.Cores, c.Core.Plain = protocol.Name, storyCores, seed == 1
				n := network(t, router, seed, func(o *models.Options) { o.Grid = topology.Torus(4, 4) })
				r := run(t, c, n, traces.NewMemory(s.records, s.edges), seed)
				for i, core := range r.Cores {
					stalls, components := uint64(0), uint64(0)
					for _, cycles := range core.StallCycles {
						stalls += cycles
					}
					for _, cycles := range core.ComponentCycles {
						components += cycles
					}
					if stalls != components || core.RetiringCycles+components != uint64(core.FinishCycle) {
						t.Errorf("%s on %s, core %d: %d stalled, %d charged to components, %d retiring, %d in all",
							protocol.Name, router, i, stalls, components, core.RetiringCycles, core.FinishCycle)
					}
					if order, sync := core.ComponentCycles[cmp.ComponentOrder], core.ComponentCycles[cmp.ComponentSync]; order != core.StallCycles[cmp.StallDependence] || sync < core.StallCycles[cmp.StallSync] {
						t.Errorf("%s on %s, core %d: components %v, stalls %v", protocol.Name, router, i, core.ComponentCycles, core.StallCycles)
					}
				}
			}
		}
	}
}

// TestComponentsOfMisses: one core without contention that reads memory block by block spends its
// time at memory, on the way and at the bank, for as long as these take.
func TestComponentsOfMisses(t *testing.T) {
	const loads = 50
	k := chase(t, loads, 100, 0)
	memory, rest := k[cmp.ComponentMemory], k[cmp.ComponentFlight]+k[cmp.ComponentL2]+k[cmp.ComponentL1]
	if memory < loads*(260-40) || memory > loads*262 || rest < loads*10 || k[cmp.ComponentContention]+k[cmp.ComponentInterface] > loads*4 || k[cmp.ComponentProtocol] > loads {
		t.Errorf("%v", k)
	}
}

// TestDependencesAreCharged: where each load needs the one before it, nearly all of the time would
// not be spent without that.
func TestDependencesAreCharged(t *testing.T) {
	const loads = 50
	k := chase(t, loads, 1, 1)
	if d := k[cmp.ComponentDependence]; d < (loads-1)*250 || d > loads*350 {
		t.Errorf("%v", k)
	}
	if d := chase(t, loads, 1, 0)[cmp.ComponentDependence]; d != 0 {
		t.Errorf("%d cycles are charged to dependences that there are not", d)
	}
}

// chase lets a core read blocks that nobody has, each after a number of instructions, and perhaps
// each with an address that the one before it gives, and returns where its cycles went.
func chase(t *testing.T, loads int, instructions uint32, dependence uint16) [cmp.Components]uint64 {
	t.Helper()
	var stream []traces.Record
	for i := range loads {
		r := traces.Record{Address: uint64(i) * 4096, Size: 3, Instructions: instructions}
		if i > 0 {
			r.Dependence = dependence
		}
		stream = append(stream, r)
	}
	c := cmp.Default()
	c.Perturb = 0
	return run(t, c, network(t, "ideal", 1, nil), traces.NewMemory([][]traces.Record{stream}, nil), 1).Cores[0].ComponentCycles
}

// TestIdleTimes: what a message takes in the idle network is no contention, also where the copies of
// a broadcast leave one after the other; what it takes beyond that is. With links of half the width the
// messages, and so the times, are longer.
func TestIdleTimes(t *testing.T) {
	t.Parallel()
	narrow := func(o *models.Options) {
		o.Rotary.PhitBits, o.Buffered.PhitBits, o.Ideal.PhitBits = 64, 64, 64
		o.Rotary.SlotPhits, o.Rotary.InputStagePhits, o.Rotary.SegmentPhits, o.Rotary.OutputStagePhits = 10, 20, 40, 40
		o.Buffered.SlotPhits, o.Buffered.ChannelPhits, o.Ideal.SlotPhits = 10, 20, 10
	}
	idleTimes(t, nil)
	idleTimes(t, narrow)
}

func idleTimes(t *testing.T, edit func(*models.Options)) {
	contended := func(router string, streams [][]traces.Record) float64 {
		s, err := cmp.New(cmp.Default(), network(t, router, 1, edit), traces.NewMemory(streams, nil), 1)
		if err == nil {
			var idle *cmp.IdleTimes
			if idle, err = s.MeasureIdle(network(t, router, 1, edit)); err == nil {
				s.KnowIdle(idle)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		r := must.Get(s.Run(t.Context(), nil))
		flight, contention := 0.0, 0.0
		for _, c := range r.Cores {
			flight += float64(c.ComponentCycles[cmp.ComponentFlight])
			contention += float64(c.ComponentCycles[cmp.ComponentContention])
		}
		return contention / flight
	}
	for _, router := range []string{"base", "base-mc", "rr", "mrr", "ideal"} {
		var all [16][]traces.Record
		for c := range all {
			for i := range 200 {
				all[c] = append(all[c], traces.Record{Address: uint64(200*c+i) * 64, Size: 3, Instructions: 1})
			}
		}
		one := make([][]traces.Record, 16)
		one[0] = loads(1, consecutive(200), 200, 1)
		alone, together := contended(router, one), contended(router, all[:])
		if alone > 0.06 {
			t.Errorf("%s: one core alone spends %.3f times as long in contention as in flight", router, alone)
		}
		if router == "ideal" && together != 0 || router != "ideal" && together < 2*alone+0.02 {
			t.Errorf("%s: cores spend %.3f times as long in contention as in flight, one alone %.3f", router, together, alone)
		}
	}
}
