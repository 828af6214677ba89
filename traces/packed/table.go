package packed

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

// Table reads rows of comma-separated values, without quotes; the first one names the columns, in any
// order. Empty lines and lines that begin with # are passed over, and the last line needs no newline. No
// line is longer than the buffer of From. A line as EndLine makes it says that the file is
// complete.
type Table struct {
	Lines
	Columns []Column
	// Ended reports that the line that EndLine makes has been read.
	Ended bool

	fields [][]byte // of the row, until the next one is read
	at     []int    // of the columns in a row, or -1
	rows   uint64   // with the names of the columns
}

// Column is what a table may have. Its numbers are from Least to Most.
type Column struct {
	Name        string
	Least, Most uint64
	Optional    bool
}

// NewTable reads a table from its beginning; name is the file's, for messages.
func NewTable(name string, from *bufio.Reader, columns []Column) *Table {
	return &Table{Lines: Lines{From: from, Name: name, Core: -1}, Columns: columns}
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
		names := len(t.fields)
		t.fields = t.fields[:0]
		for field := range bytes.SplitSeq(line, []byte(",")) {
			t.fields = append(t.fields, field)
		}
		if t.at != nil && len(t.fields) != names {
			return false, t.Fault(traces.ErrIllegal, fmt.Sprintf("%d fields, and the first line names %d", len(t.fields), names))
		}
		return true, nil
	}
}

// Names reads the row that names the columns.
func (t *Table) Names() error {
	ok, err := t.Next()
	if err != nil {
		return err
	}
	if !ok {
		return t.Fault(traces.ErrNotATrace, "the file has no line that names the columns")
	}
	var all, needed, missing []string
	for _, c := range t.Columns {
		all = append(all, c.Name)
		t.at = append(t.at, slices.IndexFunc(t.fields, func(name []byte) bool { return string(name) == c.Name }))
		if !c.Optional {
			needed = append(needed, c.Name)
		}
	}
	for i, name := range t.fields {
		if c := slices.Index(all, string(name)); c < 0 || t.at[c] != i {
			return t.Fault(traces.ErrNotATrace, fmt.Sprintf("column %.40q is not known, or comes twice; the columns are %s", name, strings.Join(all, ", ")))
		}
	}
	for _, name := range needed {
		if t.at[slices.Index(all, name)] < 0 {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return t.Fault(traces.ErrNotATrace, fmt.Sprintf("missing columns: %s; needed are %s", strings.Join(missing, ", "), strings.Join(needed, ", ")))
	}
	return nil
}

// Has reports whether the table has a column.
func (t *Table) Has(column int) bool { return t.at[column] >= 0 }

// Field returns the text in a column, empty if the table does not have it.
func (t *Table) Field(column int) []byte {
	if !t.Has(column) {
		return nil
	}
	return t.fields[t.at[column]]
}

// Number reads a column's number, or says what is wrong with it.
func (t *Table) Number(column int) (v uint64, problem string) {
	return t.number(column, t.Field(column))
}

// Numbers appends a column's numbers, with blanks between them, to a list.
func (t *Table) Numbers(column int, list []uint64) (_ []uint64, problem string) {
	for word := range bytes.FieldsSeq(t.Field(column)) {
		v, problem := t.number(column, word)
		if problem != "" {
			return list, problem
		}
		list = append(list, v)
	}
	return list, ""
}

func (t *Table) number(column int, text []byte) (uint64, string) {
	c := &t.Columns[column]
	digits, base := bytes.TrimSuffix(text, []byte(".0")), 10 // also if the first one is 0
	if len(digits) > 1 && digits[0] == '0' && digits[1]|' ' == 'x' {
		digits, base = digits[2:], 16
	}
	v, err := strconv.ParseUint(string(digits), base, 64)
	if err != nil || v < c.Least || v > c.Most {
		return 0, fmt.Sprintf("%s is %.40q; a whole number from %d to %d is needed", c.Name, text, c.Least, c.Most)
	}
	return v, ""
}
