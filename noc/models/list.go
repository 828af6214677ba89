package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// List is what a program may choose from; nil is the [Table].
type List []Model

// all returns the models of the list.
func (l List) all() List {
	if l == nil {
		return Table()
	}
	return l
}

// Names lists the models' names.
func (l List) Names() (names []string) {
	for _, m := range l.all() {
		names = append(names, m.Name)
	}
	return names
}

// Schemes lists the multicast schemes of all models.
func (l List) Schemes() (names []string) {
	for _, m := range l.all() {
		for _, s := range append([]string{m.Scheme}, m.Schemes...) {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	return names
}

// Lookup finds a model by name, or by name and one of its schemes, as [Model.Serving] names it.
func (l List) Lookup(name string) (Model, error) {
	if base, scheme, chosen := strings.Cut(name, "/"); chosen {
		m, err := l.Lookup(base)
		if err == nil && !slices.Contains(m.Schemes, scheme) {
			err = fmt.Errorf("router %s does not support scheme %q; carousel list prints routers and schemes", base, scheme)
		}
		return m.Serving(scheme), err
	}
	for _, m := range l.all() {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("unknown router %q; choose from %s%s", name, strings.Join(l.Names(), ", "), suggest.Text(name, l.Names()))
}

// Names lists the names of the table.
func Names() []string { return List(nil).Names() }

// Lookup finds a model of the table by name.
func Lookup(name string) (Model, error) { return List(nil).Lookup(name) }
