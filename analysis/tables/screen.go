package tables

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// Screen says how people see a column of runs, points or batches, of which they see means. The tags of
// the column's field say so: screen, the title, and place, wide, scale and protocol.
type Screen struct {
	Column, Title string
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
func OnScreen(name string) Screen {
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
		s := Screen{Column: f.Tag.Get("col"), Title: f.Tag.Get("screen"), Wide: f.Tag.Get("wide") != "", Protocol: f.Tag.Get("protocol")}
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
