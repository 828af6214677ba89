package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment/openloop"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Read reads a plan file.
func Read(path string, quick bool) (*Plan, error) {
	content, err := wholefile.Read(path, wholefile.TextBytes)
	if err != nil {
		return nil, &config.InputError{Err: fmt.Errorf("cannot read the plan: %w", err)}
	}
	return Parse(path, content, quick)
}

// Parse reads a plan. Its section quick replaces what it names, if that is asked for. Everything
// that a plan does not have is an error with its line.
func Parse(name string, content []byte, quick bool) (*Plan, error) {
	root, err := config.ParseYAML(name, content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, fmt.Errorf("%s: the plan is empty; it needs kind, and set or axes", name)
	}
	p := &Plan{Name: name, Runs: 1}
	if err := p.section(root, planKeys, quick); err != nil {
		return nil, err
	}
	return p, p.check()
}

// planKeys are what a plan has, quickKeys what its section quick may replace.
var (
	planKeys  = []string{"title", "kind", "set", "variants", "axes", "seeds", "quick"}
	quickKeys = []string{"set", "variants", "axes", "seeds"}
)

// section reads the keys of a plan or of its section quick.
func (p *Plan) section(node *yaml.Node, allowed []string, quick bool) error {
	pairs, err := p.pairs(node, "the plan", "kind: traffic")
	if err != nil {
		return err
	}
	var later *yaml.Node
	for _, pair := range pairs {
		name, value := pair[0].Value, pair[1]
		if !slices.Contains(allowed, name) {
			return p.errorf(pair[0], "unknown key %q; a plan has %s%s", name, strings.Join(allowed, ", "), suggest.Text(name, allowed))
		}
		switch name {
		case "title":
			err = p.text(value, name, &p.Title)
			p.Title = printable.Name(p.Title)
		case "kind":
			if err = p.text(value, name, &p.Kind); err == nil && !slices.Contains(Kinds, p.Kind) {
				err = p.errorf(value, "kind is %q; use run, traffic or messages%s", p.Kind, suggest.Text(p.Kind, Kinds))
			}
		case "set":
			p.Set, err = p.settings(value, p.Set)
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
		scratch.Set, scratch.Axes = slices.Clone(p.Set), slices.Clone(p.Axes)
		p = &scratch
	}
	return p.section(later, quickKeys, false)
}

// errorf is an error at a place of the file.
func (p *Plan) errorf(at *yaml.Node, format string, parts ...any) error {
	return fmt.Errorf("%s:%d: %s", p.Name, at.Line, fmt.Sprintf(format, parts...))
}

// pairs lists the keys and values of a mapping, and refuses a key that comes twice. example is for the error.
func (p *Plan) pairs(node *yaml.Node, what, example string) ([][2]*yaml.Node, error) {
	if node.Kind != yaml.MappingNode {
		return nil, p.errorf(node, "%s must have keys with values, such as %s", what, example)
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

func (p *Plan) text(node *yaml.Node, name string, into *string) error {
	if node.Kind != yaml.ScalarNode || node.Value == "" {
		return p.errorf(node, "%s must be a text", name)
	}
	*into = node.Value
	return nil
}

// settled are keys that a plan may not have, and what to use instead.
var settled = map[string]string{
	"seed": "use seeds", "runs": "use seeds", "jobs": "use --jobs", "out": "use --out", "parquet": "use --parquet", "csv": "use --csv", "compression": "use --compression",
}

// sameResults are keys that change how points are simulated, but not what comes out.
var sameResults = []string{"network.threads", "network.every_cycle", "network.plain", "chip.every_cycle", "chip.core.plain"}

// leaves calls visit for each key of nested sections, but refuses those that a plan may not have.
func (p *Plan) leaves(node *yaml.Node, visit func(name string, at, value *yaml.Node) error) error {
	return config.Leaves(node, p.Name, func(name string, at, value *yaml.Node) error {
		if instead, ok := settled[name]; ok {
			return p.errorf(at, "%s cannot be part of a plan; %s", name, instead)
		}
		return visit(name, at, value)
	})
}

// settings reads keys with fixed values and lays them over those of a list.
func (p *Plan) settings(node *yaml.Node, list []Setting) ([]Setting, error) {
	err := p.leaves(node, func(name string, at, value *yaml.Node) error {
		var raw any
		if err := value.Decode(&raw); err != nil {
			return p.errorf(value, "%s: %v", name, err)
		}
		list = put(list, Setting{name, raw, at.Line}, func(s Setting) bool { return s.Key == name })
		return nil
	})
	return list, err
}

// put replaces the element of a list that is the same, as the section quick does, or adds one.
func put[T any](list []T, v T, same func(T) bool) []T {
	if i := slices.IndexFunc(list, same); i >= 0 {
		list[i] = v
		return list
	}
	return append(list, v)
}

// readVariants reads names with their settings, which may be none, or the word that stands for the
// assumptions of --band.
func (p *Plan) readVariants(node *yaml.Node) (err error) {
	if node.Value == "assumptions" {
		p.Variants, err = assumed(node.Line)
		return err
	}
	pairs, err := p.pairs(node, "variants", "NAME: {KEY: VALUE}")
	if err != nil {
		return err
	}
	p.Variants = nil // those of the section quick replace all others
	for _, pair := range pairs {
		v := Variant{Name: printable.Name(strings.TrimSpace(pair[0].Value))}
		if v.Name == "" {
			return p.errorf(pair[0], "a variant needs a name")
		}
		if v.Set, err = p.settings(pair[1], nil); err != nil {
			return err
		}
		p.Variants = append(p.Variants, v)
	}
	if p.Variants == nil {
		return p.errorf(node, "variants is empty; write NAME: {KEY: VALUE}, or assumptions for those of --band")
	}
	return nil
}

func (p *Plan) readAxes(node *yaml.Node) error {
	return p.leaves(node, func(name string, at, value *yaml.Node) error {
		values, err := p.axisValues(name, value)
		if err != nil {
			return err
		}
		p.Axes = put(p.Axes, Axis{name, values, at.Line}, func(a Axis) bool { return a.Key == name })
		return nil
	})
}

// axisValues reads the values of an axis: a list, or loads as FIRST:LAST:STEP.
func (p *Plan) axisValues(name string, node *yaml.Node) ([]any, error) {
	if node.Kind == yaml.ScalarNode && name == "traffic.load" && strings.Contains(node.Value, ":") {
		loads, err := openloop.ParseLoads(node.Value)
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
		text := config.Text(v)
		if seen[text] {
			return nil, p.errorf(node, "axis %s has %s twice", name, text)
		}
		seen[text] = true
	}
	return values, nil
}

// readSeeds reads a number of seeds or a list of them.
func (p *Plan) readSeeds(node *yaml.Node) error {
	p.Seeds, p.Runs = nil, 0
	if node.Kind == yaml.ScalarNode {
		n, err := strconv.Atoi(node.Value)
		if err != nil || n < 1 || n > maxSeeds {
			return p.errorf(node, "seeds is %q; write a number from 1 to %d, or a list of seeds", node.Value, maxSeeds)
		}
		p.Runs = n
		return nil
	}
	if node.Kind != yaml.SequenceNode || node.Decode(&p.Seeds) != nil || len(p.Seeds) == 0 {
		return p.errorf(node, "seeds must be a number, or a list of whole numbers from 0 on")
	}
	for i, seed := range p.Seeds {
		if slices.Contains(p.Seeds[:i], seed) {
			return p.errorf(node, "seeds has %d twice", seed)
		}
	}
	p.Runs = len(p.Seeds)
	return nil
}
