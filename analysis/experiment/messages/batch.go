package messages

import "math"

// Batch is one observation. What was not measured is NaN.
type Batch struct {
	Multicasts int
	// LatencyMean and LatencyMax are those of multicasts, from generation to the last destination.
	LatencyMean, LatencyMax, UnicastMean float64
	// Accepted is in flits per node and cycle, of messages that were completed, a multicast
	// counting once; with normalized arrivals the load of the copies that were delivered, in the
	// unit of Config.Load.
	Accepted float64
	// Generated is the load that arose, in the same unit; it differs from Config.Load by chance.
	Generated float64
	// CV is the standard deviation of the arrival times of a multicast at its destinations over
	// their mean, counted from its generation; Spread is that deviation over the multicast's
	// latency. Both are means over multicasts. The paper (section 4.2.2) divides by the "mean
	// multicast latency", which may be either.
	CV, Spread float64
	// CVHeader is CV by the times at which headers come, of worms that go on to arrive.
	CVHeader float64
	// TokenWait is how long a worm waits at its first branch until others have given the token
	// back, mean over worms that branch, the token's passing time excluded.
	TokenWait float64
	Channels  float64 // that a multicast crosses, mean
}

// sums are what a batch has gathered.
type sums struct {
	multicasts, unicasts   uint64
	latency, unicast, last uint64 // sums of latencies, the largest
	cv, spread, cvHeader   float64
	tokens, waited         uint64
	channels               uint64
	generated              uint64  // messages
	completed              uint64  // messages of any batch, during this one
	offered, load          float64 // generated and delivered, see Batch
}

// add takes a message that has reached all its destinations.
func (s *sums) add(m *sent) {
	if !m.multicast {
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

// finish makes the observation. The latencies of a saturated network depend on the length of the
// run and are left out.
func (s *sums) finish(c *Config, saturated bool) Batch {
	nan := math.NaN()
	b := Batch{Multicasts: int(s.multicasts), LatencyMean: nan, LatencyMax: nan, UnicastMean: nan, Accepted: s.load, Generated: s.offered, CV: nan, CVHeader: nan, TokenWait: nan, Spread: nan, Channels: nan}
	if saturated {
		return b
	}
	if n := float64(s.multicasts); n > 0 {
		b.LatencyMean, b.LatencyMax = float64(s.latency)/n, float64(s.last)
		b.CV, b.CVHeader, b.Spread = s.cv/n, s.cvHeader/n, s.spread/n
		if c.Arrivals == Alone {
			b.Channels = float64(s.channels) / n
		}
	}
	if s.tokens > 0 {
		b.TokenWait = float64(s.waited) / float64(s.tokens)
	}
	if s.unicasts > 0 {
		b.UnicastMean = float64(s.unicast) / float64(s.unicasts)
	}
	return b
}
