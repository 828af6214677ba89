package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment/silicon"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// validateFlags are the command's own flags.
type validateFlags struct {
	open, plain bool
	replicas    int
}

func validateSilicon(a *app) *cobra.Command {
	f := validateFlags{replicas: silicon.DefaultOptions().Replicas}
	command := newCommand("validate silicon", someArguments("needs recordings: files, folders or tar archives"), func(command *cobra.Command, args []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if f.replicas < 1 || f.replicas > 1000 {
			return usagef("--replicas %d: 1 to 1000 are allowed", f.replicas)
		}
		traces, err := ttmetal.Open(args...)
		if err != nil {
			return inputError{err}
		}
		return a.validateSilicon(command.Context(), traces, f, c.Jobs)
	})
	flags := command.Flags()
	flags.BoolVar(&f.open, "open", false, "issue each read at its recorded time, independently of the network")
	flags.BoolVar(&f.plain, "plain", false, "use the plain form of the routers, their readable specification; same results, slower")
	flags.IntVar(&f.replicas, "replicas", f.replicas, "replays of each kernel, each with other start cycles of its processors")
	return command
}

// validateSilicon compares recordings with their simulation.
func (a *app) validateSilicon(ctx context.Context, traces []*ttmetal.Trace, f validateFlags, jobs int) error {
	o := silicon.DefaultOptions()
	o.Open, o.Plain, o.Replicas = f.open, f.plain, f.replicas
	line := a.statusLine()
	defer line.clear()
	r, err := silicon.Run(ctx, traces, o, jobs, func(done int) {
		line.draw(false, func() string { return fmt.Sprintf("%d of %d kernels", done, len(traces)) })
	})
	line.clear()
	if err != nil {
		return siliconFailure(err)
	}
	return a.print(r, r.Sheet())
}

// siliconFailure classifies what ended a replay.
func siliconFailure(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedError{"nothing is saved: run it again"}
	case errors.As(err, new(silicon.ForeignKernel)):
		return inputError{err}
	}
	return wrongError{err}
}
