package multicast

import (
	"fmt"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
)

// PortRule says which neighbours of the source a worm of a multicast star may take first.
type PortRule int

const (
	// Strict: the neighbour that R picks for the first destination (equation 5). The paper's
	// optimality is among these stars; multi-path, which is not one of them, can be better.
	Strict PortRule = iota
	// Free: any neighbour whose label lies between the source's and the first destination's. A free
	// optimal star is never worse than dual-path or multi-path. This is an extension of the paper.
	Free
)

// PortRules names the values of PortRule.
var PortRules = []string{"strict", "free"}

// Star is a label-ordered multicast from one source: for each output port in use, the destinations
// that one worm visits. (Bouchitté, Cohen and Fleury, section 2.2, definition 1.)
type Star struct {
	High, Low Half
}

// Half is one side of a star. The sides use different ports and channels and are solved apart.
type Half struct {
	// Ports are the neighbours of the source through which the rule lets some destination be
	// reached, nearest label first. Stops are what the worm through each of them visits, in order;
	// none for a port that stays unused. Lengths are the worms' lengths in channels.
	Ports   []noc.NodeID
	Stops   [][]noc.NodeID
	Lengths []int
}

// Total is the number of channels that one side uses.
func (h Half) Total() (sum int) {
	for _, n := range h.Lengths {
		sum += n
	}
	return sum
}

// Longest is the length of the longest worm.
func (h Half) Longest() (longest int) {
	for _, n := range h.Lengths {
		longest = max(longest, n)
	}
	return longest
}

// Plan turns the star into worms: the climbing ones, then the descending ones.
func (s Star) Plan(l *Labelled, source noc.NodeID) Plan {
	var p Plan
	for _, half := range []Half{s.High, s.Low} {
		for i, stops := range half.Stops {
			if len(stops) > 0 {
				p = append(p, l.worm(source, stops, half.Ports[i]))
			}
		}
	}
	return p
}

// half is one side of a star to be found: the costs of section 3.1 as tables.
type half struct {
	ports   []noc.NodeID
	targets []noc.NodeID // in the order in which a worm meets them
	first   [][]int      // [port][target]: channels from the source through the port, or none
	between [][]int      // [earlier target][later target]: channels
}

// none marks a connection that the rule forbids.
const none = -1

// newHalf tabulates the costs of the targets of one side.
func (l *Labelled) newHalf(source noc.NodeID, targets []noc.NodeID, high bool, rule PortRule) *half {
	h := &half{targets: targets, between: make([][]int, len(targets))}
	for _, port := range l.ports(source, high) {
		costs := make([]int, len(targets))
		used := false
		for j, d := range targets {
			costs[j] = l.firstCost(source, port, d, rule)
			used = used || costs[j] != none
		}
		if used {
			h.ports, h.first = append(h.ports, port), append(h.first, costs)
		}
	}
	for i := range targets {
		h.between[i] = make([]int, len(targets))
		for j := i + 1; j < len(targets); j++ {
			h.between[i][j] = l.Distance(targets[i], targets[j])
		}
	}
	return h
}

// firstCost is the number of channels from the source through a neighbour to the first stop.
func (l *Labelled) firstCost(source, port, d noc.NodeID, rule PortRule) int {
	beyond := l.label[port] > l.label[d] // on the high side; the mirror image on the low one
	if l.label[d] < l.label[source] {
		beyond = l.label[port] < l.label[d]
	}
	switch {
	case rule == Strict && l.Next(source, d) != port, beyond:
		return none
	default:
		return 1 + l.Distance(port, d)
	}
}

// result makes a Half of the target indices that each port visits.
func (h *half) result(visits [][]int) Half {
	out := Half{Ports: h.ports, Stops: make([][]noc.NodeID, len(h.ports)), Lengths: make([]int, len(h.ports))}
	for port, list := range visits {
		for i, j := range list {
			out.Stops[port] = append(out.Stops[port], h.targets[j])
			if i == 0 {
				out.Lengths[port] = h.first[port][j]
			} else {
				out.Lengths[port] += h.between[list[i-1]][j]
			}
		}
	}
	return out
}

// solve finds both halves of a star with one method.
func (l *Labelled) solve(r Request, rule PortRule, method func(*half) ([][]int, error)) (Star, error) {
	if rule < Strict || rule > Free {
		return Star{}, fmt.Errorf("multicast star: port rule %d; there are %v", rule, PortRules)
	}
	var s Star
	high, low := l.sides(r)
	for i, targets := range [][]noc.NodeID{high, low} {
		if len(targets) == 0 {
			continue
		}
		h := l.newHalf(r.Source, targets, i == 0, rule)
		visits, err := method(h)
		if err != nil {
			return Star{}, err
		}
		*[]*Half{&s.High, &s.Low}[i] = h.result(visits)
	}
	return s, nil
}

// OCMS is the multicast star with the fewest channels (Bouchitté, Cohen and Fleury, section 3): a
// perfect matching of least weight between places that lead on and places that are led to. The rows
// are the source, once per port, and every destination; the columns are every destination and one
// end per port. Labels grow along every connection, so no cycle can be matched. O((k+ports)^3) for
// k destinations.
func (l *Labelled) OCMS(r Request, rule PortRule) (Star, error) {
	return l.solve(r, rule, func(h *half) ([][]int, error) { return h.fewestChannels(), nil })
}

func (h *half) fewestChannels() [][]int {
	k, p := len(h.targets), len(h.ports)
	never := int64(1) // more than any star can weigh
	for i := range k {
		never += int64(slices.Max(h.between[i]))
		for _, costs := range h.first {
			never += int64(max(costs[i], 0))
		}
	}
	weight := make([][]int64, p+k)
	for row := range weight {
		weight[row] = make([]int64, k+p) // 0 in the columns of ends
		for j := range k {
			cost := none
			switch {
			case row < p:
				cost = h.first[row][j]
			case row-p < j:
				cost = h.between[row-p][j]
			}
			if weight[row][j] = int64(cost); cost == none {
				weight[row][j] = never
			}
		}
	}
	next := assign(weight)
	visits := make([][]int, p)
	for port := range visits {
		for j := next[port]; j < k; j = next[p+j] {
			visits[port] = append(visits[port], j)
		}
	}
	return visits
}

// assign solves the assignment problem: it pairs every row of a square matrix with a column of its
// own so that the sum of the chosen weights is least, and returns the column of each row.
//
// This is the Hungarian method with potentials, O(n^3). Rows join the matching one at a time. For
// each, a shortest augmenting path is grown over the reduced weights weight - ofRow - ofColumn,
// which stay at least 0 and are 0 along the matching; then the pairs along the path are exchanged.
// Rows and columns count from 1 here; 0 is no row, and the column of the new row.
func assign(weight [][]int64) []int {
	n := len(weight)
	ofRow, ofColumn := make([]int64, n+1), make([]int64, n+1)
	slack := make([]int64, n+1) // least reduced weight from the tree to each column outside it
	rowOf, from := make([]int, n+1), make([]int, n+1)
	inside := make([]bool, n+1)
	for newRow := 1; newRow <= n; newRow++ {
		for c := range slack {
			slack[c], inside[c] = math.MaxInt64, false
		}
		rowOf[0] = newRow
		column := 0
		for rowOf[column] != 0 {
			inside[column] = true
			row, best := rowOf[column], 0
			for c := 1; c <= n; c++ {
				if inside[c] {
					continue
				}
				if reduced := weight[row-1][c-1] - ofRow[row] - ofColumn[c]; reduced < slack[c] {
					slack[c], from[c] = reduced, column
				}
				if best == 0 || slack[c] < slack[best] {
					best = c
				}
			}
			step := slack[best]
			for c := range slack {
				if inside[c] {
					ofRow[rowOf[c]] += step
					ofColumn[c] -= step
				} else {
					slack[c] -= step
				}
			}
			column = best
		}
		for ; column != 0; column = from[column] {
			rowOf[column] = rowOf[from[column]]
		}
	}
	columnOf := make([]int, n)
	for c, row := range rowOf[1:] {
		columnOf[row-1] = c
	}
	return columnOf
}

// maxPartial bounds the partial stars that OTMS keeps, and with them time and memory. Two ports, as
// in meshes of two dimensions, stay far below it; many ports and destinations together can exceed
// it.
const maxPartial = 2_000_000

// OTMS is the multicast star whose longest worm is shortest (Bouchitté, Cohen and Fleury, section
// 4); among those, one with the fewest channels, which is our addition.
//
// The paper fills a Boolean table over (ends, lengths) whose printed loop bounds never reach the
// only element that is set at the start, takes a maximum where a minimum is meant, and keeps no way
// back to the star. Here destinations join in label order, and a partial star is kept only while no
// other one with the same ends is at least as short on every port: for two ports at most N for each
// pair of ends, so O(k^2 N) and a logarithm for sorting them, instead of O(k^2 N^2), and any number
// of ports. A star found greedily bounds the search.
func (l *Labelled) OTMS(r Request, rule PortRule) (Star, error) {
	return l.solve(r, rule, (*half).shortestLongest)
}

// partial is a star over the first targets.
type partial struct {
	before *partial // without the newest target
	port   int      // that the newest target joined
	row    []int32  // per port the index of the last target, none for an unused one; then the lengths of the worms
}

func (h *half) shortestLongest() ([][]int, error) {
	p, bound, kept := len(h.ports), h.greedy(), 0
	stars := []*partial{{row: slices.Concat(slices.Repeat([]int32{none}, p), make([]int32, p))}}
	for j := range h.targets {
		stars = prune(h.join(stars, j, bound), p)
		if kept += len(stars); kept > maxPartial {
			return nil, fmt.Errorf("more than %d partial stars through %d ports; use scheme ocms or fewer destinations", maxPartial, p)
		}
	}
	visits := make([][]int, p)
	star := slices.MinFunc(stars, func(a, b *partial) int { return slices.Compare(a.costs(p), b.costs(p)) })
	for j := len(h.targets); j > 0; j-- {
		visits[star.port] = append(visits[star.port], j-1)
		star = star.before
	}
	for _, list := range visits {
		slices.Reverse(list)
	}
	return visits, nil
}

// extra is the cost of target j for a port whose last target is end, or none.
func (h *half) extra(port int, end int32, j int) int {
	if end == none {
		return h.first[port][j]
	}
	return h.between[end][j]
}

// greedy is the longest worm of a star that gives each target to the port that stays shortest.
func (h *half) greedy() int {
	ends, lengths := make([]int32, len(h.ports)), make([]int, len(h.ports))
	for i := range ends {
		ends[i] = none
	}
	for j := range h.targets {
		best := none
		for port := range h.ports {
			cost := h.extra(port, ends[port], j)
			if cost != none && (best == none || lengths[port]+cost < lengths[best]+h.extra(best, ends[best], j)) {
				best = port
			}
		}
		lengths[best] += h.extra(best, ends[best], j)
		ends[best] = int32(j)
	}
	return slices.Max(lengths)
}

// join adds target j to every star at every port.
func (h *half) join(stars []*partial, j, bound int) (joined []*partial) {
	p := len(h.ports)
	for _, s := range stars {
		for port := range p {
			cost := h.extra(port, s.row[port], j)
			if cost == none || int(s.row[p+port])+cost > bound {
				continue
			}
			row := slices.Clone(s.row)
			row[port] = int32(j)
			row[p+port] += int32(cost)
			joined = append(joined, &partial{s, port, row})
		}
		s.row = nil // only the way back is needed
	}
	return joined
}

// prune keeps, among stars with the same ends, those that no other equals or beats on every port.
// Of equal ones the first stays. In the order of their lengths a star can only be beaten by one
// before it. With two ports, those kept grow on the first and shrink on the second, so that it is
// enough to ask the last of them.
func prune(stars []*partial, p int) []*partial {
	slices.SortStableFunc(stars, func(a, b *partial) int { return slices.Compare(a.row, b.row) })
	kept := stars[:0]
	group := 0 // first kept star with the same ends
	for _, s := range stars {
		if len(kept) > 0 && !slices.Equal(kept[group].row[:p], s.row[:p]) {
			group = len(kept)
		}
		rivals := kept[group:]
		if p <= 2 && len(rivals) > 0 {
			rivals = rivals[len(rivals)-1:]
		}
		if !slices.ContainsFunc(rivals, func(k *partial) bool { return k.beats(s, p) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// beats reports whether no worm is longer than that of another star.
func (s *partial) beats(o *partial, p int) bool {
	for port, length := range s.row[p:] {
		if length > o.row[p+port] {
			return false
		}
	}
	return true
}

// costs are the length of the longest worm, the number of channels, then the lengths in port order:
// the best star has the smallest.
func (s *partial) costs(p int) []int32 {
	lengths, sum := s.row[p:], int32(0)
	for _, length := range lengths {
		sum += length
	}
	return append([]int32{slices.Max(lengths), sum}, lengths...)
}
