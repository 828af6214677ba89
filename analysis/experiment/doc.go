// Package experiment runs the points of studies. Each point runs once; several run at the same
// time; finished points are kept.
//
// A [Point] is one simulation, whatever it simulates: a key, a label,
// and a function that returns rows of the result tables; [Run] does points and returns an
// [Outcome] for each; a [Store] keeps the rows of those that finish; [Collect] puts rows
// together, and a [Manifest] says how they came about. A [Study]
// compares chips; its points, and those of packages openloop (networks alone), packets (packet
// traces) and messages (software multicast) are done by the same Run.
//
// Laws:
//
//   - A point is single-threaded and depends on its configuration alone. Outcomes are in the order
//     of the points, whatever the number of workers and whichever ends first.
//   - A point that fails does not touch the others; an interrupted study keeps every finished
//     point. The rows of the others say so and hold nothing else. A model that panics ends its
//     point only, with the stack in the error.
//   - Points with equal keys have equal results: the key is a digest of everything that decides
//     them.
//   - The manifest says how many points a study has and how many its tables hold; see [Coverage].
//   - The clock of the host is measured and reported, never used.
//
// [Price] turns counters into energy; [Reprice] does it again for stored tables.
//
// The loop is Run in run.go. To simulate something else: write a function that returns a Point.
// To add a measure of chips: add a column in package tables and fill it in rows.go.
package experiment
