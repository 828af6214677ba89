package cmp_test

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
)

// kernelResult replays a recorded kernel of traces/record/testdata/kernels on a network.
func kernelResult(t *testing.T, name, router string) cmp.Result {
	t.Helper()
	f := must.Get(traces.Open("../../traces/record/testdata/kernels/"+name+".trace", traces.DefaultReaderConfig()))
	defer f.Close()
	return run(t, cmp.Default(), network(t, router, 1, nil), f, 1)
}

func kernelCycles(t *testing.T, name, router string) noc.Cycle {
	t.Helper()
	return kernelResult(t, name, router).Cycles
}

// TestFalseSharingIsNoOrder: what threads pay for a line that they share falsely is what its misses
// cost, whatever the turns in which they were recorded, and next to nothing where others only read.
func TestFalseSharingIsNoOrder(t *testing.T) {
	t.Parallel()
	agree := func(a, b string) {
		t.Helper()
		x, y := float64(kernelCycles(t, a, "base-mc")), float64(kernelCycles(t, b, "base-mc"))
		if max(x, y) > 1.1*min(x, y) {
			t.Errorf("%s takes %.0f cycles, %s %.0f: more than 10 %% apart", a, x, b, y)
		}
	}
	agree("readonly-8", "readonly-64")
	agree("sharing-8-turn-10", "sharing-8-turn-1000")
	agree("sharing-8-turn-100", "sharing-8-turn-1000")
	if shared, apart := kernelCycles(t, "sharing-8-turn-100", "base-mc"), kernelCycles(t, "sharing-128", "base-mc"); shared < 2*apart {
		t.Errorf("counters in one line take %d cycles, apart %d", shared, apart)
	}
}

// TestHotBlocksNameFalseSharing: the line of two counters that lie side by side is the hottest one,
// and each thread uses eight bytes of it; two threads that increment one word share it truly.
func TestHotBlocksNameFalseSharing(t *testing.T) {
	hottest := kernelResult(t, "sharing-8-turn-100", "base-mc").HotBlocks
	if len(hottest) == 0 || !hottest[0].FalseSharing() || len(hottest[0].Cores) != 2 || hottest[0].Misses < 1000 {
		t.Errorf("counters side by side: %+v", hottest)
	} else if a, b := hottest[0].Cores[0], hottest[0].Cores[1]; a.Written != 0xff || b.Written != 0xff00 || a.Read != a.Written || b.Read != b.Written {
		t.Errorf("bytes of the counters: %+v", hottest[0])
	}
	for _, h := range kernelResult(t, "sharing-128", "base-mc").HotBlocks {
		if h.FalseSharing() && h.Misses > 10 {
			t.Errorf("counters apart: %+v", h)
		}
	}
	hottest = kernelResult(t, "increments-turn-100", "base-mc").HotBlocks
	if len(hottest) == 0 || hottest[0].FalseSharing() || len(hottest[0].Cores) != 4 {
		t.Errorf("one counter: %+v", hottest)
	}
}

// TestStreamsInOneSet: loads of sixteen streams whose blocks share a set of the L1 evict each
// other's blocks all the time, sooner in a faster network, and are not repeated for that.
func TestStreamsInOneSet(t *testing.T) {
	base, ideal := kernelResult(t, "streams", "base"), kernelResult(t, "streams", "ideal")
	if n := base.Replays + ideal.Replays; n > 0 {
		t.Errorf("%d loads are repeated without a write", n)
	}
	if ideal.Cycles > base.Cycles {
		t.Errorf("%d cycles on base, %d on ideal", base.Cycles, ideal.Cycles)
	}
	if apart := float64(ideal.L1Misses) / float64(base.L1Misses); apart < 0.95 || apart > 1.05 {
		t.Errorf("%d misses on base, %d on ideal", base.L1Misses, ideal.L1Misses)
	}
}

// TestRecordedPingPong: a word that 2 to 16 threads hand on by spinning changes hands no later on
// a network without contention, from the start on: the first answers come from memory, and do not
// make the timeouts long that a lost race costs.
func TestRecordedPingPong(t *testing.T) {
	t.Parallel()
	for _, threads := range []string{"2", "4", "8", "16"} {
		short := func(router string) noc.Cycle { return kernelCycles(t, "pingpong-"+threads+"-short", router) }
		rounds := func(router string) noc.Cycle {
			return kernelCycles(t, "pingpong-"+threads+"-long", router) - short(router)
		}
		if mc, ideal := short("base-mc"), short("ideal"); ideal > mc {
			t.Errorf("%s threads: 100 rounds take %d cycles on ideal, %d on base-mc", threads, ideal, mc)
		}
		if mc, ideal := rounds("base-mc"), rounds("ideal"); ideal > mc {
			t.Errorf("%s threads: 200 rounds more take %d cycles on ideal, %d on base-mc", threads, ideal, mc)
		}
	}
}

// TestPollsReadTheirBlock: a core that polls for what another one writes reads the block while it
// waits, and again after each write. A core that waits at another load does not.
func TestPollsReadTheirBlock(t *testing.T) {
	const block = 1 << 16
	misses := func(count uint16) (uint64, noc.Cycle) {
		var writer []traces.Record
		for i := range uint64(4) {
			writer = append(writer, traces.Record{Kind: traces.Store, Address: block + 8*i, Size: 3, Instructions: 8000})
		}
		reader := []traces.Record{{Kind: traces.Load, Address: block + 24, Size: 3, Instructions: 1, Count: count}}
		r := run(t, cmp.Default(), network(t, "base-mc", 1, nil), traces.NewMemory([][]traces.Record{writer, reader}, [][]traces.Edge{nil, {{Position: 3}}}), 1)
		if r.Loads != 1 || r.Cores[1].Instructions != 1 || r.Ordered != 1 {
			t.Errorf("%d loads, %d instructions, %d edges", r.Loads, r.Cores[1].Instructions, r.Ordered)
		}
		return r.L1Misses, r.Cores[1].FinishCycle
	}
	waits, end := misses(0)
	polls, soon := misses(traces.Polls)
	// The writer misses once, or after each time that the reader has read; the reader once, or
	// before and after each write.
	if waits != 2 || polls != 4+5 || soon+100 < end || end+100 < soon {
		t.Errorf("%d misses up to cycle %d where a load waits, %d up to cycle %d where it polls", waits, end, polls, soon)
	}
}

// TestAttempts: a core tries to change a word again if another one has changed it since its load, and
// not otherwise. The cores make their attempts in whichever order they come.
func TestAttempts(t *testing.T) {
	const word, rounds = 1 << 16, 50
	reads := false
	cycles := func(cores int, count uint16, fetchAndAdds bool) (noc.Cycle, uint64) {
		streams := make([][]traces.Record, cores)
		for core := range streams {
			for range rounds {
				if core > 0 && fetchAndAdds {
					streams[core] = append(streams[core], traces.Record{Kind: traces.Atomic, Address: word, Size: 3, Instructions: 40})
					continue
				}
				streams[core] = append(streams[core],
					traces.Record{Kind: traces.Load, Address: word, Size: 3, Instructions: 40, Count: count},
					traces.Record{Kind: traces.Fence, Instructions: 1})
				if reads { // what is its own, unless it has to try again
					streams[core] = append(streams[core], traces.Record{Kind: traces.Load, Address: word + 64*uint64(core+1), Size: 3, Instructions: 1},
						traces.Record{Kind: traces.Store, Address: word + 64*uint64(core+1), Size: 3, Instructions: 1})
				}
				streams[core] = append(streams[core],
					traces.Record{Kind: traces.Atomic, Address: word, Size: 3, Instructions: 400},
					traces.Record{Kind: traces.Atomic, Address: word, Size: 3, Instructions: 2})
			}
		}
		r := run(t, cmp.Default(), network(t, "base-mc", 1, nil), traces.NewMemory(streams, nil), 1)
		all := 0
		for _, s := range streams {
			for _, record := range s {
				if record.Kind == traces.Load || record.Kind == traces.Atomic {
					all++
				}
			}
		}
		if r.Loads+r.Atomics != uint64(all) {
			t.Errorf("%d loads and atomics are done of %d", r.Loads+r.Atomics, all)
		}
		return r.Cycles, r.L1Misses
	}
	alone, _ := cycles(1, 0, false)
	if tries, _ := cycles(1, traces.Tries, false); tries != alone {
		t.Errorf("a core alone takes %d cycles with attempts, %d without", tries, alone)
	}
	for _, fetchAndAdds := range []bool{false, true} {
		once, n := cycles(8, 0, fetchAndAdds)
		tries, m := cycles(8, traces.Tries, fetchAndAdds)
		if tries < once*21/20 || m <= n && !fetchAndAdds {
			t.Errorf("eight cores, fetch-and-adds %t: %d cycles and %d misses with attempts, %d and %d without", fetchAndAdds, tries, m, once, n)
		}
	}
	// A core that tries again reads what the one that has changed the word has accessed last.
	_, m := cycles(8, traces.Tries, false)
	reads = true
	_, n := cycles(8, 0, false)
	if _, both := cycles(8, traces.Tries, false); both < max(m, n)*5/4 {
		t.Errorf("%d misses with attempts, %d with reads, %d with both", m, n, both)
	}
}
