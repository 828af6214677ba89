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
	parent int32 // index in the layer before
	port   int32 // that the newest target joined
	// At ends are the indices of the last target of each port, none for an unused one, and the
	// lengths of the worms: values ends[at:at+p] and lengths[at:at+p] of the layer.
	at int32
}

// layer holds the partial stars over the same number of targets, in order of their ends.
type layer struct {
	stars         []partial
	ends, lengths []int32
}

func (h *half) shortestLongest() ([][]int, error) {
	p := len(h.ports)
	bound := h.greedy()
	start := layer{stars: []partial{{parent: none, port: none}}, ends: make([]int32, p), lengths: make([]int32, p)}
	for i := range start.ends {
		start.ends[i] = none
	}
	layers, kept := []layer{start}, 0
	for j := range h.targets {
		next := h.join(layers[j], j, bound)
		next.prune(p)
		if kept += len(next.stars); kept > maxPartial {
			return nil, fmt.Errorf("more than %d partial stars through %d ports; use scheme ocms or fewer destinations", maxPartial, p)
		}
		layers[j].ends, layers[j].lengths = nil, nil // only the way back is needed
		layers = append(layers, next)
	}
	visits := make([][]int, p)
	star := layers[len(h.targets)].best(p)
	for j := len(h.targets); j > 0; j-- {
		s := layers[j].stars[star]
		visits[s.port] = append(visits[s.port], j-1)
		star = int(s.parent)
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
func (h *half) join(before layer, j, bound int) layer {
	var next layer
	p := len(h.ports)
	for i, s := range before.stars {
		ends, lengths := before.ends[s.at:int(s.at)+p], before.lengths[s.at:int(s.at)+p]
		for port := range p {
			cost := h.extra(port, ends[port], j)
			if cost == none || int(lengths[port])+cost > bound {
				continue
			}
			at := len(next.ends)
			next.ends, next.lengths = append(next.ends, ends...), append(next.lengths, lengths...)
			next.ends[at+port] = int32(j)
			next.lengths[at+port] += int32(cost)
			next.stars = append(next.stars, partial{int32(i), int32(port), int32(at)})
		}
	}
	return next
}

// prune keeps, among stars with the same ends, those that no other equals or beats on every port.
// Of equal ones the first stays. In the order of their lengths a star can only be beaten by one
// before it. With two ports, those kept grow on the first and shrink on the second, so that it is
// enough to ask the last of them.
func (l *layer) prune(p int) {
	slices.SortStableFunc(l.stars, func(a, b partial) int {
		if c := slices.Compare(l.ends[a.at:int(a.at)+p], l.ends[b.at:int(b.at)+p]); c != 0 {
			return c
		}
		return slices.Compare(l.lengths[a.at:int(a.at)+p], l.lengths[b.at:int(b.at)+p])
	})
	kept := l.stars[:0]
	group := 0 // first kept star with the same ends
	for _, s := range l.stars {
		if len(kept) > 0 && !slices.Equal(l.ends[kept[group].at:int(kept[group].at)+p], l.ends[s.at:int(s.at)+p]) {
			group = len(kept)
		}
		lengths := l.lengths[s.at : int(s.at)+p]
		rivals := kept[group:]
		if p <= 2 && len(rivals) > 0 {
			rivals = rivals[len(rivals)-1:]
		}
		beaten := slices.ContainsFunc(rivals, func(k partial) bool {
			for port, length := range l.lengths[k.at : int(k.at)+p] {
				if length > lengths[port] {
					return false
				}
			}
			return true
		})
		if !beaten {
			kept = append(kept, s)
		}
	}
	l.stars = kept
}

// best is the star with the shortest longest worm, then the fewest channels, then the smallest
// lengths in port order.
func (l *layer) best(p int) int {
	best, leastKey := 0, []int32(nil)
	for i, s := range l.stars {
		lengths := l.lengths[s.at : int(s.at)+p]
		key := []int32{slices.Max(lengths), 0}
		for _, length := range lengths {
			key[1] += length
		}
		if key = append(key, lengths...); i == 0 || slices.Compare(key, leastKey) < 0 {
			best, leastKey = i, key
		}
	}
	return best
}
