// Package traces reads and writes compressed memory traces of real programs. A trace has one stream
// of records for each core of a chip.
//
// A [Record] is one step of a core's program, an [Edge] orders it after a step of another core, a
// [Source] gives both to a replay. A [File] is a source on disk, a [Memory] one in slices; a
// [Writer] makes files. [Metadata] says where a trace comes from, [CoreTotals] what is in it.
//
// A trace has one or several windows of a longer execution, each a trace by itself: [File.Window]
// gives it. A window begins and ends at a moment of the execution, in estimated time, so that all
// cores begin together and end together. Its [Timestamps] say what any caches, up to a
// [CacheLimit], hold at its start. Package timestamps makes them and reads the content of caches
// from them; package sample draws windows from a long trace. To write a trace with windows, list
// them in Metadata.Windows, set Metadata.Timestamps, write core c of window w as core w*Cores+c,
// and its timestamps by [Writer.WriteTimestamps].
//
// Laws:
//
//   - The package imports no other part of Carousel.
//   - What was written is what is read, record by record. A file that is cut at any byte, or has
//     any byte changed, gives an [Error] that names the place, never other records and never a
//     panic.
//   - Blocks decode independently, in constant memory, and without allocation after warm-up.
//   - Edges are acyclic together with program order: [Check] replays a source without timing to
//     prove it.
//   - Order between cores comes from edges and synchronisation records only. Nothing waits because
//     it waited when it was recorded: the recording host's schedule is not the program.
//   - A replay decides which core takes a lock first. So a core that holds locks should wait only
//     for other locks, taken in an order without cycles: otherwise cores may wait for each other in
//     some replays, although [Check], which tries one order, came to the end.
//
// An importer of foreign files is a function of the type [Importer]; package formats has a table of
// them.
//
// The loops: encode and readRecords in recordcodec.go, the timeless replay in check.go, which
// verify.go feeds. format.go specifies the file byte by byte. [Slice] cuts a part out, which may be
// what is whole of a damaged file; a [Range] is read from the middle.
//
// Below this package: packed opens files whatever their compression, assemble makes streams of
// records that come in any order, serial those of one program's lines,
// frames and order give what recordings lack; csv is the format for tools that have none of their
// own, inspect says what a trace holds, and netrace reads packets, which are no trace of cores.
//
// To add a foreign format: write a package below this one with an [Importer] that turns its files
// into calls of an assemble.Builder or a Writer, and add one line to the table in traces/formats.
package traces
