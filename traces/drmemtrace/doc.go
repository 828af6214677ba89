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
//   - A thread becomes a core, in the order of the files; a folder stands for the files *.trace* in
//     it or in its folder "trace", by name. Files of one process share an address space, and pages
//     get frames in order of first touch, file by file.
//   - Another turn of a string instruction is no instruction of its own.
//   - A read and a write of the same bytes by one instruction are an Atomic where the encoding is
//     one of x86 with a LOCK prefix or an exchange with memory. Without encodings they stay a load
//     and a store.
//   - Prefetches, flushes and accesses of no bytes are counted and left out; so is the order
//     between threads, of which the format has times now and then, but no causes.
//   - A file begins with a header and ends with a footer. One without a header is not a final
//     trace, and one without a footer is cut off.
//
// The loop is in [Import].
package drmemtrace
