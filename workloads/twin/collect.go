package twin

import (
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// cell counts what one core did in one slice.
type cell struct {
	records uint64
	written uint64
	links   []link
	states  [states]uint64
	// sequences are the links of all cells that have been added.
	sequences [][]link
	sizes     [accessKinds][sizes]uint64
	places    [2][places]uint64
	gaps      [gapTables]spreadCounts
	fetches   uint64
	code      [codeClasses][codeClasses]uint64
	// By class.
	distances     [dataClasses]moments
	codeDistances [codeClasses]moments
}

func (c *cell) plus(o *cell) {
	c.records += o.records
	c.fetches += o.fetches
	c.sequences = append(c.sequences, o.links)
	for i, n := range &o.states {
		c.states[i] += n
	}
	addTable(c.sizes[:], o.sizes[:], func(r *[sizes]uint64) []uint64 { return r[:] })
	addTable(c.places[:], o.places[:], func(r *[places]uint64) []uint64 { return r[:] })
	addTable(c.code[:], o.code[:], func(r *[codeClasses]uint64) []uint64 { return r[:] })
	for i := range c.gaps {
		c.gaps[i].plus(&o.gaps[i])
	}
	for i := range c.distances {
		c.distances[i].plus(o.distances[i])
	}
	for i := range c.codeDistances {
		c.codeDistances[i].plus(o.codeDistances[i])
	}
}

// addTable adds a table to another; row gives a row as a slice.
func addTable[R any](to, from []R, row func(*R) []uint64) {
	for i := range to {
		t, f := row(&to[i]), row(&from[i])
		for j := range t {
			t[j] += f[j]
		}
	}
}

// collector is the visitor of the second replay: it finds the class of every access.
type collector struct {
	table *lineTable
	cores []coreCollector
	cells [][]*cell // by core and slice
	total uint64    // estimated time of the whole
	reads [][]uint64
}

// coreCollector is what is remembered of one core.
type coreCollector struct {
	data, code *reuse
	sets       sets
	walk       walk
	bursts     bursts
	// place of the core's previous access in each line, as the byte behind it, and its size.
	places []uint8
	fetch  int
	events []event
	waits  []wait
	// others are the positions of records that are no accesses; twins have none.
	others []uint64
	// open are the chains that the core has loaded after others and not stored to yet.
	open [limitChains]bool
}

// wait is an edge that a core waited for, and how long.
type wait struct {
	cycles uint64
	traces.Edge
}

// Estimated cost of accesses, in cycles, beyond the instructions: a miss, and a word from another core.
const missCycles = 100

func newCollector(table *lineTable, cores, slices int, total uint64) *collector {
	c := &collector{table: table, total: total, cores: make([]coreCollector, cores), cells: make([][]*cell, cores),
		reads: make([][]uint64, cores)}
	for i := range c.cores {
		c.cores[i] = coreCollector{data: newReuse(), code: newReuse()}
		c.cells[i] = make([]*cell, slices)
		for s := range c.cells[i] {
			c.cells[i][s] = new(cell)
		}
		c.reads[i] = make([]uint64, cores)
	}
	return c
}

// slice is the slice of a time.
func (c *collector) slice(time uint64) int {
	n := uint64(len(c.cells[0]))
	return int(min(time*n/max(c.total, 1), n-1))
}

// visit counts one record.
func (c *collector) visit(s *step) uint64 {
	slice := c.slice(s.time)
	at := c.cells[s.core][slice]
	r := s.record
	me := &c.cores[s.core]
	for _, e := range s.edges {
		me.waits = append(me.waits, wait{s.waited, e})
	}
	if r.Kind.IsAccess() {
		at.records++
	} else {
		me.others = append(me.others, s.position)
	}
	switch {
	case r.Kind == traces.Fetch:
		return c.fetch(s, at)
	case r.Kind.IsAccess():
		return c.access(s, at)
	}
	return 0
}

func (c *collector) fetch(s *step, at *cell) uint64 {
	me := &c.cores[s.core]
	at.gaps[gapFetch].add(s.record.Instructions)
	at.fetches++
	class := newCode
	recent := me.sets.touch(s.record.Address / traces.LineBytes)
	if d := me.code.touch(c.table.find(s.record.Address)); d >= 0 {
		class = classOf(d, recent, crowdedCode)
		at.codeDistances[class].add(d)
	}
	at.code[me.fetch][class]++
	me.fetch = class
	if class >= newCode {
		return missCycles
	}
	return 0
}

func (c *collector) access(s *step, at *cell) uint64 {
	me, r := &c.cores[s.core], s.record
	index := c.table.find(r.Address)
	l := &c.table.lines[index]
	d := me.data.touch(index)
	writer, held := l.last, l.last != int8(s.core) && l.holders>>s.core&1 != 0
	distant, taken := l.access(s.core, r.Kind)
	class := me.walk.visit(c.class(s, l, d, distant, taken, held, me.sets.touch(r.Address/traces.LineBytes)), d)
	if distant && l.use == produced {
		c.reads[s.core][writer]++
	}
	if class == writeProduced {
		at.written++
	}
	if class == readExchanged && l.read == 0 {
		c.table.read++
		l.read, l.first = c.table.read, int8(s.core)
	}
	if class >= readExchanged && class <= upgradeLater {
		l.uses++
	}
	if me.event(s, l, distant || taken) {
		return missCycles
	}
	at.distances[class].add(d)
	at.describe(me, r, class, index)
	if unfollowed(class) >= distances {
		return missCycles
	}
	return 0
}

// recentLines is the largest distance at which a write counts as one that follows a read.
const recentLines = 8

// class finds the class of a data access at a distance. Held says that the core has read what another one has written
// there, recent that the line is one of the last of its set.
func (c *collector) class(s *step, l *line, d int, distant, taken, held, recent bool) int {
	switch {
	case l.use == produced && (distant || d < 0 && s.record.Kind == traces.Load):
		return readProduced
	case l.use == produced && (taken || d < 0):
		return writeProduced
	case l.use == exchanged && s.record.Kind == traces.Load && (distant || d < 0):
		return readExchanged
	case l.use == exchanged && taken && !distant && d >= 0 && d < recentLines:
		return upgrade
	case l.use == exchanged && taken && held && d >= recentLines:
		return upgradeLater
	case l.use == exchanged && (taken || d < 0):
		return writeExchanged
	case d >= 0:
		return classOf(d, recent, crowded)
	case l.use == shared:
		return newShared
	}
	return newPrivate
}

// event notes an access that is part of a chain: one that carries an edge or needs another core, or a core's
// first store after it.
func (c *coreCollector) event(s *step, l *line, needs bool) bool {
	if l.use != chained {
		return false
	}
	open := &c.open[l.chain]
	switch {
	case *open && s.record.Kind == traces.Store:
		*open = false
	case len(s.edges) > 0 || needs:
		*open = s.record.Kind == traces.Load
	default:
		return false
	}
	c.events = append(c.events, event{at: c.accesses(s.position), chain: int(l.chain), kind: accessKind(s.record.Kind)})
	return true
}

// accesses is how many of the core's records before a position are accesses.
func (c *coreCollector) accesses(position uint64) uint64 {
	others, _ := slices.BinarySearch(c.others, position)
	return position - uint64(others)
}

// describe counts everything about an access but its class's place in the memory.
func (at *cell) describe(me *coreCollector, r *traces.Record, class int, index int32) {
	kind := accessKind(r.Kind)
	state := stateOf(class, kind)
	at.links = append(at.links, link{uint8(state), uint8(me.bursts.density())})
	me.bursts.add(class)
	at.states[state]++
	at.sizes[kind][r.Size]++
	at.gaps[gapTable(class, kind)].add(r.Instructions)
	other := 0
	if class != 0 {
		other = 1
	}
	for int(index) >= len(me.places) {
		me.places = append(me.places, 0)
	}
	start, before := uint8(r.Address%traces.LineBytes), me.places[index]
	switch end := start + 1<<r.Size; {
	case end == before&^placeKnown && before&placeKnown != 0:
		at.places[other][samePlace]++
	case before == start|placeKnown:
		at.places[other][nextPlace]++
	default:
		at.places[other][otherPlace]++
	}
	me.places[index] = start + 1<<r.Size | placeKnown
}

// placeKnown marks a place that is known; the end of a line, 64, is below it.
const placeKnown = 1 << 7

// accessKind is the row of a kind of access in a behaviour's tables.
func accessKind(k traces.Kind) int {
	switch k {
	case traces.Store:
		return isStore
	case traces.Atomic:
		return isAtomic
	}
	return isLoad
}

// degree is the mean number of cores that touch a line, rounded, and at least two.
func degree(touches, lines uint64) int {
	if lines == 0 {
		return 2
	}
	return int(max(2, min((touches+lines/2)/lines, 1<<bits.Len64(limitCores))))
}
