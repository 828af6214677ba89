// Package metrics estimates means and ratios of matched runs, with their confidence intervals.
//
// An [Estimate] is absent, a value, or a value with its 95 % interval;
// a [Sample] is what one run measured; a [Ratio] is that of runs that share seed, batch and window.
//
// Laws:
//
//   - Every function is pure, and depends on the order of its arguments at most in the last bits of
//     a sum.
//   - What cannot be known is absent, not zero: the interval of a single run, the mean of nothing.
//   - [Estimate.Text] alone writes estimates for people. It writes an interval that is too wide to
//     be useful in words, not as a number.
//   - Nothing of Carousel is imported.
//
// The ratio of two routers in an execution is [TotalRatio]; that of latencies, loads and the other
// means of a run is [MeanRatio]. To add a metric: one function here, with its formula, unit and edge
// cases in its comment.
package metrics
