package packed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// Table reads rows of comma-separated values, without quotes. Empty lines and lines that begin with
// # are passed over, and the last line needs no newline. No line is longer than the buffer of From.
type Table struct {
	Name string // of the file, for messages
	From *bufio.Reader
	// Fields are those of the row, until the next one is read.
	Fields [][]byte
	// Width is how many fields a row must have; 0 is any number.
	Width int
	// Line is the number of the line read last, from 1, and Start its offset in bytes.
	Line  uint64
	Start int64

	end int64 // offset of the next line
}

// Next splits the next line that holds a row, and reports whether there is one.
func (t *Table) Next() (bool, error) {
	for {
		line, err := t.Text()
		if err != nil || line == nil {
			return false, err
		}
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		t.Fields = t.Fields[:0]
		for field := range bytes.SplitSeq(line, []byte(",")) {
			t.Fields = append(t.Fields, field)
		}
		if t.Width > 0 && len(t.Fields) != t.Width {
			return false, t.Fault(traces.ErrIllegal, fmt.Sprintf("%d fields, and the first line names %d", len(t.Fields), t.Width))
		}
		return true, nil
	}
}

// Text returns the next line without its end; nil is the end of the file.
func (t *Table) Text() ([]byte, error) {
	t.Start = t.end
	line, err := t.From.ReadSlice('\n')
	t.end += int64(len(line))
	t.Line++
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err == nil, err == io.EOF:
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, t.Fault(traces.ErrIllegal, fmt.Sprintf("the line is longer than %d bytes", t.From.Size()))
	}
	problem, condition := Condition(err)
	return nil, t.Fault(condition, problem)
}

// Fault returns an error at the line read last.
func (t *Table) Fault(condition error, problem string) error {
	return &traces.Error{File: t.Name, Core: -1, Offset: t.Start, Err: condition, Problem: fmt.Sprintf("line %d: %s", t.Line, problem)}
}
