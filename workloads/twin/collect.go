package twin

import (
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
)

// cell counts what one core did in one slice.
type cell struct {
	records uint64
	next    [states][states]uint32
	sizes   [accessKinds][sizes]uint64
	places  [2][places]uint64
	gaps    [gapTables]spreadCounts
	fetches uint64
	code    [codeClasses][codeClasses]uint64
}

func (c *cell) plus(o *cell) {
	c.records += o.records
	c.fetches += o.fetches
	for i := range c.next {
		for j, n := range &o.next[i] {
			c.next[i][j] += n
		}
	}
	addTable(c.sizes[:], o.sizes[:], func(r *[sizes]uint64) []uint64 { return r[:] })
	addTable(c.places[:], o.places[:], func(r *[places]uint64) []uint64 { return r[:] })
	addTable(c.code[:], o.code[:], func(r *[codeClasses]uint64) []uint64 { return r[:] })
	for i := range c.gaps {
		c.gaps[i].plus(&o.gaps[i])
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
	table  *lineTable
	cores  []coreCollector
	cells  [][]*cell // by core and slice
	total  uint64    // estimated time of the whole
	reads  [][]uint64
	chains []chainCounts
	waits  [][]wait // by core and slice: the longest
}

// coreCollector is what is remembered of one core.
type coreCollector struct {
	data, code *reuse
	// place of the core's previous access in each line, as the byte behind it, and its size.
	places []uint8
	state  int
	fetch  int
}

type chainCounts struct {
	kinds  [chainKinds]uint64
	edges  uint64     // that events carry, stores left out
	events [][]uint64 // by core and slice
	// open is the kind of the last event of each core whose line the core has not stored to yet.
	open []bool
}

// wait is an edge that a core waited for.
type wait struct {
	cycles         uint64
	at             uint64
	edge           traces.Edge
	known, chained bool
}

// Estimated cost of accesses, in cycles, beyond the instructions: a miss, and a word from another core.
const missCycles = 100

func newCollector(table *lineTable, cores, slices, chains int, total uint64) *collector {
	c := &collector{table: table, total: total, cores: make([]coreCollector, cores), cells: make([][]*cell, cores),
		reads: make([][]uint64, cores), chains: make([]chainCounts, chains), waits: make([][]wait, cores)}
	for i := range c.cores {
		c.cores[i] = coreCollector{data: newReuse(), code: newReuse()}
		c.cells[i], c.waits[i] = make([]*cell, slices), make([]wait, slices)
		for s := range c.cells[i] {
			c.cells[i][s] = new(cell)
		}
		c.reads[i] = make([]uint64, cores)
	}
	for i := range c.chains {
		c.chains[i].open = make([]bool, cores)
		c.chains[i].events = make([][]uint64, cores)
		for j := range c.chains[i].events {
			c.chains[i].events[j] = make([]uint64, slices)
		}
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
	if r.Kind.IsAccess() {
		at.records++
	}
	onChain := r.Kind.IsAccess() && r.Kind != traces.Fetch && c.table.lines[c.table.find(r.Address)].use == chained
	if w := &c.waits[s.core][slice]; s.edge && (!w.known || s.waited >= w.cycles) {
		*w = wait{cycles: s.waited, at: s.position, edge: s.last, known: true, chained: onChain}
	}
	switch {
	case r.Kind == traces.Fetch:
		return c.fetch(s, at)
	case r.Kind.IsAccess():
		return c.access(s, at, slice)
	}
	return 0
}

func (c *collector) fetch(s *step, at *cell) uint64 {
	me := &c.cores[s.core]
	at.gaps[gapFetch].add(s.record.Instructions)
	at.fetches++
	class := newCode
	if d := me.code.touch(c.table.find(s.record.Address)); d >= 0 {
		class = distanceClass(d)
	}
	at.code[me.fetch][class]++
	me.fetch = class
	if class == newCode {
		return missCycles
	}
	return 0
}

func (c *collector) access(s *step, at *cell, slice int) uint64 {
	me, r := &c.cores[s.core], s.record
	index := c.table.find(r.Address)
	l := &c.table.lines[index]
	d := me.data.touch(index)
	writer := l.last
	distant, taken := l.access(s.core, r.Kind)
	class := c.class(s, l, d, distant, taken)
	if distant && l.use == produced {
		c.reads[s.core][writer]++
	}
	if class >= readExchanged {
		l.uses++
	}
	if c.event(s, l, slice, distant || taken) {
		return missCycles
	}
	at.describe(me, r, class, index)
	if class >= distances {
		return missCycles
	}
	return 0
}

// recentLines is the largest distance at which a write counts as one that follows a read.
const recentLines = 8

// class finds the class of a data access.
func (c *collector) class(s *step, l *line, d int, distant, taken bool) int {
	switch {
	case l.use == produced && (distant || d < 0 && s.record.Kind == traces.Load):
		return readProduced
	case l.use == produced && (taken || d < 0):
		return writeProduced
	case l.use == exchanged && s.record.Kind == traces.Load && (distant || d < 0):
		return readExchanged
	case l.use == exchanged && taken && !distant && d >= 0 && d < recentLines:
		return upgrade
	case l.use == exchanged && (taken || d < 0):
		return writeExchanged
	case d >= 0:
		return distanceClass(d)
	case l.use == shared:
		return newShared
	}
	return newPrivate
}

// event counts an access that is part of a chain: one that carries an edge or needs another core, or a core's
// first store after it.
func (c *collector) event(s *step, l *line, slice int, needs bool) bool {
	if l.use != chained {
		return false
	}
	k := &c.chains[l.chain]
	if k.open[s.core] && s.record.Kind == traces.Store {
		k.open[s.core] = false
		k.kinds[chainLoad]--
		k.kinds[chainLoadStore]++
		return true
	}
	if !s.edge && !needs {
		return false
	}
	k.events[s.core][slice]++
	if s.edge && s.record.Kind != traces.Store {
		k.edges++
	}
	k.open[s.core] = s.record.Kind == traces.Load
	k.kinds[[...]int{traces.Load: chainLoad, traces.Store: chainStore, traces.Atomic: chainAtomic}[s.record.Kind]]++
	return true
}

// describe counts everything about an access but its class's place in the memory.
func (at *cell) describe(me *coreCollector, r *traces.Record, class int, index int32) {
	kind := accessKind(r.Kind)
	state := class*accessKinds + kind
	at.next[me.state][state]++
	me.state = state
	at.sizes[kind][r.Size]++
	table, other := kind, 0
	if class != 0 {
		table, other = kind+gapOtherLine, 1
	}
	at.gaps[table].add(r.Instructions)
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
