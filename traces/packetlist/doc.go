// Package packetlist reads packets of other simulators in a plain form: a table of comma-separated
// values with a row for each packet.
//
//	cycle         in which the packet was sent, 0 or more; rows are in order of cycles
//	source        node that sends it, from 0
//	destinations  one node or more, with blanks between them
//	phits         length on a link, header included; or
//	bytes         length, which becomes as many phits as a network's width needs
//	class         message class, from 0; 0 where the table does not have it
//	depends_on    packets that must have arrived before this one is sent, by number: the first row
//	              after the names is packet 1; blanks between them, empty for none
//
// The columns may be in any order; class and depends_on may be missing, and so may one of phits and
// bytes. A packet depends on packets of earlier rows only.
//
// The first line names the columns, and all lines have as many fields. Numbers are decimal, or
// hexadecimal after 0x; they may end in .0, as programs write whole numbers of optional columns.
// There are no quotes and no blanks around fields. Empty lines and lines that begin with # are
// ignored, except that a line "# end 200" behind the rows says that there are 200 of them: without
// it, a list that is cut off at the end of a line looks complete. The last line needs no newline.
//
// A [Reader] makes [Packet]s of the rows. [Survey] reads a whole list and returns its [Head].
//
// Laws: one row is in memory at a time. An error names the file, the line and the column.
package packetlist
