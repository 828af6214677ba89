package litmus

import (
	"embed"
	"fmt"
	"regexp"
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
	Kind     traces.Kind // Load, Store, Atomic, Fence, Lock or Unlock
	Variable int
	Value    int    // stored
	Register string // loaded into; "" for a load that polls until the variable is written
	Shared   bool   // of Lock and Unlock: others may share the lock
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
		text, err := files.ReadFile("tests/" + e.Name())
		if err != nil {
			return nil, err
		}
		t, err := Parse(e.Name(), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Parse reads a test. Lines that begin with # document it. Each row has one instruction per core,
// separated by bars; an empty place has none. There are:
//
//	x = 1     store of a number other than 0 to a variable, which is one letter other than r
//	r1 = x    load; registers are r and a number, and have different names in all cores
//	x++       atomic increment
//	fence     all earlier accesses are visible before any later one
//	await x   loads that poll until the only store to x is visible
//	lock x    takes a lock, whose word is the variable; share x takes it together with others
//	unlock x, unshare x  release it
//
// Then follow the outcome, such as "outcome r1 = 1 & x != 2", and the verdicts "tso allowed" (or
// forbidden) and "sc forbidden". All variables are 0 at first.
func Parse(file, text string) (Test, error) {
	t := Test{Name: strings.TrimSuffix(file, ".litmus")}
	verdicts := map[string]bool{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if err := t.parse(strings.TrimSpace(line), verdicts); err != nil {
			return Test{}, fmt.Errorf("%s, line %d: %w", file, number, err)
		}
	}
	t.AllowedTSO, t.AllowedSC = verdicts["tso"], verdicts["sc"]
	if err := t.check(verdicts); err != nil {
		return Test{}, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// parse reads one line.
func (t *Test) parse(line string, verdicts map[string]bool) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
	case "#":
		t.Doc = strings.TrimSpace(t.Doc + " " + rest)
	case "outcome":
		return t.outcome(rest)
	case "tso", "sc":
		if verdicts[word] = rest == "allowed"; rest != "allowed" && rest != "forbidden" {
			return fmt.Errorf("%s is %q; allowed and forbidden are allowed", word, rest)
		}
	default:
		return t.row(strings.Split(line, "|"))
	}
	return nil
}

func (t *Test) row(cells []string) error {
	if t.Programs == nil {
		t.Programs = make([][]Op, len(cells))
	}
	if len(cells) != len(t.Programs) {
		return fmt.Errorf("%d instructions for %d cores", len(cells), len(t.Programs))
	}
	for core, cell := range cells {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		m := instruction.FindStringSubmatch(cell)
		if m == nil {
			return fmt.Errorf("%q is no instruction; x = 1, r1 = x, x++, fence, await x, lock x, share x, unlock x and unshare x are", cell)
		}
		op := Op{Register: m[2]}
		switch {
		case m[1] != "":
			op.Kind = traces.Atomic
		case m[3] != "" || m[6] == "await":
			op.Kind = traces.Load
		case m[4] != "":
			op.Kind = traces.Store
		case m[6] != "":
			op.Kind, op.Shared = traces.Lock, strings.HasSuffix(m[6], "share")
			if strings.HasPrefix(m[6], "un") {
				op.Kind = traces.Unlock
			}
		default:
			op.Kind = traces.Fence
		}
		if name := m[1] + m[3] + m[4] + m[7]; name != "" {
			if op.Variable = slices.Index(t.Variables, name); op.Variable < 0 {
				op.Variable = len(t.Variables)
				t.Variables = append(t.Variables, name)
			}
		}
		op.Value, _ = strconv.Atoi(m[5])
		t.Programs[core] = append(t.Programs[core], op)
	}
	return nil
}

// The forms of an instruction (the parts are an atomic's variable, a load's register and variable,
// a store's variable and value, and a word with its variable) and of a condition.
var (
	instruction = regexp.MustCompile(`^(?:([a-qs-z])\+\+|(r\d+) *= *([a-qs-z])|([a-qs-z]) *= *([1-9]\d*)|fence|(await|lock|share|unlock|unshare) ([a-qs-z]))$`)
	condition   = regexp.MustCompile(`^(\w+) *(!?)= *(\d+)$`)
)

func (t *Test) outcome(text string) error {
	for part := range strings.SplitSeq(text, "&") {
		m := condition.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return fmt.Errorf("%q is no condition; r1 = 0 and x != 1 are", part)
		}
		value, err := strconv.Atoi(m[3])
		if err != nil {
			return err
		}
		t.Outcome = append(t.Outcome, Equation{m[1], value, m[2] != ""})
	}
	return nil
}

// check verifies that the test is complete, that its outcome names what there is, and that registers
// are loaded once.
func (t *Test) check(verdicts map[string]bool) error {
	switch {
	case len(t.Programs) == 0:
		return fmt.Errorf("there is no program")
	case len(t.Outcome) == 0:
		return fmt.Errorf("there is no outcome")
	case len(verdicts) != 2:
		return fmt.Errorf("there must be one line for tso and one for sc")
	case len(t.Variables) > maxVariables:
		return fmt.Errorf("there are more than %d variables", maxVariables)
	}
	loaded, stores := map[string]bool{}, make([]int, len(t.Variables))
	for _, program := range t.Programs {
		for _, op := range program {
			if op.Kind == traces.Load && op.Register != "" && loaded[op.Register] {
				return fmt.Errorf("register %s is loaded twice", op.Register)
			}
			loaded[op.Register] = true
			if op.Kind == traces.Store {
				stores[op.Variable]++
			}
		}
	}
	for _, op := range slices.Concat(t.Programs...) {
		if op.Kind == traces.Load && op.Register == "" && stores[op.Variable] != 1 {
			return fmt.Errorf("%s is awaited and has %d stores; one is allowed", t.Variables[op.Variable], stores[op.Variable])
		}
	}
	for _, e := range t.Outcome {
		if !loaded[e.Name] && !slices.Contains(t.Variables, e.Name) {
			return fmt.Errorf("the outcome names %q, which is neither a variable nor a register that is loaded", e.Name)
		}
	}
	return nil
}
