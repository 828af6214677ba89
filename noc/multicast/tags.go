package multicast

import (
	"slices"

	"github.com/carousel-sim/carousel/noc/topology"
)

// TagGroups groups the switches of a multistage network by the paper's general algorithm
// (Varavithya and Mohapatra, figure 9), which needs no closed form: the tag of a switch of the last
// stage is its own row, that of any other the union of the tags of the switches it leads to, and
// switches of a stage with equal tags form a group. The result names the group of each
// [stage][row]; -1 where no token is needed.
//
// A bidirectional network counts as 2n stages: the way up is stages 0 to n-1, and stage j on the
// way down is stage 2n-1-j. A switch on the way up also leads, by turning, to itself on the way
// down. Numbers run over all stages, so that equal tags of different stages (the way up and the
// last turn) show.
//
// As printed the loop starts at the last stage and reads tags of a stage that does not exist; it
// must start one lower. With b consumption channels the last stage is left out.
func TagGroups(m topology.Multistage, consumption int) [][]int {
	stages := m.Stages
	if m.Bidirectional {
		stages *= 2
	}
	last := stages - 1
	if consumption > 1 {
		last--
	}
	groups := make([][]int, stages)
	tags := make([][][]int, stages)
	var known [][]int
	for k := stages - 1; k >= 0; k-- {
		groups[k], tags[k] = make([]int, m.Rows()), make([][]int, m.Rows())
		for row := range m.Rows() {
			if k > last {
				groups[k][row] = -1
				continue
			}
			var tag []int
			if k == last {
				tag = []int{row}
			} else {
				tag = unionOfNext(m, tags, k, row, last)
			}
			tags[k][row] = tag
			group := slices.IndexFunc(known, func(other []int) bool { return slices.Equal(other, tag) })
			if group < 0 {
				group = len(known)
				known = append(known, tag)
			}
			groups[k][row] = group
		}
	}
	return groups
}

// unionOfNext collects the tags of the switches that one leads to.
func unionOfNext(m topology.Multistage, tags [][][]int, k, row, last int) []int {
	var tag []int
	for p := range m.Arity {
		switch {
		case !m.Bidirectional:
			next, _ := m.Right(k, row, p)
			tag = append(tag, tags[k+1][next]...)
		case k >= m.Stages: // down: left port p of stage 2n-1-k
			next, _, _ := m.Step(m.Router(2*m.Stages-1-k, row), p)
			_, below := m.Place(next)
			tag = append(tag, tags[k+1][below]...)
		default:
			if k < m.Stages-1 {
				next, _ := m.Right(k, row, p)
				tag = append(tag, tags[k+1][next]...)
			}
			if turned := 2*m.Stages - 1 - k; turned <= last {
				tag = append(tag, tags[turned][row]...)
			}
		}
	}
	slices.Sort(tag)
	return slices.Compact(tag)
}
