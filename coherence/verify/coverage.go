package verify

import (
	"cmp"
	"maps"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
)

// Coverage sums up how often the cells of a protocol's transition tables have been taken, over
// checks with different options. Pairs of state and event outside the tables need no counting: a
// controller that meets one panics, which every check reports.
type Coverage struct {
	counts map[cellName]uint64
}

type cellName struct {
	role         coherence.Role
	state, event string
}

// Add counts the cells of one check.
func (c *Coverage) Add(cells []coherence.Cell) {
	if c.counts == nil {
		c.counts = map[cellName]uint64{}
	}
	for _, x := range cells {
		c.counts[cellName{x.Role, x.State, x.Event}] += x.Count
	}
}

// Cells returns all cells that some option makes legal, with their sums, in the order of their
// names.
func (c *Coverage) Cells() []coherence.Cell {
	names := slices.SortedFunc(maps.Keys(c.counts), func(a, b cellName) int {
		return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.event, b.event), cmp.Compare(a.state, b.state))
	})
	var list []coherence.Cell
	for _, n := range names {
		list = append(list, coherence.Cell{Role: n.role, State: n.state, Event: n.event, Count: c.counts[n]})
	}
	return list
}

// Taken returns the number of cells taken, and Missing lists the others.
func (c *Coverage) Taken() (taken int, missing []coherence.Cell) {
	for _, x := range c.Cells() {
		if x.Count == 0 {
			missing = append(missing, x)
		} else {
			taken++
		}
	}
	return taken, missing
}
