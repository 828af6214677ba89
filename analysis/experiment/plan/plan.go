package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/carousel-sim/carousel/analysis/config"
)

// Plan says what a sweep varies.
type Plan struct {
	Name     string // of its file, for messages
	Kind     string // one of Kinds
	Title    string
	Set      []Setting
	Variants []Variant // each with every combination of the axes' values
	Axes     []Axis    // the last one varies fastest
	Seeds    []uint64  // nil takes as many as Runs says, from the configuration's seed on
	Runs     int       // 0 is 1

	Extra config.Extra // what the settings can name beside the tables
	// Stopped, if not nil, is asked while the plan is expanded; its error ends that.
	Stopped func() error
	// Context, if not nil, ends the reading of what the plan replays.
	Context context.Context
}

// Setting is a key with a fixed value, as a file holds it: a number, a text, a switch or a list.
type Setting struct {
	Key   string
	Value any
	Line  int // of the plan's file; 0 without a file
}

// Axis is a key with several values.
type Axis struct {
	Key    string
	Values []any
	Line   int // of the plan's file; 0 without a file
}

// Variant is a named group of settings. Variants differ in any keys, so that a plan can change one
// assumption at a time, where axes would combine all changes.
type Variant struct {
	Name string
	Set  []Setting
}

// The kinds of plans.
const (
	Run      = "run"      // programs on chips, as carousel run
	Traffic  = "traffic"  // synthetic traffic on networks alone, as carousel traffic
	Messages = "messages" // multicasts one by one, with startup times; see package messages
)

// Kinds lists them.
var Kinds = []string{Run, Traffic, Messages}

// VariantAxis is the axis under which tables and labels show a point's variant.
const VariantAxis = "variant"

// maxSeeds bounds the repetitions of a point.
const maxSeeds = 10_000

// check finds contradictions.
func (p *Plan) check() error {
	if !slices.Contains(Kinds, p.Kind) {
		return fmt.Errorf("%s: kind is missing; write kind: run, kind: traffic or kind: messages", p.Name)
	}
	for _, a := range p.Axes {
		for _, s := range p.Set {
			if s.Key == a.Key {
				return fmt.Errorf("%s:%d: %s is an axis (line %d) and is set; choose one", p.Name, s.Line, s.Key, a.Line)
			}
		}
		for _, v := range p.Variants {
			for _, s := range v.Set {
				if s.Key == a.Key {
					return fmt.Errorf("%s:%d: variant %s sets %s, which is an axis (line %d); choose one", p.Name, s.Line, v.Name, s.Key, a.Line)
				}
			}
		}
	}
	return nil
}

// Varies reports whether the plan gives a key several values.
func (p *Plan) Varies(key string) bool {
	return slices.ContainsFunc(p.Axes, func(a Axis) bool { return a.Key == key }) ||
		slices.ContainsFunc(p.Variants, func(v Variant) bool {
			return slices.ContainsFunc(v.Set, func(s Setting) bool { return s.Key == key })
		})
}

// Dimensions returns the axes, behind one for the variants if there are any.
func (p *Plan) Dimensions() []Axis {
	if p.Variants == nil {
		return p.Axes
	}
	names := Axis{Key: VariantAxis}
	for _, v := range p.Variants {
		names.Values = append(names.Values, v.Name)
	}
	return append([]Axis{names}, p.Axes...)
}

// Combinations counts those of the values of all dimensions. A float does not overflow.
func (p *Plan) Combinations() float64 {
	n := 1.0
	for _, axis := range p.Dimensions() {
		n *= float64(len(axis.Values))
	}
	return n
}

// chosen returns the settings that a value of a dimension stands for.
func (p *Plan) chosen(axis *Axis, at int) []Setting {
	if axis.Key == VariantAxis {
		return p.Variants[at].Set
	}
	return []Setting{{axis.Key, axis.Values[at], axis.Line}}
}
