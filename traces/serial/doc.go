// Package serial holds the common part of the importers of text traces. Each file is one
// single-threaded program, and each line names an access, in program order.
//
// There are two types: a [Core] takes a program's instructions and accesses and makes records of
// them; a [Format] says how a line calls it. [Import] is the loop: lines of every file, one file
// per core.
//
// Rules:
//
//   - Every file is a program of its own address space; there are no edges. Virtual pages get
//     physical frames in order of first touch, file by file.
//   - A fetch is a record where its line differs from that of the fetch before.
//   - An access becomes as few aligned-by-line pieces of 1, 2, 4, ... 64 bytes as cover it exactly;
//     pieces after the first have Instructions 0.
//   - Files may be compressed in any way that package packed reads. Errors name the line and its
//     byte offset, decompressed.
//
// To add a format of this kind, write a package with a Format and a line in traces/formats;
// packages lackey and din are examples.
package serial
