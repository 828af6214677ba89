// Package workloads lists the workloads that a chip can replay, and opens them.
//
// A [Workload] is a row of the [Table], [Config] sizes the synthetic
// ones, and an [Opened] workload is a traces.Source with its [Info]. An [Application] is one of the
// twelve of the paper; package recipe records them.
//
// Laws: a workload is the same sequence of records for the same name and Config, on every machine
// and at every time; a synthetic workload is marked as such in its row and in its metadata.
//
// The embedded recording nas-is-s is real: the OpenMP C version of IS (integer sort) of the NAS
// Parallel Benchmarks 3.0, class S, 16 threads with passive waiting, statically linked for x86-64
// and run under qemu-x86_64 7.2 in user mode with "-cpu max" on one host core, so that the order
// stamps are exact. The region begins with the first entry of rank. The recorder took 250,000
// instructions per thread, which is seven rankings, part of an eighth, and 6.70 million records;
// embedded are the records with order stamps below 1,743,724: the first two rankings of all
// threads, each with its histogram, the barrier, and the phase in which thread 0 adds up what all
// others have counted. In this phase the threads communicate; between such phases they work on
// their own buckets. Two thirds of the accesses are single bytes: the program clears and copies its
// buckets with string instructions. Virtual pages have frames in order of first touch.
//
// The embedded recording nas-sp-s is SP (scalar pentadiagonal solver) of the same benchmarks,
// recorded in the same way from the first entry of adi, whole: 250,000 instructions per thread. Its
// threads share 30 times as many lines as those of IS. One host core ran all threads in turn, so
// its barriers show the futex traffic of an oversubscribed machine.
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
