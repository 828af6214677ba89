// Package champsim imports ChampSim instruction traces: one file per core, plain or compressed in
// any way that package packed reads.
//
// There is one function, [Import], which reads files into a traces.Destination.
// An instruction is 64 bytes, little-endian:
//
//	0   8   address of the instruction
//	8   1   is a branch
//	9   1   branch taken
//	10  2   destination registers, 1 byte each
//	12  4   source registers
//	16  16  destination memory addresses, 8 bytes each
//	32  32  source memory addresses
//
// where zero is unused. Register 6 is the stack pointer, 25 the flags, 26 the instruction pointer. An
// instruction of 72 bytes has the type of its load in byte 64. One of CloudSuite has 96 bytes: four
// destination registers and, from byte 24, four destination addresses, four source addresses and in
// byte 88 the number of the address space, which is left out. (ChampSim's inc/trace_instruction.h.)
// The first [layout] of the table that fits the first instructions of a file is that of the file.
//
// Rules:
//
//   - An instruction in a new 64-byte line gives a Fetch of that line; its source addresses give
//     Loads and its destination addresses Stores, in this order. Branches give nothing else.
//   - The format has no sizes: every access is one of 8 bytes, cut at the end of its line.
//   - An access depends on the youngest load that a source register's value comes from, directly or
//     through other instructions' registers. The format does not tell address registers from data,
//     so a store may wait for its data; the stack pointer, the flags and the instruction pointer
//     carry nothing.
//   - Every file is a program of its own address space; there are no edges. The virtual pages of
//     all files get physical frames in order of first touch, the files taking turns by instruction,
//     the first file first.
//   - Flags are 0 or 1, unused bytes 0, and addresses canonical, as those of x86-64 are: bits 47 to 63
//     are equal. Anything else is refused, unless ImportConfig.Anyway is set.
//   - A file that does not end between two instructions is cut off, and an error.
//
// The loop is in [Import].
package champsim
