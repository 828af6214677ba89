package cmp

import "github.com/carousel-sim/carousel/noc"

// clocks are the clocks that a network may have, as cycles of the chip to one of the network.
var clocks = map[string]noc.Cycle{"": 1, "1": 1, "1/2": 2, "1/4": 4}

// NetworkGHz is the clock of the network.
func (c Config) NetworkGHz() float64 { return c.ClockGHz / float64(clocks[c.NetworkClock]) }

// slowed is a network whose clock is slower than the chip's. A packet that is offered during a cycle of the
// network enters in that cycle; what arrives is there when the cycle ends.
type slowed struct {
	noc.Network
	cycle      noc.Cycle // of the network, in cycles of the chip
	now        noc.Cycle
	deliveries []noc.Delivery
}

// slow lets a network work at a clock of the chip's configuration.
func slow(n noc.Network, clock string) noc.Network {
	if cycle := clocks[clock]; cycle > 1 {
		return &slowed{Network: n, cycle: cycle, now: n.Now() * cycle}
	}
	return n
}

// Now implements noc.Network.
func (s *slowed) Now() noc.Cycle { return s.now }

// Hold passes on noc.Hold.
func (s *slowed) Hold(held bool) { noc.Hold(s.Network, held) }

// Begins implements noc.Divisible. A cycle of the network is begun in the last cycle of the chip in it, since in the
// ones before the chip still reads totals and counters.
func (s *slowed) Begins() bool {
	d, ok := s.Network.(noc.Divisible)
	return ok && (s.now+1)%s.cycle == 0 && d.Begins()
}

// Begin implements noc.Divisible.
func (s *slowed) Begin() { s.Network.(noc.Divisible).Begin() }

// Step implements noc.Network.
func (s *slowed) Step(until noc.Cycle) noc.Cycle {
	switch {
	case until <= s.now:
	case until/s.cycle <= s.Network.Now():
		s.now = until
	default:
		s.now = s.Network.Step(until/s.cycle) * s.cycle
	}
	return s.now
}

// Deliveries implements noc.Network.
func (s *slowed) Deliveries() []noc.Delivery {
	s.deliveries = append(s.deliveries[:0], s.Network.Deliveries()...)
	for i := range s.deliveries {
		d := &s.deliveries[i]
		d.Offered, d.Injected, d.Arrived = d.Offered*s.cycle, d.Injected*s.cycle, d.Arrived*s.cycle
	}
	return s.deliveries
}

// Sent implements noc.Network. What left in a cycle is known when the cycle ends, also of networks in which packets leave
// at once.
func (s *slowed) Sent() []noc.Receipt {
	if s.now%s.cycle > 0 {
		return nil
	}
	return s.Network.Sent()
}

// Explain implements noc.Network.
func (s *slowed) Explain() []noc.Stuck {
	list := s.Network.Explain()
	for i := range list {
		list[i].Since *= s.cycle
	}
	return list
}
