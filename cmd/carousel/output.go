package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/carousel-sim/carousel/analysis/config"
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
	return s.align(a.stdout)
}

// align writes columns as wide as their widest cell; columns of numbers are flush right.
func (s *sheet) align(w io.Writer) error {
	width := make([]int, len(s.header))
	right := make([]bool, len(s.header))
	all := append([][]string{s.header}, s.rows...)
	for c := range s.header {
		right[c] = len(s.rows) > 0
		for r, row := range all {
			width[c] = max(width[c], utf8.RuneCountInString(row[c]))
			right[c] = right[c] && (r == 0 || isNumber(row[c]))
		}
	}
	var b strings.Builder
	for _, note := range s.before {
		b.WriteString(note + "\n")
	}
	for _, row := range all {
		var line strings.Builder
		for c, cell := range row {
			gap := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if c > 0 {
				line.WriteString("  ")
			}
			if right[c] {
				line.WriteString(gap + cell)
			} else {
				line.WriteString(cell + gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	for _, note := range s.after {
		b.WriteString(note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
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
	return usagef("--format %s: there are %s%s", format, strings.Join(outputFormats, ", "), didYouMean(format, outputFormats))
}

// plain writes a value of the configuration the way --set takes it.
func plain(v any) string { return config.Text(v) }
