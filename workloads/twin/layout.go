package twin

import "github.com/carousel-sim/carousel/noc/random"

// pool is a range of lines that a core takes one after another, from a place of its own.
type pool struct {
	spots *spots
	from  uint64 // place of its first line
	size  uint64
	first uint64
	next  uint64 // how far behind it the next member of a group begins
}

// line is the i-th line that a core takes.
func (p *pool) line(i uint64) uint64 {
	if p.size == 0 {
		return 0
	}
	return p.spots.line(p.from + (p.first+i)%p.size)
}

// spots are lines of memory in the sets of a recording's lines.
type spots struct {
	base   uint64
	span   uint64 // lines that the pattern takes, with those in between that nobody uses
	offset []uint32
}

func (p *spots) line(i uint64) uint64 {
	period := uint64(len(p.offset))
	if i < period {
		return p.base + uint64(p.offset[i])
	}
	return p.base + i/period*p.span + uint64(p.offset[i%period])
}

// layout places the memory of one copy of the program. Pools are by role.
type layout struct {
	private   []pool
	produced  []pool
	readable  [][]pool // by reader and producer: parts of what is produced
	exchanged [][]pool // by role and popularity
	shared    [][]pool // by role and degree class
	code      [][]pool
	chains    []uint64
	lines     uint64 // of one copy
	random    random.Stream
}

func newLayout(p *Parameters, seed uint64) *layout {
	l := &layout{shared: make([][]pool, p.Cores), code: make([][]pool, p.Cores), exchanged: make([][]pool, p.Cores),
		random: random.Numbered(seed, layoutStream)}
	f, begin := &p.Footprint, apart
	if p.migratory() {
		begin = turn
	}
	for class := range degreeClasses {
		code, runs := at(f.Code, class), runsAt(f.Sets.Code, class)
		if class == 0 {
			code = 0 // those are of one core each, below
		}
		l.code = l.appendGroups(l.code, l.take(code, runs), 1<<class, together)
		l.shared = l.appendGroups(l.shared, l.take(at(f.Shared, class), runsAt(f.Sets.Shared, class)), 1<<class, turn)
	}
	for i, e := range f.Exchanged {
		l.exchanged = l.appendGroups(l.exchanged, l.take(e.Lines, runsAt(f.Sets.Exchanged, i)), degree(e.Touches, e.Lines), begin)
	}
	for range p.Chains {
		l.chains = append(l.chains, l.lines)
		l.lines += chainLines
	}
	for core := range p.Cores {
		l.produced = append(l.produced, l.take(at(f.Produced, core), runsAt(f.Sets.Produced, core)))
		l.private = append(l.private, l.take(at(f.Private, core), runsAt(f.Sets.Private, core)))
		l.code[core][0] = l.take(at(f.OwnCode, core), runsAt(f.Sets.OwnCode, core))
	}
	l.divideProduced(f)
	return l
}

// layoutStream is the number of the layout's random numbers; those of cores are from 0.
const layoutStream = 1 << 20

// divideProduced gives each reader its part of what a producer writes.
func (l *layout) divideProduced(f *Footprint) {
	for range l.produced {
		l.readable = append(l.readable, make([]pool, len(l.produced)))
	}
	for producer, whole := range l.produced {
		for reader := range l.readable {
			part := whole
			if reader < len(f.Readable) && whole.size > 0 {
				part.size = min(at(f.Readable[reader], producer), whole.size)
				if reader < len(f.ReadableFrom) {
					part.first = at(f.ReadableFrom[reader], producer) % whole.size
				}
			}
			l.readable[reader][producer] = part
		}
	}
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

func runsAt(list [][]Run, i int) []Run {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// take gives the next lines; each pool begins at the first set.
func (l *layout) take(lines uint64, runs []Run) pool {
	if lines > 0 {
		l.lines = (l.lines + setCount - 1) / setCount * setCount
	}
	l.random.Uint64()
	offset, span := pattern(lines, runs, l.random)
	p := pool{spots: &spots{base: l.lines, span: span, offset: offset}, size: lines}
	if lines > 0 {
		l.lines += (lines + uint64(len(offset)) - 1) / uint64(len(offset)) * span
	}
	return p
}

// Where the members of a group begin: instructions are new to all at the same time, each member finds what the one
// before has left a moment ago, or the members are as far apart as they can be.
type start int

const (
	together start = iota
	turn
	apart
)

// turnLines is how many lines members are apart that take turns.
const turnLines = 2

// appendGroups divides a pool among groups of cores that touch the same lines, one member after the other.
func (l *layout) appendGroups(to [][]pool, whole pool, size int, begin start) [][]pool {
	cores := len(to)
	size = max(1, min(size, cores))
	groups := uint64((cores + size - 1) / size)
	share := max(1, (whole.size+groups-1)/groups)
	parts := max(1, (whole.size+share-1)/share) // fewer than groups when there are few lines
	for core := range to {
		group, member := uint64(core/size), uint64(core%size)
		p := whole
		p.from = group % parts * share
		p.size = min(share, whole.size-p.from)
		switch even := member * p.size / uint64(size); begin {
		case turn:
			p.first = min(member*turnLines, even)
		case apart:
			p.first, p.next = even, p.size/uint64(size)
		}
		to[core] = append(to[core], p)
	}
	return to
}

// tradedDistance is how many lines a core may touch before it expects that others have taken those that several write:
// a part of the way to where the next member of its group begins.
func (l *layout) tradedDistance(role int) int {
	way := uint64(0)
	for i := range l.exchanged[role] {
		way = max(way, l.exchanged[role][i].next)
	}
	return int(min(max(way/tradedPart, tradedDistance), exactDepth))
}

const tradedPart = 8
