package traces

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
)

// The native format, byte by byte. All integers are little-endian; crc is CRC-32C (Castagnoli).
//
// Head, once, at offset 0:
//
//	8   magic C7 43 52 53 4C 0D 0A 1A: a byte outside ASCII, "CRSL", CR LF, SUB, so that a transfer in
//	    text mode shows up at once
//	2   major version: readers refuse a higher one. 6 where loads may begin attempts to change a
//	    word, 5 where atomics may be tickets and loads may poll, 4 where windows have states of a
//	    program, 3 where the metadata tells of other windows, else 1; 2 was that of files with
//	    what accesses read and wrote, which are refused
//	2   minor version: higher ones add things that may be ignored
//	4   length of the JSON
//	n   JSON of Metadata
//	4   crc of all bytes before
//
// Blocks follow in any order of cores; the blocks of one stream and core are in order. One block:
//
//	4   magic "CBLK"
//	1   stream: 1 records, 2 edges, 3 pages, 5 timestamps, 6 states
//	1   codec: 1, the columns below
//	2   core; of the n-th window, from 0, its number and n times the cores of the trace
//	8   position in its stream of the block's first entry
//	8   instructions of the core before the block (0 for streams other than records)
//	4   entries
//	8   instructions of the block's records (0 for streams other than records)
//	2   columns
//	10  per column: 1 id, 1 compression (0 none, 1 a zstd frame), 4 plain length, 4 stored length
//	4   crc of the stored columns
//	4   crc of the block's bytes so far
//	n   the stored columns, in order
//
// Predictors start from zero in each block. Columns of length 0 are left out.
//
// Columns of records. A code names a shape, which is all of a record but its address and
// dependence:
//
//	1   shapes: at most 255 rows of 8 bytes: 1 kind, 1 size (of a lock 0 where cores spin, 1 where they
//	    sleep), 2 count, 4 instructions
//	2   one byte per record: row of the record's shape, or 255 for the next literal
//	3   literal shapes, 8 bytes each
//	4   steps: at most 12 rows of 8 bytes, signed
//	5   one byte per record: the low four bits name one of 16 slots, the high four bits a class. The
//	    record's address is the slot's old value plus a signed difference, and becomes the slot's new
//	    value. Classes 0 to 11 take the difference from the steps; 12, 13, 14 and 15 take the next of
//	    1, 2, 4 and 8 bytes of columns 6, 7, 8 and 9
//	10  dependences, absent when all are 0: the low bytes of all records, then the high bytes
//
// Slots follow the streams of a program (its arrays, its stack, its code), as the eight most
// recently used addresses do, but the encoder alone decides which one a record uses; the decoder
// has nothing to search or to move.
//
// Columns of edges, each value a varint: 1 difference of At to the previous edge, 2 producer, 3
// difference of Position to the previous edge of the same producer, zigzag.
//
// Columns of pages, each value a varint: 1 difference of the virtual page number to the previous
// one, zigzag; 2 difference of the physical frame number to the previous one, zigzag.
//
// Timestamps are of a window, in blocks of its core 0. An entry is a block of memory that a cache
// touched before the window, in the order of these last touches; numbers of entries count from 0 in
// each block. Columns: 1 and 2 the low and the high bytes of the caches' numbers, the high ones
// absent when all are 0; 3 a byte of flags per entry; 4 per entry a varint, the difference of its
// block number to that of the same cache's previous entry, zigzag; 5 the depths that the order
// alone does not give, each as three varints: difference of the entry's number to the previous one,
// log2 of the sets, depth.
//
// States are of a window, too: bytes that only what executes the program understands, in entries of
// 4,096, of which the last may be shorter, and at most 256 in a block. Column 1 has the bytes.
//
// The index follows the last block: a zstd frame of
//
//	4   rows
//	36  per block: 8 offset, 4 stored length, 1 stream, 1 zero, 2 core, 8 first position, 8 instructions
//	    before, 4 entries
//	4   length of the JSON
//	n   JSON of the CoreTotals of all cores, with notes, and with what a replay needs to give out tickets
//
// and the trailer, the last 28 bytes:
//
//	8   offset of the index
//	4   stored length of the index
//	4   plain length of the index
//	4   crc of the index and the 16 bytes before
//	8   magic 1A 0A 0D 4C 53 52 43 C7
const (
	headMagic    = "\xC7CRSL\r\n\x1a"
	trailerMagic = "\x1a\n\rLSRC\xC7"
	blockMagic   = "CBLK"

	// MajorVersion is the highest version of the format that is read. A file is written as the
	// lowest version that has all that is in it.
	MajorVersion = 6
	MinorVersion = 0
	// valuesVersion is that of files with what accesses read and wrote.
	valuesVersion = 2

	headBytes        = 16 // before the JSON
	blockBytes       = 38 // before the columns' descriptions
	columnBytes      = 10
	blockCheckBytes  = 8
	indexRowBytes    = 36
	trailerBytes     = 28
	codecColumns     = 1
	compressionNone  = 0
	compressionZstd  = 1
	shapeBytes       = 8
	literalShape     = 255
	stepRows         = 12
	deltaWidths      = 4
	slotCount        = 16
	limitJSON        = 1 << 22
	limitEntries     = 1 << 18 // per block
	limitColumns     = 16
	limitTotals      = 1 << 10 // JSON of a core
	limitNotes       = 8 << 10 // notes beside the totals, as JSON
	limitOwnLines    = 16 << 10
	limitOwn         = 24 * limitOwnLines // own lines beside the totals, as JSON
	limitCores       = 1 << 16
	limitBlockStored = 1 << 24
)

// Columns of record blocks.
const (
	columnShapes      = 1
	columnShapeCodes  = 2
	columnLiterals    = 3
	columnSteps       = 4
	columnAddresses   = 5
	columnFirstDelta  = 6 // 6, 7, 8, 9: 1, 2, 4, 8 bytes
	columnDependences = 10
)

// Columns of edge and page blocks.
const (
	columnFirst  = 1
	columnSecond = 2
	columnThird  = 3
)

// Columns of timestamp blocks.
const (
	columnCachesLow  = 1
	columnCachesHigh = 2
	columnFlags      = 3
	columnBlocks     = 4
	columnDepths     = 5

	// depthBytes is the most that the depths of an entry take: one for each power of two up to the
	// limit.
	depthBytes = 8 * (limitLog2Sets + 1)
)

// Stream says what kind of entries a block holds.
type Stream uint8

// The streams of a file.
const (
	RecordStream Stream = 1
	EdgeStream   Stream = 2
	PageStream   Stream = 3
	// TimestampStream holds what caches touched before a window.
	TimestampStream Stream = 5
	// StateStream holds the state of a program at the start of a window.
	StateStream Stream = 6

	lastStream = StateStream
)

var streamNames = map[Stream]string{RecordStream: "records", EdgeStream: "edges", PageStream: "pages", TimestampStream: "timestamps", StateStream: "states"}

// String returns the stream's name in metadata and messages.
func (s Stream) String() string { return cmp.Or(streamNames[s], "unknown stream") }

var (
	castagnoli   = crc32.MakeTable(crc32.Castagnoli)
	littleEndian = binary.LittleEndian
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// blockRow is what the index keeps of a block.
type blockRow struct {
	offset       uint64
	stored       uint32 // header and columns
	stream       Stream
	core         uint16
	first        uint64
	instructions uint64 // before the block
	entries      uint32
}

type blockHead struct {
	blockRow
	covered uint64 // instructions of the block
	columns []column
	payload uint32 // crc
}

// column is one column of a block: plain while encoding and after decoding, stored in between.
type column struct {
	id          uint8
	compression uint8
	plain       uint32
	stored      uint32
}

func headLength(columns int) int { return blockBytes + columns*columnBytes + blockCheckBytes }

// appendBlockHead writes the header; the crc of the payload is known.
func appendBlockHead(b []byte, h *blockHead) []byte {
	start := len(b)
	b = append(b, blockMagic...)
	b = append(b, byte(h.stream), codecColumns)
	b = littleEndian.AppendUint16(b, h.core)
	b = littleEndian.AppendUint64(b, h.first)
	b = littleEndian.AppendUint64(b, h.instructions)
	b = littleEndian.AppendUint32(b, h.entries)
	b = littleEndian.AppendUint64(b, h.covered)
	b = littleEndian.AppendUint16(b, uint16(len(h.columns)))
	for _, c := range h.columns {
		b = append(b, c.id, c.compression)
		b = littleEndian.AppendUint32(b, c.plain)
		b = littleEndian.AppendUint32(b, c.stored)
	}
	b = littleEndian.AppendUint32(b, h.payload)
	return littleEndian.AppendUint32(b, checksum(b[start:]))
}

// parseBlockHead reads a header from the start of b, and returns what is wrong with it. It reuses
// h.columns.
func parseBlockHead(b []byte, h *blockHead) (length int, problem string) {
	if len(b) < headLength(0) {
		return 0, "the block's header is cut off"
	}
	if string(b[:4]) != blockMagic {
		return 0, "no block starts here"
	}
	n := int(littleEndian.Uint16(b[36:]))
	if n > limitColumns {
		return 0, "the block has too many columns"
	}
	length = headLength(n)
	if len(b) < length {
		return 0, "the block's header is cut off"
	}
	if checksum(b[:length-4]) != littleEndian.Uint32(b[length-4:]) {
		return 0, "the checksum of the block's header is wrong"
	}
	h.stream, h.core = Stream(b[4]), littleEndian.Uint16(b[6:])
	h.first, h.instructions = littleEndian.Uint64(b[8:]), littleEndian.Uint64(b[16:])
	h.entries, h.covered = littleEndian.Uint32(b[24:]), littleEndian.Uint64(b[28:])
	h.payload = littleEndian.Uint32(b[length-8:])
	if b[5] != codecColumns {
		return 0, "the block's codec is not known"
	}
	if h.entries == 0 || h.entries > limitEntries || h.stream == StateStream && h.entries > statesPerBlock {
		return 0, "the block's number of entries is out of range"
	}
	h.columns = h.columns[:0]
	total, plain := uint64(length), uint64(0)
	for p := b[blockBytes : length-blockCheckBytes]; len(p) > 0; p = p[columnBytes:] {
		c := column{id: p[0], compression: p[1], plain: littleEndian.Uint32(p[2:]), stored: littleEndian.Uint32(p[6:])}
		if problem := checkColumn(c, h); problem != "" {
			return 0, problem
		}
		h.columns = append(h.columns, c)
		total += uint64(c.stored)
		plain += uint64(c.plain)
	}
	// Only depths can be as long as the widest; the columns beside them have at most ten bytes for
	// each entry.
	if most := (h.stream.widest()+10*limitColumns)*uint64(h.entries) + 4096*limitColumns; total > limitBlockStored || plain > most {
		return 0, "the block is too long"
	}
	h.stored = uint32(total)
	return length, ""
}

// widest returns how many bytes an entry of a stream may take in a column.
func (s Stream) widest() uint64 {
	switch s {
	case TimestampStream:
		return depthBytes
	case StateStream:
		return StateBytes
	}
	return 10
}

// checkColumn bounds a column before memory is set aside for it.
func checkColumn(c column, h *blockHead) string {
	n := len(h.columns)
	switch {
	case c.id == 0 || c.id > limitColumns || n > 0 && h.columns[n-1].id >= c.id:
		return "the block's columns are not in order"
	case c.plain == 0 || uint64(c.plain) > h.stream.widest()*uint64(h.entries)+4096:
		return "a column's length is out of range"
	case c.compression > compressionZstd:
		return "a column's compression is not known"
	case c.compression == compressionNone && c.stored != c.plain:
		return "a column's lengths differ"
	}
	return ""
}
