// Package metrics turns measurements into figures of merit: energy-delay products, values
// normalised to a baseline, means and confidence intervals.
//
// There are only a few types: an [Interval] is a mean with its 95 % confidence interval; [Pairs]
// holds ratios between runs of the same seed; a [Threshold] is where a search by bisection found a
// property to turn.
//
// Laws:
//
//   - Every function is pure, and depends on the order of its arguments at most in the last bits of
//     a sum.
//   - What cannot be known is absent, not zero: the interval of a single run, the mean of nothing,
//     the energy-delay product of a network that delivered nothing. Such functions return false
//     beside a NaN, and callers write null.
//   - Nothing of Carousel is imported.
//
// To add a metric: one function here, with its formula, unit and edge cases in its comment.
package metrics
