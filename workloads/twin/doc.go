// Package twin measures recordings and makes synthetic twins of them: generators that load a chip like the
// recording does, from about a hundred kilobytes of parameters.
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
//     lines in powers of two, whether two others of its set have been touched since (sets.go), or a line that is new
//     to the core, or one that others have used since;
//   - where in its class most distances are (interval.go), so that a loop that finds each line at one distance does
//     so in the twin;
//   - distributions of the gaps between accesses in instructions, of sizes and of places in a line, and a
//     Markov chain over the distances of instruction fetches.
//
// Lines are of the sorts that the whole recording shows (lines.go): private; shared, which nobody writes; produced,
// which one core writes and others read; exchanged, which several write; and chains, which one core after another
// uses all the time: locks, flags, counters. The sorts have pools of as many lines as were found, in the sets of a
// cache in which the recording's lines were (footprint.go, runs.go, layout.go).
//
// What passes between cores has an order that a core's own statistics do not show:
//
//   - All edges of the recording, and all accesses to chains that others notice, happen at the same records as there
//     (schedule.go). So whoever comes last at a barrier still does, and all others wait for it.
//   - A producer writes its lines in turn. How many versions of them there are by each slice is a parameter, so
//     that readers, each of its own part of the lines, read what has been written and is left alone again
//     (versions.go).
//   - Lines that several cores write are read where others have written and the core itself has not, or, in programs
//     that read them in order to write them, taken by one core after the other (bring.go).
//   - A core writes to such a line only as long as others are unlikely to have seen it (stack.go).
//
// Laws:
//
//   - The same parameters, seed and sizes give the same records and edges, on every machine, in whatever order and
//     portions streams are read; floating point is used by the fit only.
//   - A core's stream is made without those of the others, in bounded memory and without allocation once buffers
//     have grown.
//   - Edges are acyclic together with program order: they are the recording's, or those of parameters that have been
//     checked, and twins of other lengths keep the order of records. Of a twin with fewer records, in proportion fewer
//     accesses to chains are left, but all edges.
//   - Who opens a twin says so: its metadata, and the tables and reports of runs, call it one.
//
// What is lost: which instruction does what, and all correlation longer than a transition, so that misses of twins
// come less in bursts than those of their recordings (mcf: 0.90 of the time). Where lines conflict the twin does not
// walk through a set as the recording does: ft reads and writes columns whose lines lie in one set and drive one
// another out before they have been used, which its twin (0.57 of the time, 0.67 of the misses) does too rarely. Of a
// recording with more than 8192 edges the shortest waits are lost, and chains are those that fit into 8192 events:
// nas-sp-s spins more than that, and its twin misses more often. Dependences are not in recordings, nor in twins.
//
// Tried, and not part of it: states that also tell what kind of burst is under way, by three far loads or stores among
// the last 32 accesses. They bring twolf (below) to 0.89, 1.05, 1.17 and is on mrr to 1.02, but ft to 0.50.
//
// How good twins are, as time over that of the recording on base and mrr, and the ratio of the two: bt 1.05, 1.07, 1.02;
// lu 1.04, 1.07, 1.02; sp 1.03, 1.06, 1.04; zeus 1.06, 1.07, 1.01; apache 1.03, 1.04, 1.01; oltp 1.02, 1.02, 1.01; gcc
// 1.05, 1.03, 0.98; jbb 0.96, 1.10, 1.15; where recordings saturate base, twolf 0.84, 1.10, 1.32 and is 1.41, 0.93,
// 0.66; on mrr alone mcf 0.90 and ft 0.57. Misses per instruction on mrr are 0.92 to 1.06 of the recording's, those of
// is 0.84 and of ft 0.67. carousel workload compare prints all that and more.
//
// The loops: (*collector).visit in collect.go for the fit, (*stream).record in stream.go for the generator. To add
// a twin: carousel workload fit, with --out into the folder fits.
package twin
