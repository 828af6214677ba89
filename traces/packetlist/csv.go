package packetlist

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// text is a table in comma-separated values.
type text struct {
	packed.Table
	names []string
}

// CSV reads the names of a table's columns; name is the file's, for messages. No line is longer
// than the reader's buffer.
func CSV(name string, from *bufio.Reader) (Rows, error) {
	t := &text{Table: packed.Table{Name: name, From: from}}
	ok, err := t.Next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, t.Fault(traces.ErrNotATrace, "the file has no line that names the columns")
	}
	for _, f := range t.Fields {
		t.names = append(t.names, string(f))
	}
	t.Width = len(t.names)
	return t, nil
}

// Names implements Rows.
func (t *text) Names() []string { return t.names }

// Place implements Rows.
func (t *text) Place() (string, int64) { return fmt.Sprintf("line %d", t.Line), t.Start }

// Numbers implements Rows.
func (t *text) Numbers(column int, to []uint64) ([]uint64, string) {
	for word := range bytes.FieldsSeq(t.Fields[column]) {
		v, err := strconv.ParseUint(string(word), 0, 64)
		if err != nil {
			return to, fmt.Sprintf("%.40q is not a number", word)
		}
		to = append(to, v)
	}
	return to, ""
}
