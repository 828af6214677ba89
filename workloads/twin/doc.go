// Package twin measures recordings and makes synthetic twins of them: generators that load a chip like the
// recording does, from a few ten kilobytes of parameters.
//
// There are only a few types: [Fit] turns a recording into [Parameters], which are counts; [New] turns parameters
// into a [Source] of records. [Lookup] finds the parameters that are part of the program, in the folder fits; each
// file says which recording it was measured on.
//
// The model. The recording is replayed in an order that its edges allow, by an estimated time, and cut into slices
// of equal time (replay.go). What a core does in a slice is a number of records in one of a few behaviours: groups
// of slices that look alike (cluster.go). A behaviour has
//
//   - a Markov chain over states: kind of access, and class (classes.go): its distance in the stack of the core's
//     lines in powers of two, or a line that is new to the core, or one that others have used since;
//   - distributions of the gaps between accesses in instructions, of sizes and of places in a line, and a
//     Markov chain over the distances of instruction fetches.
//
// Lines are of the sorts that the whole recording shows (lines.go): private; shared, which nobody writes; produced,
// which one core writes and others read; exchanged, which several write; and chains, which one core after another
// uses all the time: locks, flags, counters. The sorts have pools of as many lines as were found (layout.go),
// by the number of cores that touch one, and who reads whose produced lines is a matrix. Chains have events that
// all cores compute alike (schedule.go): each waits by an edge for the last write of its line, loads for the next
// write all together. The longest other wait of a core in each slice is an edge too.
//
// Laws:
//
//   - The same parameters, seed and sizes give the same records and edges, on every machine, in whatever order and
//     portions streams are read; floating point is used by the fit only.
//   - A core's stream is made without those of the others, in bounded memory and without allocation once buffers
//     have grown.
//   - Edges are acyclic together with program order: those of chains follow estimated time, waits look at earlier
//     slices only.
//   - Who opens a twin says so: its metadata, and the tables and reports of runs, call it one.
//
// What is lost: which instruction does what, and all correlation longer than a transition; addresses, but for their
// sharing and reuse; the exact order of synchronisation. Dependences are not in recordings, nor in twins. Where
// the time is spent in waiting for one another (nas-sp-s) a twin is faster than its recording, there by a fifth,
// because cores that a barrier lets go do not run on in step and collide less often at the same lines; the ratio of
// two routers' times is kept. Misses that come from many lines in one set of a cache are lost, too: the recording is
// has an L1 miss rate of 19 %, its twin one of 2.5 %, and 28 % of the time. carousel workload compare prints all that.
//
// The loops: (*collector).visit in collect.go for the fit, (*stream).record in stream.go for the generator. To add
// a twin: carousel workload fit, with --out into the folder fits.
package twin
