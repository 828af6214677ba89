// Package synchrotrace imports the event traces of Sigil2's SynchroTraceGen: one text file per
// thread, and a file that names threads and barriers.
//
// Files are called sigil.events.out-N, with or without .gz, N from 1; sigil.pthread.out stands
// beside them. A line of an events file is one event:
//
//	@ 5,2,1,1 $ 0x10 0x17 * 0x20 0x27
//	    5 integer and 2 floating-point operations, 1 read and 1 write; the bytes written ($) and read (*), both
//	    ends included
//	# 2 17 0x30 0x37
//	    a read of bytes that event 17 of thread 2 has written; several may follow each other
//	^ 1^0x7f00
//	    a call: 1 lock, 2 unlock, 3 create, 4 join, 5 barrier, 6 wait for a condition (with &MUTEX), 7 signal,
//	    8 broadcast, 9 spin lock, 10 spin unlock
//	! 4096
//	    so many instructions have passed; no event, and left out
//
// Events have the numbers 0, 1, 2, ... of their thread. This is the second version (Sigil2's -l
// textv2). In the first one (-l text, the default) the number and the thread stand in front, and a
// call has the word pth_ty:
//
//	0,1,5,2,1,1 $ 0x10 0x17 * 0x20 0x27
//	1,1 # 2 17 0x30 0x37
//	2,1,pth_ty:1^0x7f00
//
// Lines of sigil.pthread.out are ##ADDRESS,THREAD for a created thread and **ADDRESS,THREAD,THREAD,...
// for a barrier. Older recorders end a list with a comma, this file with lines such as "Total
// instructions: 5000", and a file of events with "IOP_cnt: 142" and "FLOP_cnt: 0"; these are left out.
//
// Rules:
//
//   - Thread N is core N-1. All share one address space; pages get frames in order of first touch,
//     thread by thread.
//   - The order of accesses within an event and repeated accesses to the same bytes are not in the
//     format. Each range becomes accesses of up to 8 bytes that cover it once, reads and writes in
//     turns, and the event's operations, reads and writes are its instructions, spread evenly.
//   - A read of another thread's bytes is a Load with an edge to the last record of the event that
//     wrote them. If both are within critical sections of one lock, the edge leads to the record
//     that takes the lock: a replay decides the order of locks, and must not give this one to the
//     reader first.
//   - Calls become records. Repeated locks of a holder, unlocks of others, barriers and threads
//     that sigil.pthread.out does not name, signals and broadcasts are counted and left out;
//     waiting for a condition releases the mutex and takes it again.
//
// Memory grows by 8 bytes per event, and 40 per read of another thread's bytes. The format and the numbers
// of calls are those of Sigil2 (later named Prism); the older Sigil numbers spin locks 8 and 9.
package synchrotrace
