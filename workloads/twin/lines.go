package twin

import (
	"math/bits"

	"github.com/carousel-sim/carousel/traces"
)

// sharing says how cores use a line over the whole recording.
type sharing uint8

const (
	private   sharing = iota
	shared            // read by several cores, written by none
	produced          // written by one core, read by others
	exchanged         // written by several cores
	chained           // used by one core after another all the time
)

// line is what is known of a line. Cores are bits.
type line struct {
	data, writers, fetchers uint64
	set                     uint8  // of setCount
	first                   int8   // core that touched it first
	read                    uint32 // which of all exchanged lines it was to be read after others, from 1; 0 never
	edges                   uint32 // that end at accesses to it
	uses                    uint32 // after others
	use                     sharing
	chain                   int8 // number of its chain, when chained
	// During a replay:
	last    int8   // who wrote it last; -1 nobody
	holders uint64 // who has accessed it since, the writer included
}

// lineTable finds lines by number. Numbers in the order of first use index the columns of whoever keeps more.
type lineTable struct {
	index map[uint64]int32
	lines []line
	read  uint32 // exchanged lines that have been read after others
	// recent remembers the last lookups, by the low bits of the number.
	recent [1 << 12]struct {
		number uint64
		index  int32
	}
}

func newLineTable() *lineTable {
	t := &lineTable{index: map[uint64]int32{}}
	for i := range t.recent {
		t.recent[i].number = ^uint64(0)
	}
	return t
}

// find gives the index of a line, and makes a new one where there is none.
func (t *lineTable) find(address uint64) int32 {
	number := address / traces.LineBytes
	r := &t.recent[number%uint64(len(t.recent))]
	if r.number == number {
		return r.index
	}
	i, ok := t.index[number]
	if !ok {
		i = int32(len(t.lines))
		t.index[number] = i
		t.lines = append(t.lines, line{last: -1, first: -1, set: uint8(number % setCount)})
	}
	r.number, r.index = number, i
	return i
}

// note counts a record of the first replay.
func (t *lineTable) note(s *step) {
	l := &t.lines[t.find(s.record.Address)]
	bit := uint64(1) << s.core
	switch s.record.Kind {
	case traces.Fetch:
		l.fetchers |= bit
		return
	case traces.Store, traces.Atomic:
		l.writers |= bit
	}
	if l.data == 0 {
		l.first = int8(s.core)
	}
	l.data |= bit
	l.edges += uint32(len(s.edges))
	if distant, taken := l.access(s.core, s.record.Kind); distant || taken {
		l.uses++
	}
}

// access notes an access, and reports whether it read what another core had written since the core's own last access,
// and whether it took a line from others by writing.
func (l *line) access(core int, kind traces.Kind) (distant, taken bool) {
	bit := uint64(1) << core
	distant = kind != traces.Store && l.last >= 0 && int(l.last) != core && l.holders&bit == 0
	if kind == traces.Load {
		l.holders |= bit
		return distant, false
	}
	taken = l.holders&^bit != 0
	l.last, l.holders = int8(core), bit
	return distant, taken
}

// So many edges per core, on average, or so many uses after others, make a line a chain.
const (
	chainEdges = 4
	chainUses  = 16
)

// weight orders lines by how good a chain they are; 0 is none.
func (l *line) weight(cores int) uint32 {
	if int(l.edges) < chainEdges*cores && int(l.uses) < chainUses*cores || l.use == private || l.use == chained {
		return 0
	}
	return max(l.edges, l.uses)
}

// events is how many events a line would have as a chain, at most.
func (l *line) events() uint32 { return l.edges + l.uses }

// classify decides how every line is used once the first replay is over, and returns the number of chains.
func (t *lineTable) classify(cores int) int {
	for i := range t.lines {
		l := &t.lines[i]
		switch {
		case bits.OnesCount64(l.data) <= 1:
			l.use = private
		case l.writers == 0:
			l.use = shared
		case bits.OnesCount64(l.writers) == 1:
			l.use = produced
		default:
			l.use = exchanged
		}
	}
	chains, events := 0, uint32(0)
	for ; chains < limitChains; chains++ {
		best, most := -1, uint32(0)
		for i := range t.lines {
			if w := t.lines[i].weight(cores); w > most && events+t.lines[i].events() <= limitEvents {
				best, most = i, w
			}
		}
		if best < 0 {
			break
		}
		events += t.lines[best].events()
		t.lines[best].use, t.lines[best].chain = chained, int8(chains)
	}
	return chains
}
