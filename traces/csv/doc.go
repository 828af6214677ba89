// Package csv reads and writes traces as comma-separated values, for tools that have no format of
// their own.
//
// A file is lines of the same number of fields; the first names the columns, in any order.
// Numbers are decimal, or hexadecimal after 0x. There are no quotes and no blanks around fields.
// Empty lines and lines that begin with # are ignored, with two exceptions. A first line
// "# cores 16" gives the number of cores. Words may follow: separate says that each core has an
// address space of its own; synthetic or mapped say where physical addresses are from; tickets says
// that counts of atomics and loads are used, and tries that loads may begin attempts. The word given
// says that replays give out tickets: then lines "# own CORE LINE" may follow, one for each own line
// of a core. The word ended says that the file has the line "# end ROWS".
// This line, behind the rows, gives the number of rows: a file that is cut off does not have it, or
// has fewer rows. [Export] writes both lines. A file without the word ended is read twice.
//
//	core        the core, or thread, from 0
//	gap         instructions since the core's previous record, its own included; 0 is the same instruction
//	kind        load, store, atomic, fetch, fence, lock, unlock, barrier, create, join, end
//	address     virtual byte address; of lock, unlock, barrier, create and join the number of the object or core
//	size        bytes accessed
//	physical    physical byte address
//	dependence  distance in accesses of the core back to the load that made this address; empty or 0 is none
//	count       how many cores meet at a barrier; of an atomic its ticket; of a load 1 if it polls,
//	            and 2 if it begins an attempt; of a fence 1 if the processor halts; of a join 1 if
//	            after has the record with which the thread ends; of an end what the core waits for, and
//	            address is then the core that it waits for
//	after       records of other cores that must come first, as core:position, several with blanks between them;
//	            positions count the records of a core from 0
//
// The first five are needed, except that physical may replace address. Where both are given,
// physical is what the chip sees and the pair goes to the page map; a record may then leave the
// address empty. Where only address is given, pages get frames in order of first touch.
//
// Accesses whose size is no power of two, or that cross a line of 64 bytes, are cut into pieces,
// unless the file has edges or dependences, which count records. Cores without an end get one. If
// only some cores have an end and no line says that the file is complete, it is refused as cut
// off. If no core has one, the trace gets a note that the file may be cut off, unless the file is
// compressed.
//
// The functions are [Import], [Export] and [Lost]. What Export writes, Import reads back record by
// record. Other metadata, and pages that no record touches, are lost: [Lost] names what matters.
package csv
