// Package sample draws windows from a long trace, each with the cache contents at its start.
//
// There is one type, [Config], and one function, [Draw], which reads the trace twice, in the order
// of an estimated time: first to place the windows, then to write them.
//
// Laws:
//
//   - Windows are drawn at random, one of each of equal groups of similar possible windows, so that none of the phases
//     of a program is left out by chance. Windows at equal distances would all hit the same phase of a program
//     that repeats itself. Each is drawn as often as any other, so sums over windows estimate sums over the program.
//   - Where all cores meet at barriers often enough, a window goes from one such barrier to another:
//     it is the shortest sequence of intervals of at least the wanted length. Groups have similar lengths.
//     Long parts before the first barrier and after the last one are divided into pieces of that length.
//   - Otherwise, as the trace then records, a window begins and ends at a moment of the estimated
//     time, and all windows have the same length in it. A part of the execution is in windows in
//     proportion to its time, however few records it has. Groups have similar numbers of records: where cores
//     miss more often, they execute fewer records in the same time. Windows that would have to share one
//     record are refused.
//   - Where no length is given, it is chosen by misses: the state of caches and protocol changes with misses, and
//     a window must be long against such changes.
//   - What a record of a window waits for, an edge, a barrier or the end of another core, is in the
//     window or before it, so that every window can be replayed by itself.
//   - Only a part of each window is measured. What comes before it brings caches, protocol, timeouts and
//     network into the state of the program; what follows it keeps cores busy that are faster than the
//     estimated time says. So windows may overlap, but not the parts.
//   - The memory timestamp record of a window is that of all accesses before it, including those to
//     words of locks, after the caches' contents at the start of the trace, if it has them.
//   - Equal traces, configurations and seeds give equal windows.
//
// The estimated time of a core moves on by a quarter of a cycle for every instruction and by the
// latency of every access that misses in an L1 of two ways or in the L2, but for data that are
// missed within a reorder window of another miss and do not depend on it. A part of the latency is
// random, so that cores do not stay in step. A core that waits
// continues at the time at which the record that it waits for was passed. Cores run in turns of a
// few hundred cycles, the one that is furthest behind first.
//
// At the borders of a window, an unlock of a lock that was taken before it is left out, and a lock
// that is still held at the end is released. The loop is run in walk.go; survey.go places windows.
package sample
