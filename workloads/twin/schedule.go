package twin

import (
	"cmp"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/random"
)

// schedule says how long each role's slices are, and what happens between cores in a slice. It is the same for all
// who ask, so that every core's stream can be made without those of the others.
type schedule struct {
	p     *Parameters
	seed  uint64
	laps  int
	parts uint64     // of a slice's records, one lap makes parts/whole
	whole uint64     //
	start [][]uint64 // by role and slice: records of the lap before it; one more element is the lap's length
	kinds []sampler  // by chain
	edged []uint32   // by chain: the chance that an event other than a store carries an edge, in units of 2^-32
	waits [][]edgeAt // by role and slice
}

// edgeAt is a wait: of a record, counted from the start of its slice, for the end of a slice of another role.
type edgeAt struct {
	slice, producer, until int
	offset                 uint64
}

// newSchedule sizes the streams: records per core on average, 0 for as many as the recording had.
func newSchedule(p *Parameters, records int, seed uint64) *schedule {
	natural := uint64(0)
	for i := range p.Roles {
		for _, n := range p.Roles[i].Records {
			natural += n
		}
	}
	s := &schedule{p: p, seed: seed, laps: 1, parts: 1, whole: 1}
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
	for i := range p.Chains {
		k := &p.Chains[i]
		s.kinds = append(s.kinds, newSampler(k.Kinds))
		waiting := at(k.Kinds, chainLoad) + at(k.Kinds, chainLoadStore) + at(k.Kinds, chainAtomic)
		s.edged = append(s.edged, uint32(min(k.Edges<<32/max(waiting, 1), 1<<32-1)))
	}
	s.placeWaits()
	return s
}

func (s *schedule) scaled(n uint64) uint64 { return n * s.parts / s.whole }

// placeWaits finds the slices of the waits. A wait is for the end of an earlier slice: so waits, chains and
// program order can never form a circle.
func (s *schedule) placeWaits() {
	s.waits = make([][]edgeAt, s.p.Cores)
	for _, w := range s.p.Waits {
		core, producer := int(w[0]), int(w[2])
		slice, offset := s.locate(core, w[1])
		until, position := s.locate(producer, w[3])
		if position < s.p.Roles[producer].Records[until]/2 {
			until-- // the end of the slice before is nearer
		}
		if until = min(until, slice-1); until >= 0 {
			s.waits[core] = append(s.waits[core], edgeAt{slice: slice, producer: producer, until: until, offset: s.scaled(offset)})
		}
	}
	for core := range s.waits {
		slices.SortStableFunc(s.waits[core], func(a, b edgeAt) int {
			return cmp.Or(cmp.Compare(a.slice, b.slice), cmp.Compare(a.offset, b.offset))
		})
	}
}

// locate finds the slice of a record of the recording, and its place there.
func (s *schedule) locate(core int, record uint64) (slice int, offset uint64) {
	for i, n := range s.p.Roles[core].Records {
		if record < n {
			return i, record
		}
		record -= n
	}
	return s.p.Slices - 1, 0
}

// begin is the first record of a slice.
func (s *schedule) begin(role, lap, slice int) uint64 {
	return uint64(lap)*s.start[role][s.p.Slices] + s.start[role][slice]
}

// event is what a core does at a chain's line.
type event struct {
	role, chain, kind int
	order             uint64 // within the slice: 32 bits of estimated time
	position          uint64
	edge              bool // at first: may carry one
	producer          int
	after             uint64 // the producer's record
}

// records that an event has in a stream.
func (e *event) width() uint64 {
	if e.kind == chainLoadStore {
		return 2
	}
	return 1
}

// rank orders events of the same time: writes of flags, those who wait for them, and what these do then.
func (c *cursor) rank(e *event) int {
	switch {
	case c.s.edged[e.chain] == 0:
		return 2
	case e.kind == chainLoad:
		return 1
	}
	return 0
}

// head is the last write to a chain's line.
type head struct {
	known    bool
	role     int
	position uint64
}

// cursor goes through the slices and makes their events.
type cursor struct {
	s          *schedule
	lap, slice int
	roles      int // present, from 0
	heads      []head
	events     []event
	free       []uint64 // by role: the first record without an event
	share      []uint64 // by role: events in the slice
	writes     []uint64 // when the writes of a chain are
}

func newCursor(s *schedule, roles int) cursor {
	return cursor{s: s, roles: roles, slice: -1, heads: make([]head, len(s.p.Chains)), free: make([]uint64, s.p.Cores), share: make([]uint64, s.p.Cores)}
}

func (c *cursor) rewind() {
	c.lap, c.slice = 0, -1
	clear(c.heads)
}

// advance makes the events of the next slice, ordered by estimated time, and tells whether there is one.
func (c *cursor) advance() bool {
	if c.slice++; c.slice == c.s.p.Slices {
		c.lap, c.slice = c.lap+1, 0
	}
	if c.lap >= c.s.laps {
		return false
	}
	c.events = c.events[:0]
	r := random.New(c.s.seed, -1-c.lap*c.s.p.Slices-c.slice)
	for chain := range c.s.p.Chains {
		for role := range c.roles {
			c.draw(&r, chain, role)
		}
	}
	c.follow()
	slices.SortFunc(c.events, func(a, b event) int {
		// Loads follow the write that they wait for.
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(c.rank(&a), c.rank(&b)), cmp.Compare(a.role, b.role), cmp.Compare(a.chain, b.chain))
	})
	c.place()
	return true
}

// draw spreads the events of one role at one chain evenly over the slice, from a time of its own on: so cores take
// turns.
func (c *cursor) draw(r *random.Stream, chain, role int) {
	n := at(c.s.p.Chains[chain].Events[role], c.slice)
	number := r.Next()
	if exact := n * c.s.parts; exact%c.s.whole > number%c.s.whole {
		n = exact/c.s.whole + 1
	} else {
		n = exact / c.s.whole
	}
	phase := r.Next() >> 32
	for i := range n {
		number := r.Next()
		e := event{role: role, chain: chain, kind: c.s.kinds[chain].draw(number), order: (i<<32 + phase) / n}
		e.edge = e.kind != chainStore && uint32(r.Next()) < c.s.edged[chain]
		c.events = append(c.events, e)
	}
}

// follow moves loads right behind the next write of their chain: those who wait for a flag read it as soon as it
// is written, all together. What chains without edges hold is used right after that, by all at once too.
func (c *cursor) follow() {
	for chain := range c.s.p.Chains {
		c.writes = c.writes[:0]
		for i := range c.events {
			if e := &c.events[i]; e.chain == chain && e.kind != chainLoad {
				c.writes = append(c.writes, e.order)
			}
		}
		slices.Sort(c.writes)
		for i := range c.events {
			if e := &c.events[i]; e.chain == chain && e.kind == chainLoad {
				if k, _ := slices.BinarySearch(c.writes, e.order); k < len(c.writes) {
					e.order = c.writes[k]
				}
			}
		}
	}
	for role := range c.roles {
		c.writes = c.writes[:0]
		for i := range c.events {
			if e := &c.events[i]; e.role == role && e.kind == chainLoad && c.s.edged[e.chain] > 0 {
				c.writes = append(c.writes, e.order)
			}
		}
		slices.Sort(c.writes)
		for i := range c.events {
			if e := &c.events[i]; e.role == role && c.s.edged[e.chain] == 0 {
				if k, _ := slices.BinarySearch(c.writes, e.order); k < len(c.writes) {
					e.order = c.writes[k]
				}
			}
		}
	}
}

// place gives the events their records and edges. Events for which a slice has no room are left out.
func (c *cursor) place() {
	for role := range c.roles {
		c.free[role], c.share[role] = c.s.begin(role, c.lap, c.slice), 0
	}
	for i := range c.events {
		c.share[c.events[i].role]++
	}
	kept := c.events[:0]
	for _, e := range c.events {
		begin, length := c.s.begin(e.role, c.lap, c.slice), c.s.start[e.role][c.slice+1]-c.s.start[e.role][c.slice]
		e.position = max(c.free[e.role], begin+e.order*length>>32)
		if e.kind == chainStore || e.kind == chainLoadStore {
			// Who writes a flag is the last to come: the others are waiting for it.
			e.position = max(c.free[e.role], begin+e.order*length>>32+length/(2*c.share[e.role]))
		}
		if e.position+e.width() > begin+length {
			continue
		}
		c.free[e.role] = e.position + e.width()
		h := &c.heads[e.chain]
		if e.edge = e.edge && h.known && h.role != e.role; e.edge {
			e.producer, e.after = h.role, h.position
		}
		if e.kind != chainLoad {
			*h = head{known: true, role: e.role, position: e.position + e.width() - 1}
		}
		kept = append(kept, e)
	}
	c.events = kept
}

// edges appends the edges of one role in the slice, ordered. first is the number of the copy's first core.
func (c *cursor) edges(role, first int, into []traces.Edge) []traces.Edge {
	from := len(into)
	for i := range c.events {
		if e := &c.events[i]; e.role == role && e.edge {
			into = append(into, traces.Edge{At: e.position, Position: e.after, Producer: uint16(first + e.producer)})
		}
	}
	begin := c.s.begin(role, c.lap, c.slice)
	for _, w := range c.s.waits[role] {
		if w.slice != c.slice || w.producer >= c.roles {
			continue
		}
		if end := c.s.begin(w.producer, c.lap, w.until+1); end > 0 {
			into = append(into, traces.Edge{At: begin + w.offset, Position: end - 1, Producer: uint16(first + w.producer)})
		}
	}
	slices.SortFunc(into[from:], func(a, b traces.Edge) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Producer, b.Producer), cmp.Compare(a.Position, b.Position))
	})
	return into
}
