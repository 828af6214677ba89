package traces

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// ReaderConfig bounds what a trace may touch.
type ReaderConfig struct {
	// MemoryBytes is the size of the memory: an access at or above it is an error.
	MemoryBytes uint64
	// Passed, if not nil, is called with the size in the file of each block that is read; an error
	// that it returns ends the reading. It is called by every goroutine that reads.
	Passed func(bytes int) error
}

// DefaultReaderConfig returns a configuration with a memory of 4 GiB.
func DefaultReaderConfig() ReaderConfig { return ReaderConfig{MemoryBytes: 4 << 30} }

// File is a trace on disk, or in a piece of memory: a [Source] of its records and edges. Of a trace
// with several windows it gives the first one, unless it comes from [File.Window]. Its methods are
// for one goroutine; [File.Again] reads it twice at the same time.
type File struct {
	name      string
	from      io.ReaderAt
	closer    io.Closer
	size      int64
	config    ReaderConfig
	metadata  Metadata
	totals    []CoreTotals // of the window; nil when the index was rebuilt
	allTotals []CoreTotals // of all windows
	index     []blockRow
	blocks    int64   // offset of the first block
	streams           // of the window
	whole     streams // of all windows
	window    int
	own       [][]uint64 // per core, if replays give out tickets
	version   [2]uint16
	zstd      *zstd.Decoder
	stored    []byte // a block as stored, for all streams
	head      blockHead
	columns   columns
	spare     *recordDecoder // of a core that has been read
}

// blockStream is the reading position in one stream of a core.
type blockStream struct {
	rows     []int32 // of the index
	next     int     // row to read next
	position uint64  // entries read
	plain    []byte  // the block's columns
	offset   int64   // of the block
}

// recordStream is the reading position in one core's records.
type recordStream struct {
	blockStream
	decoder *recordDecoder // nil until a block is read: it is larger than all else that is kept of a core
}

// edgeStream is the reading position in one core's edges.
type edgeStream struct {
	blockStream
	decoder edgeDecoder
}

// Open opens a trace file, reads its head and index and checks that they agree.
func Open(path string, c ReaderConfig) (*File, error) {
	f, size, err := openSized(path)
	if err != nil {
		return nil, err
	}
	t, err := openFrom(path, f, size, c)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.closer = f
	return t, nil
}

// OpenReader opens a trace of the given size that is not a file of its own.
func OpenReader(from io.ReaderAt, size int64, c ReaderConfig) (*File, error) {
	return openFrom("", from, size, c)
}

func openSized(path string) (*os.File, int64, error) {
	f, err := wholefile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file; name a trace file", path)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func openFrom(name string, from io.ReaderAt, size int64, c ReaderConfig) (*File, error) {
	f, err := openHead(name, from, size, c)
	if err != nil {
		return nil, err
	}
	if err = f.readIndex(); err == nil {
		err = f.arrange()
	}
	if err != nil {
		f.zstd.Close()
		return nil, err
	}
	return f, nil
}

func openHead(name string, from io.ReaderAt, size int64, c ReaderConfig) (*File, error) {
	f := &File{name: name, from: from, size: size, config: c}
	head := make([]byte, headBytes)
	n, err := f.readAt(head, 0)
	if n == 0 && err == nil {
		return nil, f.fault(0, ErrTruncated, "the file is empty", "record or import it again")
	}
	if err != nil {
		return nil, err
	}
	if magic := head[:min(n, 8)]; string(magic) != headMagic[:len(magic)] {
		return nil, f.fault(0, ErrNotATrace, "it does not start as a trace does", "carousel trace import converts other formats")
	}
	if n < headBytes {
		return nil, f.fault(int64(n), ErrTruncated, "the file ends within its head", "")
	}
	f.version = [2]uint16{littleEndian.Uint16(head[8:]), littleEndian.Uint16(head[10:])}
	switch v := f.version[0]; {
	case v > MajorVersion:
		return nil, f.fault(8, ErrVersion, fmt.Sprintf("version %d, and this program reads up to %d", v, MajorVersion), "use a newer Carousel")
	case v == valuesVersion:
		return nil, f.fault(8, ErrVersion, "version 2, with what accesses read and wrote, was removed", "record or import it again")
	}
	length := littleEndian.Uint32(head[12:])
	if length > limitJSON {
		return nil, f.fault(12, ErrCorrupt, "the length of the metadata is out of range", "")
	}
	f.blocks = headBytes + int64(length) + 4
	if f.blocks > size {
		return nil, f.fault(size, ErrTruncated, "the file ends within its metadata", "")
	}
	head = append(head, make([]byte, length+4)...)
	if _, err := f.readAt(head[headBytes:], headBytes); err != nil {
		return nil, err
	}
	if checksum(head[:len(head)-4]) != littleEndian.Uint32(head[len(head)-4:]) {
		return nil, f.fault(0, ErrCorrupt, "the checksum of the head is wrong", "")
	}
	if err := json.Unmarshal(head[headBytes:len(head)-4], &f.metadata); err != nil {
		return nil, f.fault(headBytes, ErrCorrupt, "the metadata is not JSON: "+err.Error(), "")
	}
	f.metadata.printable()
	if err := f.metadata.Validate(); err != nil {
		return nil, f.fault(headBytes, ErrCorrupt, err.Error(), "")
	}
	f.zstd = newDecoder()
	return f, nil
}

// newDecoder makes a decoder of columns. Only options that do not exist are errors.
func newDecoder() *zstd.Decoder {
	z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true), zstd.IgnoreChecksum(true))
	return z
}

// readAt fills b as far as the file goes.
func (f *File) readAt(b []byte, offset int64) (int, error) {
	n, err := f.from.ReadAt(b, offset)
	if err == io.EOF {
		err = nil
	}
	if err != nil {
		return n, fmt.Errorf("%s: byte %d: %w", f.name, offset, err)
	}
	return n, nil
}

func (f *File) fault(offset int64, condition error, problem, hint string) error {
	return &Error{File: f.name, Window: f.windowNumber(), Core: -1, Offset: offset, Problem: problem, Hint: hint, Err: condition}
}

// Metadata says where the trace comes from.
func (f *File) Metadata() Metadata { return f.metadata }

// Totals counts what each core's streams hold, as the writer did.
func (f *File) Totals() []CoreTotals { return f.totals }

// Created reports whether a Create record starts the core.
func (f *File) Created(core int) bool { return f.totals != nil && f.totals[core].Created }

// KeptTickets counts the tickets of a part of a trace that gives them out. In a replay of the part
// each core keeps those that it had in the recording.
func (f *File) KeptTickets(part []CoreTotals) []Count {
	if _, gives := f.Tickets(); !gives {
		return nil
	}
	return []Count{{"tickets that stay with their cores", Survey{Totals: part}.Sum().Tickets}}
}

// Tickets implements [Ticketed].
func (f *File) Tickets() (own [][]uint64, ok bool) { return f.own, len(f.own) == f.metadata.Cores }

// Version returns the version of the format, such as "1.0".
func (f *File) Version() string { return fmt.Sprintf("%d.%d", f.version[0], f.version[1]) }

// Size returns the length of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Cores returns the number of streams of records.
func (f *File) Cores() int { return f.metadata.Cores }

// Close closes the file.
func (f *File) Close() error {
	f.zstd.Close()
	if f.closer != nil {
		return f.closer.Close()
	}
	return nil
}

// Rewind starts all streams again.
func (f *File) Rewind() {
	for i := range f.records {
		s := &f.records[i]
		s.next, s.position = 0, 0
		s.decoder.drop()
	}
	for i := range f.edges {
		s := &f.edges[i]
		s.next, s.position, s.decoder.count = 0, 0, 0
	}
}

func (f *File) readIndex() error {
	if f.size < f.blocks+trailerBytes {
		return f.fault(f.size, ErrTruncated, "the file has no index", copyHint)
	}
	at := f.size - trailerBytes
	tail := make([]byte, trailerBytes)
	if _, err := f.readAt(tail, at); err != nil {
		return err
	}
	if string(tail[20:]) != trailerMagic {
		return f.fault(f.size, ErrTruncated, "the file does not end with an index", copyHint)
	}
	offset, stored, length := littleEndian.Uint64(tail), littleEndian.Uint32(tail[8:]), littleEndian.Uint32(tail[12:])
	if offset < uint64(f.blocks) || offset+uint64(stored) != uint64(at) {
		return f.fault(at, ErrCorrupt, "the trailer points outside the file", copyHint)
	}
	if uint64(length) > f.longestIndex(offset-uint64(f.blocks)) {
		return f.fault(at, ErrCorrupt, "the trailer claims a longer index than the blocks of the file can have", copyHint)
	}
	b := make([]byte, int(stored)+16)
	if _, err := f.readAt(b, int64(offset)); err != nil {
		return err
	}
	if checksum(b) != littleEndian.Uint32(tail[16:]) {
		return f.fault(int64(offset), ErrCorrupt, "the checksum of the index is wrong", copyHint)
	}
	plain, err := f.zstd.DecodeAll(b[:stored], make([]byte, 0, length))
	if err != nil || len(plain) != int(length) {
		return f.fault(int64(offset), ErrCorrupt, "the index does not decompress", copyHint)
	}
	return f.parseIndex(plain, int64(offset))
}

// longestIndex is the most bytes that the index of so many bytes of blocks takes. It bounds the
// memory that is set aside before the index has been read: each row is of a block, and each core of
// a window has a block of its own.
func (f *File) longestIndex(blocks uint64) uint64 {
	rows := blocks / uint64(headLength(0))
	return 8 + limitNotes + limitOwn + rows*indexRowBytes + min(rows, uint64(f.metadata.streams()))*limitTotals
}

func (f *File) parseIndex(b []byte, offset int64) error {
	damaged := func(problem string) error { return f.fault(offset, ErrCorrupt, problem, copyHint) }
	if len(b) < 8 {
		return damaged("the index is too short")
	}
	rows := uint64(littleEndian.Uint32(b))
	if b = b[4:]; uint64(len(b)) < rows*indexRowBytes+4 {
		return damaged("the index is too short")
	}
	f.index = make([]blockRow, rows)
	next := uint64(f.blocks)
	for i := range f.index {
		r := readIndexRow(b[i*indexRowBytes:])
		if r.offset != next {
			return damaged("the index does not cover the whole file")
		}
		next += uint64(r.stored)
		f.index[i] = r
	}
	if next != uint64(offset) {
		return damaged("the index does not cover the whole file")
	}
	if b = b[rows*indexRowBytes:]; uint64(len(b)-4) != uint64(littleEndian.Uint32(b)) {
		return damaged("the length of the totals is wrong")
	}
	var totals []totalsRow
	if err := json.Unmarshal(b[4:], &totals); err != nil || len(totals) != f.metadata.streams() {
		return damaged("the totals are not JSON, or not one per core and window")
	}
	for _, t := range totals {
		f.allTotals = append(f.allTotals, t.CoreTotals)
		if totals[0].Gives && f.metadata.Tickets {
			if f.own = append(f.own, t.Own); len(t.Own) != len(totals[0].Own) {
				return damaged("the cores have different numbers of own lines")
			}
		}
	}
	f.metadata.Notes = append(f.metadata.Notes, totals[0].Notes...)
	f.metadata.printable()
	return nil
}

// arrange sorts the blocks into streams and checks that each stream is whole.
func (f *File) arrange() error {
	cores := f.metadata.streams()
	var rows rows
	for stream := range rows {
		rows[stream] = make([][]int32, cores)
	}
	type progress struct{ entries, instructions uint64 }
	seen := make([][lastStream + 1]progress, cores)
	for i := range f.index {
		r := &f.index[i]
		if int(r.core) >= cores || streamNames[r.stream] == "" || r.stored > limitBlockStored {
			return f.fault(int64(r.offset), ErrCorrupt, "the index names a core or stream that does not exist", copyHint)
		}
		p := &seen[r.core][r.stream]
		if r.first != p.entries || r.instructions < p.instructions {
			return f.streamError(r.stream, int(r.core), p.entries, int64(r.offset), ErrCorrupt, "the blocks of the stream do not join", copyHint)
		}
		p.entries += uint64(r.entries)
		p.instructions = r.instructions
		rows[r.stream][r.core] = append(rows[r.stream][r.core], int32(i))
	}
	for core := range f.allTotals {
		t, s := &f.allTotals[core], &seen[core]
		if s[RecordStream].entries == 0 {
			return f.streamError(RecordStream, core, 0, -1, ErrMissingStream, "the file holds no records of this core", "import or record the trace again with all cores")
		}
		if t.Records != s[RecordStream].entries || t.Edges != s[EdgeStream].entries || t.Pages != s[PageStream].entries ||
			t.Timestamps != s[TimestampStream].entries || t.States != s[StateStream].entries {
			return f.fault(f.size, ErrCorrupt, fmt.Sprintf("the totals of core %d disagree with the index", core), copyHint)
		}
	}
	f.whole = rows.streams()
	f.stand(0)
	return nil
}

func (f *File) entries(s Stream, core int) (n uint64) {
	for _, i := range f.rows[s][core] {
		n += uint64(f.index[i].entries)
	}
	return n
}

// streamError is an error at a place of a stream, which is of a core of some window.
func (f *File) streamError(s Stream, stream int, record uint64, offset int64, condition error, problem, hint string) error {
	cores := f.metadata.Cores
	return &Error{File: f.name, Window: f.metadata.windowNumber(stream / cores), Stream: s, Core: stream % cores, Record: record, Offset: offset,
		Err: condition, Problem: problem, Hint: hint}
}
