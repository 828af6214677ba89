package drmemtrace

import (
	"fmt"
	"sort"
)

// clock is what the markers of a stream say of time, in order.
type clock []moment

// moment says that the records from a position on were executed at a time or later, and those before it no later.
type moment struct{ time, position uint64 }

// note adds a moment. A time that goes back, as between chunks of a file, counts as the one before.
func (c *clock) note(m moment) {
	if n := len(*c); n > 0 {
		m.time = max(m.time, (*c)[n-1].time)
	}
	*c = append(*c, m)
}

// before returns how many records were executed before a time.
func (c clock) before(time uint64) uint64 {
	if n := sort.Search(len(c), func(i int) bool { return c[i].time >= time }); n > 0 {
		return c[n-1].position
	}
	return 0
}

// order orders the threads by their times, if that is asked for: what follows a marker waits for the records of others
// that came before an earlier marker of theirs. Between markers of equal time there is no order, so no threads wait
// for each other.
func (l *layout) order() error {
	if len(l.names) == 1 {
		return nil
	}
	if !l.config.Times {
		l.to.Note(fmt.Sprintf("no order between threads is kept; the trace has %d times of them, by which --times orders them", l.counts.times))
		return nil
	}
	edges := 0
	for stream, own := range l.times {
		core := stream % len(l.names)
		known := make([]uint64, len(l.names)) // records of others that come before the latest moment
		for _, m := range own {
			for producer := range known {
				at := l.times[stream-core+producer].before(m.time)
				if producer == core || at <= known[producer] {
					continue
				}
				if problem := l.to.Order(stream, m.position, uint16(producer), at-1); problem != "" {
					return fmt.Errorf("%s: %s", l.names[core], problem)
				}
				known[producer], edges = at, edges+1
			}
		}
	}
	l.to.Note(fmt.Sprintf("threads are ordered by their %d times, with %d edges: they wait for each other as they did when the trace was recorded", l.counts.times, edges))
	return l.to.Err()
}
