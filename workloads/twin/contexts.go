package twin

import (
	"cmp"
	"math"
	"slices"
)

// What a core does next depends on what it did before: how long a burst of misses has gone on, or where in a loop it
// is. So the chain over states is one of variable length (Rissanen, IEEE Transactions on Information Theory 29, 1983;
// Bühlmann and Wyner, Annals of Statistics 27, 1999): a tree of contexts, each a density of misses (bursts.go) and a
// sequence of the latest states, with counts of what came next. A longer context is kept only if what it tells is worth
// its place in the file; one price per count, for the behaviours of a whole recording, makes the contexts together as
// many as a file may have.

// context is a node of the tree: the context of its parent, and before that one state more.
type context struct {
	state    uint16 // the earliest, or states and a density
	next     []uint64
	gain     float64 // nats that it saves over its parent
	children []*context
}

const (
	contextDepth = 32    // of the tree, at most
	contextCount = 12    // occurrences of a context, at least
	contextParts = 16384 // of a behaviour's accesses, at least one of so many has the context
	// fitEntries is how many counts the contexts of a recording have together, about.
	fitEntries = 12000

	// contextSymbols are all that contexts are made of.
	contextSymbols = states + densities
)

// link is the state of an access, and how dense misses were before it.
type link struct{ state, density uint8 }

// separator stands between sequences.
const separator = math.MaxUint8

// grower grows the tree of one text.
type grower struct {
	text    []link
	least   int
	spare   []int32
	counts  [contextSymbols]uint32
	starts  [contextSymbols]int32
	ordered []uint16
}

// contexts grows the whole tree over sequences of states.
func contexts(sequences [][]link) *context {
	g := &grower{text: []link{{state: separator}}}
	var positions []int32
	for _, s := range sequences {
		for i := range s {
			positions = append(positions, int32(len(g.text)+i))
		}
		g.text = append(append(g.text, s...), link{state: separator})
	}
	g.least = max(contextCount, len(positions)/contextParts)
	g.spare = make([]int32, len(positions))
	root := &context{}
	g.grow(root, positions, 0)
	return root
}

// grow counts what follows a context at its positions, and grows its children.
func (g *grower) grow(c *context, positions []int32, depth int) {
	c.next = g.following(positions)
	// What is certain does not depend on anything.
	if depth == contextDepth || len(c.next) <= 2 || len(positions) < 2*g.least {
		return
	}
	for _, group := range g.divide(positions, depth+1) {
		if len(group) < g.least {
			continue
		}
		child := &context{state: g.symbol(group[0], depth+1)}
		g.grow(child, group, depth+1)
		if child.gain = gain(child.next, c.next) + burstWeight*missGain(child.next, c.next); child.gain > 0 || len(child.children) > 0 {
			c.children = append(c.children, child)
		}
	}
}

// following counts the states at positions, as pairs.
func (g *grower) following(positions []int32) (next []uint64) {
	seen := g.ordered[:0]
	for _, p := range positions {
		s := uint16(g.text[p].state)
		if g.counts[s] == 0 {
			seen = append(seen, s)
		}
		g.counts[s]++
	}
	slices.Sort(seen)
	for _, s := range seen {
		next = append(next, uint64(s), uint64(g.counts[s]))
		g.counts[s] = 0
	}
	g.ordered = seen
	return next
}

// symbol is the part of a context at a depth, from 1.
func (g *grower) symbol(position int32, depth int) uint16 {
	if depth == 1 {
		return states + uint16(g.text[position].density)
	}
	return uint16(g.text[int(position)-depth+1].state)
}

// divide sorts positions by their symbol at a depth, and returns the groups.
func (g *grower) divide(positions []int32, depth int) (groups [][]int32) {
	seen := g.ordered[:0]
	kept := 0
	for _, p := range positions {
		s := g.symbol(p, depth)
		if s == separator {
			continue
		}
		positions[kept] = p
		kept++
		if g.counts[s] == 0 {
			seen = append(seen, s)
		}
		g.counts[s]++
	}
	positions = positions[:kept]
	slices.Sort(seen)
	at := int32(0)
	for _, s := range seen {
		g.starts[s] = at
		at += int32(g.counts[s])
	}
	for _, p := range positions {
		s := g.symbol(p, depth)
		g.spare[g.starts[s]] = p
		g.starts[s]++
	}
	copy(positions, g.spare[:kept])
	at = 0
	for _, s := range seen {
		n := int32(g.counts[s])
		groups = append(groups, positions[at:at+n])
		at, g.counts[s] = at+n, 0
	}
	g.ordered = seen
	return groups
}

// gain is how many nats counts save over those of the parent.
func gain(next, parent []uint64) (sum float64) {
	total, whole := float64(weight(next)), float64(weight(parent))
	j := 0
	for i := 0; i < len(next); i += 2 {
		for parent[j] != next[i] {
			j += 2
		}
		n := float64(next[i+1])
		sum += n * math.Log(n/total*whole/float64(parent[j+1]))
	}
	return sum
}

// weight is the sum of the counts of pairs.
func weight(next []uint64) (sum uint64) {
	for i := 1; i < len(next); i += 2 {
		sum += next[i]
	}
	return sum
}

// burstWeight is how much more than other properties of an access it counts whether it misses.
const burstWeight = 16

// missGain is how many nats counts of misses and others save.
func missGain(next, parent []uint64) (sum float64) {
	var n, m [2]float64
	for i, of := range [2][]uint64{next, parent} {
		for j := 0; j < len(of); j += 2 {
			n[i] += float64(of[j+1])
			if class, _ := parts(int(of[j])); missing(class) {
				m[i] += float64(of[j+1])
			}
		}
	}
	for _, c := range [2][2]float64{{m[0], m[1] / n[1]}, {n[0] - m[0], 1 - m[1]/n[1]}} {
		if c[0] > 0 {
			sum += c[0] * math.Log(c[0]/n[0]/c[1])
		}
	}
	return sum
}

// worth is what the context and the best of its descendants save at a price per count, and how many counts those
// have. A context that costs more than it saves is worth nothing.
func (c *context) worth(price float64) (saved float64, counts int) {
	counts = len(c.next)/2 + 1
	saved = c.gain - price*float64(counts)
	for _, child := range c.children {
		if more, n := child.worth(price); more > 0 {
			saved, counts = saved+more, counts+n
		}
	}
	return saved, counts
}

// priceOf finds the price at which trees have about so many counts together.
func priceOf(trees []*context, counts int) float64 {
	low, high := 0.0, 1e9
	for range 60 {
		middle, all := math.Sqrt(max(low, 1e-3)*high), 0
		for _, t := range trees {
			_, n := t.worth(middle)
			all += n
		}
		if all > counts {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// rows writes the contexts that are worth a price: each behind its parent, with its depth, its earliest state, and
// pairs of what came next and how often, where no longer one of them applied. So every access is counted once.
func (c *context) rows(price float64) [][]uint64 { return c.appendRows(nil, price, 0) }

func (c *context) appendRows(rows [][]uint64, price float64, depth uint64) [][]uint64 {
	at := len(rows)
	rows = append(rows, nil)
	rest := slices.Clone(c.next)
	slices.SortFunc(c.children, func(a, b *context) int { return cmp.Compare(a.state, b.state) })
	for _, child := range c.children {
		if saved, _ := child.worth(price); saved > 0 {
			rows = child.appendRows(rows, price, depth+1)
			subtract(rest, child.next)
		}
	}
	rows[at] = []uint64{depth, uint64(c.state)}
	for i := 0; i < len(rest); i += 2 {
		if rest[i+1] > 0 {
			rows[at] = append(rows[at], rest[i], rest[i+1])
		}
	}
	return rows
}

// subtract takes pairs, of which the list has all states, from it.
func subtract(from, next []uint64) {
	j := 0
	for i := 0; i < len(next); i += 2 {
		for from[j] != next[i] {
			j += 2
		}
		from[j+1] -= next[i+1]
	}
}
