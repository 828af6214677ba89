package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
)

func mergeCommand(a *app) *cobra.Command {
	command := newCommand("merge", someArguments("takes the directories of the shards"), func(command *cobra.Command, args []string) error { return a.merge(command, args) })
	a.keyFlags(command, tableFlags...)
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
		return usagef("--out is needed: the directory for the joined tables")
	}
	manifest, err := sweep.ReadManifest(dirs[0])
	if err != nil {
		return inputError{fmt.Errorf("cannot read the manifest of the study: %w", err)}
	}
	rows, study, points, err := sweep.Merge(dirs)
	if errors.Is(err, sweep.ErrIncomplete) {
		return wrongError{err}
	} else if err != nil {
		return inputError{err}
	}
	manifest.Cover(experiment.Coverage{Points: points, Finished: points})
	manifest.Command, manifest.Study, manifest.Kind = a.commandLine(), study, experiment.Sweep
	if manifest.Plan != nil {
		manifest.Plan.Shard = ""
	}
	d, err := results.Open(c.Out, manifest, nil, formatsOf(c), sweep.Claiming{Force: forced(command)})
	if err != nil {
		return outError(c.Out, err)
	}
	defer d.Close()
	if err := d.Save(&rows); err != nil {
		return err
	}
	if _, err := d.Finish(true); err != nil {
		return err
	}
	report := compare.NewStudy(manifest, &rows, compare.Extra{}, c.Out)
	return a.printStudy(report, report.Spreadsheet(), report.Sheets(viewOf(command, nil)))
}
