package twin

import "github.com/carousel-sim/carousel/workloads/random"

// model is a behaviour ready to be drawn from.
type model struct {
	next   [states]chain
	start  chain // a state, as often as it is
	sizes  [accessKinds]sampler
	places [2]sampler
	gaps   [gapTables]drawer
	code   [codeClasses]sampler

	distances     [dataClasses]interval
	codeDistances [codeClasses]interval
}

// chain draws the next of a few states.
type chain struct {
	states  []uint8
	sampler sampler
}

func newModel(b *Behaviour) *model {
	m := new(model)
	m.transitions(b.Next)
	rows(m.sizes[:], b.Sizes)
	rows(m.places[:], b.Places[:])
	rows(m.code[:], b.Code)
	newIntervals(m.distances[:], b.Distances, crowded)
	newIntervals(m.codeDistances[:], b.CodeDistances, crowdedCode)
	for i := range b.Gaps {
		m.gaps[i] = newDrawer(b.Gaps[i])
	}
	return m
}

// transitions makes the sampler of each state. A state that the behaviour was never in goes on like the
// behaviour as a whole.
func (m *model) transitions(next [][]uint64) {
	var all [states]uint64
	for _, row := range next {
		for i := 0; i < len(row); i += 2 {
			all[row[i]] += row[i+1]
		}
	}
	var whole []uint64
	for state, n := range all {
		if n > 0 {
			whole = append(whole, uint64(state), n)
		}
	}
	m.start = newChain(whole)
	for state := range m.next {
		row := whole
		if state < len(next) && len(next[state]) > 0 {
			row = next[state]
		}
		m.next[state] = newChain(row)
	}
}

// newChain makes the sampler of pairs of state and weight.
func newChain(row []uint64) (c chain) {
	var weights []uint64
	for i := 0; i < len(row); i += 2 {
		c.states = append(c.states, uint8(row[i]))
		weights = append(weights, row[i+1])
	}
	if c.sampler = newSampler(weights); len(c.states) == 0 {
		c.states = []uint8{newPrivate * accessKinds}
	}
	return c
}

// draw draws a state.
func (c *chain) draw(r *random.Stream) int { return int(c.states[c.sampler.draw(r.Next())]) }

// rows makes a sampler of each row; an empty row is like all rows together.
func rows(to []sampler, table [][]uint64) {
	var all []uint64
	for _, row := range table {
		for i, n := range row {
			for len(all) <= i {
				all = append(all, 0)
			}
			all[i] += n
		}
	}
	for i := range to {
		row := all
		if i < len(table) && len(table[i]) > 0 {
			row = table[i]
		}
		to[i] = newSampler(row)
	}
}
