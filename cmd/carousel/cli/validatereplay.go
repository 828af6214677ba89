package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/workloads/riscv/kernels"
)

func validateReplay(a *app) *cobra.Command {
	rounds := 1
	command := newCommand("validate replay", noArguments, func(command *cobra.Command, _ []string) error {
		c, err := a.configuration(command)
		if err != nil {
			return err
		}
		if !c.Given("runs") {
			c.Runs = 3
		}
		if rounds < 1 || rounds > 1000 {
			return usagef("--rounds %d: 1 to 1000 are allowed", rounds)
		}
		return a.validateReplay(command.Context(), c, rounds)
	})
	a.keyFlags(command, "router", "protocol", "runs", "topology", "threads", "seed", "jobs")
	command.Flags().IntVar(&rounds, "rounds", rounds, "rounds of work of each program")
	return command
}

// validateReplay runs all kernels in both forms and prints the comparison.
func (a *app) validateReplay(ctx context.Context, c *config.Effective, rounds int) error {
	list, err := plan.Kernels(ctx, c.Program.Threads, rounds)
	if err != nil {
		return wrongError{err}
	}
	study, err := plan.ChipsWith(c, list...)
	if err != nil {
		return err
	}
	points, err := study.Points()
	if err != nil {
		return err
	}
	line, done := a.statusLine(), 0
	outcomes, err := experiment.Run(ctx, points, experiment.Options{Jobs: c.Jobs, Observe: func(e experiment.Event) {
		if e.Done {
			done++
			line.draw(false, func() string { return fmt.Sprintf("%d of %d runs", done, e.Points) })
		}
	}})
	line.clear()
	if ctx.Err() != nil {
		return interruptedError{"nothing is saved: run it again"}
	}
	for i := range outcomes {
		err = errors.Join(err, outcomes[i].Err)
	}
	if err != nil {
		return wrongError{err}
	}
	rows, err := experiment.Collect(nil, outcomes)
	if err != nil {
		return err
	}
	var names []string
	for _, k := range kernels.Table {
		names = append(names, k.Name)
	}
	result := compare.Fidelities(names, c.Routers, plan.LiveForm, plan.ReplayForm, rows.Runs)
	table := compare.FidelitySheet(result)
	table.Before = []string{fmt.Sprintf("%d threads, %s, protocol %s, %d seeds", c.Program.Threads, c.Topology, c.Chip.Protocol, c.Runs)}
	return a.print(result, table)
}
