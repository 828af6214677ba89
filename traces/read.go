package traces

import (
	"errors"
	"io"
	"strconv"
)

// ReadRecords fills into with the next records of a core, up to the end of a block. It does not
// allocate once the streams' buffers have grown to their blocks.
func (f *File) ReadRecords(core int, into []Record) (int, error) {
	s := &f.records[core]
	if len(into) == 0 {
		return 0, nil
	}
	if s.decoder.left() == 0 {
		if err := f.openRecords(s); err != nil {
			return 0, err
		}
	}
	n := s.decoder.read(into)
	if s.decoder.corrupt || s.decoder.left() == 0 && !s.decoder.spent() {
		return 0, f.misfit(RecordStream, core, s.position, s.offset)
	}
	if s.decoder.highest >= f.config.MemoryBytes {
		if err := f.checkAddresses(core, s, into[:n]); err != nil {
			return 0, err
		}
	}
	s.position += uint64(n)
	return n, nil
}

// ReadEdges fills into with the next edges of a core, up to the end of a block.
func (f *File) ReadEdges(core int, into []Edge) (int, error) {
	s := &f.edges[core]
	if len(into) == 0 {
		return 0, nil
	}
	if s.decoder.count == 0 {
		row, err := f.nextBlock(&s.blockStream)
		if err != nil {
			return 0, err
		}
		s.next++
		s.decoder.open(int(row.entries), &f.columns)
	}
	n, ok := s.decoder.read(into)
	if !ok {
		return 0, f.misfit(EdgeStream, core, s.position, s.offset)
	}
	s.position += uint64(n)
	return n, nil
}

// ReadPages returns the page map of a core's address space.
func (f *File) ReadPages(core int) ([]Page, error) {
	var pages []Page
	err := f.decodeAll(f.rows[PageStream][core], core, func(entries int) (ok bool) {
		pages, ok = decodePages(pages, entries, &f.columns)
		return ok
	})
	return pages, err
}

// decodeAll reads all blocks of a stream of a core, of which decode takes the entries from
// f.columns; it returns false when these do not fit each other.
func (f *File) decodeAll(rows []int32, core int, decode func(entries int) bool) error {
	var plain []byte
	for _, i := range rows {
		row := &f.index[i]
		var err error
		if plain, err = f.readBlock(row, plain); err != nil {
			return err
		}
		if !decode(int(row.entries)) {
			return f.misfit(row.stream, core, row.first, int64(row.offset))
		}
	}
	return nil
}

// nextBlock reads the next block of a stream and returns its row, or io.EOF.
func (f *File) nextBlock(s *blockStream) (row *blockRow, err error) {
	if s.next == len(s.rows) {
		return nil, io.EOF
	}
	row = &f.index[s.rows[s.next]]
	s.offset = int64(row.offset)
	s.plain, err = f.readBlock(row, s.plain)
	return row, err
}

func (f *File) openRecords(s *recordStream) error {
	row, err := f.nextBlock(&s.blockStream)
	if err != nil {
		return err
	}
	core := int(row.core) % f.metadata.Cores
	if s.decoder == nil {
		if s.decoder, f.spare = f.spare, nil; s.decoder == nil {
			s.decoder = new(recordDecoder)
		}
	}
	if !s.decoder.open(int(row.entries), s.plain[:len(s.plain)+decoderSlack], &f.columns) {
		s.decoder.drop()
		return f.misfit(RecordStream, core, row.first, s.offset)
	}
	if s.next++; s.next < len(s.rows) && row.instructions+f.head.covered != f.index[s.rows[s.next]].instructions {
		s.decoder.drop()
		return f.damage(RecordStream, core, row.first, s.offset, "the instructions of the block do not lead to the next one")
	}
	return nil
}

// readBlock reads a block, checks it and decompresses its columns into plain, which f.columns then
// points into.
func (f *File) readBlock(row *blockRow, plain []byte) ([]byte, error) {
	if cap(f.stored) < int(row.stored) {
		f.stored = make([]byte, int(row.stored)+int(row.stored)/4)
	}
	b := f.stored[:row.stored]
	fault := func(condition error, problem string) error {
		hint := sliceHint
		if row.stream == StateStream {
			hint = copyHint
		}
		return f.streamError(row.stream, int(row.core), row.first, int64(row.offset), condition, problem, hint)
	}
	if n, err := f.readAt(b, int64(row.offset)); err != nil {
		return plain, err
	} else if n < len(b) {
		return plain, fault(ErrTruncated, "the file ends within the block")
	}
	if f.config.Passed != nil {
		if err := f.config.Passed(len(b)); err != nil {
			return plain, err
		}
	}
	h := &f.head
	length, problem := parseBlockHead(b, h)
	if problem != "" {
		return plain, fault(ErrCorrupt, problem)
	}
	h.offset = row.offset
	if h.blockRow != *row {
		return plain, fault(ErrCorrupt, "the block is not the one in the index")
	}
	if checksum(b[length:]) != h.payload {
		return plain, fault(ErrCorrupt, "the checksum of the block is wrong")
	}
	total := 0
	for _, c := range h.columns {
		total += int(c.plain)
	}
	if total += decoderSlack; cap(plain) < total {
		plain = make([]byte, 0, total+total/16)
	}
	return f.decompress(b[length:], plain, fault)
}

// decompress turns the stored columns of f.head into f.columns, one after the other in plain.
func (f *File) decompress(b, plain []byte, fault func(error, string) error) ([]byte, error) {
	f.columns = columns{}
	plain = plain[:0]
	for _, c := range f.head.columns {
		start, end := len(plain), len(plain)+int(c.plain)
		stored := b[:c.stored]
		b = b[c.stored:]
		if c.compression == compressionNone {
			plain = append(plain, stored...)
		} else if out, err := f.zstd.DecodeAll(stored, plain[start:start:end+decoderSlack]); err != nil || len(out) != int(c.plain) {
			return plain, fault(ErrCorrupt, "a column does not decompress")
		}
		plain = plain[:end]
		f.columns[c.id] = plain[start:end:end]
	}
	return plain, nil
}

// checkAddresses looks for the access outside the memory in a batch that may have one.
func (f *File) checkAddresses(core int, s *recordStream, batch []Record) error {
	for i := range batch {
		if address, uses := batch[i].Memory(); uses && address >= f.config.MemoryBytes {
			return f.place(addressError("", core, s.position+uint64(i), s.offset, address, f.config.MemoryBytes))
		}
	}
	return nil
}

func addressError(file string, core int, record uint64, offset int64, address, memory uint64) error {
	return &Error{File: file, Stream: RecordStream, Core: core, Record: record, Offset: offset, Err: ErrAddress,
		Problem: "address 0x" + strconv.FormatUint(address, 16) + " with a memory of " + strconv.FormatUint(memory, 10) + " bytes",
		Hint:    "give the chip more memory, or import the trace again so that its pages get low frames"}
}

// ignoreEnd keeps errors that are no ends.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (f *File) misfit(stream Stream, core int, record uint64, offset int64) error {
	return f.damage(stream, core, record, offset, "the columns do not fit each other")
}

func (f *File) damage(stream Stream, core int, record uint64, offset int64, problem string) error {
	return &Error{File: f.name, Window: f.windowNumber(), Stream: stream, Core: core, Record: record, Offset: offset, Err: ErrCorrupt, Problem: problem, Hint: sliceHint}
}
