// Package ttmetal reads the recordings that the profiler of Tenstorrent's TT-Metal software makes
// of a kernel: the requests of each processor to the two networks of the chip, and their times.
//
// A [Trace] is one file, a [Process] what one processor of one node did
// in it, an [Event] one thing that it did. [Parse] reads one file, [Open] files, folders and
// archives of them.
//
// # The file
//
// A JSON array of flat objects, one per event. Every event names its processor (proc), its node
// (sx, sy) and its time (timestamp, in cycles of a clock that all nodes share). An event of a
// network also has
//
//	noc        NOC_0 or NOC_1
//	type       what is asked for, see [Kind]
//	dx, dy     the other end, -1 where there is none; a read brings data from there
//	num_bytes  payload, 0 for barriers
//	vc         the virtual channel asked for, -1 for none in particular
//
// and a multicast has mcast_start_x, mcast_start_y, mcast_end_x and mcast_end_y instead of dx, dy.
// A zone is a part of a program: it has zone and zone_phase (begin or ZONE_START, end or ZONE_END)
// instead of those. Other keys are ignored.
//
// # Laws
//
//   - Events without a processor are the recorder's own (it empties its buffer): they are ignored,
//     and so is a repeated start of the kernel, which the recorder writes with the same time after
//     one of them.
//   - A SET_STATE event sends nothing; what it sets (the other end and the bytes) completes the
//     WITH_STATE events of the same processor, network and direction, until it is set again.
//   - Events of a processor are sorted by time; those of equal time keep their order.
//   - Times of a Trace count from its earliest event. Cycles, what the kernel took on the chip, is
//     the time of the last event less [Tail], what the vendor's own estimator allows between the
//     last event and the kernel's end.
//   - Packets over Ethernet to other chips, and files that mix chips, are refused: one chip is
//     simulated.
//   - A file that is damaged ends in a traces.Error that names the byte.
//
// The loop is in (*reader).all. To add a kind of event: a row of kinds.
package ttmetal
