package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// The output formats.
var outputFormats = []string{"table", "json", "csv"}

// sheet is a result for people (aligned) and for spreadsheets (CSV).
type sheet struct {
	header []string
	rows   [][]string
	// Notes are printed around an aligned sheet and left out of CSV.
	before, after []string
}

// addRules says before the sheet which rules the routers of a study followed.
func (s *sheet) addRules(rows *tables.Rows) {
	if text := rows.RuleText(); text != "" {
		s.before = append(s.before, text)
	}
}

func (s *sheet) add(cells ...string) { s.rows = append(s.rows, cells) }

// print writes a result to standard output: the document as JSON, or the sheet.
func (a *app) print(document any, s *sheet) error {
	switch a.format {
	case "json":
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(document)
	case "csv":
		w := csv.NewWriter(a.stdout)
		if err := w.Write(s.header); err != nil {
			return err
		}
		return w.WriteAll(s.rows)
	}
	columns := widthOf(a.stdout)
	s.fit(columns)
	return s.align(a.stdout, columns)
}

// fit leaves out the last columns of numbers, which say least, until the sheet is not wider than
// a terminal, and says so.
func (s *sheet) fit(columns int) {
	const least = 3 // columns to keep
	all := len(s.header)
	for columns > 0 && len(s.header) > least && s.width() > columns && s.numeric(len(s.header)-1) {
		s.header = s.header[:len(s.header)-1]
		for i := range s.rows {
			s.rows[i] = s.rows[i][:len(s.header)]
		}
	}
	if left := all - len(s.header); left > 0 {
		s.after = append(s.after, fmt.Sprintf("%d more columns do not fit this terminal; a wider one, or --format json, has all.", left))
	}
}

// width is that of the widest line of aligned cells.
func (s *sheet) width() (sum int) {
	for c := range s.header {
		widest := utf8.RuneCountInString(s.header[c])
		for _, row := range s.rows {
			widest = max(widest, utf8.RuneCountInString(row[c]))
		}
		sum += widest + 2
	}
	return sum - 2
}

// numeric reports whether a column holds numbers only.
func (s *sheet) numeric(column int) bool {
	return !slices.ContainsFunc(s.rows, func(row []string) bool { return !isNumber(row[column]) })
}

// widthOf returns the columns of a terminal, and 0 for everything else, where lines are never wrapped.
func widthOf(w io.Writer) int {
	f, ok := w.(terminal)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// align writes columns as wide as their widest cell; columns of numbers are flush right. Where lines would be
// longer than columns, if that is not 0, the text of the last column and the notes are wrapped.
func (s *sheet) align(w io.Writer, columns int) error {
	width := make([]int, len(s.header))
	right := make([]bool, len(s.header))
	all := append([][]string{s.header}, s.rows...)
	last, before := len(s.header)-1, 0 // columns in front of the last one
	for c := range s.header {
		right[c] = len(s.rows) > 0
		for r, row := range all {
			width[c] = max(width[c], utf8.RuneCountInString(row[c]))
			right[c] = right[c] && (r == 0 || isNumber(row[c]))
		}
		if c < last {
			before += width[c] + 2
		}
	}
	room := columns - before
	if columns == 0 || right[last] || room < leastRoom {
		room = 0
	}
	var b strings.Builder
	for _, note := range s.before {
		b.WriteString(wrap(note, columns, "") + "\n")
	}
	for _, row := range all {
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
	for _, note := range s.after {
		b.WriteString(wrap(note, columns, "") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// leastRoom is the width that the last column needs to be wrapped: narrower, it is left to the terminal.
const leastRoom = 24

// wrap breaks a text between words into lines of at most so many columns, if that is not 0, the second and
// later ones behind an indent. Words that are longer stay whole, and so do texts of several lines.
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

// isNumber also accepts "-", which stands for an absent number, and an interval such as "0.98 ± 0.01".
func isNumber(cell string) bool {
	mean, _, _ := strings.Cut(cell, " ")
	_, err := strconv.ParseFloat(mean, 64)
	return err == nil || cell == "-"
}

// number writes a quantity with four significant digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// checkFormat refuses formats that do not exist.
func checkFormat(format string) error {
	if slices.Contains(outputFormats, format) {
		return nil
	}
	return usagef("--format %s: there are %s%s", format, strings.Join(outputFormats, ", "), config.Suggestion(format, outputFormats))
}
