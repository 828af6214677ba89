package twin

import (
	"github.com/carousel-sim/carousel/traces"
)

// pool is a range of lines that a core takes one after another, from a place of its own.
type pool struct {
	base, size uint64
	first      uint64
}

// line is the i-th line that a core takes.
func (p pool) line(i uint64) uint64 {
	if p.size == 0 {
		return p.base
	}
	return p.base + (p.first+i)%p.size
}

// layout places the memory of one copy of the program. Pools are by role.
type layout struct {
	private   []pool
	produced  []pool
	exchanged [][]pool // by role and popularity
	shared    [][]pool // by role and degree class
	code      [][]pool
	chains    []uint64
	lines     uint64 // of one copy
}

const pageLines = traces.PageBytes / traces.LineBytes

func newLayout(p *Parameters) *layout {
	l := &layout{shared: make([][]pool, p.Cores), code: make([][]pool, p.Cores), exchanged: make([][]pool, p.Cores)}
	f := &p.Footprint
	for class := range degreeClasses {
		lines := at(f.Code, class)
		if class == 0 {
			lines = 0 // those are of one core each, below
		}
		l.code = l.appendGroups(l.code, lines, 1<<class, together)
		l.shared = l.appendGroups(l.shared, at(f.Shared, class), 1<<class, turn)
	}
	for _, e := range f.Exchanged {
		l.exchanged = l.appendGroups(l.exchanged, e.Lines, degree(e.Touches, e.Lines), turn)
	}
	for range p.Chains {
		l.chains = append(l.chains, l.lines)
		l.lines += chainLines
	}
	for core := range p.Cores {
		l.produced = append(l.produced, l.take(at(f.Produced, core)))
		l.private = append(l.private, l.take(at(f.Private, core)))
		l.code[core][0] = l.take(at(f.OwnCode, core))
	}
	return l
}

// chainLines keeps the lines of chains apart, so that they have different homes.
const chainLines = 3

// at is an element of a list without the zeros at its end.
func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// take gives the next lines; each pool begins at a page.
func (l *layout) take(lines uint64) pool {
	if lines > 0 {
		l.lines = (l.lines + pageLines - 1) / pageLines * pageLines
	}
	p := pool{base: l.lines, size: lines}
	l.lines += lines
	return p
}

// How many lines the members of a group are apart. With turns, each finds what the one before has left a moment
// ago; instructions are new to all at the same time.
const (
	together = 0
	turn     = 2
)

// groups divides lines among groups of cores that touch the same ones, one member after the other.
func (l *layout) groups(cores int, lines uint64, size int, turn uint64) []pool {
	size = max(1, min(size, cores))
	count := (cores + size - 1) / size
	pools := make([]pool, cores)
	var group pool
	for core := range pools {
		if core%size == 0 {
			group = l.take((lines + uint64(count) - 1) / uint64(count))
		}
		pools[core] = group
		pools[core].first = min(uint64(core%size)*turn, uint64(core%size)*group.size/uint64(size))
	}
	return pools
}

func (l *layout) appendGroups(to [][]pool, lines uint64, size int, turn uint64) [][]pool {
	for core, p := range l.groups(len(to), lines, size, turn) {
		to[core] = append(to[core], p)
	}
	return to
}
