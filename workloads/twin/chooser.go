package twin

import "github.com/carousel-sim/carousel/noc/random"

// chooser draws the next state by the longest context that there is (contexts.go).
type chooser struct {
	choices []choice
	density sampler           // of misses, as often as it is
	starts  [densities]choice // by density
	// children finds a longer context, by the number of the shorter one and one more state: open addressing. Contexts
	// are numbered from 1; number 0 is a free place.
	children []contextChild
}

type choice struct {
	states  []uint8
	sampler sampler
}

func (c *choice) draw(r *random.Stream) int { return int(c.states[c.sampler.draw(r.Uint64())]) }

type contextChild struct {
	parent, child uint32
	state         uint16
}

// history is what a core did last.
type history struct {
	states [contextDepth]uint16
	count  uint // of states
	bursts bursts
}

// add notes a state.
func (h *history) add(state int) int {
	h.states[h.count%contextDepth] = uint16(state)
	h.count++
	class, _ := parts(state)
	h.bursts.add(class)
	return state
}

// sample has misses of each density.
var sample = [densities]bursts{0, 0x1, 0x3, 0xf, 0xff}

// start draws a state behind nothing but other misses, as dense as they are.
func (c *chooser) start(h *history, r *random.Stream) int {
	density := c.density.draw(r.Uint64())
	h.count, h.bursts = 0, sample[density]
	return h.add(c.starts[density].draw(r))
}

// draw draws the state behind a history, and adds it.
func (c *chooser) draw(h *history, r *random.Stream) int {
	at := uint32(1)
	if next := c.child(at, uint16(states+h.bursts.density())); next > 0 {
		at = next
		for back := uint(1); back <= min(h.count, contextDepth-1); back++ {
			if next = c.child(at, h.states[(h.count-back)%contextDepth]); next == 0 {
				break
			}
			at = next
		}
	}
	return h.add(c.choices[at-1].draw(r))
}

// slot is where a longer context is, or may be put.
func (c *chooser) slot(parent uint32, state uint16) *contextChild {
	mask := uint32(len(c.children) - 1)
	for i := (parent*0x9e3779b1 ^ uint32(state)*0x85ebca6b) >> 7 & mask; ; i = (i + 1) & mask {
		if s := &c.children[i]; s.child == 0 || s.parent == parent && s.state == state {
			return s
		}
	}
}

func (c *chooser) child(parent uint32, state uint16) uint32 { return c.slot(parent, state).child }

// unseenPart is the part of a context's accesses of which less tells nothing about what has not been seen.
const unseenPart = 16

// newChooser makes the chooser of a behaviour's contexts.
func newChooser(rows [][]uint64) *chooser {
	if len(rows) == 0 {
		rows = [][]uint64{{0, 0}}
	}
	size := 2
	for size < 2*len(rows) {
		size *= 2
	}
	c := &chooser{children: make([]contextChild, size)}
	weights := make([]uint64, densities)
	for density := range c.starts {
		c.starts[density] = newChoice(whole(rows))
	}
	path := []uint32{}
	for i, row := range rows {
		number, depth, pairs := uint32(i+1), int(row[0]), row[2:]
		if depth > 0 {
			*c.slot(path[depth-1], uint16(row[1])) = contextChild{path[depth-1], number, uint16(row[1])}
		}
		path = append(path[:depth], number)
		if depth == 1 && row[1] >= states {
			all := whole(rows[i:])
			weights[row[1]-states], c.starts[row[1]-states] = weight(all), newChoice(all)
		}
		// Where longer contexts have nearly everything, what comes behind them all stands for what has not been seen.
		if all := whole(rows[i:]); weight(pairs)*unseenPart < weight(all) {
			pairs = all
		}
		c.choices = append(c.choices, newChoice(pairs))
	}
	c.density = newSampler(weights)
	return c
}

// whole is what came next in the context of the first row and all longer ones.
func whole(rows [][]uint64) []uint64 {
	var sum [states]uint64
	for i, row := range rows {
		if i > 0 && row[0] <= rows[0][0] {
			break
		}
		for j := 2; j < len(row); j += 2 {
			sum[row[j]] += row[j+1]
		}
	}
	var pairs []uint64
	for state, n := range sum {
		if n > 0 {
			pairs = append(pairs, uint64(state), n)
		}
	}
	return pairs
}

// newChoice makes a choice from pairs of state and weight.
func newChoice(pairs []uint64) choice {
	var c choice
	var weights []uint64
	for i := 0; i < len(pairs); i += 2 {
		c.states = append(c.states, uint8(pairs[i]))
		weights = append(weights, pairs[i+1])
	}
	if c.sampler = newSampler(weights); len(c.states) == 0 {
		c.states = []uint8{uint8(stateOf(newPrivate, isLoad))}
	}
	return c
}
