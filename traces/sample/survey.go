package sample

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/traces"
)

// survey is how the records of all cores are spread over the estimated time.
type survey struct {
	untilFirstEnd bool // the walk is over when a core ends
	ended         bool
	marks         []mark
	every         uint64 // time between two marks at least
	noted         uint64 // time of the latest note
	touched       uint64 // records up to the first one that uses memory; a window opens in front of all of them or behind
	barriers      []mark // at which all cores have met that were at work
	skip          int    // barriers between two that are kept
	skipped       int
}

// mark is how many records had been executed at a time, and how many accesses had missed.
type mark struct{ clock, executed, missed uint64 }

// mostMarks is how many are kept. Every other one goes where there would be more.
const mostMarks = 1 << 14

// note keeps the progress at the time of the core that is furthest behind. A core that has waited
// runs on from the time at which it began to wait; such times are past.
func (s *survey) note(m mark) {
	if m.clock < s.noted {
		return
	}
	// Between such times nothing happens: the record that ended the latest turn takes so long.
	if m.clock > s.noted+max(2*turn, s.every) {
		s.keep(mark{s.noted + turn, max(m.executed-1, s.last().executed), m.missed})
		s.keep(m)
	} else if m.clock >= s.last().clock+s.every {
		s.keep(m)
	}
	s.noted = m.clock
}

func (s *survey) keep(m mark) {
	if s.marks = append(s.marks, m); len(s.marks) < mostMarks {
		return
	}
	s.every *= 2
	kept := s.marks[:0]
	for i, m := range s.marks {
		long := i+1 < len(s.marks) && s.marks[i+1].clock-m.clock > max(2*turn, s.every)
		if long || i%2 == 1 {
			kept = append(kept, m)
		}
	}
	s.marks = kept
}

// met notes a barrier of all cores. Where there are very many, every other one is forgotten.
func (s *survey) met(clock, executed uint64) {
	if s.skipped++; s.skipped <= s.skip {
		return
	}
	s.skipped = 0
	if s.barriers = append(s.barriers, mark{clock: clock, executed: executed}); len(s.barriers) < mostMarks {
		return
	}
	s.skip = 2*s.skip + 1
	kept := s.barriers[:0]
	for i := 1; i < len(s.barriers); i += 2 {
		kept = append(kept, s.barriers[i])
	}
	s.barriers = kept
}

func (s *survey) last() mark {
	if len(s.marks) == 0 {
		return mark{}
	}
	return s.marks[len(s.marks)-1]
}

// What grows along the marks.
func clockOf(m mark) uint64    { return m.clock }
func executedOf(m mark) uint64 { return m.executed }
func missedOf(m mark) uint64   { return m.missed }

// at returns what a value was when another one had come to a number, interpolated between two marks.
func (s *survey) at(value, other func(mark) uint64, number uint64) uint64 {
	var from mark
	for _, to := range s.marks {
		if other(to) >= number && other(to) > other(from) {
			high, low := bits.Mul64(value(to)-value(from), number-other(from))
			share, _ := bits.Div64(high, low, other(to)-other(from))
			return value(from) + share
		}
		from = to
	}
	return value(from)
}

// spans walks through a trace and returns its windows in the order in which they open, one drawn at random in each
// stratum, and how they were drawn. Windows at equal distances would repeat the same moments of a program that repeats
// itself.
func (c Config) spans(f *traces.File) (list []Span, drawn string, err error) {
	k, err := newWalk(f, c)
	if err != nil {
		return nil, "", err
	}
	k.survey = &survey{untilFirstEnd: c.Cut, every: 1}
	if err := k.run(); err != nil {
		return nil, "", err
	}
	if c = c.chosen(k.executed, k.missed, f.Cores()); c.fitInto(k.executed, f.Cores()) != nil {
		return nil, "", c.fitInto(k.executed, f.Cores())
	}
	last := uint64(0) // the time of the core that is furthest ahead
	for i := range k.cores {
		last = max(last, k.cores[i].clock)
	}
	k.survey.marks = append(k.survey.marks, mark{max(last, k.survey.last().clock+1), k.executed, k.missed})
	return c.draw(k.survey, f.Cores())
}

// Choose draws windows of an execution that is not a trace: of so many instructions, which take the
// place of records and of time. The cores have met after some of them, in ascending order.
func (c Config) Choose(instructions uint64, cores int, met []uint64) (list []Span, drawn string, err error) {
	c.executes = true
	if err := c.Validate(); err != nil {
		return nil, "", err
	}
	if err := c.fitInto(instructions, cores); err != nil {
		return nil, "", err
	}
	s := &survey{marks: []mark{{clock: instructions, executed: instructions}}}
	for _, at := range met {
		s.barriers = append(s.barriers, mark{clock: at, executed: at})
	}
	return c.draw(s, cores)
}

// draw draws windows of a surveyed execution.
func (c Config) draw(s *survey, cores int) (list []Span, drawn string, err error) {
	time, executed, lead := s.last().clock, s.last().executed, uint64(0)
	high, low := bits.Mul64(time, c.Records*uint64(cores))
	length, _ := bits.Div64(high, low, executed)
	if c.Cut {
		lead = min(time/leadShare, time-min(time, length*uint64(c.Windows)))
	}
	r := random.Stream(c.Seed*random.Gamma + 1)
	units, rest, inside := s.units(lead, length), []Span(nil), time-lead
	if len(units) > 0 {
		var outside uint64
		rest, outside = s.outside(lead, length, inside/uint64(c.Windows))
		inside -= outside
	}
	// A piece between barriers takes no more time than a group, on average.
	enough := len(units)+len(rest) >= c.Windows && uint64(len(units))*(time-lead) >= uint64(c.Windows)*inside
	if enough && len(units) > 0 && (!c.Compact || uint64(len(units))*2*c.Records*uint64(cores) >= units[len(units)-1].End-units[0].Begin) {
		between := "from barrier to barrier"
		if len(rest) > 0 {
			between += " or, before the first and after the last one, of equal time"
			units = append(units, rest...)
		}
		drawn = fmt.Sprintf("%s, of at least %d %s per core on average, one drawn at random from each of %d groups of similar length", between, c.Records, c.unit(), c.Windows)
	} else {
		equal, parts := "estimated time", fmt.Sprintf("from each of %d groups with similar numbers of %s", c.Windows, c.unit())
		if c.executes {
			equal, parts = "length", fmt.Sprintf("from each of %d parts of equal length", c.Windows)
		}
		drawn = fmt.Sprintf("of equal %s, %d %s per core on average, one drawn at random %s", equal, c.Records, c.unit(), parts)
		switch {
		case len(units) > 0:
			drawn += fmt.Sprintf(" (%s: there are %d such pieces, of %d %s per core on average)", traces.NotBetweenBarriers,
				len(units), (units[len(units)-1].End-units[0].Begin)/uint64(len(units)*cores), c.unit())
		case len(s.barriers) > 0:
			drawn += fmt.Sprintf(" (%s: there is no such piece)", traces.NotBetweenBarriers)
		}
		units = s.pieces(lead, min(length, (time-lead)/uint64(c.Windows)), &r)
	}
	if len(units) < c.Windows {
		return nil, "", fmt.Errorf("%d windows do not fit into the %d %s, which take a quarter of a cycle each or less; draw fewer windows", c.Windows, executed, c.unit())
	}
	list = drawUnits(units, c.Windows, &r)
	for i := range list[1:] {
		if list[i+1].Begin < list[i].End {
			return nil, "", fmt.Errorf("windows %d and %d of %d would both start after %d records, because the next ones take longer than "+
				"the time from one window to the next; draw fewer windows", i, i+1, c.Windows, list[i+1].Begin)
		}
	}
	if list[0].Begin < s.touched {
		list[0].Begin = 0
	}
	switch {
	case c.WarmUp > 0 && c.executes:
		drawn += ", with a warm-up of half as many instructions"
	case c.WarmUp > 0:
		most := "twice the records of a window"
		if c.Compact {
			most = "half the records of an average window"
		}
		drawn += fmt.Sprintf(", with a warm-up of up to %d misses per core and %s", c.WarmUp, most)
	}
	for i := range list {
		c.surround(&list[i], s, cores)
	}
	// The warm-up of a long window may start before that of a short one in front of it.
	slices.SortStableFunc(list, func(a, b Span) int { return cmp.Compare(a.Open, b.Open) })
	return list, drawn, nil
}

// surround gives a window what comes before the part that is measured, and what follows it.
func (c Config) surround(w *Span, s *survey, cores int) {
	w.Open, w.Close = w.Begin, w.End
	if c.WarmUp == 0 {
		return
	}
	measured := w.End - w.Begin
	longest, tail := 2*measured, measured/2
	switch average := c.Records * uint64(cores); {
	case c.executes:
		longest = measured / 2
	case c.Compact: // not by the window's own: where cores miss most, it has fewest
		longest, tail = average/2, average/4
	}
	w.Open -= min(w.Open, longest)
	if s.last().missed > 0 {
		missed := s.at(missedOf, executedOf, w.Begin)
		w.Open = max(w.Open, s.at(executedOf, missedOf, missed-min(missed, c.WarmUp*uint64(cores))))
	}
	if w.Open < s.touched {
		w.Open = 0
	}
	w.Close = min(w.End+tail, s.last().executed)
}

// leadShare is the part of a cut trace, as 1/leadShare of its time, that lies before all windows.
const leadShare = 4

// pieces divides the time into pieces of a length, from a random moment on.
func (s *survey) pieces(lead, length uint64, r *random.Stream) (list []Span) {
	time, length := s.last().clock-lead, max(length, 1)
	every := max(length, time/mostMarks)
	for at := lead + uint64(r.Below(int((time-length)%every+1))); at+length <= s.last().clock; at += every {
		begin, end := s.at(executedOf, clockOf, at), s.at(executedOf, clockOf, at+length)
		list = append(list, Span{Begin: begin, End: max(end, begin+1)})
	}
	return list
}

// units divides the time into pieces from barrier to barrier. A piece is the shortest sequence of
// intervals of at least the given length.
func (s *survey) units(lead, length uint64) (list []Span) {
	var from *mark
	for i := range s.barriers {
		switch m := &s.barriers[i]; {
		case m.clock < lead:
		case from == nil:
			from = m
		case m.clock-from.clock >= length && m.executed > from.executed:
			list = append(list, Span{Begin: from.executed, End: m.executed})
			from = m
		}
	}
	return list
}

// outside divides what comes before the first barrier and after the last one, such as a main thread that prepares data,
// into pieces of a length, if it takes more time than a group of windows stands for. It returns that time, too.
func (s *survey) outside(lead, length, group uint64) (list []Span, time uint64) {
	first := slices.IndexFunc(s.barriers, func(m mark) bool { return m.clock >= lead })
	begin, end := mark{clock: lead, executed: s.at(executedOf, clockOf, lead)}, s.last()
	for _, part := range [][2]mark{{begin, s.barriers[first]}, {s.barriers[len(s.barriers)-1], end}} {
		from, to := part[0], part[1]
		takes := to.clock - from.clock
		if takes <= group {
			continue
		}
		time += takes
		for at := from.clock; at+length <= to.clock; at += max(length, takes/mostMarks, 1) {
			one := Span{Begin: max(from.executed, s.at(executedOf, clockOf, at)), End: min(to.executed, s.at(executedOf, clockOf, at+length))}
			if one.Begin < one.End {
				list = append(list, one)
			}
		}
	}
	return list, time
}

// drawUnits draws one unit of each stratum. Programs repeat a few phases, of which some are rare. Phases differ in
// the length of their units or, in units of equal time, in the number of records. So units are ordered by that,
// and equal ones by time: each phase has its share of the strata. All strata have equally many units, and
// units that are too many for that are left out at random, so that each unit is drawn as often as any
// other and sums over windows estimate sums over units.
func drawUnits(units []Span, windows int, r *random.Stream) []Span {
	for len(units)%windows != 0 {
		i := r.Below(len(units))
		units = slices.Delete(units, i, i+1)
	}
	slices.SortStableFunc(units, func(a, b Span) int { return cmp.Compare(a.End-a.Begin, b.End-b.Begin) })
	stratum := len(units) / windows
	list := make([]Span, windows)
	for i := range list {
		list[i] = units[i*stratum+r.Below(stratum)]
	}
	slices.SortStableFunc(list, func(a, b Span) int { return cmp.Compare(a.Begin, b.Begin) })
	return list
}
