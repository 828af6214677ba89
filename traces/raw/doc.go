// Package raw imports the recorder's raw recordings: one file per thread of fixed 40-byte records,
// plain or compressed in any way that package packed reads, with one counter of order stamps for
// all threads.
//
// There is one function, [Import], which reads files into a traces.Destination. A record,
// little-endian:
//
//	0   8  order stamp
//	8   8  virtual address; of an event, its code
//	16  8  physical address, 0 when the recorder saw none; of an event, its argument
//	24  8  pc of the instruction
//	32  4  guest instructions since the thread's previous record
//	36  1  kind bits: 1 store, 2 atomic, 4 LOCK prefix, 8 device, 16 fetch of a new line,
//	       32 piece of a REP string instruction, 128 event
//	37  1  log2 of the size in bytes
//	38  2  virtual CPU
//
// Rules:
//
//   - Files are ordered by the last number in their names; the first becomes core 0.
//   - Stamps increase within a file. All threads are merged by stamp, which gives the dependence
//     edges (package order) and the order in which pages first touch physical frames (package
//     frames).
//   - A LOCK instruction is one Atomic, whether the recorder made one record of it or a load and a
//     store.
//   - The pieces of a REP string instruction are real accesses and stay, with Instructions 0.
//   - An access that crosses a line becomes one per line.
//   - The first record of a thread counts its own instruction too, which the recorder's gap leaves
//     out.
//   - A saturated gap (2^32-1, an event stamped before the last access of its block) counts as 0;
//     up to one block's instructions are then counted twice.
//   - Device accesses are no memory accesses and are left out.
//   - Events are counted and left out. Thread starts and ends, futex waits and wakes of the
//     recording are the recording host's schedule; the order that the program relied on is in the
//     edges, because the memory that carries it (the futex words, the flags) is read and written.
//     Threads start together; none waits because it started late when it was recorded.
//
// The loop is in merge.go.
package raw
