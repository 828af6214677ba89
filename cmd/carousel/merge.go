package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
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
	command.Flags().Bool("parquet", false, "write Parquet files beside the Arrow files")
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
	manifest, err := readManifest(dirs[0])
	if err != nil {
		return inputError{err}
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
	folder, err := tables.OpenFolder(c.Out)
	if err != nil {
		return usagef("--out %s: %w; choose a directory that can be written", c.Out, err)
	}
	defer folder.Discard()
	if err := experiment.Save(folder, &rows, manifest, c.Parquet); err != nil {
		return wrongError{fmt.Errorf("the results could not be saved: %w", err)}
	}
	report := buildSweepReport(manifest, &rows, c.Out)
	report.Finished = points
	return a.print(report, sweepSheet(a.format, p, manifest, &rows, c.Out))
}

// readManifest reads manifest.json of a directory.
func readManifest(dir string) (*experiment.Manifest, error) {
	path := filepath.Join(dir, "manifest.json")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read how the study came about: %w", err)
	}
	m := new(experiment.Manifest)
	if err := json.Unmarshal(content, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	return m, nil
}
