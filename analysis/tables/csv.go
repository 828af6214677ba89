package tables

import (
	"encoding/csv"
	"io"
)

// WriteCSV writes rows below the names of the columns, with all digits. An absent cell is empty.
func (t *Table[R]) WriteCSV(w io.Writer, rows []R) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for r := range rows {
		for i, c := range t.Columns {
			line[i] = Field{Value: value(c.Cell(&rows[r]))}.Text()
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
