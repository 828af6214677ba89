package messages

import (
	"math"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// sums are what a batch has gathered.
type sums struct {
	multicasts, unicasts   uint64
	latency, unicast, last uint64 // sums of latencies, the largest
	cv, spread, cvHeader   float64
	tokens, waited         uint64
	channels, ends         uint64  // crossed: between routers, and between nodes and routers
	generated              uint64  // messages
	completed              uint64  // messages of any batch, during this one
	offered, load          float64 // generated and delivered, see Batch
}

// add takes a message that has reached all its destinations.
func (s *sums) add(m *sent) {
	if m.kind == toOne {
		s.unicasts++
		s.unicast += m.last
		return
	}
	s.multicasts++
	s.latency += m.last
	s.last = max(s.last, m.last)
	mean, deviation := m.tails.spread(m.copies)
	s.cv += deviation / mean
	s.spread += deviation / float64(m.last)
	mean, deviation = m.headers.spread(m.copies)
	s.cvHeader += deviation / mean
}

// moments are the sums of times and of their squares.
type moments struct{ sum, squares uint64 }

func (m *moments) add(time uint64) {
	m.sum += time
	m.squares += time * time
}

// spread returns the mean and the standard deviation of so many times.
func (m *moments) spread(times int) (mean, deviation float64) {
	n := float64(times)
	mean = float64(m.sum) / n
	return mean, math.Sqrt(max(0, float64(m.squares)/n-mean*mean))
}

// finish makes the row of the batch. The latencies of a saturated network depend on the length of the
// run and are left out. The loads are in flits per node and cycle, a multicast counting once; with
// normalized arrivals they are those of copies, in the unit of Config.Load.
//
// ArrivalCV is the standard deviation of the arrival times of a multicast at its destinations over
// their mean, counted from its generation, and ArrivalSpread the same deviation over the multicast's
// latency. The Qualified Groups paper (section 4.2.2) divides by the "mean multicast latency", which
// may be either. ArrivalCVHeader is by the times at which headers come, of worms that go on to arrive.
func (s *sums) finish(c *Config, destinations int, saturated bool) tables.Batch {
	b := tables.Batch{Multicasts: s.multicasts, Accepted: known(s.load), Generated: known(s.offered)}
	if saturated {
		return b
	}
	b.MulticastLatencyMean, b.UnicastLatencyMean = tables.Ratio(s.latency, s.multicasts), tables.Ratio(s.unicast, s.unicasts)
	b.TokenWaitMean = tables.Ratio(s.waited, s.tokens)
	if n := float64(s.multicasts); n > 0 {
		b.MulticastLatencyMax = tables.Some(float64(s.last))
		b.ArrivalCV, b.ArrivalCVHeader, b.ArrivalSpread = known(s.cv/n), known(s.cvHeader/n), known(s.spread/n)
		if c.Arrivals == Alone {
			b.MulticastChannels = tables.Ratio(s.channels, s.multicasts)
			b.AdditionalTraffic = tables.Some(float64(s.channels+s.ends)/n - float64(destinations))
		}
	}
	return b
}

// known is a cell of a value that may be NaN.
func known(v float64) tables.Maybe[float64] {
	if math.IsNaN(v) {
		return tables.Maybe[float64]{}
	}
	return tables.Some(v)
}
