package traces

import (
	"encoding/json"
	"fmt"
)

// readIndex reads the trailer and the index.
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
	return 8 + rows*indexRowBytes + min(rows, uint64(f.metadata.streams()))*limitTotals
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
	if err := json.Unmarshal(b[4:], &f.allTotals); err != nil || len(f.allTotals) != f.metadata.streams() {
		return damaged("the totals are not JSON, or not one per core and window")
	}
	return nil
}

// keep adds a block to its stream; i is its place in the index.
func (f *File) keep(r *blockRow, i int32) {
	switch r.stream {
	case RecordStream:
		f.whole.records[r.core].rows = append(f.whole.records[r.core].rows, i)
	case EdgeStream:
		f.whole.edges[r.core].rows = append(f.whole.edges[r.core].rows, i)
	case TimestampStream:
		f.whole.timestamps[r.core] = append(f.whole.timestamps[r.core], i)
	default:
		f.whole.pages[r.core] = append(f.whole.pages[r.core], i)
	}
}

// arrange sorts the blocks into streams and checks that each stream is whole.
func (f *File) arrange() error {
	cores := f.metadata.streams()
	f.whole = newStreams(cores)
	type progress struct{ entries, instructions uint64 }
	seen := make([][lastStream + 1]progress, cores)
	for i := range f.index {
		r := &f.index[i]
		if int(r.core) >= cores || r.stream < RecordStream || r.stream > lastStream || r.stored > limitBlockStored {
			return f.fault(int64(r.offset), ErrCorrupt, "the index names a core or stream that does not exist", copyHint)
		}
		p := &seen[r.core][r.stream]
		if r.first != p.entries || r.instructions < p.instructions {
			return f.streamError(r.stream, int(r.core), p.entries, int64(r.offset), ErrCorrupt, "the blocks of the stream do not join", copyHint)
		}
		p.entries += uint64(r.entries)
		p.instructions = r.instructions
		f.keep(r, int32(i))
	}
	for core := range f.allTotals {
		t, s := &f.allTotals[core], &seen[core]
		if s[RecordStream].entries == 0 {
			return f.streamError(RecordStream, core, 0, -1, ErrMissingStream, "the file holds no records of this core", "import or record the trace again with all cores")
		}
		if t.Records != s[RecordStream].entries || t.Edges != s[EdgeStream].entries || t.Pages != s[PageStream].entries ||
			t.Timestamps != s[TimestampStream].entries {
			return f.fault(f.size, ErrCorrupt, fmt.Sprintf("the totals of core %d disagree with the index", core), copyHint)
		}
	}
	f.stand(0)
	return nil
}

// streamError is an error at a place of a stream, which is of a core of some window.
func (f *File) streamError(s Stream, stream int, record uint64, offset int64, condition error, problem, hint string) error {
	cores := f.metadata.Cores
	return &Error{File: f.name, Window: f.metadata.windowNumber(stream / cores), Stream: s, Core: stream % cores, Record: record, Offset: offset,
		Err: condition, Problem: problem, Hint: hint}
}
