package plan

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/workloads/riscv"
)

// Executed is the source of workloads that are programs, which the chip executes.
const Executed = "program"

// OpenProgram makes a workload of a program for RISC-V. It has run to the start of its region; each
// run starts there.
func OpenProgram(c config.Program) (experiment.Workload, error) {
	arguments, err := splitArguments(c.Arguments)
	if err != nil {
		return experiment.Workload{}, err
	}
	how := riscv.DefaultConfig()
	how.Threads, how.Arguments, how.Files, how.Fetches = c.Threads, arguments, c.Files, c.Fetches
	p, err := riscv.Open(c.Path, how)
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	return ProgramWorkload(p)
}

// ProgramWorkload makes a workload of a program that has been read.
func ProgramWorkload(p *riscv.Program) (experiment.Workload, error) {
	ready, err := p.Start(context.Background())
	if err != nil {
		return experiment.Workload{}, &config.InputError{Err: err}
	}
	return experiment.Workload{Name: p.Name, Source: Executed, Digest: p.Digest, Cores: p.Config.Threads, Windows: 1,
		Open: func(int) (traces.Source, func() error, error) {
			return ready.Clone(), func() error { return nil }, nil
		}}, nil
}

// blanks separate arguments.
const blanks = " \t\n\r\v\f"

// argument is one argument with the blanks behind it: in double quotes, with Go's escapes, or without blanks.
var argument = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|[^"\s\v][^\s\v]*)(?:[\s\v]+|$)`)

// JoinArguments writes the arguments of a program as one value of program.arguments.
func JoinArguments(list []string) string {
	quoted := make([]string, len(list))
	for i, a := range list {
		if quoted[i] = a; a == "" || a[0] == '"' || strings.ContainsAny(a, blanks) {
			quoted[i] = strconv.Quote(a)
		}
	}
	return strings.Join(quoted, " ")
}

// splitArguments reads such a value.
func splitArguments(text string) (list []string, err error) {
	for rest := strings.TrimLeft(text, blanks); rest != ""; {
		found := argument.FindString(rest)
		if found == "" {
			return nil, fmt.Errorf("program.arguments is %s; an argument that begins with a double quote must end with one, before a blank", text)
		}
		rest = rest[len(found):]
		one := strings.TrimRight(found, blanks)
		if one[0] == '"' {
			if one, err = strconv.Unquote(one); err != nil {
				return nil, fmt.Errorf("program.arguments: %s: %w", found, err)
			}
		}
		list = append(list, one)
	}
	return list, nil
}
