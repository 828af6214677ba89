package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment/silicon"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

func validateCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "validate",
		Short: "Compare simulations with real chips, and replays with programs",
	}
	command.AddCommand(validateSilicon(a), validateReplay(a))
	return group(command)
}

// validateFlags are the command's own flags.
type validateFlags struct {
	open, plain bool
	replicas    int
}

func validateSilicon(a *app) *cobra.Command {
	f := validateFlags{replicas: silicon.DefaultOptions().Replicas}
	command := &cobra.Command{
		Use:   "silicon FILE...",
		Short: "Replay kernels recorded on a chip with two unidirectional tori and compare cycles",
		Long: `Takes recordings that the profiler of Tenstorrent's TT-Metal makes of the networks of a Wormhole
chip, as files, folders or tar archives, and replays each kernel on a model of the chip: two tori of
10x12 routers with virtual channels. Each processor issues its requests in recorded order and waits
at barriers for their answers; the recorded times of issue matter only between two barriers. Each
kernel is replayed several times with processors that start a few cycles apart, and the mean is
compared with the cycles on the chip.

Errors in JSON and CSV are fractions of the measured cycles. Models without a network of routers are
printed for comparison. carousel help silicon says what has been validated, and what has not.`,
		Example: "  carousel validate silicon fit.tar.xz\n  carousel validate silicon traces/ --format json",
		Args:    someArguments("needs recordings: files, folders or tar archives"),
		RunE: func(command *cobra.Command, args []string) error {
			c, err := a.configuration(command)
			if err != nil {
				return err
			}
			if f.replicas < 1 || f.replicas > 1000 {
				return usagef("--replicas %d: 1 to 1000 are possible", f.replicas)
			}
			traces, err := ttmetal.Open(args...)
			if err != nil {
				return inputError{err}
			}
			return a.validateSilicon(command.Context(), traces, f, c.Jobs)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&f.open, "open", false, "issue reads when the chip issued them, independently of the network")
	flags.BoolVar(&f.plain, "plain", false, "use the routers' readable form: the same results, slower")
	flags.IntVar(&f.replicas, "replicas", f.replicas, "replays of each kernel with other starts of its processors")
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
