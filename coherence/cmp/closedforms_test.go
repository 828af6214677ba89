package cmp_test

import (
	"math"
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

// Kernels are programs so simple that a reader can say how long they take. The streams are made
// here; cores beyond those at work end at once.

const (
	l1Blocks  = 512 // of the default chip's data array
	blockSize = 64
)

// kernel makes streams for 16 cores of those at work.
func kernel(at ...[]traces.Record) *traces.Memory {
	streams := make([][]traces.Record, 16)
	copy(streams, at)
	return traces.NewMemory(streams, nil)
}

// cyclesOf runs a kernel on the default chip with a router and returns the execution time.
func cyclesOf(t *testing.T, router string, src traces.Source) float64 {
	return float64(run(t, cmp.Default(), network(t, router, 1, nil), src, 1).Cycles)
}

// slope returns the cycles that each of the last few rounds of a kernel takes: the difference of two
// runs over that of their rounds.
func slope(t *testing.T, router string, less, more int, program func(rounds int) traces.Source) float64 {
	t.Helper()
	return (cyclesOf(t, router, program(more)) - cyclesOf(t, router, program(less))) / float64(more-less)
}

// loads makes loads of a list of blocks, all of them so many times.
func loads(rounds int, blocks []uint64, instructions uint32, dependence uint16) (list []traces.Record) {
	for range rounds {
		for _, b := range blocks {
			list = append(list, traces.Record{Kind: traces.Load, Address: b * blockSize, Size: 3, Instructions: instructions, Dependence: dependence})
		}
	}
	return list
}

// consecutive returns the first n blocks, which lie in all banks alike.
func consecutive(n int) (blocks []uint64) {
	for b := range uint64(n) {
		blocks = append(blocks, b)
	}
	return blocks
}

// TestSharing: core 0 reads a block, core 1 reads it, core 0 writes, and core 1 reads it again. The
// write is an upgrade that takes core 1's copy. With directory core 0 answers both reads of core 1;
// with msi the home answers the first. With token the write gets its tokens from core 1, too. Where
// a read takes a written block as a whole, core 0 loses it.
func TestSharing(t *testing.T) {
	t.Parallel()
	at := func(k traces.Kind, time uint32) traces.Record {
		return traces.Record{Kind: k, Address: 3 * blockSize, Size: 3, Instructions: time}
	}
	for protocol, want := range map[string][3]uint64{"token": {1, 2, 3}, "directory": {1, 1, 2}, "msi": {1, 2, 1}} {
		c := cmp.Default()
		c.Protocol = protocol
		program := kernel([]traces.Record{at(traces.Load, 1), at(traces.Store, 40_000)}, []traces.Record{at(traces.Load, 20_000), at(traces.Load, 40_000)})
		r := run(t, c, network(t, "mrr", 1, nil), program, 1)
		if got := [3]uint64{r.Upgrades, r.Invalidations, r.CacheTransfers}; got != want {
			t.Errorf("%s: upgrades, invalidations and transfers are %v, want %v", protocol, got, want)
		}
	}
}

// TestChase: a chain of L2 hits takes what the manual says (concepts): 5 cycles for L1, bank and core,
// and the flights of request and data, or 8 cycles at the core's own router. With directory it takes
// one more, because the bank takes the notice of the eviction first; with token on base-mc it takes
// 68.8 or 69.3 cycles, depending on the misses before the chain.
func TestChase(t *testing.T) {
	t.Parallel()
	for distance := range 5 { // from core 0, at router 0, along the first row
		at := uint64(distance)
		var blocks []uint64
		for i := range uint64(8) { // more than the ways of the L1, in one set of it
			blocks = append(blocks, at+256*i)
		}
		want := 5 + float64(4*distance+5) + float64(4*distance+9)
		if distance == 0 {
			want = 8
		}
		got := slope(t, "ideal", 2, 4, func(n int) traces.Source { return kernel(loads(n, blocks, 1, 1)) }) / 8
		if got != want {
			t.Errorf("ideal: an L2 hit %d hops away takes %.1f cycles, want %.1f", distance, got, want)
		}
	}
	// The mean distance is 4 hops, with the core's own router among 64.
	const blocks = 3 * l1Blocks
	for _, x := range []struct {
		protocol, router string
		want             float64
	}{{"token", "ideal", 50.8}, {"token", "base-mc", 69.0}, {"directory", "ideal", 51.8}, {"directory", "base-mc", 67.7}} {
		cycles := func(rounds int) float64 {
			c := cmp.Default()
			c.Protocol = x.protocol
			return float64(run(t, c, network(t, x.router, 1, nil), kernel(loads(rounds, consecutive(blocks), 1, 1)), 1).Cycles)
		}
		if got := (cycles(3) - cycles(2)) / blocks; math.Abs(got-x.want) > 0.3 {
			t.Errorf("%s, %s: an L2 hit takes %.2f cycles, want %.1f", x.protocol, x.router, got, x.want)
		}
	}
}

// TestStream: independent L2 hits overlap as far as the window goes, where nothing else limits
// them.
func TestStream(t *testing.T) {
	const blocks, instructions = 3 * l1Blocks, 6
	got := slope(t, "ideal", 2, 3, func(n int) traces.Source { return kernel(loads(n, consecutive(blocks), instructions, 0)) }) / blocks
	inFlight := float64(cmp.Default().Core.Window) / instructions
	if want := 50.8 / inFlight; got < want || got > 1.1*want {
		t.Errorf("an L2 hit takes %.2f cycles, want %.2f to a tenth more: %.1f are in flight", got, want, inFlight)
	}
}

// spinning makes threads that pass a word to and fro: each reads it until it is its turn, and then
// writes it.
func spinning(threads, rounds int) traces.Source {
	const spins = 177 // of 8 instructions, as a recording of such a program has
	streams := make([][]traces.Record, 16)
	edges := make([][]traces.Edge, 16)
	written, by := uint64(0), -1 // the latest store of the word, and whose it is
	for round := range rounds {
		c := round % threads
		for range spins {
			streams[c] = append(streams[c], traces.Record{Kind: traces.Load, Size: 3, Instructions: 8})
		}
		if by >= 0 && by != c {
			edges[c] = append(edges[c], traces.Edge{At: uint64(len(streams[c])), Producer: uint16(by), Position: written})
		}
		streams[c] = append(streams[c], traces.Record{Kind: traces.Load, Size: 3, Instructions: 8},
			traces.Record{Kind: traces.Store, Size: 3, Instructions: 2})
		written, by = uint64(len(streams[c])-1), c
	}
	return traces.NewMemory(streams, edges)
}

// locked makes threads that take one lock, write one word, and release the lock.
func locked(threads, rounds int) traces.Source {
	streams := make([][]traces.Record, 16)
	for c := range threads {
		for range rounds {
			streams[c] = append(streams[c], traces.Record{Kind: traces.Lock, Address: 3, Instructions: 400},
				traces.Record{Kind: traces.Store, Address: blockSize, Size: 3, Instructions: 100},
				traces.Record{Kind: traces.Unlock, Address: 3, Instructions: 100})
		}
	}
	return traces.NewMemory(streams, nil)
}

// barriers makes 16 threads that do nothing but meet.
func barriers(_, rounds int) traces.Source {
	streams := make([][]traces.Record, 16)
	for c := range streams {
		for range rounds {
			streams[c] = append(streams[c], traces.Record{Kind: traces.Barrier, Address: 7, Count: 16, Instructions: 50})
		}
	}
	return traces.NewMemory(streams, nil)
}

// TestContention: programs whose threads want one block take time in proportion to their rounds, and
// not longer on a network without contention than on one with it. A round is bounded by the number
// of times that a block changes hands in it, each at most a round trip and a timeout. Times are sums
// over seeds: who gets a lock first is decided by single cycles.
func TestContention(t *testing.T) {
	if must.Race() {
		t.Skip("slow with the race detector, and starts no goroutines")
	}
	t.Parallel()
	for name, k := range map[string]struct {
		program func(threads, rounds int) traces.Source
		threads []int
		rounds  int
		most    func(threads int) float64 // cycles per round
	}{
		"spinning": {spinning, []int{2, 4, 16}, 30, func(int) float64 { return 500 }},
		"locked":   {locked, []int{2, 4, 16}, 10, func(n int) float64 { return 600 * float64(n) }},
		"barriers": {barriers, []int{16}, 10, func(n int) float64 { return 300 * float64(n) }},
	} {
		for _, threads := range k.threads {
			per := map[string]float64{}
			for _, router := range []string{"base-mc", "ideal"} {
				const seeds = 3
				var times [3]float64
				for i := range times {
					for seed := range uint64(seeds) {
						r := run(t, cmp.Default(), network(t, router, 1, nil), k.program(threads, k.rounds<<i), seed+1)
						times[i] += float64(r.Cycles) / seeds
					}
				}
				first, second := (times[1]-times[0])/float64(k.rounds), (times[2]-times[1])/float64(2*k.rounds)
				per[router] = second
				if second > 1.75*first || // twice as much, if time grew with the square of the rounds
					second > k.most(threads) {
					t.Errorf("%s, %d threads, %s: %.0f cycles per round, and then %.0f", name, threads, router, first, second)
				}
			}
			if per["ideal"] > per["base-mc"] {
				t.Errorf("%s, %d threads: %.0f cycles per round on ideal, %.0f on base-mc", name, threads, per["ideal"], per["base-mc"])
			}
		}
	}
}

// chain is a list of nodes in memory that one core follows: each load has its address from the one
// before it.
type chain struct {
	core, memory noc.NodeID // routers
	blocks       []uint64   // of the nodes, in the order of the list
	rounds       int
}

// records are loads of the next node's address, and, from the same line, of a word of the node.
func (c chain) records() (list []traces.Record) {
	for range c.rounds {
		for _, block := range c.blocks {
			list = append(list, traces.Record{Address: block * 64, Size: 3, Instructions: 1, Dependence: 1},
				traces.Record{Address: block*64 + 8, Size: 3, Instructions: 1, Dependence: 1})
		}
	}
	list[0].Dependence = 0
	return append(list, traces.Record{Kind: traces.End})
}

// cycles is the time of the chain in closed form. A load that needs the result of a miss issues
// in the cycle after it has come, and one that needs the result of a hit in the same cycle.
// Latencies of caches, banks and controllers are those of both protocols, 1, 3 and 4 cycles; a
// message of L phits over d links takes 4 + 4d + L cycles, and 1 cycle within a router.
func (c chain) cycles(chip cmp.Config) (sum noc.Cycle) {
	grid := topology.Torus(8, 8)
	message := func(from, to noc.NodeID, phits int) noc.Cycle {
		if from == to {
			return 1
		}
		return noc.Cycle(4 + 4*grid.Distance(from, to) + phits)
	}
	const l1, bank, controller, control, data = 1, 3, 4, 1, 5
	lines := chip.L1.Sets * chip.L1.Ways
	for round := range c.rounds {
		for i, block := range c.blocks {
			home := noc.NodeID(block % 64)
			latency := l1 + message(c.core, home, control) + bank
			switch {
			case round > 0: // the bank has what the cache has evicted
				latency += message(home, c.core, data)
			case chip.Protocol == "token": // the controller answers the cache
				latency += message(home, c.memory, control) + controller + chip.Memory.Latency + message(c.memory, c.core, data)
			default: // the controller answers the bank
				latency += message(home, c.memory, control) + controller + chip.Memory.Latency + message(c.memory, home, data) + bank + message(home, c.core, data)
			}
			// A set's lines have one home. The bank takes a message per cycle, and first what the
			// cache evicts to make room, if that comes in the same cycle: as a notice, or within
			// a router. Data come later.
			if evicts := round > 0 || i >= lines; evicts && (chip.Protocol == "directory" || home == c.core) {
				latency++
			}
			sum += latency + 1 + l1
		}
	}
	return sum + 1
}

// TestChain: a chain of dependent loads takes the sum of its latencies on a network without
// contention, to the cycle, with both protocols, and much less when dependences are ignored.
func TestChain(t *testing.T) {
	c := chain{core: 9, memory: 27, rounds: 2}
	for i := range uint64(1024) { // four lines for each of the two ways of a set
		c.blocks = append(c.blocks, i*397%1024)
	}
	for _, protocol := range []string{"token", "directory"} {
		chip := cmp.Default()
		chip.Protocol, chip.Perturb, chip.Cores = protocol, 0, 1
		chip.Place.Cores, chip.Place.CoreList = "list", []int{int(c.core)}
		chip.Place.Memory, chip.Place.MemoryList, chip.Place.MemoryControllers = "list", []int{int(c.memory)}, 1
		for _, d := range []string{cmp.Keep, cmp.Ignore} {
			n := must.Get(ideal.New(topology.Torus(8, 8), ideal.Default()))
			chip.Core.Dependences = d
			r := run(t, chip, n, traces.NewMemory([][]traces.Record{c.records()}, nil), 1)
			took, want := r.Cores[0].FinishCycle, c.cycles(chip)
			if d == cmp.Keep && took != want {
				t.Errorf("%s: the chain takes %d cycles, want %d; %d reads of memory, %d hits in the banks", protocol, took, want, r.MemoryReads, r.L2Hits)
			}
			if d == cmp.Ignore && took*4 > want {
				t.Errorf("%s: without dependences the chain takes %d cycles, with them %d", protocol, took, want)
			}
		}
	}
}
