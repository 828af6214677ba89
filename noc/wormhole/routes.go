package wormhole

import "github.com/carousel-sim/carousel/noc"

// Output returns the output by which the header of a worm goes on towards a stop elsewhere, where
// it has no choice.
func (s *Setup) Output(at, from, stop noc.NodeID) int {
	if s.Order != nil {
		return int(s.Order.Next(at, stop, s.Order.Ties(from)).Port)
	}
	return int(s.Wiring.Channels[s.Function.Next(at, stop)].Out)
}

// Choices appends the permitted outputs towards a stop elsewhere, where there may be several.
func (s *Setup) Choices(at, stop noc.NodeID, into []int32) []int32 {
	into = s.Adaptive.Choices(at, stop, into)
	for i, c := range into {
		into[i] = int32(s.Wiring.Channels[c].Out)
	}
	return into
}

// Towards returns the output by which a router reaches a neighbour.
func (s *Setup) Towards(at, neighbour noc.NodeID) int {
	return int(s.Wiring.Channels[s.Wiring.Channel(at, neighbour)].Out)
}

// Half is rule 5: the half of its class's channels that the header of a worm takes at an output
// towards a stop, 0 for the lower and 1 for the upper.
//
// A worm with one stop stays in its half of a ring, so that a third of uniform traffic is in the
// lower ones. Neither half closes a cycle: worms that do not cross never take the link at the
// dateline. Worms that cross are on a shortest route, so they start in the last half of the ring
// and end in the first, and none goes on to where the others start. A worm with several stops that
// crosses enters the upper half there, so neither half closes a cycle.
func (s *Setup) Half(at, from, stop noc.NodeID, output int, oneStop bool) int {
	switch {
	case s.Parts == 1: // the halves are the same
		return 1
	case s.Datelined != nil:
		return int(s.Datelined.Half(at, stop))
	case !oneStop && s.Order.AtDateline(at, output):
		return 1
	case !oneStop:
		from = at
	}
	if s.Order.Crosses(from, stop, output) {
		return 0
	}
	return 1
}
