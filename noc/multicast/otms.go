package multicast

import (
	"fmt"
	"slices"
)

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
