package cli

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/checks"
	"github.com/carousel-sim/carousel/coherence/verify"
	"github.com/carousel-sim/carousel/noc/leaf/suggest"
)

// verifyFlags are the command's own flags.
type verifyFlags struct {
	selfTest, quick, full bool
	memory                int // GiB
	jobs                  int
}

func verifyCommand(a *app) *cobra.Command {
	var f verifyFlags
	protocols := verify.With(a.extra.Protocols, a.checks)
	subjects := checks.Subjects(protocols)
	command := newCommand("verify", func(_ *cobra.Command, args []string) error {
		if len(args) == 0 && f.selfTest {
			return nil // of all
		}
		if len(args) != 1 {
			return usagef("verify needs one of %s", strings.Join(subjects, ", "))
		}
		if slices.Contains(subjects, args[0]) {
			return nil
		}
		return usagef("verify %s: there are %s%s", args[0], strings.Join(subjects, ", "), suggest.Text(args[0], subjects))
	}, func(command *cobra.Command, args []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if f.quick && f.full {
			return usagef("--quick and --full exclude each other; give one")
		}
		if f.memory < 1 || f.memory > 1024 {
			return usagef("--memory %d: 1 to 1024 GiB are allowed", f.memory)
		}
		if f.jobs = c.Jobs; f.jobs < 1 {
			f.jobs = runtime.GOMAXPROCS(0)
		}
		return a.verify(command.Context(), append(args, checks.All)[0], protocols, f)
	})
	command.Use += " " + strings.Join(subjects, "|")
	command.ValidArgs = subjects
	flags := command.Flags()
	flags.BoolVar(&f.selfTest, "self-test", false, "also seed defects, and check that each is found")
	flags.IntVar(&f.memory, "memory", 4, "memory of an exploration in GiB")
	flags.BoolVar(&f.quick, "quick", false, "check small chips only (the default)")
	flags.BoolVar(&f.full, "full", false, "check larger chips too, with ten times the random tests and longer traffic")
	return command
}

// verify does all checks of a subject and prints what they found.
func (a *app) verify(ctx context.Context, subject string, protocols []verify.Protocol, f verifyFlags) error {
	memory := int64(f.memory) << 30
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	line := a.statusLine()
	defer line.clear()
	report, err := checks.Run(ctx, subject, protocols, a.extra.Models(), verify.Options{Full: f.full, SelfTest: f.selfTest, Memory: memory,
		Jobs: f.jobs, More: a.extra.Protocols, Progress: func(text func() string) { line.draw(false, text) }})
	line.clear()
	if printed := a.print(report, report.Sheet()); printed != nil {
		return printed
	}
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedError{"the checks that are finished are printed"}
	case err != nil:
		return err
	case !report.Passed:
		return wrongError{errors.New("a check failed; see above")}
	}
	return nil
}
