package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestWorkedColumn: the lines of the column that CONTRIBUTING.md follows are in the files that it names,
// and the column is then in the table, in what people see, and in the summary.
func TestWorkedColumn(t *testing.T) {
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	lines := 0
	for _, line := range strings.Split(string(must.Get(os.ReadFile("../../CONTRIBUTING.md"))), "\n") {
		file, code, example := strings.Cut(line, ".go: ")
		if !example || !strings.HasPrefix(file, "analysis/") {
			continue
		}
		lines++
		if text := string(must.Get(os.ReadFile("../../" + file + ".go"))); !strings.Contains(words(text), words(code)) {
			t.Errorf("%s.go lacks the line of CONTRIBUTING.md: %s", file, words(code))
		}
	}
	if lines != 3 {
		t.Errorf("the example of a column has %d lines", lines)
	}
	has := func(d tables.Description) bool {
		return slices.ContainsFunc(d.Columns, func(c tables.ColumnDescription) bool { return c.Name == "ipc" })
	}
	if !has(tables.Runs.Describe()) || !has(tables.SummaryTable(nil).Describe()) || !slices.Contains(tables.OfWideRun.Names(), tables.Col.IPC) {
		t.Error("the column ipc is not where CONTRIBUTING.md says")
	}
}
