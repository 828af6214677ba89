// Package experiment carries out studies: it plans runs, does them on several processors, prices their
// energy and writes the result tables.
//
// There are only a few types: a [Study] says what to compare; its Plan is a list of [Point]s, one per
// run; doing a point gives an [Outcome]; [Collect] turns outcomes into rows, and [Save] writes them with
// a [Manifest] that says how they came about.
//
// Laws:
//
//   - A run is single-threaded and depends on its point alone. Outcomes are in the order of the plan,
//     whatever the number of workers and whichever run ends first.
//   - A run that fails does not touch the others; an interrupted study keeps every finished run. The
//     rows of the others say so and hold nothing else.
//   - Points with equal keys have equal results: the key is a digest of everything that decides them.
//   - The clock of the host is measured and reported, never used.
//
// [Price] turns counters into energy; [Reprice] does it again for stored tables. Packages openloop (networks
// alone) and sweep (plans of many points) build on this one.
//
// The loop is Run in run.go. To add a measure: add a column in package tables and fill it in rows.go.
package experiment
