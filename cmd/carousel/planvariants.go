package main

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// planVariant is a named group of settings. Variants differ in any keys, so that a plan can change one
// assumption at a time, where axes would combine all changes.
type planVariant struct {
	name string
	set  []planSetting
	line int
}

// variantAxis is the axis under which tables and labels show a point's variant.
const variantAxis = "variant"

// readVariants reads names with their settings, which may be none.
func (p *plan) readVariants(node *yaml.Node) error {
	pairs, err := p.pairs(node, "variants")
	if err != nil {
		return err
	}
	p.variants = nil // those of the section quick replace all others
	for _, pair := range pairs {
		v := planVariant{name: strings.TrimSpace(pair[0].Value), line: pair[0].Line}
		if v.name == "" {
			return p.errorf(pair[0], "a variant needs a name")
		}
		if v.set, err = p.settings(pair[1], "variant "+v.name, nil); err != nil {
			return err
		}
		p.variants = append(p.variants, v)
	}
	if p.variants == nil {
		return p.errorf(node, "variants is empty; write NAME: {KEY: VALUE}")
	}
	return nil
}

// checkVariants refuses a key that an axis varies too.
func (p *plan) checkVariants() error {
	for _, v := range p.variants {
		for _, s := range v.set {
			for _, a := range p.axes {
				if a.name == s.name {
					return fmt.Errorf("%s:%d: variant %s sets %s, which is an axis (line %d); choose one", p.place, s.line, v.name, s.name, a.line)
				}
			}
		}
	}
	return nil
}

// varies reports whether the plan gives a key several values.
func (p *plan) varies(name string) bool {
	return slices.ContainsFunc(p.axes, func(a planAxis) bool { return a.name == name }) ||
		slices.ContainsFunc(p.variants, func(v planVariant) bool {
			return slices.ContainsFunc(v.set, func(s planSetting) bool { return s.name == name })
		})
}

// dimensions are the axes, behind one for the variants if there are any.
func (p *plan) dimensions() []planAxis {
	if p.variants == nil {
		return p.axes
	}
	names := planAxis{name: variantAxis}
	for _, v := range p.variants {
		names.values = append(names.values, v.name)
	}
	return append([]planAxis{names}, p.axes...)
}

// chosen are the settings that a value of a dimension stands for.
func (p *plan) chosen(axis *planAxis, at int) []planSetting {
	if axis.name == variantAxis {
		return p.variants[at].set
	}
	return []planSetting{{axis.name, axis.values[at], axis.line}}
}
