package packetlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// text is a table in comma-separated values.
type text struct {
	name          string
	from          *bufio.Reader
	names         []string
	line          uint64
	offset, start int64 // of the next line and of this one
	fields        [][]byte
}

// CSV reads the names of a table's columns; name is the file's, for messages. No line is longer
// than the reader's buffer.
func CSV(name string, from *bufio.Reader) (Rows, error) {
	t := &text{name: name, from: from}
	ok, err := t.Next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, t.fault(traces.ErrNotATrace, "the file has no line that names the columns")
	}
	for _, f := range t.fields {
		t.names = append(t.names, string(f))
	}
	return t, nil
}

// Names implements Rows.
func (t *text) Names() []string { return t.names }

// Place implements Rows.
func (t *text) Place() (string, int64) { return fmt.Sprintf("line %d", t.line), t.start }

// Next implements Rows.
func (t *text) Next() (bool, error) {
	for {
		line, err := t.read()
		if err != nil || line == nil {
			return false, err
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		t.fields = t.fields[:0]
		for field := range bytes.SplitSeq(line, []byte(",")) {
			t.fields = append(t.fields, field)
		}
		if t.names != nil && len(t.fields) != len(t.names) {
			return false, t.fault(traces.ErrIllegal, fmt.Sprintf("%d fields, and the first line names %d", len(t.fields), len(t.names)))
		}
		return true, nil
	}
}

// Numbers implements Rows.
func (t *text) Numbers(column int, to []uint64) ([]uint64, string) {
	for word := range bytes.FieldsSeq(t.fields[column]) {
		v, err := strconv.ParseUint(string(word), 0, 64)
		if err != nil {
			return to, fmt.Sprintf("%.40q is not a number", word)
		}
		to = append(to, v)
	}
	return to, ""
}

// read returns the next line without its end; nil is the end of the file.
func (t *text) read() ([]byte, error) {
	t.start = t.offset
	line, err := t.from.ReadSlice('\n')
	t.offset += int64(len(line))
	t.line++
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err == nil, err == io.EOF: // the last line needs no newline
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, t.fault(traces.ErrIllegal, fmt.Sprintf("the line is longer than %d bytes", t.from.Size()))
	}
	problem, condition := packed.Condition(err)
	return nil, t.fault(condition, problem)
}

func (t *text) fault(condition error, problem string) error {
	place, offset := t.Place()
	return &traces.Error{File: t.name, Core: -1, Offset: offset, Err: condition, Problem: place + ": " + problem}
}
