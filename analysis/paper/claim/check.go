package claim

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// check reports what a part lacks, and what it has that its judge does not use.
func (p *Part) check() error {
	j, known := lookup(p.Judge)
	if !known {
		var names []string
		for _, j := range judges {
			names = append(names, j.name)
		}
		return fmt.Errorf("there is no judge %q; there are %s%s", p.Judge, strings.Join(names, ", "), suggest.Text(p.Judge, names))
	}
	given := p.given()
	if err := j.checkFields(given); err != nil {
		return err
	}
	has := func(field string) bool { return slices.Contains(given, field) }
	switch {
	case j.bounded && !has("below") && !has("above") && !has("gain"):
		return fmt.Errorf("judge %s needs a bound: below, above or gain", p.Judge)
	case has("gain") && (has("below") || has("above")):
		return fmt.Errorf("gain sets both bounds; leave out below and above")
	case slices.ContainsFunc([]*float64{p.Below, p.Above, p.Gain}, func(b *float64) bool { return b != nil && math.IsNaN(*b) }):
		return fmt.Errorf("a bound is not a number; below, above and gain must be numbers")
	case has("knee") && !p.Seeds:
		return fmt.Errorf("knee has an effect only with seeds: true")
	case len(p.Instead) > 1:
		return fmt.Errorf("instead names %d panels; it can name one", len(p.Instead))
	case has("share") && (p.Share < 0 || p.Share >= 1):
		return fmt.Errorf("share is %g; it must be at least 0 and less than 1", p.Share)
	}
	if err := p.checkSeries(&j); err != nil {
		return err
	}
	return p.checkWords()
}

// given lists the fields that a part has, as the file of claims names them, without judge and data.
func (p *Part) given() (names []string) {
	var list func(in reflect.Value, prefix string)
	list = func(in reflect.Value, prefix string) {
		for _, f := range reflect.VisibleFields(in.Type()) {
			v, name := in.FieldByIndex(f.Index), prefix+strings.ToLower(f.Name)
			switch {
			case !f.IsExported() || v.IsZero():
			case f.Type == reflect.TypeFor[Cells]():
				list(v, name+".")
			default:
				names = append(names, name)
			}
		}
	}
	list(reflect.ValueOf(p).Elem(), "")
	names = slices.DeleteFunc(names, func(name string) bool { return name == "judge" || name == "data" })
	if p.source.Per != "" {
		names = append(names, "data.per")
	}
	if p.source.Less != "" {
		names = append(names, "data.less")
	}
	return names
}

// uses reports whether a judge uses a field, or that which a field is a part of.
func (j *judge) uses(field string) bool {
	whole, _, _ := strings.Cut(field, ".")
	known := strings.Fields(j.needs + " " + j.takes)
	switch field {
	case "of":
		return j.of != none
	case "over":
		return j.over != none
	case "below", "above", "gain":
		return j.bounded
	}
	return slices.Contains(known, field) || slices.Contains(known, whole)
}

// checkFields holds the fields of a part to those that its judge uses.
func (j *judge) checkFields(given []string) error {
	for _, field := range given {
		if !j.uses(field) {
			return fmt.Errorf("judge %s does not use %s; leave it out or choose another judge", j.name, field)
		}
	}
	for _, field := range strings.Fields(j.needs) {
		if !slices.ContainsFunc(given, func(g string) bool { return g == field || strings.HasPrefix(g, field+".") }) {
			return fmt.Errorf("judge %s needs %s", j.name, field)
		}
	}
	return nil
}

// checkSeries holds the series of a part to those that its judge uses.
func (p *Part) checkSeries(j *judge) error {
	for _, s := range []struct {
		field string
		names Texts
		uses  count
	}{{"of", p.Of, j.of}, {"over", p.Over, j.over}} {
		switch {
		case len(s.names) == 0 && (s.uses == one || s.uses == several):
			return fmt.Errorf("judge %s needs series: %s", p.Judge, s.field)
		case len(s.names) > 1 && s.uses != several:
			return fmt.Errorf("judge %s uses one series, but %s names %d: %s", p.Judge, s.field, len(s.names), strings.Join(s.names, ", "))
		case len(slices.Compact(slices.Sorted(slices.Values(s.names)))) < len(s.names):
			return fmt.Errorf("%s names a series twice: %s", s.field, strings.Join(s.names, ", "))
		}
	}
	if len(p.Over) == 0 {
		return nil
	}
	pairs := p.pairs()
	for i, names := range [2]Texts{p.Of, p.Over} {
		for _, name := range names {
			if !slices.ContainsFunc(pairs, func(pair [2]string) bool { return pair[i] == name }) {
				return fmt.Errorf("%s names %s, which is compared with no series of %s", []string{"of", "over"}[i], name, []string{"over", "of"}[i])
			}
		}
	}
	return nil
}

// checkWords holds words to those that have a meaning.
func (p *Part) checkWords() error {
	for _, w := range []struct {
		field, value string
		allowed      []string
	}{
		{"mean", p.Mean, []string{"arithmetic", "geometric"}}, {"by", p.By, []string{"panel", "label"}}, {"shows", p.Shows, []string{"mean"}},
		{"where.load", p.Where.Load, loads}, {"start.load", p.Start.Load, loads},
		{"per", p.source.Per, []string{"x", "startups"}}, {"less", p.source.Less, []string{"x", "startups"}},
	} {
		if w.value != "" && !slices.Contains(w.allowed, w.value) {
			return fmt.Errorf("%s is %q; it can be %s", w.field, w.value, strings.Join(w.allowed, " or "))
		}
	}
	for series, values := range p.Printed {
		if len(values) != len(p.At) {
			return fmt.Errorf("%s has %d printed values for %d positions", series, len(values), len(p.At))
		}
	}
	return nil
}
