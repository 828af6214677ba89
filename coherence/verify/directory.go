package verify

import (
	"fmt"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/directory"
	"github.com/carousel-sim/carousel/coherence/explore"
)

// directoryChip makes a chip of the directory protocol with as little room as the protocol works
// with.
func directoryChip(cores int, silent bool, defect string) explore.Model {
	m := chip(cores)
	m.New = func(s coherence.System) coherence.Explorable {
		c := directory.Config{SilentS: silent, Transactions: 1, StallQueue: max(1, cores-1), WriteBacks: 1}
		p := directory.New(s, c, single, single, 1)
		p.Seed(defect)
		return p
	}
	return m
}

func directoryExplorations(defect string) []Exploration {
	var list []Exploration
	add := func(name string, cores int, silent bool, e Exploration, change func(*explore.Model)) {
		e.Model, e.Protocol = directoryChip(cores, silent, defect), "directory"
		if change != nil {
			change(&e.Model)
		}
		e.Name = fmt.Sprintf("%d L1%s", cores, name)
		list = append(list, e)
	}
	named := func(m *explore.Model) { m.Named, m.InstantMemory = true, true }
	add(", names kept", 1, false, Exploration{Independent: 123}, named)
	add(", every access", 1, false, Exploration{}, func(m *explore.Model) { m.Accesses = allKinds })
	add(", 2 blocks", 1, false, Exploration{}, func(m *explore.Model) { m.Blocks = 2 })
	add("s, names kept", 2, false, Exploration{Independent: 4538}, named)
	add("s, silent S, names kept", 2, true, Exploration{Independent: 5603}, named)
	everything := func(m *explore.Model) { m.Accesses, m.History = allKinds, true }
	add("s, every access, values of overtaken loads", 2, false, Exploration{}, everything)
	add("s, silent S, every access, values of overtaken loads", 2, true, Exploration{}, everything)
	add("s, 2 accesses each", 2, false, Exploration{}, func(m *explore.Model) { m.Outstanding, m.History = 2, true })
	add("s, one place per queue", 2, false, Exploration{}, func(m *explore.Model) { m.Accesses, m.Cramped = allKinds, true })
	add("s", 3, false, Exploration{}, nil)
	add("s, one place per queue", 3, false, Exploration{}, func(m *explore.Model) { m.Cramped = true })
	add("s, 2 blocks", 2, false, Exploration{}, func(m *explore.Model) { m.Blocks = 2 })
	add("s", 4, false, Exploration{}, nil)
	add("s, speculative loads", 2, false, Exploration{}, func(m *explore.Model) { m.Victims = 1 })
	add("s, silent S, speculative loads, one place per queue", 2, true, Exploration{}, func(m *explore.Model) { m.Victims, m.Cramped = 1, true })
	add("s, 2 blocks, speculative loads", 2, false, Exploration{Long: true}, func(m *explore.Model) { m.Blocks, m.Victims = 2, 1 })
	add("s, speculative loads", 3, false, Exploration{Long: true}, func(m *explore.Model) { m.Victims = 1 })
	add("s, names kept", 3, false, Exploration{Long: true, Independent: 135_399}, named)
	add("s, silent S, names kept", 3, true, Exploration{Long: true, Independent: 183_881}, named)
	add("s, values of overtaken loads", 3, false, Exploration{Long: true}, func(m *explore.Model) { m.History = true })
	add("s, every access", 3, true, Exploration{Long: true}, func(m *explore.Model) { m.Accesses = allKinds })
	return list
}

func directoryStress(k int, defect string) cohtest.Stress {
	c := directory.Config{
		SilentS: k%2 == 1, Transactions: []int{16, 1, 2, 4}[k/2%4], StallQueue: []int{32, 1, 4}[k/3%3], WriteBacks: []int{16, 1, 2}[k/4%3],
	}
	s, l1, l2 := tight(k)
	s.Victims = []int{2, 0, 1, 0}[k%4]
	if k%4 == 3 { // invalidations that meet requests of former sharers
		s.Blocks, s.Cores, s.Outstanding, s.Cramped = 2+k/4%3, 4+k/4%5, 2, 30
	}
	s.New = func(system coherence.System) coherence.Protocol {
		p := directory.New(system, c, l1, l2, 4)
		p.Seed(defect)
		return p
	}
	return s
}
