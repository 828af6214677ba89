package messages

import (
	"math"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Saturation is judged for unicasts and multicasts apart: where there is one multicast for hundreds
// of unicasts, all of them may be stuck without the messages under way becoming many.
//
// A network is saturated if its messages under way grow, as traffic.Grows says, in the measured time, and once
// more while the load goes on for as long again; or if it delivers too little.
//
// The messages under way of a network near saturation vary much and take long to become as many as they will
// be. So a point with normalized arrivals that leaves in doubt whether the network carries the load is done
// again with batches of longBatch messages, whatever shorter length the first ones had.

// kind is that of a message.
type kind uint8

// The kinds.
const (
	toOne  kind = iota // unicast
	toMany             // multicast
	kinds
)

// amount is a number of messages and of their copies, one for each destination.
type amount struct{ messages, copies int }

// flow counts the messages of one kind since the beginning.
type flow struct{ generated, underWay amount }

// flows are those of each kind.
type flows [kinds]flow

// generate counts a message with so many destinations.
func (f *flow) generate(destinations int) {
	for _, a := range []*amount{&f.generated, &f.underWay} {
		a.messages++
		a.copies += destinations
	}
}

// copies returns how many copies have been generated since another time, and how many more are under way.
func (f *flows) copies(before *flows) (generated, more int) {
	for i := range f {
		generated += f[i].generated.copies - before[i].generated.copies
		more += f[i].underWay.copies - before[i].underWay.copies
	}
	return generated, more
}

// judgement is what a run knows of whether its network carries the load.
type judgement struct {
	flows         flows
	before, after flows // when the time that is judged began, and when it ended
	judging       bool  // it has begun, and not ended
	measured      bool  // the measured time has ended
	loaded        bool  // and what was delivered in it is known
	last          bool  // no longer batches will follow
	doubt         bool  // whether the network carries the load is left to longer batches
	saturated     bool
}

// The limits of a network that carries its load.
const (
	hardlyGrown     = traffic.SaturatedShare / 2 // of the copies generated: too few to become that share
	grownDeviations = 1                          // standard deviations of the copies under way
	leastDelivered  = 0.95                       // of the load that arises
	clearlyLess     = 0.85                       // of that load: no filling of the network is the reason
	fewMessages     = 50                         // of one kind; fewer say nothing
	longBatch       = 20_000                     // messages of a batch that decides what shorter ones leave in doubt
)

// judgeFromNow begins the time that is judged.
func (r *run) judgeFromNow() { r.judging, r.before = true, r.flows }

// endJudging ends it, and reports whether messages under way became more in it.
func (r *run) endJudging() bool {
	if !r.judging {
		return false
	}
	r.judging, r.after = false, r.flows
	return r.grows(traffic.SaturatedShare)
}

// isSaturated reports whether the network turns out not to carry the load: messages under way become more
// in the measured time and in as long again, or measured ones are still under way after that, or it
// delivers too little. Where longer batches can follow, it also ends a run that leaves this in
// doubt.
func (r *run) isSaturated(now noc.Cycle) bool {
	share := r.progress(now)
	if share >= 2 {
		r.doubt = r.owed > 0 && !r.last
		return r.owed > 0 || r.endJudging()
	}
	if share >= 1 && !r.measured {
		r.measured = true
		if r.endJudging() {
			r.judgeFromNow()
		}
	}
	if !r.measured || r.loaded || r.config.Arrivals == Normalized && len(r.marks) <= len(r.batches) {
		return false
	}
	r.loaded = true
	r.measureLoads()
	r.doubt = !r.last && !r.clear()
	return r.doubt || r.fallsShort()
}

// grows reports whether in the time that is judged the copies under way of one kind became more by
// a share of those generated, and by more than chance: the messages under way vary as a Poisson
// number does, or more.
func (r *run) grows(by float64) bool {
	if r.config.Arrivals == Alone || r.config.Arrivals == Node {
		return false // every batch begins with an empty network
	}
	for k := range kinds {
		before, after := &r.before[k], &r.after[k]
		messages, copies := after.generated.messages-before.generated.messages, float64(after.generated.copies-before.generated.copies)
		chance := grownDeviations * copies / float64(messages) * math.Sqrt(float64(before.underWay.messages+after.underWay.messages))
		if messages > 0 && traffic.Grows(float64(after.underWay.copies-before.underWay.copies), copies, by, chance) {
			return true
		}
	}
	return false
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
	for k := range kinds {
		if n := r.after[k].generated.messages - r.before[k].generated.messages; n > 0 && n < fewMessages {
			return false
		}
	}
	return each.Low >= leastDelivered && !r.judging && !r.grows(hardlyGrown)
}
