package twin

import (
	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
)

// program is what all streams of a source share.
type program struct {
	p        *Parameters
	schedule *schedule
	layout   *layout
	models   []*model
	shared   sampler   // degree class of a new shared line
	traded   sampler   // popularity of an exchanged line
	code     sampler   // degree class of a new line of code
	reads    [][]int64 // by role: how often it reads whose newly written lines
	seed     uint64
}

func newProgram(p *Parameters, records int, seed uint64) *program {
	g := &program{p: p, schedule: newSchedule(p, records), layout: newLayout(p, seed), seed: seed,
		shared: newSampler(p.Footprint.SharedTouches), code: newSampler(p.Footprint.CodeTouches)}
	var uses []uint64
	for _, e := range p.Footprint.Exchanged {
		uses = append(uses, e.Uses)
	}
	g.traded = newSampler(uses)
	for i := range p.Behaviours {
		g.models = append(g.models, newModel(&p.Behaviours[i]))
	}
	for role := range p.Cores {
		weights := make([]int64, p.Cores)
		for producer := range weights {
			if role < len(p.Footprint.Reads) && g.layout.readable[role][producer].size > 0 {
				weights[producer] = int64(min(at(p.Footprint.Reads[role], producer), limitLines))
			}
		}
		g.reads = append(g.reads, weights)
	}
	return g
}

// stream makes the records of one core.
type stream struct {
	g      *program
	role   int
	copy   uint64 // number of the copy of the program
	random random.Stream
	cursor cursor
	model  *model
	at     uint64 // position of the next record
	until  uint64 // end of the slice
	ended  bool

	data, fetched stack
	sets          sets
	state, ahead  int     // states of the last access and of the next one
	history       history // up to the next access
	fetch         int
	fetches       uint64 // that the slice still has
	counts        counters
	owed          uint64 // readings of new versions
	repay         bool   // one of them next
}

// counters say how many lines of each pool have been taken.
type counters struct {
	private, written uint64
	exchanged        [popularities]uint64
	partners         [popularities]uint64 // read of what the next member of a group writes
	shared, code     [degreeClasses]uint64
	read             []reader // by producer
}

func newStream(g *program, core int) stream {
	s := stream{g: g, role: core % g.p.Cores, copy: uint64(core / g.p.Cores), random: random.Numbered(g.seed, core), cursor: cursor{slice: -1}}
	s.counts.read = make([]reader, g.p.Cores)
	s.data.traded, s.fetched.traded = g.layout.tradedDistance(s.role), tradedDistance
	return s
}

// rewind starts again and keeps what has been allocated.
func (s *stream) rewind(core int) {
	read := s.counts.read
	clear(read)
	*s = stream{g: s.g, role: s.role, copy: s.copy, random: random.Numbered(s.g.seed, core), cursor: cursor{slice: -1},
		data: stack{lines: s.data.lines[:0], traded: s.data.traded}, fetched: stack{lines: s.fetched.lines[:0]}, counts: counters{read: read}}
}

// fill makes records until the slice is full or the stream has ended.
func (s *stream) fill(into []traces.Record) int {
	n := 0
	for n < len(into) && !s.ended {
		if s.at == s.until {
			if !s.nextSlice() {
				into[n] = traces.Record{Kind: traces.End, Instructions: 1}
				s.ended = true
				return n + 1
			}
			continue
		}
		into[n] = s.record()
		s.sets.touch(into[n].Address / traces.LineBytes)
		s.at++
		n++
	}
	return n
}

// nextSlice moves to the next slice and its behaviour.
func (s *stream) nextSlice() bool {
	if !s.cursor.advance(s.g.schedule) {
		return false
	}
	s.counts.written = s.g.schedule.versions.at(s.role, s.cursor.lap, s.cursor.slice, 0)
	s.model = s.g.models[s.g.p.Roles[s.role].Behaviours[s.cursor.slice]]
	s.until = s.g.schedule.begin(s.role, s.cursor.lap, s.cursor.slice+1)
	// A slice that goes on from the state of the last one would stay in what its behaviour rarely leaves.
	s.ahead = s.model.states.start(&s.history, &s.random)
	if s.until > s.at {
		s.fetches = min(s.g.schedule.scaled(s.g.p.Roles[s.role].Fetches[s.cursor.slice]), s.until-s.at-1)
	}
	return true
}

// record makes the next record.
func (s *stream) record() traces.Record {
	schedule, c := s.g.schedule, &s.cursor
	if events := schedule.events[s.role]; c.event < len(events) && schedule.begin(s.role, c.lap, 0)+events[c.event].at == s.at {
		c.event++
		return s.chained(&events[c.event-1])
	}
	// The last record of a slice is an access: others may wait for it, and a fetch never becomes visible.
	if left := s.until - s.at - 1; s.fetches > 0 && left > 0 && uint64(random.Scale(s.random.Uint64(), int(left))) < s.fetches {
		s.fetches--
		return s.instructions()
	}
	return s.access()
}

// chained makes the record of an event.
func (s *stream) chained(e *event) traces.Record {
	return traces.Record{Address: s.address(s.g.layout.chains[e.chain]), Size: 3, Kind: recordKinds[e.kind],
		Instructions: s.model.gaps[gapTable(1, e.kind)].draw(&s.random)}
}

func (s *stream) address(line uint64) uint64 {
	return (line + s.copyLines()) * traces.LineBytes
}

// copyLines is where the memory of the stream's copy of the program begins.
func (s *stream) copyLines() uint64 { return s.copy * s.g.layout.lines }

// instructions makes an instruction fetch.
func (s *stream) instructions() traces.Record {
	s.fetch = s.model.code[s.fetch].draw(s.random.Uint64())
	stack := &s.fetched
	bottom := len(stack.lines) - 1
	distance := bottom
	if s.fetch != newCode {
		distance = s.model.codeDistances[s.fetch].draw(&s.random)
	}
	if s.fetch != newCode && distance <= bottom {
		_, set := distanceOf(s.fetch, crowdedCode)
		distance, _ = stack.near(distance, false, set, &s.sets, s.copyLines())
		stack.raise(distance)
	} else {
		class := s.g.code.draw(s.random.Uint64())
		lines, taken := &s.g.layout.code[s.role][class], &s.counts.code[class]
		if *taken < lines.size || bottom < 0 {
			stack.push(newEntry(lines.line(*taken), useRead))
			*taken++
		} else {
			stack.raise(bottom)
		}
	}
	return traces.Record{Address: s.address(stack.top().line()), Kind: traces.Fetch, Size: fetchSize,
		Instructions: s.model.gaps[gapFetch].draw(&s.random)}
}

const fetchSize = 6 // a whole line

// access makes a load, store or atomic.
func (s *stream) access() traces.Record {
	m := s.model
	s.state = s.ahead
	s.ahead = m.states.draw(&s.history, &s.random)
	class, kind := parts(s.state)
	// A line that is written right after it has been read must be one that the core may write.
	nextClass, nextKind := parts(s.ahead)
	write := kind != isLoad || nextClass == 0 && nextKind == isStore
	if class >= distances && class < crowded && class != newPrivate && (class < readExchanged || len(s.g.layout.exchanged[s.role]) > 0) {
		s.bring(class)
	} else if !write && class > 0 && s.readOwed() {
		// A line from another core stands for the core's own.
	} else if !s.reuse(class, write) && kind != isLoad {
		kind = isLoad
	}
	other := 0
	if class != 0 {
		other = 1
	}
	return s.finish(kind, other, m.gaps[gapTable(class, kind)].draw(&s.random))
}

var recordKinds = [accessKinds]traces.Kind{isLoad: traces.Load, isStore: traces.Store, isAtomic: traces.Atomic}

// reuse puts a line on top that the core has touched before: the next one of a walk, or one at a distance of its class.
// It returns false when that cannot be written.
//
// The recording's first slices have more new lines and shorter distances than the later ones that behave alike.
// So a distance beyond all lines gives a new line while there are some, and a new line the one at the bottom
// when there are none left.
func (s *stream) reuse(class int, write bool) bool {
	lines := &s.g.layout.private[s.role]
	bottom := len(s.data.lines) - 1
	distance, set := bottom, anywhere
	expected := s.data.walk.distance
	if class < distances || class >= crowded {
		var within int
		within, set = distanceOf(class, crowded)
		if distance = s.model.distances[class].draw(&s.random); class >= following && distanceClass(expected) == within {
			distance = expected
		}
	}
	if fresh := s.counts.private < lines.size; bottom < 0 || fresh && (class == newPrivate || distance > bottom && class < distances-1) {
		s.data.push(newEntry(lines.line(s.counts.private), useOwn))
		s.counts.private++
		return true
	}
	distance, ok := s.data.near(distance, write, set, &s.sets, s.copyLines())
	s.data.raise(distance)
	s.data.walk.stepped(class, distance, expected)
	if top := s.data.top(); top.use() == useProduced && distance >= tradedDistance {
		top.become(useShown)
	}
	return ok
}

// finish chooses the bytes of the line on top.
func (s *stream) finish(kind, other int, gap uint32) traces.Record {
	top := s.data.top()
	size := uint8(s.model.sizes[kind].draw(s.random.Uint64()))
	bytes := uint64(1) << size
	number := s.random.Uint64()
	start := top.end()
	switch s.model.places[other].draw(number) {
	case samePlace:
		start = max(start, bytes) - bytes
	case otherPlace:
		start = number >> 8 % (traces.LineBytes / bytes) * bytes
	}
	if start+bytes > traces.LineBytes {
		start = 0
	}
	*top = top.at(start + bytes)
	return traces.Record{Address: s.address(top.line()) + start, Kind: recordKinds[kind], Size: size, Instructions: gap}
}
