package verify

import (
	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/coherence/cohtest"
	"github.com/carousel-sim/carousel/coherence/explore"
	"github.com/carousel-sim/carousel/coherence/msi"
)

// msiExplorations returns chips of one to three L1s and one or two blocks, with as little room as
// the protocol works with.
func msiExplorations(defect string) []Exploration {
	var list []Exploration
	add := func(name string, cores int, long bool, change func(*explore.Model)) {
		m := chip(cores)
		m.New = func(s coherence.System) coherence.Explorable {
			p := msi.New(s, single, single, 1)
			p.Seed(defect)
			return p
		}
		if change != nil {
			change(&m)
		}
		m.Name = name
		list = append(list, Exploration{Model: m, Protocol: "msi", Long: long})
	}
	everything := func(m *explore.Model) { m.Accesses = allKinds }
	twoBlocks := func(m *explore.Model) { m.Blocks = 2 }
	add("1 L1, every access", 1, false, everything)
	add("1 L1, 2 blocks", 1, false, twoBlocks)
	add("2 L1s, every access", 2, false, everything)
	add("2 L1s, 2 accesses each", 2, false, func(m *explore.Model) { m.Outstanding = 2 })
	add("2 L1s, one place per queue", 2, false, func(m *explore.Model) { m.Accesses, m.Cramped = allKinds, true })
	add("3 L1s", 3, false, nil)
	add("3 L1s, one place per queue", 3, false, func(m *explore.Model) { m.Cramped = true })
	add("2 L1s, 2 blocks", 2, false, twoBlocks)
	add("4 L1s", 4, false, nil)
	add("3 L1s, 2 blocks", 3, false, twoBlocks)
	add("2 L1s, speculative loads", 2, false, func(m *explore.Model) { m.Victims = 1 })
	add("2 L1s, 2 blocks, speculative loads, one place per queue", 2, false, func(m *explore.Model) { m.Blocks, m.Victims, m.Cramped = 2, 1, true })
	add("3 L1s, speculative loads", 3, false, func(m *explore.Model) { m.Victims = 1 })
	add("3 L1s, 2 blocks, every access, 2 at once", 3, true, func(m *explore.Model) { m.Accesses, m.Blocks, m.Outstanding = allKinds, 2, 2 })
	return list
}

func msiStress(k int, defect string) cohtest.Stress {
	s, l1, l2 := tight(k)
	s.New = func(system coherence.System) coherence.Protocol {
		p := msi.New(system, l1, l2, 4)
		p.Seed(defect)
		return p
	}
	return s
}
