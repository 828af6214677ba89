// Package packetlist reads packets of other simulators in a plain form: a table of a row for each
// packet, as comma-separated values or whatever else gives [Rows].
//
//	cycle         in which the packet was sent, 0 or more; rows are in order of cycles
//	source        node that sends it, from 0
//	destinations  one node or more, with blanks between them in CSV
//	phits         length on a link, header included; or
//	bytes         length, which becomes as many phits as a network's width needs
//	class         message class, from 0; 0 where the table does not have it
//	depends_on    packets that must have arrived before this one is sent, by number: the first row
//	              after the names is packet 1; blanks between them, empty for none
//
// The columns may be in any order; class and depends_on may be missing, and so may one of phits and
// bytes. A packet depends on packets of earlier rows only.
//
// In CSV the first line names the columns, and all lines have as many fields. Numbers are decimal,
// or hexadecimal after 0x. There are no quotes and no blanks around fields. Empty lines and lines
// that begin with # are ignored. The last line needs no newline.
//
// [Rows] are a table read row by row, [CSV] makes them of text, and a
// [Reader] makes [Packet]s of them. [Survey] reads a whole list and returns its [Head].
//
// Laws: one row is in memory at a time. An error names the file, the line or record, and the
// column. To add a form: its Rows.
package packetlist
