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
		Long: `Replays kernels that were recorded on a Wormhole chip with the profiler of Tenstorrent's TT-Metal. FILE is
a recording, a folder or a tar archive. The model of the chip has two tori of 10x12 routers with virtual
channels.

Each processor issues its requests in recorded order and waits at barriers for the answers. Between two
barriers it keeps the recorded times. Each kernel is replayed several times, with processors that start a
few cycles apart. The mean is compared with the cycles on the chip and with models without routers.

Errors in JSON and CSV are fractions of the measured cycles. See carousel help silicon.`,
		Example: "  carousel validate silicon fit.tar.xz\n  carousel validate silicon traces/ --format json",
		Args:    someArguments("needs recordings: files, folders or tar archives"),
		RunE: func(command *cobra.Command, args []string) error {
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
		},
	}
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
