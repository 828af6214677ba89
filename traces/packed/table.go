package packed

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
)

// Table reads rows of comma-separated values, without quotes; the first one names the columns.
// Empty lines and lines that begin with # are passed over, and the last line needs no newline. No
// line is longer than the buffer of From. A line as EndLine makes it says that the file is
// complete.
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
	// Ended reports that the line that EndLine makes has been read.
	Ended bool

	rows uint64 // with the names of the columns
	end  int64  // offset of the next line
}

const endWord = "# end "

// EndLine is the last line of a table with so many rows below the names of its columns.
func EndLine(rows uint64) string { return endWord + strconv.FormatUint(rows, 10) + "\n" }

// ends takes a line that may be the last one.
func (t *Table) ends(line []byte) error {
	text, found := bytes.CutPrefix(line, []byte(endWord))
	rows, err := strconv.ParseUint(string(text), 10, 64)
	if !found || err != nil {
		return nil
	}
	t.Ended = true
	if rows+1 != t.rows {
		return t.Fault(traces.ErrTruncated, fmt.Sprintf("the last line counts %d rows, and the file has %d", rows, max(t.rows, 1)-1))
	}
	return nil
}

// Next splits the next line that holds a row, and reports whether there is one.
func (t *Table) Next() (bool, error) {
	for {
		line, err := t.Text()
		if err != nil || line == nil {
			return false, err
		}
		if len(line) == 0 || line[0] == '#' {
			if err := t.ends(line); err != nil {
				return false, err
			}
			continue
		}
		if t.rows++; t.Ended {
			return false, t.Fault(traces.ErrIllegal, "a row follows the line that ends the file")
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
	line, problem, condition := readLine(t.From, t.From.Size())
	t.end += int64(len(line))
	t.Line++
	if problem != "" {
		return nil, t.Fault(condition, problem)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}

// Fault returns an error at the line read last.
func (t *Table) Fault(condition error, problem string) error {
	return &traces.Error{File: t.Name, Core: -1, Offset: t.Start, Err: condition, Problem: fmt.Sprintf("line %d: %s", t.Line, problem)}
}
