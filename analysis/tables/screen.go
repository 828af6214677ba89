package tables

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Screen says how people see a column of runs, points or batches, of which they see means. It is the
// tag screen of the column's field: the title, and after commas place=N, wide, scale=X or protocol=NAME.
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
		tag := f.Tag.Get("screen")
		if tag == "" {
			continue
		}
		parts := strings.Split(tag, ",")
		s := Screen{Column: f.Tag.Get("col"), Title: parts[0], Scale: 1}
		var err error
		for _, part := range parts[1:] {
			key, value, _ := strings.Cut(part, "=")
			switch key {
			case "place":
				s.Place, err = strconv.Atoi(value)
			case "scale":
				s.Scale, err = strconv.ParseFloat(value, 64)
			case "protocol":
				s.Protocol = value
			case "wide":
				s.Wide = true
			default:
				err = fmt.Errorf("%s is no part of a tag", key)
			}
			if err != nil {
				panic(fmt.Sprintf("tables: tag screen of column %s: %v", s.Column, err))
			}
		}
		list = append(list, s)
	}
	return list
}
