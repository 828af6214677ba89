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
func Tests() (all []Test) {
	entries, _ := files.ReadDir("tests") // it is part of the program
	for _, e := range entries {
		text, _ := files.ReadFile("tests/" + e.Name())
		all = append(all, Parse(strings.TrimSuffix(e.Name(), ".litmus"), string(text)))
	}
	return all
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
// forbidden) and "sc forbidden". All variables are 0 at first. Tests are part of the program: a line
// that cannot be read panics, and TestComplete looks for what is missing.
func Parse(name, text string) Test {
	t := Test{Name: name}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "":
		case "#":
			t.Doc = strings.TrimSpace(t.Doc + " " + rest)
		case "outcome":
			for part := range strings.SplitSeq(rest, "&") {
				m := match(condition, part)
				value, _ := strconv.Atoi(m[3])
				t.Outcome = append(t.Outcome, Equation{m[1], value, m[2] != ""})
			}
		case "tso":
			t.AllowedTSO = match(verdict, rest)[1] == ""
		case "sc":
			t.AllowedSC = match(verdict, rest)[1] == ""
		default:
			t.row(strings.Split(line, "|"))
		}
	}
	return t
}

// match returns the parts of a text that has the form.
func match(form *regexp.Regexp, text string) []string {
	m := form.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		panic(fmt.Sprintf("litmus: %q has not the form %s", text, form))
	}
	return m
}

// row reads an instruction for each core.
func (t *Test) row(cells []string) {
	if t.Programs == nil {
		t.Programs = make([][]Op, len(cells))
	}
	for core, cell := range cells {
		if strings.TrimSpace(cell) == "" {
			continue
		}
		m := match(instruction, cell)
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
}

// The forms of an instruction (the parts are an atomic's variable, a load's register and variable,
// a store's variable and value, and a word with its variable), of a condition and of a verdict.
var (
	instruction = regexp.MustCompile(`^(?:([a-qs-z])\+\+|(r\d+) *= *([a-qs-z])|([a-qs-z]) *= *([1-9]\d*)|fence|(await|lock|share|unlock|unshare) ([a-qs-z]))$`)
	condition   = regexp.MustCompile(`^(\w+) *(!?)= *(\d+)$`)
	verdict     = regexp.MustCompile(`^(?:allowed|(forbidden))$`)
)
