package tables

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

// Describe returns the description of the table's columns.
func (t *Table[R]) Describe() Description {
	d := Description{Name: t.Name, Doc: t.Doc}
	for _, c := range t.Columns {
		k, nullable := shape(c.Cell(new(R)))
		name := map[kind]string{textKind: "text", countKind: "count", numberKind: "number"}[k]
		d.Columns = append(d.Columns, ColumnDescription{c.Name, name, c.Unit, nullable, c.Doc})
	}
	return d
}

// Names returns the names of all result tables.
func Names() []string {
	var list []string
	for _, d := range Descriptions() {
		list = append(list, d.Name)
	}
	return list
}

// Descriptions returns the descriptions of all result tables, in the order in which a study writes them.
func Descriptions() []Description {
	var list []Description
	for _, p := range new(Rows).parts(true) {
		list = append(list, p.describe())
	}
	return append(list, Claims.Describe(), FigurePoints.Describe())
}
