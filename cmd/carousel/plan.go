package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// plan is the content of a plan file: fixed settings, variants, axes whose values are combined, and seeds.
type plan struct {
	place    string // the file's name, for messages
	kind     string // one of planKinds
	title    string
	set      []planSetting
	variants []planVariant // each with every combination of the axes' values
	axes     []planAxis    // the last one varies fastest
	seeds    []uint64      // nil: a number of seeds that counts on from --seed
	runs     int           // that number
}

// planSetting is a key with a fixed value.
type planSetting struct {
	name string
	raw  any
	line int
}

// planAxis is a key with several values.
type planAxis struct {
	name   string
	values []any
	line   int
}

// The kinds of plans.
var planKinds = []string{"run", "traffic", "messages"}

// readPlan reads a plan file.
func readPlan(path string, quick bool) (*plan, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, inputError{fmt.Errorf("cannot read the plan: %w", err)}
	}
	return parsePlan(path, content, quick)
}

// parsePlan reads a plan; the section quick replaces what it names when it is asked for. Every key that
// does not exist is an error with its line.
func parsePlan(place string, content []byte, quick bool) (*plan, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, usagef("%s: %w", place, err)
	}
	p := &plan{place: place, runs: 1}
	if len(document.Content) == 0 {
		return nil, usagef("%s: the plan is empty; it needs kind, and set or axes", place)
	}
	if err := p.section(document.Content[0], []string{"title", "kind", "set", "variants", "axes", "seeds", "quick"}, quick); err != nil {
		return nil, usageError{err}
	}
	if p.kind == "" {
		return nil, usagef("%s: there is no kind; write kind: run, kind: traffic or kind: messages", place)
	}
	for _, a := range p.axes {
		for _, s := range p.set {
			if s.name == a.name {
				return nil, usagef("%s:%d: %s is an axis (line %d) and is set; choose one", place, s.line, s.name, a.line)
			}
		}
	}
	if err := p.checkVariants(); err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// quickKeys are what the section quick may replace.
var quickKeys = []string{"set", "variants", "axes", "seeds"}

// section reads the keys of a plan or of its section quick.
func (p *plan) section(node *yaml.Node, allowed []string, quick bool) error {
	pairs, err := p.pairs(node, "the plan")
	if err != nil {
		return err
	}
	var later *yaml.Node
	for _, pair := range pairs {
		name, value := pair[0].Value, pair[1]
		if !slices.Contains(allowed, name) {
			return p.errorf(pair[0], "unknown key %q; a plan has %s%s", name, strings.Join(allowed, ", "), didYouMean(name, allowed))
		}
		switch name {
		case "title":
			err = p.text(value, name, &p.title)
		case "kind":
			if err = p.text(value, name, &p.kind); err == nil && !slices.Contains(planKinds, p.kind) {
				err = p.errorf(value, "kind is %q; use run, traffic or messages%s", p.kind, didYouMean(p.kind, planKinds))
			}
		case "set":
			err = p.readSet(value)
		case "variants":
			err = p.readVariants(value)
		case "axes":
			err = p.readAxes(value)
		case "seeds":
			err = p.readSeeds(value)
		case "quick":
			later = value
		}
		if err != nil {
			return err
		}
	}
	if later == nil {
		return nil
	}
	if !quick { // it must be right all the same
		scratch := *p
		scratch.set, scratch.axes = slices.Clone(p.set), slices.Clone(p.axes)
		return scratch.section(later, quickKeys, false)
	}
	return p.section(later, quickKeys, false)
}

// errorf is an error at a place of the file.
func (p *plan) errorf(at *yaml.Node, format string, parts ...any) error {
	return fmt.Errorf("%s:%d: %s", p.place, at.Line, fmt.Sprintf(format, parts...))
}

// pairs lists the keys and values of a mapping, and refuses a key that comes twice.
func (p *plan) pairs(node *yaml.Node, what string) ([][2]*yaml.Node, error) {
	if node.Kind != yaml.MappingNode {
		return nil, p.errorf(node, "%s must be a list of keys with values, such as kind: traffic", what)
	}
	var list [][2]*yaml.Node
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		if first, twice := lines[name.Value]; twice {
			return nil, p.errorf(name, "%s is given twice, first in line %d", name.Value, first)
		}
		lines[name.Value] = name.Line
		list = append(list, [2]*yaml.Node{name, node.Content[i+1]})
	}
	return list, nil
}

func (p *plan) text(node *yaml.Node, name string, into *string) error {
	if node.Kind != yaml.ScalarNode || node.Value == "" {
		return p.errorf(node, "%s must be a text", name)
	}
	*into = node.Value
	return nil
}

// settled are keys that a plan may not have, and what to use instead.
var settled = map[string]string{
	"seed": "use seeds", "runs": "use seeds", "jobs": "use --jobs", "out": "use --out", "parquet": "use --parquet",
}

// leaves flattens nested sections into dotted keys and calls visit for each.
func (p *plan) leaves(node *yaml.Node, prefix, what string, visit func(name string, at, value *yaml.Node) error) error {
	pairs, err := p.pairs(node, what)
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		name := prefix + strings.ToLower(pair[0].Value)
		if pair[1].Kind == yaml.MappingNode {
			err = p.leaves(pair[1], name+".", name, visit)
		} else if instead, ok := settled[name]; ok {
			err = p.errorf(pair[0], "%s cannot be part of a plan; %s", name, instead)
		} else {
			err = visit(name, pair[0], pair[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) readSet(node *yaml.Node) (err error) {
	p.set, err = p.settings(node, "set", p.set)
	return err
}

// settings reads keys with fixed values and lays them over those of a list.
func (p *plan) settings(node *yaml.Node, what string, list []planSetting) ([]planSetting, error) {
	err := p.leaves(node, "", what, func(name string, at, value *yaml.Node) error {
		var raw any
		if err := value.Decode(&raw); err != nil {
			return p.errorf(value, "%s: %v", name, err)
		}
		s := planSetting{name, raw, at.Line}
		for i := range list { // quick replaces; a nested and a dotted spelling are the same key
			if list[i].name == name {
				list[i] = s
				return nil
			}
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

func (p *plan) readAxes(node *yaml.Node) error {
	return p.leaves(node, "", "axes", func(name string, at, value *yaml.Node) error {
		values, err := p.axisValues(name, value)
		if err != nil {
			return err
		}
		a := planAxis{name, values, at.Line}
		for i := range p.axes {
			if p.axes[i].name == name {
				p.axes[i] = a
				return nil
			}
		}
		p.axes = append(p.axes, a)
		return nil
	})
}

// axisValues reads the values of an axis: a list, or loads as FIRST:LAST:STEP.
func (p *plan) axisValues(name string, node *yaml.Node) ([]any, error) {
	if node.Kind == yaml.ScalarNode && name == "traffic.load" && strings.Contains(node.Value, ":") {
		loads, err := parseLoads(node.Value)
		if err != nil {
			return nil, p.errorf(node, "axis %s: %v", name, err)
		}
		values := make([]any, len(loads))
		for i, load := range loads {
			values[i] = load
		}
		return values, nil
	}
	var values []any
	if node.Kind != yaml.SequenceNode || node.Decode(&values) != nil || len(values) == 0 {
		return nil, p.errorf(node, "axis %s must be a list of values, such as [1, 2]", name)
	}
	seen := map[string]bool{}
	for _, v := range values {
		if text := plain(v); seen[text] {
			return nil, p.errorf(node, "axis %s has %s twice", name, text)
		} else {
			seen[text] = true
		}
	}
	return values, nil
}

// maxSeeds bounds the repetitions of a point.
const maxSeeds = 10_000

// readSeeds reads a number of seeds or a list of them.
func (p *plan) readSeeds(node *yaml.Node) error {
	p.seeds, p.runs = nil, 0
	if node.Kind == yaml.ScalarNode {
		n, err := strconv.Atoi(node.Value)
		if err != nil || n < 1 || n > maxSeeds {
			return p.errorf(node, "seeds is %q; write a number from 1 to %d, or a list of seeds", node.Value, maxSeeds)
		}
		p.runs = n
		return nil
	}
	if node.Kind != yaml.SequenceNode || node.Decode(&p.seeds) != nil || len(p.seeds) == 0 {
		return p.errorf(node, "seeds must be a number, or a list of whole numbers from 0 on")
	}
	for i, seed := range p.seeds {
		if slices.Contains(p.seeds[:i], seed) {
			return p.errorf(node, "seeds has %d twice", seed)
		}
	}
	p.runs = len(p.seeds)
	return nil
}
