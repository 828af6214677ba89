package cmp

import (
	"context"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// TestWaitsBehindWindows: a core whose records end because it waits for another one in the execution waits
// in the run, too, as long as that one has records, and its time goes where that of such a wait goes.
func TestWaitsBehindWindows(t *testing.T) {
	work := func(n int) (list []traces.Record) {
		for i := range n {
			list = append(list, traces.Record{Address: 64 * uint64(i%8), Instructions: 1})
		}
		return list
	}
	ends := func(n int, count uint16, other uint64) []traces.Record {
		return append(work(n), traces.Record{Kind: traces.End, Count: count, Address: other})
	}
	streams := [][]traces.Record{ends(9000, 0, 0), ends(3000, 0, 0), ends(100, traces.AwaitsThreads, 2), ends(200, traces.AwaitsWork, 1),
		ends(150, traces.AwaitsOrder, 5), ends(50, traces.AwaitsWork, 0), ends(60, 0, 0), ends(70, traces.AwaitsWork, 1)}
	for _, plain := range []bool{false, true} {
		for _, part := range [][2]uint64{{0, 0}, {0, 11000}, {8000, 2000}} {
			c := Default()
			c.BanksPerRouter, c.Place.MemoryControllers, c.Core.Plain = 1, 2, plain
			network := build(t, "mrr", func(o *models.Options) { o.Grid = topology.Torus(4, 2) })
			s := must.Get(New(c, network, traces.NewMemory(streams, nil).Measuring(part[0], part[1]), 1))
			r := must.Get(s.Run(context.Background(), nil))
			all, one := r.Cycles, r.Cores[1].FinishCycle
			for core, want := range map[int]struct {
				until any
				stall Stall
				part  Component
			}{2: {all, StallSync, ComponentSync}, 3: {one, StallDependence, ComponentIdle}, 4: {all, StallDependence, ComponentOrder}, 5: {all, StallDependence, ComponentIdle}} {
				o := &r.Cores[core]
				stalls, parts := uint64(0), uint64(0)
				for _, n := range o.StallCycles {
					stalls += n
				}
				for _, n := range o.ComponentCycles {
					parts += n
				}
				if o.FinishCycle != want.until || o.StallCycles[want.stall] == 0 && o.FinishCycle > 0 || o.ComponentCycles[want.part] < uint64(o.FinishCycle)/2 ||
					stalls+o.RetiringCycles != uint64(o.FinishCycle) || parts != stalls {
					t.Errorf("plain %v, part %v, core %d: %+v, want a wait until %v", plain, part, core, o, want.until)
				}
			}
			if r.Cores[6].FinishCycle >= one/2 && part[0] == 0 {
				t.Errorf("core 6, which waits for nothing, ends in cycle %d", r.Cores[6].FinishCycle)
			}
		}
	}
	c := Default()
	c.BanksPerRouter, c.Place.MemoryControllers = 1, 2
	network := build(t, "mrr", func(o *models.Options) { o.Grid = topology.Torus(2, 2) })
	halt := traces.Record{Kind: traces.Fence, Count: traces.Halts, Instructions: 1}
	edges := []traces.Edge{{At: 10, Position: 3}, {At: 10, Position: 7000}}
	source := traces.NewMemory([][]traces.Record{ends(9000, 0, 0), append([]traces.Record{halt}, ends(50, 0, 0)...), ends(50, 0, 0), ends(50, 0, 0)}, [][]traces.Edge{nil, edges, edges, nil})
	r := must.Get(must.Get(New(c, network, source, 1)).Run(context.Background(), nil))
	idle, order := r.Cores[1].ComponentCycles, r.Cores[2].ComponentCycles
	if idle[ComponentIdle] == 0 || idle[ComponentOrder] > 0 || order[ComponentOrder] == 0 || order[ComponentIdle] > 0 {
		t.Errorf("a core that has halted waits as %v, one that has not as %v", idle, order)
	}
}
