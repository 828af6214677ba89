// Package sweep does the points of a plan, each once, and keeps what is finished.
//
// There are only a few types: a [Point] is one simulation that a plan asks for, whatever it simulates; a
// [Store] is the directory in which finished points are kept; doing a point gives an [Outcome]. [OfChips],
// [OfTraffic] and [OfMessages] make points of the studies of packages experiment, openloop and messages.
//
// A directory of a sweep holds
//
//	plan.json          the points in order, with the values of the axes
//	points/KEY/        the tables of one finished point
//	*.arrow            the tables of all points
//	manifest.json      how they came about
//
// Laws:
//
//   - A finished point is never done again: its tables are written below a temporary name and renamed, so
//     a point is there whole or not at all, also after a crash.
//   - The tables of a sweep depend on its plan alone: not on the number of workers, on how often it was
//     stopped and continued, or on the shards in which it was done. They are always put together from the
//     kept points, in the order of the plan. The time that the host took stays with the points.
//   - One process works on a directory at a time; a second one is refused.
//   - A point that fails does not touch the others, and is done again when the sweep is continued.
//
// The loop is Run in run.go. To sweep another kind of study: write a function like OfTraffic.
package sweep
