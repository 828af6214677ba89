package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Description says what a table holds, for documentation.
type Description struct {
	Name    string              `json:"name"`
	Doc     string              `json:"doc"` // what a row stands for
	Columns []ColumnDescription `json:"columns"`
}

// ColumnDescription says what a column holds.
type ColumnDescription struct {
	Name string `json:"name"`
	Type string `json:"type"` // text, count or number
	Unit string `json:"unit"` // "" for names and plain counts
	Null bool   `json:"null"` // whether a cell may be absent
	Doc  string `json:"doc"`
}

// kindNames are the storage types for people.
var kindNames = map[arrow.DataType]string{textType: "text", countType: "count", numberType: "number"}

// Describe returns the description of the table's columns.
func (t *Table[R]) Describe() Description {
	d := Description{Name: t.Name, Doc: t.Doc}
	for _, c := range t.Columns {
		kind, nullable := shape(c.Cell(new(R)))
		d.Columns = append(d.Columns, ColumnDescription{c.Name, kindNames[kind], c.Unit, nullable, c.Doc})
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
			d := Description{Name: t.Name, Doc: file.metadata[tableKey]}
			for _, c := range file.columns {
				d.Columns = append(d.Columns, c.ColumnDescription)
			}
			found = append(found, d)
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
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, strings.TrimSuffix(t.Doc, "."))
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

// Screen says how people see a column of runs, points or batches, of which they see means. The tags of
// the column's field say so: screen, the title, and place, wide, scale and protocol.
type Screen struct {
	Column Name
	Title  string
	// Place orders the columns that comparisons of runs show beside the ratios; 0 is not among them.
	Place    int
	Wide     bool    // only where all columns are asked for
	Scale    float64 // what values are multiplied with
	Protocol string  // the coherence protocol that has it; "" for all
}

// ShownRuns lists the columns that comparisons of runs show beside the ratios, in order.
func ShownRuns() []Screen {
	list := slices.DeleteFunc(screens[Run](), func(s Screen) bool { return s.Place == 0 })
	slices.SortFunc(list, func(a, b Screen) int { return cmp.Compare(a.Place, b.Place) })
	return list
}

// OnScreen is how people see a column; without a title where they do not.
func OnScreen(name Name) Screen {
	for _, s := range slices.Concat(screens[Run](), screens[Traffic](), screens[Batch]()) {
		if s.Column == name {
			return s
		}
	}
	return Screen{Column: name, Scale: 1}
}

// screens lists the columns of a row that people see, in the order of its fields.
func screens[R any]() (list []Screen) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		s := Screen{Column: Name{f.Tag.Get("col")}, Title: f.Tag.Get("screen"), Wide: f.Tag.Get("wide") != "", Protocol: f.Tag.Get("protocol")}
		if s.Title == "" {
			continue
		}
		var noPlace, noScale error
		s.Place, noPlace = strconv.Atoi(cmp.Or(f.Tag.Get("place"), "0"))
		s.Scale, noScale = strconv.ParseFloat(cmp.Or(f.Tag.Get("scale"), "1"), 64)
		if err := cmp.Or(noPlace, noScale); err != nil {
			panic(fmt.Sprintf("tables: tags of column %s: %v", s.Column, err))
		}
		list = append(list, s)
	}
	return list
}
