package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Description says what a table holds, for documentation.
type Description struct {
	Name    string              `json:"name"`
	Doc     string              `json:"doc"` // what a row stands for
	Columns []ColumnDescription `json:"columns"`
}

// Describe returns the description of the table's columns.
func (t *Table[R]) Describe() Description {
	d := Description{Name: t.Name, Doc: t.Doc}
	for _, c := range t.Columns {
		d.Columns = append(d.Columns, c.ColumnDescription)
	}
	return d
}

// Descriptions returns the descriptions of all result tables, in the order in which a study writes
// them.
func Descriptions() []Description {
	var list []Description
	for _, p := range new(Rows).parts(true) {
		list = append(list, p.describe())
	}
	return append(list, SummaryTable(nil).Describe(), Claims.Describe(), FigurePoints.Describe())
}

// DescribeFolder returns the descriptions of the tables that a folder has, as its files tell them. They may
// have columns that no other file of that table has: those of a sweep's axes in the table summary.
func DescribeFolder(dir string) ([]Description, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	var found []Description
	for _, t := range Descriptions() {
		file, err := openArrow(filepath.Join(dir, t.Name+".arrow"))
		switch {
		case err == nil:
			found = append(found, Description{Name: t.Name, Doc: file.metadata[tableKey], Columns: file.columns})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return found, nil
}

// ManualPage is the manual's page about the result tables, in Markdown.
func ManualPage() string {
	var b strings.Builder
	b.WriteString("# Result tables\n\nOne Arrow file per table. Cells that may be absent are null, never zero. ")
	b.WriteString("`carousel tables DIR` lists the tables of a folder.\n")
	for _, t := range Descriptions() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, strings.ToUpper(t.Doc[:1])+strings.TrimSuffix(t.Doc[1:], "."))
		for _, c := range t.Columns {
			kind := c.Type
			if c.Null {
				kind += " or null"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, c.Doc)
		}
	}
	return b.String()
}
