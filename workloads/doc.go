// Package workloads lists the workloads that a chip can replay, and opens them.
//
// A [Workload] is a row of the [Table], [Config] sizes the synthetic
// ones, and an [Opened] workload is a traces.Source with its [Info]. An [Application] is one of the
// twelve of the paper; package recipe records them.
//
// Laws: a workload is the same sequence of records for the same name and Config, on every machine
// and at every time; a synthetic workload is marked as such in its row and in its metadata.
//
// The embedded recordings nas-is-s and nas-sp-s are the beginnings of two NAS Parallel Benchmarks, an
// integer sort and a solver of equations; the origin in their metadata says how they were made. The
// threads of nas-is-s communicate in the phases in which one adds up what all have counted, and two
// thirds of its accesses are single bytes. The threads of nas-sp-s share 30 times as many lines. One
// host core ran all threads in turn, so the barriers have the futex traffic of an oversubscribed
// machine.
//
// The records of synthetic sources are made while they are read, in synthetic.go.
//
// The paper's applications are recordings of real programs, made by package recipe and embedded
// from the folder recorded: some windows of 16 cores each, from all over the execution, with what
// caches hold at the start of each. Their metadata says what program of which version and licence
// was recorded, on what input and how.
//
// To add a workload: add a row to the table, with a function that opens it. A synthetic one is a
// pattern: one function that writes a round of one core.
package workloads
