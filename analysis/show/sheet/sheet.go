// Package sheet writes results as tables of texts: aligned for people, and as CSV for spreadsheets.
//
// A [Sheet] has a header, rows, and notes before and after them. [Of] and [Facts] make one of the
// structures that are also printed as JSON, so that a result is described once: the tag title of a
// field is its name for people.
//
// Sheets know nothing of what they show; packages chart and compare make those of studies.
package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
)

// Sheet is a table of texts. Columns whose values were all numbers when they were added are flush
// right.
type Sheet struct {
	Title  string // what tells it from others beside it; "" for nothing
	Header []string
	Rows   [][]string
	// Incomplete says what is missing, and Warnings why to doubt the rows. They are part of a sheet in every
	// format but CSV, which has no place for them: see Doubts.
	Incomplete, Warnings []string
	// Before and After are notes that are printed around an aligned sheet and left out of other formats.
	Before, After []string
	Left          int // rows that were left out

	words []bool // columns with a value that is no number
}

// New returns an empty sheet.
func New(header ...string) *Sheet { return &Sheet{Header: slices.Clip(header)} }

// Add adds a row of values as [Text] writes them.
func (s *Sheet) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Text(c)
		s.note(i, c)
	}
	s.Rows = append(s.Rows, row)
}

// note marks a column that has a value which is no number.
func (s *Sheet) note(column int, value any) {
	for len(s.words) <= column {
		s.words = append(s.words, false)
	}
	s.words[column] = s.words[column] || !isNumber(value)
}

// Digits is a number that is written already, such as the value of a configuration key.
type Digits string

// Marked is an estimate with a mark behind it.
type Marked struct {
	metrics.Estimate
	Mark string
}

// String returns the estimate and the mark.
func (m Marked) String() string { return m.Text() + m.Mark }

// isNumber reports whether a value is a number, or absent.
func isNumber(value any) bool {
	switch v := value.(type) {
	case nil, metrics.Estimate, Marked, Digits:
		return true
	case string:
		return v == None || v == ""
	case fmt.Stringer, bool:
		return false
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		return v.IsNil() || isNumber(v.Elem().Interface())
	}
	return v.CanInt() || v.CanUint() || v.CanFloat()
}

// Column adds a column, whose values are those of the rows by number.
func (s *Sheet) Column(title string, of func(row int) any) {
	s.Header = append(s.Header, title)
	for i := range s.Rows {
		v := of(i)
		s.Rows[i] = append(s.Rows[i], Text(v))
		s.note(len(s.Header)-1, v)
	}
}

// Note adds notes behind the rows.
func (s *Sheet) Note(notes ...string) { s.After = append(s.After, notes...) }

// Doubts are what is missing and the warnings.
func (s *Sheet) Doubts() []string { return slices.Concat(s.Incomplete, s.Warnings) }

// WriteCSV writes header and rows, without the notes.
func (s *Sheet) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{s.Header}, s.Rows...))
}

// Write writes the sheet for people. Where columns is not 0, the sheet and its notes are made to
// fit a terminal of that width.
func (s *Sheet) Write(w io.Writer, columns int) error {
	s.fit(columns)
	return s.align(w, columns)
}

// fit leaves out the last columns of numbers, which say least, until the sheet is not wider than
// a terminal, and says so.
func (s *Sheet) fit(columns int) {
	const least = 3 // columns to keep
	all := len(s.Header)
	for columns > 0 && len(s.Header) > least && s.Numeric(len(s.Header)-1) {
		if _, line := s.widths(); line <= columns {
			break
		}
		s.Header = s.Header[:len(s.Header)-1]
		for i := range s.Rows {
			s.Rows[i] = s.Rows[i][:len(s.Header)]
		}
	}
	if left := all - len(s.Header); left > 0 {
		s.After = append(s.After, fmt.Sprintf("%d more columns do not fit this terminal; --format json prints all.", left))
	}
}

// widths are those of the widest cells of the columns, and the width of a line of them.
func (s *Sheet) widths() (columns []int, line int) {
	for c := range s.Header {
		widest := utf8.RuneCountInString(s.Header[c])
		for _, row := range s.Rows {
			widest = max(widest, utf8.RuneCountInString(row[c]))
		}
		columns, line = append(columns, widest), line+widest+2
	}
	return columns, line - 2
}

// Numeric reports whether all values of a column were added as numbers, or are absent.
func (s *Sheet) Numeric(column int) bool {
	return len(s.Rows) > 0 && column < len(s.words) && !s.words[column]
}

// align writes columns as wide as their widest cell; columns of numbers are flush right. Where
// lines would be longer than columns, if that is not 0, the text of the last column and the notes
// are wrapped.
func (s *Sheet) align(w io.Writer, columns int) error {
	width, line := s.widths()
	right := make([]bool, len(s.Header))
	for c := range s.Header {
		right[c] = s.Numeric(c)
	}
	last := len(s.Header) - 1
	before := line - width[last] // columns in front of the last one
	room := columns - before
	if columns == 0 || right[last] || room < leastRoom {
		room = 0
	}
	var b strings.Builder
	for _, note := range slices.Concat(s.Incomplete, s.Before) {
		b.WriteString(wrap(note, columns, "") + "\n")
	}
	for _, row := range append([][]string{s.Header}, s.Rows...) {
		var line strings.Builder
		for c, cell := range row {
			gap := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if c > 0 {
				line.WriteString("  ")
			}
			switch {
			case right[c]:
				line.WriteString(gap + cell)
			case c == last:
				line.WriteString(wrap(cell, room, strings.Repeat(" ", before)))
			default:
				line.WriteString(cell + gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	for _, warning := range s.Warnings {
		b.WriteString(wrap("warning: "+warning, columns, "") + "\n")
	}
	for _, note := range s.After {
		b.WriteString(wrap(note, columns, "") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// leastRoom is the width that the last column needs to be wrapped: narrower, it is left to the
// terminal.
const leastRoom = 24

// wrap breaks a text between words into lines of at most so many columns, if that is not 0, the
// second and later ones behind an indent. Words that are longer stay whole, and so do texts of
// several lines.
func wrap(text string, columns int, indent string) string {
	if columns == 0 || utf8.RuneCountInString(text) <= columns || strings.Contains(text, "\n") {
		return text
	}
	var b strings.Builder
	at := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > columns:
			b.WriteString("\n" + indent)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// DropEmpty leaves out the columns in which nothing stands.
func (s *Sheet) DropEmpty() {
	for c := len(s.Header) - 1; c >= 0; c-- {
		if slices.ContainsFunc(s.Rows, func(row []string) bool { return row[c] != "" && row[c] != None }) {
			continue
		}
		s.Header = slices.Delete(s.Header, c, c+1)
		if c < len(s.words) {
			s.words = slices.Delete(s.words, c, c+1)
		}
		for i := range s.Rows {
			s.Rows[i] = slices.Delete(s.Rows[i], c, c+1)
		}
	}
}

// Cut leaves out the rows behind the first ones and notes how many they were.
func (s *Sheet) Cut(most int) {
	if len(s.Rows) > most {
		s.Left += len(s.Rows) - most
		s.Rows = s.Rows[:most]
	}
}

// None stands for a value that is absent.
const None = metrics.Absent

// Text writes a value for people: numbers with a fraction as [metrics.Number] does, switches as yes and no,
// lists with commas, and pointers as what they point to, or [None].
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return None
	case string:
		return printable.Name(v)
	case Digits:
		return string(v)
	case metrics.Estimate:
		return v.Text()
	case fmt.Stringer:
		return v.String()
	case float64:
		return metrics.Number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return None
		}
		return Text(v.Elem().Interface())
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = Text(v.Index(i).Interface())
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}

// Enumerate joins names for people, at most so many of them.
func Enumerate(names []string, most int) string {
	switch n := len(names); {
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// Thousands writes a whole number with a comma in front of every three digits.
func Thousands[N int | float64](n N) string {
	text := fmt.Sprintf("%.0f", float64(n))
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count writes a number of things.
func Count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ss"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// title is the tag of a field that a sheet shows.
const title = "title"

// Of returns a sheet with a row for each structure of a list, and a column for each field that has
// a title.
func Of[T any](list []T) *Sheet {
	s := &Sheet{}
	for _, f := range titled(reflect.TypeFor[T]()) {
		s.Header = append(s.Header, f.Tag.Get(title))
	}
	for i := range list {
		s.Add(values(list[i])...)
	}
	return s
}

// Facts returns a sheet with a row for each field of a structure that has a title and is no empty text: what it is,
// and its value.
func Facts(structure any) *Sheet {
	s := New("what", "value")
	all := values(structure)
	for i, f := range titled(reflect.TypeOf(structure)) {
		if all[i] != "" { // nothing to say
			s.Add(f.Tag.Get(title), all[i])
		}
	}
	return s
}

// titled lists the fields that have a title.
func titled(t reflect.Type) (list []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get(title) != "" {
			list = append(list, f)
		}
	}
	return list
}

// values returns the values of the fields that have a title.
func values(structure any) (list []any) {
	v := reflect.ValueOf(structure)
	for _, f := range titled(v.Type()) {
		list = append(list, v.FieldByIndex(f.Index).Interface())
	}
	return list
}
