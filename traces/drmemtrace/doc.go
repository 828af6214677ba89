// Package drmemtrace imports final offline traces of DynamoRIO's drmemtrace: one file per software
// thread.
//
// A file is entries of 12 bytes, little-endian: 2 bytes type, 2 bytes size, 8 bytes address or
// value. It may be compressed in any way that package packed reads, or be a zip archive whose
// members are chunks that follow each other. The types, as the header trace_entry.h of DynamoRIO
// numbers them:
//
//	0, 1                   read, write of size bytes at an address
//	2-9, 27, 32-46         prefetches
//	10-16, 31, 48, 49      an instruction of size bytes at an address; its accesses follow
//	17                     a bundle: size instructions follow the last one, their lengths are the address's bytes
//	18-21                  flushes
//	22, 23, 24             thread, exit of the thread, process: the address is its number
//	25, 26                 header with the version, footer
//	28                     marker: size is its kind, the address its value
//	29                     an instruction that is not fetched again: another turn of a string instruction
//	47                     size bytes of the next instruction's encoding, given when its address comes up first
//
// Rules:
//
//   - A thread becomes a core, in the order of the files. Threads of one process share an address
//     space, and pages get frames in order of first touch, file by file. Threads of several processes
//     on one core are refused.
//   - A file whose type has the bit 10000 hex is of a core, on which threads take turns: it becomes
//     that core. In older files threads take turns without this bit: each thread becomes a core.
//   - Files in folders window.0000, window.0001 and so on are windows of a trace; threads that a window
//     does not have do nothing in it.
//   - Another turn of a string instruction is no instruction of its own.
//   - A read and a write of the same bytes by one instruction are an Atomic where the encoding is
//     one of x86 with a LOCK prefix or an exchange with memory, or one of AArch64's compare and
//     swap or atomic memory operations. Of a pair of AArch64's exclusive load and store at one address,
//     the load stays a Load, and the store is an Atomic. Without encodings all stay loads and stores.
//   - Prefetches, flushes and accesses of no bytes are counted and left out.
//   - The format has no causes of an order between threads, but times now and then. If Times is set, edges
//     order the threads by them; otherwise threads have no order.
//   - A file begins with a header and ends with a footer. One without a header is not a final
//     trace, and one without a footer is cut off.
//
// The loop is in [Import].
package drmemtrace
