package sample

import (
	"fmt"
	"math/bits"

	"github.com/carousel-sim/carousel/noc/random"
	"github.com/carousel-sim/carousel/traces"
)

// survey is how the records of all cores are spread over the estimated time.
type survey struct {
	untilFirstEnd bool // the walk is over when a core ends
	ended         bool
	marks         []mark
	every         uint64 // time between two marks at least
	noted         uint64 // time of the latest note
}

// mark is how many records had been executed at a time.
type mark struct{ clock, executed uint64 }

// mostMarks is how many are kept. Every other one goes where there would be more.
const mostMarks = 1 << 14

// note keeps the progress at the time of the core that is furthest behind.
func (s *survey) note(clock, executed uint64) {
	// Between such times nothing happens: the record that ended the latest turn takes so long.
	if clock > s.noted+max(2*turn, s.every) {
		s.keep(mark{s.noted + turn, max(executed-1, s.last().executed)})
		s.keep(mark{clock, executed})
	} else if clock >= s.last().clock+s.every {
		s.keep(mark{clock, executed})
	}
	s.noted = clock
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

func (s *survey) last() mark {
	if len(s.marks) == 0 {
		return mark{}
	}
	return s.marks[len(s.marks)-1]
}

// executedAt returns how many records had been executed at a time, on the line between two marks.
func (s *survey) executedAt(clock uint64) uint64 {
	var from mark
	for _, to := range s.marks {
		if to.clock >= clock {
			high, low := bits.Mul64(to.executed-from.executed, clock-from.clock)
			share, _ := bits.Div64(high, low, to.clock-from.clock)
			return from.executed + share
		}
		from = to
	}
	return from.executed
}

// spans walks through a trace and returns its windows. All last equally long in estimated time, as
// long as their average number of records takes on average, so that what takes long is in as many
// windows as it takes time.
func (c Config) spans(f *traces.File) ([]span, error) {
	k, err := newWalk(f, c)
	if err != nil {
		return nil, err
	}
	k.survey = &survey{untilFirstEnd: c.Last, every: 1}
	if err := k.run(); err != nil {
		return nil, err
	}
	if err := c.fitInto(k.executed, f.Cores()); err != nil {
		return nil, err
	}
	last := k.clock()
	k.survey.marks = append(k.survey.marks, mark{max(last, k.survey.last().clock+1), k.executed})
	time := k.survey.last().clock
	high, low := bits.Mul64(time, c.Records*uint64(f.Cores()))
	length, _ := bits.Div64(high, low, k.executed)
	part := time / uint64(c.Windows)
	length = min(length, part)
	r := random.Stream(c.Seed*random.Gamma + 1)
	offset := r.Uint64() % (part - length + 1)
	if c.Last {
		offset = part - length
	}
	list := make([]span, c.Windows)
	for i := range list {
		if c.Random && i > 0 {
			offset = r.Uint64() % (part - length + 1)
		}
		begin := uint64(i)*part + offset
		list[i] = span{k.survey.executedAt(begin), k.survey.executedAt(begin + length)}
		list[i].end = max(list[i].end, list[i].begin+1)
		if i > 0 && list[i].begin < list[i-1].end {
			return nil, fmt.Errorf("windows %d and %d of %d would both begin after %d records, as what follows takes longer than "+
				"the time from one window to the next; draw fewer windows", i-1, i, c.Windows, list[i].begin)
		}
	}
	return list, nil
}

// clock returns the time of the core that is furthest ahead.
func (k *walk) clock() (latest uint64) {
	for i := range k.cores {
		latest = max(latest, k.cores[i].clock)
	}
	return latest
}
