package messages

import "math"

// Batch is one observation. What was not measured is NaN.
type Batch struct {
	Multicasts int
	// LatencyMean and LatencyMax are those of multicasts, from generation to the last destination.
	LatencyMean, LatencyMax, UnicastMean float64
	// Accepted is in flits per node and cycle, of messages that were completed, a multicast counting once; with
	// normalized arrivals the load of the copies that were delivered, in the unit of Config.Load.
	Accepted float64
	// CV is the standard deviation of the arrival times of a multicast at its destinations over their mean,
	// counted from its generation; Spread is that deviation over the multicast's latency. Both are means
	// over multicasts. The paper (section 4.2.2) divides by the "mean multicast latency", which may be either.
	CV, Spread float64
	Channels   float64 // that a multicast crosses, mean
}

// sums are what a batch has gathered.
type sums struct {
	multicasts, unicasts   uint64
	latency, unicast, last uint64 // sums of latencies, the largest
	cv, spread             float64
	channels               uint64
	completed              uint64  // messages of any batch, during this one
	load                   float64 // delivered, see Batch.Accepted
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
	n := float64(m.copies)
	mean := float64(m.sum) / n
	deviation := math.Sqrt(max(0, float64(m.squares)/n-mean*mean))
	s.cv += deviation / mean
	s.spread += deviation / float64(m.last)
}

// accept finds the load that was delivered, where arrivals have one; measureLoad has that of Normalized.
func (s *sums) accept(c *Config, nodes int) {
	switch c.Arrivals {
	case Normalized:
	case Exponential:
		s.load = float64(s.completed) * float64(c.Flits) / float64(nodes) / float64(c.BatchCycles)
	default:
		s.load = math.NaN()
	}
}

// finish makes the observation. The latencies of a saturated network depend on the length of the run and
// are left out.
func (s *sums) finish(c *Config, saturated bool) Batch {
	nan := math.NaN()
	b := Batch{Multicasts: int(s.multicasts), LatencyMean: nan, LatencyMax: nan, UnicastMean: nan, Accepted: s.load, CV: nan, Spread: nan, Channels: nan}
	if saturated {
		return b
	}
	if n := float64(s.multicasts); n > 0 {
		b.LatencyMean, b.LatencyMax = float64(s.latency)/n, float64(s.last)
		b.CV, b.Spread = s.cv/n, s.spread/n
		if c.Arrivals == Alone {
			b.Channels = float64(s.channels) / n
		}
	}
	if s.unicasts > 0 {
		b.UnicastMean = float64(s.unicast) / float64(s.unicasts)
	}
	return b
}
