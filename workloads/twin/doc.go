// Package twin measures recordings and makes synthetic twins of them: generators that load a chip like the
// recording does, from 100 to 320 kilobytes of parameters.
//
// There are only a few types: [Fit] turns a recording into [Parameters], which are counts; [New] turns parameters
// into a [Source] of records. [Lookup] finds the parameters that are part of the program, in the folder fits; each
// file says which recording it was measured on.
//
// The model. The recording is replayed in an order that its edges allow, by an estimated time, and cut into slices
// of equal time (replay.go). What a core does in a slice is a number of records in one of a few behaviours: groups
// of slices that look alike (cluster.go). A behaviour has
//
//   - a chain of variable length over states (contexts.go): how dense misses have been of late, and as many of the
//     latest states as tell something, say what comes next. A state is a kind of access, and a class (classes.go): its
//     distance in the stack of the core's lines in powers of two, whether two others of its set have been touched since
//     (sets.go), and whether it is the line that was touched next after the last far one when that was touched before
//     (walk.go); or a line that is new to the core, or one that others have used since;
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
//     that read them in order to write them, taken by one core after the other (bring.go). They lie in the sets of the
//     recording in the order in which they are read there, and those that have been read first are written first.
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
// What is lost: which instruction does what, and what depends on more than the contexts that are worth their place, so that
// misses of twins still come a little less in bursts than those of their recordings. Where lines conflict the twin does
// not walk through a set exactly as the recording does: ft reads and writes columns whose 64 lines lie in four sets and
// drive one another out of the caches before the stores that wait for them are done. Its twin misses as often in a cache
// that does one access at a time (24.9 per thousand to 25.6), and waits for the same things, but not as often on the chip
// (0.67 of the misses, 0.62 of the time). Of a recording with more than 8192 edges the shortest waits are lost, and chains
// are those that fit into 8192 events: nas-sp-s spins more than that, and its twin misses more often. Dependences are not
// in recordings, nor in twins.
//
// Contexts that hold on for long make the number of misses of a slice a matter of chance, and all wait for the core that
// has most. So slices are short, unless that loses more than it gains: with 128 of them and 12 behaviours is took 1.56 of
// the recording's time on mrr, with 256 and 16 it takes 0.98; but sp on base 1.00 and 0.91, and oltp on mrr 1.04 and
// 1.06. These two have the former, which carousel workload fit takes as flags; all others have the latter.
//
// Tried, and not part of it: gaps as a part of states (contexts are as many as a file may have, and tell less), densities
// over 32 or 64 accesses in place of 16, more counts per file (oltp is the same), and for lines of which only a sample
// of sets is kept, two long pieces of their order in place of many short ones (ft is the same).
//
// How good twins are, as time over that of the recording on base and mrr, and the ratio of the two: bt 1.00, 1.02, 1.02;
// lu 0.98, 1.01, 1.02; sp 1.00, 1.04, 1.04; zeus 1.06, 1.08, 1.01; apache 1.04, 1.05, 1.01; oltp 1.02, 1.04, 1.03; gcc
// 1.05, 1.04, 0.99; jbb 0.94, 1.05, 1.12; twolf and is, which saturate base, 0.93, 1.04, 1.12 and 1.33, 0.98, 0.74. On
// mrr alone mcf 0.89 and ft 0.62. Misses per instruction on mrr are 0.90 to 1.05 of the recording's, those of ft 0.67.
// carousel workload compare prints all that and more.
//
// The loops: (*collector).visit in collect.go for the fit, (*stream).record in stream.go for the generator. To add
// a twin: carousel workload fit, with --out into the folder fits.
package twin
