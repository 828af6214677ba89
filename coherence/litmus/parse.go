package litmus

import (
	"bufio"
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

// Test is a program for each core and an outcome to watch for.
type Test struct {
	Name      string
	Doc       string
	Variables []string
	Programs  [][]Op
	Outcome   []Equation // all of them together
	// AllowedTSO and AllowedSC tell whether the outcome may come up under total store order and
	// under sequential consistency.
	AllowedTSO, AllowedSC bool
}

// Op is one instruction of a program.
type Op struct {
	Kind     traces.Kind // Load, Store, Atomic or Fence
	Variable int
	Value    int    // stored
	Register string // loaded into
}

// Equation is one condition of an outcome: a register's value, or the value that a variable has in
// the end.
type Equation struct {
	Name  string
	Value int
	Not   bool // any other value
}

// String returns the equation as it is written.
func (e Equation) String() string {
	if e.Not {
		return fmt.Sprintf("%s != %d", e.Name, e.Value)
	}
	return fmt.Sprintf("%s = %d", e.Name, e.Value)
}

// maxVariables bounds the variables of a test: all must fit a block beside the words for noise.
const maxVariables = 6

//go:embed tests/*.litmus
var files embed.FS

// Tests returns the tests of this package, in order of name.
func Tests() ([]Test, error) {
	entries, err := files.ReadDir("tests")
	if err != nil {
		return nil, err
	}
	var all []Test
	for _, e := range entries {
		f, err := files.Open("tests/" + e.Name())
		if err != nil {
			return nil, err
		}
		t, err := Parse(e.Name(), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// parser is the state while a test is read.
type parser struct {
	test     Test
	file     string
	line     int
	verdicts int
}

// Parse reads a test. Lines that begin with # document it. Each row has one instruction per core,
// separated by bars; an empty place has none. There are:
//
//	x = 1     store to a variable
//	r1 = x    load; registers are r and a number, and have different names in all cores
//	x++       atomic increment
//	fence     all earlier accesses are visible before any later one
//
// Then follow the outcome, such as "outcome r1 = 1 & x != 2", and the verdicts "tso allowed" (or
// forbidden) and "sc forbidden". All variables are 0 at first.
func Parse(file string, from io.Reader) (Test, error) {
	p := parser{file: file, test: Test{Name: strings.TrimSuffix(file, ".litmus")}}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		p.line++
		if err := p.parse(strings.TrimSpace(lines.Text())); err != nil {
			return Test{}, err
		}
	}
	if err := lines.Err(); err != nil {
		return Test{}, fmt.Errorf("%s: %w", file, err)
	}
	switch t := &p.test; {
	case len(t.Programs) == 0:
		return Test{}, p.fault("there is no program")
	case len(t.Outcome) == 0:
		return Test{}, p.fault("there is no outcome")
	case p.verdicts != 2:
		return Test{}, p.fault("there must be one line for tso and one for sc")
	}
	return p.test, p.names()
}

func (p *parser) fault(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", p.file, p.line, fmt.Sprintf(format, args...))
}

func (p *parser) parse(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line == "":
		return nil
	case word == "#":
		p.test.Doc = strings.TrimSpace(p.test.Doc + " " + rest)
		return nil
	case word == "outcome":
		return p.outcome(rest)
	case word == "tso" || word == "sc":
		p.verdicts++
		if rest != "allowed" && rest != "forbidden" {
			return p.fault("%s is %q; allowed and forbidden are allowed", word, rest)
		}
		if word == "tso" {
			p.test.AllowedTSO = rest == "allowed"
		} else {
			p.test.AllowedSC = rest == "allowed"
		}
		return nil
	}
	return p.row(line)
}

func (p *parser) row(line string) error {
	cells := strings.Split(line, "|")
	if p.test.Programs == nil {
		p.test.Programs = make([][]Op, len(cells))
	}
	if len(cells) != len(p.test.Programs) {
		return p.fault("%d instructions for %d cores", len(cells), len(p.test.Programs))
	}
	for core, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		op, err := p.op(cell)
		if err != nil {
			return err
		}
		p.test.Programs[core] = append(p.test.Programs[core], op)
	}
	return nil
}

func (p *parser) op(cell string) (Op, error) {
	if cell == "fence" {
		return Op{Kind: traces.Fence}, nil
	}
	if name, ok := strings.CutSuffix(cell, "++"); ok {
		v, err := p.variable(name)
		return Op{Kind: traces.Atomic, Variable: v}, err
	}
	left, right, ok := strings.Cut(cell, "=")
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	if !ok {
		return Op{}, p.fault("%q is no instruction; x = 1, r1 = x, x++ and fence are", cell)
	}
	if isRegister(left) {
		v, err := p.variable(right)
		return Op{Kind: traces.Load, Variable: v, Register: left}, err
	}
	v, err := p.variable(left)
	if err != nil {
		return Op{}, err
	}
	value, err := strconv.Atoi(right)
	if err != nil || value == 0 {
		return Op{}, p.fault("%q stores no number other than 0", cell)
	}
	return Op{Kind: traces.Store, Variable: v, Value: value}, nil
}

func isRegister(name string) bool {
	number, ok := strings.CutPrefix(name, "r")
	_, err := strconv.Atoi(number)
	return ok && err == nil
}

// variable returns the number of a variable, a new one for a new name.
func (p *parser) variable(name string) (int, error) {
	if len(name) != 1 || name[0] < 'a' || name[0] > 'z' || name == "r" {
		return 0, p.fault("%q is no variable; one letter other than r is", name)
	}
	i := slices.Index(p.test.Variables, name)
	if i < 0 {
		i = len(p.test.Variables)
		p.test.Variables = append(p.test.Variables, name)
	}
	if i == maxVariables {
		return 0, p.fault("more than %d variables", maxVariables)
	}
	return i, nil
}

func (p *parser) outcome(text string) error {
	for part := range strings.SplitSeq(text, "&") {
		left, right, ok := strings.Cut(part, "=")
		left, not := strings.CutSuffix(strings.TrimSpace(left), "!")
		value, err := strconv.Atoi(strings.TrimSpace(right))
		if !ok || err != nil {
			return p.fault("%q is no condition; r1 = 0 and x != 1 are", part)
		}
		p.test.Outcome = append(p.test.Outcome, Equation{strings.TrimSpace(left), value, not})
	}
	return nil
}

// names checks that the outcome speaks of what there is, and that registers are loaded once.
func (p *parser) names() error {
	loaded := map[string]bool{}
	for _, program := range p.test.Programs {
		for _, op := range program {
			if op.Kind == traces.Load && loaded[op.Register] {
				return p.fault("register %s is loaded twice", op.Register)
			}
			loaded[op.Register] = true
		}
	}
	for _, e := range p.test.Outcome {
		if !loaded[e.Name] && !slices.Contains(p.test.Variables, e.Name) {
			return p.fault("the outcome names %q, which is neither a variable nor a register that is loaded", e.Name)
		}
	}
	return nil
}
