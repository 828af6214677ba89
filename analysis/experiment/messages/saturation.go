package messages

import (
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
)

// Saturation is judged for unicasts and multicasts apart: where there is one multicast for hundreds
// of unicasts, all of them may be stuck without the messages under way becoming many.

// amount is a number of messages and of their copies, one for each destination.
type amount struct{ messages, copies int }

// flow is what a run counts of the messages of one kind.
type flow struct {
	under         amount // under way
	before, after amount // under way when the measured time began, and when it ended
	begun         amount // generated in the measured time
}

// flow returns the counts of unicasts or multicasts.
func (r *run) flow(multicast bool) *flow {
	if multicast {
		return &r.flows[1]
	}
	return &r.flows[0]
}

// generate counts a message with so many destinations.
func (f *flow) generate(destinations int, measured bool) {
	f.under.messages++
	f.under.copies += destinations
	if measured {
		f.begun.messages++
		f.begun.copies += destinations
	}
}

// idle reports whether no message is under way.
func (r *run) idle() bool { return r.flows[0].under.messages+r.flows[1].under.messages == 0 }

// The limits of a network that carries its load.
const (
	grownShare      = 0.03 // of the copies generated in the measured time
	grownDeviations = 3    // standard deviations of the copies under way
	leastDelivered  = 0.95 // of the load offered
)

// grows reports whether in the measured time the copies under way of one kind became more, by more
// than chance: the messages under way of a network that carries its load vary as a Poisson number
// does, or not much more.
func (f *flow) grows() bool {
	more := float64(f.after.copies - f.before.copies)
	if f.begun.messages == 0 || more <= grownShare*float64(f.begun.copies) {
		return false
	}
	each := float64(f.begun.copies) / float64(f.begun.messages)
	return more > grownDeviations*each*math.Sqrt(float64(f.before.messages+f.after.messages))
}

// grows reports whether the network cannot carry the messages of one kind, by what is under way when
// the measured time ends.
func (r *run) grows() bool {
	if r.config.Arrivals == Alone || r.config.Arrivals == Node {
		return false // every batch begins with an empty network
	}
	return r.flows[0].grows() || r.flows[1].grows()
}

// fallsShort reports whether the network delivers less than it is offered, outside the confidence
// interval of its batches.
func (r *run) fallsShort() bool {
	var loads []float64
	for i := range r.batches {
		if v := r.batches[i].load; !math.IsNaN(v) {
			loads = append(loads, v)
		}
	}
	e, ok := metrics.Confidence95(loads)
	return ok && e.High < leastDelivered*r.config.Load
}
