package cli

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// The output formats.
var outputFormats = []string{"table", "json", "csv"}

// print writes a result to standard output: the document as JSON, or the sheet.
func (a *app) print(document any, s *sheet.Sheet) error {
	switch a.format {
	case "json":
		return a.printJSON(document)
	case "csv":
		return s.WriteCSV(a.stdout)
	}
	return s.Write(a.stdout, widthOf(a.stdout))
}

// printJSON writes a document whatever the format is.
func (a *app) printJSON(document any) error {
	e := json.NewEncoder(a.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}

// printList writes structures, one per row; the tags title of their fields name the columns.
func printList[T any](a *app, list []T, notes ...string) error {
	s := sheet.Of(list)
	s.Note(notes...)
	return a.print(list, s)
}

// printOne writes a structure as the only row.
func printOne[T any](a *app, document T, notes ...string) error {
	s := sheet.Of([]T{document})
	s.Note(notes...)
	return a.print(document, s)
}

// printFacts writes a structure with a row for each of its fields.
func printFacts(a *app, document any, notes ...string) error {
	s := sheet.Facts(document)
	s.Note(notes...)
	return a.print(document, s)
}

// widthOf returns the columns of a terminal, and 0 for everything else, where lines are never
// wrapped.
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

// checkFormat refuses formats that do not exist.
func checkFormat(format string) error {
	if slices.Contains(outputFormats, format) {
		return nil
	}
	return usagef("--format %s: there are %s%s", format, strings.Join(outputFormats, ", "), suggest.Text(format, outputFormats))
}
