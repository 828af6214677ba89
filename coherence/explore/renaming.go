package explore

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/coherence"
)

// renaming walks through the names that cores may be given. Cores are first ranked by what can be
// seen of them without looking at names; only names in the order of the ranks are tried, so that
// the walk is short unless cores are alike.
type renaming struct {
	orders [][]uint8 // all orders of the cores; only the first when names must stay
	at     int
	order  []uint8 // cores by new name
	names  []uint8 // new name of each core

	views  [][]byte
	rank   []int
	mask   []uint8 // names in the view of one core: 0 for itself, 1 for the others
	viewer coherence.Snapshot
}

func newRenaming(cores int, keep bool) renaming {
	r := renaming{names: make([]uint8, cores), rank: make([]int, cores), views: make([][]byte, cores), mask: make([]uint8, cores)}
	var all func(order []uint8)
	all = func(order []uint8) {
		if len(order) == cores {
			r.orders = append(r.orders, slices.Clone(order))
		}
		for c := range uint8(cores) {
			if !slices.Contains(order, c) && !(keep && len(r.orders) > 0) {
				all(append(order, c))
			}
		}
	}
	all(nil)
	return r
}

// sort ranks the cores of a state and takes the first order that fits.
func (r *renaming) sort(m *machine) {
	r.at = -1
	if len(r.orders) > 1 {
		for core := range r.views {
			r.views[core] = r.view(m, core, r.views[core][:0])
		}
		for i := range r.rank {
			r.rank[i] = 0
			for j := range r.rank {
				if slices.Compare(r.views[j], r.views[i]) < 0 {
					r.rank[i]++
				}
			}
		}
	}
	r.next()
}

// next takes the next order of the cores that fits their ranks; false when there is none.
func (r *renaming) next() bool {
	for r.at++; r.at < len(r.orders); r.at++ {
		r.order = r.orders[r.at]
		fits := true
		for i := 1; i < len(r.order); i++ {
			fits = fits && r.rank[r.order[i-1]] <= r.rank[r.order[i]]
		}
		if fits {
			for name, core := range r.order {
				r.names[core] = uint8(name)
			}
			return true
		}
	}
	return false
}

// view returns what can be seen of a core without names: its access, its L1, and the events by
// whether they are about this core or another.
func (r *renaming) view(m *machine, core int, to []byte) []byte {
	for i := range r.mask {
		r.mask[i] = 1
	}
	r.mask[core] = 0
	s := &r.viewer
	*s = coherence.Snapshot{Data: to, Blocks: m.Blocks, Names: r.mask, Marks: m.marks}
	m.passOpen(core, s)
	m.agents[core].Snapshot(s)
	sum := uint64(0)
	for _, e := range m.bag {
		high, low := bits.Mul64(uint64(e.renamed(r.mask))^0x9e3779b97f4a7c15, 0xa0761d6478bd642f)
		sum += high ^ low
	}
	for i := range 8 {
		s.Data = append(s.Data, byte(sum>>(8*i)))
	}
	return s.Data
}
