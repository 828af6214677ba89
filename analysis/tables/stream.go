package tables

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// Stream reads columns of whole numbers, or of lists of them, from an Arrow file or stream: row by
// row, one record batch in memory at a time, whatever the file is compressed with.
type Stream struct {
	name    string
	bytes   *bufio.Reader
	file    bool // it ends with a footer, which a stream does not have
	from    *ipc.Reader
	record  arrow.Record
	row     int    // of the record
	records uint64 // rows begun, in all
}

// fileMagic begins an Arrow file; behind it and two bytes stands what a stream consists of.
const fileMagic = "ARROW1"

// marker begins every message of a file or stream.
const marker = "\xFF\xFF\xFF\xFF"

// IsArrow reports whether a file that begins like this may be an Arrow file or stream.
func IsArrow(head string) bool {
	return len(head) >= len(fileMagic) && (head[:len(fileMagic)] == fileMagic || head[:len(marker)] == marker)
}

// NewStream reads the schema; name is the file's, for messages.
func NewStream(name string, from *bufio.Reader) (s *Stream, err error) {
	defer notReadable(name, &err)
	head, _ := from.Peek(len(fileMagic))
	file := string(head) == fileMagic
	if file {
		if _, err := from.Discard(len(fileMagic) + 2); err != nil {
			return nil, err
		}
	}
	r, err := ipc.NewReader(io.Reader(from))
	if err != nil {
		return nil, fmt.Errorf("%s is not a readable Arrow file: %w", name, err)
	}
	return &Stream{name: name, bytes: from, file: file, from: r}, nil
}

// Names returns the names of the columns.
func (s *Stream) Names() (names []string) {
	for _, f := range s.from.Schema().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Next goes to the next row, and reports whether there is one.
func (s *Stream) Next() (ok bool, err error) {
	defer notReadable(s.name, &err)
	for s.row++; s.record == nil || s.row >= int(s.record.NumRows()); {
		// Not every writer marks the end of the batches of a file: what follows may be its footer.
		if head, _ := s.bytes.Peek(len(marker)); s.file && string(head) != marker {
			return false, s.finish()
		}
		if !s.from.Next() {
			if err := s.from.Err(); err != nil {
				return false, fmt.Errorf("%s: after record %d: %w", s.name, s.records, err)
			}
			return false, s.finish()
		}
		s.record, s.row = s.from.Record(), 0
	}
	s.records++
	return true, nil
}

// finish reads the footer of a file, without which it may have lost batches.
func (s *Stream) finish() error {
	if !s.file {
		return nil
	}
	var last []byte
	for {
		b, err := s.bytes.ReadByte()
		if err != nil {
			break
		}
		if last = append(last, b); len(last) > len(fileMagic) {
			last = last[1:]
		}
	}
	if string(last) != fileMagic {
		return fmt.Errorf("%s: after record %d: the file has no footer; it may be truncated", s.name, s.records)
	}
	return nil
}

// Place is the number of the row, from 1; bytes of a compressed batch have no offset.
func (s *Stream) Place() (string, int64) {
	if s.records == 0 {
		return "the schema", -1
	}
	return fmt.Sprintf("record %d", s.records), -1
}

// Numbers appends the whole numbers that the row has in a column, none where it is null.
func (s *Stream) Numbers(column int, to []uint64) ([]uint64, string) {
	values, first, end := s.record.Column(column), s.row, s.row+1
	if values.IsNull(s.row) {
		return to, ""
	}
	if list, ok := values.(array.ListLike); ok {
		from, until := list.ValueOffsets(s.row)
		values, first, end = list.ListValues(), int(from), int(until)
	}
	for i := first; i < end; i++ {
		v, ok := whole(values, i)
		if !ok {
			return to, fmt.Sprintf("a value of type %s that is no whole number from 0 on", values.DataType())
		}
		to = append(to, v)
	}
	return to, ""
}

// whole is a whole number of any width.
func whole(values arrow.Array, i int) (uint64, bool) {
	if !arrow.IsInteger(values.DataType().ID()) {
		return 0, false
	}
	v, err := strconv.ParseUint(values.ValueStr(i), 10, 64) // not of a null, and of nothing below 0
	return v, err == nil
}
