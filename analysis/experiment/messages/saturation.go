package messages

import (
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc"
)

// Saturation is judged for unicasts and multicasts apart: where there is one multicast for hundreds
// of unicasts, all of them may be stuck without the messages under way becoming many.
//
// The messages under way of a network near saturation vary much, and take long to become as many as
// they will be. So a point with normalized arrivals whose batches do not make clear whether the
// network carries the load is done again with batches of longBatch messages, whatever shorter
// length the first ones had. There the mean of what is delivered decides, and whether the messages
// under way go on becoming more. Batches that are longer from the start decide in the same way.
//
// If the messages under way have become more in the measured time, the load goes on for as long
// again, and the network is saturated if they have become more at the end of that, too.

// amount is a number of messages and of their copies, one for each destination.
type amount struct{ messages, copies int }

// flow is what a run counts of the messages of one kind.
type flow struct {
	under         amount // under way
	before, after amount // under way when the time that is judged began, and when it ended
	begun         amount // generated in that time
}

// flow returns the counts of unicasts or multicasts.
func (r *run) flow(multicast bool) *flow {
	if multicast {
		return &r.flows[1]
	}
	return &r.flows[0]
}

// generate counts a message with so many destinations.
func (f *flow) generate(destinations int, counted bool) {
	f.under.messages++
	f.under.copies += destinations
	if counted {
		f.begun.messages++
		f.begun.copies += destinations
	}
}

// idle reports whether no message is under way.
func (r *run) idle() bool { return r.flows[0].under.messages+r.flows[1].under.messages == 0 }

// The limits of a network that carries its load.
const (
	grownShare      = 0.03   // of the copies generated
	hardlyGrown     = 0.01   // of them: too few to become that share
	grownDeviations = 1      // standard deviations of the copies under way
	leastDelivered  = 0.95   // of the load that arises
	clearlyLess     = 0.85   // of that load: no filling of the network is the reason
	fewMessages     = 50     // of one kind; fewer say nothing
	longBatch       = 20_000 // messages of a batch that decides what shorter ones leave in doubt
)

// count begins the time that is judged, if it has not begun.
func (r *run) count() {
	if r.counting {
		return
	}
	r.counting = true
	for i := range r.flows {
		f := &r.flows[i]
		f.before, f.begun = f.under, amount{}
	}
}

// judge reports whether the network turns out not to carry the load: messages under way become more
// in the measured time and in as long again, or measured ones are still under way after that, or it
// delivers too little. Where longer batches can follow, it also ends a run that leaves this in
// doubt.
func (r *run) judge(now noc.Cycle) bool {
	switch share := r.progress(now); {
	case share >= 2:
		if r.owed > 0 {
			r.doubt = !r.last
			return true
		}
		return r.counting && r.endCount()
	case share >= 1 && !r.measured:
		r.measured = true
		if r.counting && r.endCount() {
			r.count()
		}
	}
	if r.measured && !r.loaded && (r.config.Arrivals != Normalized || len(r.marks) > len(r.batches)) {
		r.loaded = true
		r.measureLoads()
		if !r.last && !r.clear() {
			r.doubt = true
			return true
		}
		return r.fallsShort()
	}
	return false
}

// endCount ends the time that is judged and reports whether messages under way became more in it.
func (r *run) endCount() bool {
	r.counting = false
	for i := range r.flows {
		r.flows[i].after = r.flows[i].under
	}
	return r.grows()
}

// grows reports whether in the time that is judged the copies under way of one kind became more by
// a share of those generated, and by more than chance: the messages under way vary as a Poisson
// number does, or more.
func (f *flow) grows(by float64) bool {
	more := float64(f.after.copies - f.before.copies)
	if f.begun.messages == 0 || more <= by*float64(f.begun.copies) {
		return false
	}
	each := float64(f.begun.copies) / float64(f.begun.messages)
	return more > grownDeviations*each*math.Sqrt(float64(f.before.messages+f.after.messages))
}

// grows reports whether the messages of one kind under way became more.
func (r *run) grows() bool {
	if r.config.Arrivals == Alone || r.config.Arrivals == Node {
		return false // every batch begins with an empty network
	}
	return r.flows[0].grows(grownShare) || r.flows[1].grows(grownShare)
}

// deliveredShare returns the share of the load that arises which is delivered: as a whole, and with
// confidence over batches, if they allow it.
func (r *run) deliveredShare() (whole float64, each metrics.Estimate) {
	var shares []float64
	var load, offered float64
	for i := range r.batches {
		if b := &r.batches[i]; b.offered > 0 {
			shares = append(shares, b.load/b.offered)
			load, offered = load+b.load, offered+b.offered
		}
	}
	return load / offered, metrics.MeanOf(shares)
}

// fallsShort reports whether the network delivers less than arises: for normalized arrivals in the
// mean, and otherwise outside the confidence interval.
func (r *run) fallsShort() bool {
	whole, each := r.deliveredShare()
	if r.config.Arrivals == Normalized {
		return whole < leastDelivered
	}
	return each.N > 1 && each.High < leastDelivered
}

// clear reports whether the measured time decides if the network carries the load: it delivers much
// less with confidence, or enough with confidence, messages under way hardly became more, and there
// were enough of each kind to see that.
func (r *run) clear() bool {
	_, each := r.deliveredShare()
	switch {
	case each.N < 2:
		return false
	case each.High < clearlyLess:
		return true
	}
	for i := range r.flows {
		f := &r.flows[i]
		if n := f.begun.messages; n > 0 && n < fewMessages || f.grows(hardlyGrown) {
			return false
		}
	}
	return each.Low >= leastDelivered && !r.counting
}
