package cmp_test

import (
	"testing"

	"github.com/carousel-sim/carousel/coherence/cmp"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/ideal"
	"github.com/carousel-sim/carousel/noc/topology"
	"github.com/carousel-sim/carousel/traces"
)

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
	grid := topology.Torus(8, 8).Wiring()
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
		for _, d := range []cmp.Dependences{cmp.KeepDependences, cmp.IgnoreDependences} {
			n, err := ideal.New(topology.Torus(8, 8), ideal.Default())
			if err != nil {
				t.Fatal(err)
			}
			chip.Core.Dependences = d
			r := run(t, chip, n, traces.NewMemory([][]traces.Record{c.records()}, nil), 1)
			took, want := r.Cores[0].FinishCycle, c.cycles(chip)
			if d == cmp.KeepDependences && took != want {
				t.Errorf("%s: the chain takes %d cycles, want %d; %d reads of memory, %d hits in the banks", protocol, took, want, r.MemoryReads, r.L2Hits)
			}
			if d == cmp.IgnoreDependences && took*4 > want {
				t.Errorf("%s: without dependences the chain takes %d cycles, with them %d", protocol, took, want)
			}
		}
	}
}
