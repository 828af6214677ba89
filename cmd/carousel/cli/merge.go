package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/plan"
)

func mergeCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Join the shards of a sweep",
		Long: `Puts the tables of a sweep together from directories in which shards of one plan were done. The
result is that of the whole sweep done at once. Nothing is written unless every point is there.`,
		Example: `  carousel sweep plan.yaml --shard 1/2 --out part1
  carousel sweep plan.yaml --shard 2/2 --out part2
  carousel merge part1 part2 --out study`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("carousel merge takes the directories of the shards")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error { return a.merge(command, args) },
	}
	tableFlags(command.Flags())
	command.Flags().Lookup("out").Usage = "directory for tables and manifest"
	forceFlag(command)
	return command
}

func (a *app) merge(command *cobra.Command, dirs []string) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if c.Out == "" {
		return usagef("say with --out into which directory the tables go")
	}
	manifest, err := sweep.ReadManifest(dirs[0])
	if err != nil {
		return inputError{fmt.Errorf("cannot read how the study came about: %w", err)}
	}
	rows, study, points, err := sweep.Merge(dirs)
	if errors.Is(err, sweep.ErrIncomplete) {
		return wrongError{err}
	} else if err != nil {
		return inputError{err}
	}
	manifest.Cover(experiment.Coverage{Points: points, Finished: points})
	manifest.Command, manifest.Study = append([]string{"carousel"}, a.args...), study
	p := &plan.Plan{}
	if manifest.Plan != nil {
		manifest.Plan.Shard = ""
		p.Title = manifest.Plan.Title
		for _, axis := range manifest.Plan.Axes {
			p.Axes = append(p.Axes, plan.Axis{Key: axis.Key})
		}
	}
	manifest.Kind = experiment.Sweep
	claim, err := sweep.TakeDirectory(c.Out, manifest, nil, sweep.Claiming{Force: forced(command)})
	if err != nil {
		return outError(c.Out, err)
	}
	o := output{manifest: manifest, dir: c.Out, formats: formatsOf(c)}
	if o.save(&rows); o.unsaved != nil {
		return wrongError{fmt.Errorf("the results could not be saved: %w", o.unsaved)}
	}
	if _, err := claim.Release(true); err != nil {
		return wrongError{err}
	}
	report := buildSweepReport(manifest, &rows, c.Out)
	report.Finished = points
	return a.print(report, sweepSheet(a.format, p, manifest, &rows, c.Out))
}
