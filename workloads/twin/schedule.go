package twin

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/traces"
)

// schedule says how long each role's slices are, and what happens between cores: the events and waits of the
// recording, at its records. It is the same for all who ask, so that every core's stream can be made without those of
// the others.
type schedule struct {
	p      *Parameters
	laps   int
	parts  uint64     // of a slice's records, one lap makes parts/whole
	whole  uint64     //
	start  [][]uint64 // by role and slice: records of the lap before it; one more element is the lap's length
	events [][]event  // by role, of one lap
	waits  [][]waitAt // by role, of one lap

	versions versions
}

// event is an access to a chain's line.
type event struct {
	at    uint64
	chain int
	kind  int // isLoad, isStore or isAtomic
}

// waitAt is an edge: a record waits for one of another role.
type waitAt struct {
	at, position uint64
	producer     int
}

// newSchedule sizes the streams: records per core on average, 0 for as many as the recording had.
func newSchedule(p *Parameters, records int) *schedule {
	natural := uint64(0)
	for i := range p.Roles {
		for _, n := range p.Roles[i].Records {
			natural += n
		}
	}
	s := &schedule{p: p, laps: 1, parts: 1, whole: 1}
	if records > 0 && natural > 0 {
		target := uint64(records) * uint64(p.Cores)
		s.laps = int((target + natural - 1) / natural)
		s.parts, s.whole = target, natural*uint64(s.laps)
	}
	for i := range p.Roles {
		start := make([]uint64, p.Slices+1)
		for j, n := range p.Roles[i].Records {
			start[j+1] = start[j] + s.scaled(n)
		}
		s.start = append(s.start, start)
	}
	for role := range p.Cores {
		s.events = append(s.events, s.placeEvents(role))
		s.waits = append(s.waits, s.placeWaits(role))
	}
	s.versions = newVersions(p, s)
	return s
}

func (s *schedule) scaled(n uint64) uint64 { return n * s.parts / s.whole }

// place is where a record of the recording is in a lap. It keeps the order of records, but may give two of them one
// place.
func (s *schedule) place(role int, record uint64) uint64 {
	for slice, n := range s.p.Roles[role].Records {
		if record < n {
			return s.start[role][slice] + s.scaled(record)
		}
		record -= n
	}
	return s.start[role][s.p.Slices]
}

// placeEvents leaves out as many events as records are left out.
func (s *schedule) placeEvents(role int) (placed []event) {
	record, next, end := uint64(0), uint64(0), s.start[role][s.p.Slices]
	for i, e := range rowOf(s.p.Events, role) {
		record += e[0]
		if n := uint64(i); s.scaled(n+1) == s.scaled(n) {
			continue
		}
		if at := s.place(role, record); at >= next && at < end {
			placed = append(placed, event{at: at, chain: int(e[1]), kind: int(e[2])})
			next = at + 1
		}
	}
	return placed
}

// placeWaits keeps waits free of circles: whoever was behind a record of its core still is. Where records are left
// out, that needs one more, because two may have one place.
func (s *schedule) placeWaits(role int) (placed []waitAt) {
	later := uint64(0)
	if s.parts != s.whole {
		later = 1
	}
	record := uint64(0)
	for _, w := range rowOf(s.p.Waits, role) {
		record += w[0]
		to := waitAt{at: s.place(role, record) + later, producer: int(w[1]), position: s.place(int(w[1]), w[2])}
		placed = append(placed, to)
	}
	slices.SortFunc(placed, func(a, b waitAt) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.producer, b.producer), cmp.Compare(b.position, a.position))
	})
	// Of several waits for one core the longest is enough.
	return slices.CompactFunc(placed, func(a, b waitAt) bool { return a.at == b.at && a.producer == b.producer })
}

func rowOf(list [][][3]uint64, i int) [][3]uint64 {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// begin is the first record of a slice.
func (s *schedule) begin(role, lap, slice int) uint64 {
	return uint64(lap)*s.lap(role) + s.start[role][slice]
}

// lap is how many records a role makes in one lap.
func (s *schedule) lap(role int) uint64 { return s.start[role][s.p.Slices] }

// edgeStream is the reading position in one core's edges.
type edgeStream struct {
	lap, next int
}

// read gives the next edges of a role, of a copy with so many roles whose first core has a number.
func (e *edgeStream) read(s *schedule, role, roles, first int, into []traces.Edge) (n int) {
	for waits := s.waits[role]; n < len(into) && e.lap < s.laps; e.next++ {
		if e.next >= len(waits) {
			e.lap, e.next = e.lap+1, -1
			continue
		}
		if w := &waits[e.next]; w.producer < roles && w.position < s.lap(w.producer) && w.at <= s.lap(role) {
			lap := uint64(e.lap)
			into[n] = traces.Edge{At: lap*s.lap(role) + w.at, Producer: uint16(first + w.producer), Position: lap*s.lap(w.producer) + w.position}
			n++
		}
	}
	return n
}

// cursor is a stream's place in the schedule.
type cursor struct {
	lap, slice int
	event      int // next of the lap
}

// advance moves to the next slice, and reports whether there is one.
func (c *cursor) advance(s *schedule) bool {
	if c.slice++; c.slice == s.p.Slices {
		*c = cursor{lap: c.lap + 1}
	}
	return c.lap < s.laps
}
