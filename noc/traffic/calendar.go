package traffic

import (
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// entry is what happens in a cycle.
type entry struct {
	at noc.Cycle
	do func(now noc.Cycle)
}

// Calendar holds what is to come, the first at the front. What happens in the same cycle comes in the
// order in which it was added.
type Calendar []entry

// Add notes what happens in a cycle.
func (c *Calendar) Add(at noc.Cycle, do func(now noc.Cycle)) {
	behind, _ := slices.BinarySearchFunc(*c, at, func(e entry, at noc.Cycle) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	*c = slices.Insert(*c, behind, entry{at, do})
}

// Next returns the cycle of what comes first, or noc.Never.
func (c Calendar) Next() noc.Cycle {
	if len(c) == 0 {
		return noc.Never
	}
	return c[0].at
}

// Run does what is due.
func (c *Calendar) Run(now noc.Cycle) {
	for c.Next() <= now {
		do := (*c)[0].do
		*c = slices.Delete(*c, 0, 1)
		do(now)
	}
}
