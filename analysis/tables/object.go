package tables

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Object is a row by column name, in the order of the columns. As JSON it is an object; what is
// absent is null.
type Object []Field

// Field is a cell by its column's name: a string, a number, or nil when it is absent.
type Field struct {
	Name  string
	Value any
}

// Object returns a row by column name, without some of the columns.
func (t *Table[R]) Object(row *R, without ...Name) Object {
	var o Object
	for _, c := range t.Columns {
		if !slices.Contains(without, Name{c.Name}) {
			o = append(o, Field{c.Name, value(c.Cell(row))})
		}
	}
	return o
}

// Objects returns rows by column name, without some of the columns.
func (t *Table[R]) Objects(rows []R, without ...Name) []Object {
	list := make([]Object, len(rows))
	for i := range rows {
		list[i] = t.Object(&rows[i], without...)
	}
	return list
}

// Get returns the value of a field; nil where it is absent or does not exist.
func (o Object) Get(name string) any {
	for i := range o {
		if o[i].Name == name {
			return o[i].Value
		}
	}
	return nil
}

// Names are those of the fields.
func (o Object) Names() (list []string) {
	for i := range o {
		list = append(list, o[i].Name)
	}
	return list
}

// Set replaces the value of a field, or adds the field at the end.
func (o *Object) Set(name string, value any) {
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Field{name, value})
}

// Text returns the value of a field with all its digits; "" where it is absent.
func (o Object) Text(name string) string { return Field{Value: o.Get(name)}.Text() }

// Texts returns the texts of several fields.
func (o Object) Texts(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = o.Text(name)
	}
	return list
}

// Text returns the value with all its digits; "" where it is absent.
func (f Field) Text() string {
	switch v := f.Value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(f.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.Name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

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

// internal are columns of the tables that only programs which price energy again need.
var internal = Runs.Named("hardware", "power", "simulation_key")

// RunObjects are the rows of the runs table as documents have them: all columns by their names,
// and the packets by cast and class.
func (r *Rows) RunObjects() []Object {
	const prefix = "packets_" // of columns that count packets
	classes := map[string][]Object{}
	for i := range r.Classes {
		o := Classes.Object(&r.Classes[i], Col.RunKey)
		for k := range o {
			o[k].Name = strings.TrimPrefix(o[k].Name, prefix)
		}
		classes[r.Classes[i].RunKey] = append(classes[r.Classes[i].RunKey], o)
	}
	list := Runs.Objects(r.Runs, internal...)
	for i := range list {
		o := &list[i]
		var packets any
		if r.Runs[i].PacketsUnicast.Known {
			var casts Object
			for _, cast := range []string{"unicast", "multicast", "broadcast"} {
				casts.Set(cast, o.Get(prefix+cast))
			}
			packets = casts
		}
		o.Set("packets", packets)
		o.Set("packets_by_class", classes[r.Runs[i].RunKey])
		o.Set("network_energy_j", o.Get(Col.EnergyJ.text))
		o.Set("network_ed2p", o.Get(Col.ED2PJs2.text))
	}
	return list
}

// TrafficObjects are the rows of the traffic table as documents have them.
func TrafficObjects(rows []Traffic) []Object {
	list := TrafficPoints.Objects(rows, internal...)
	for i := range list {
		if s := rows[i].Saturated; s.Known {
			list[i].Set(Col.Saturated.text, s.Value == Saturated)
		}
	}
	return list
}
