package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
)

// describe begins the manifest of a study of some kind.
func (a *app) describe(kind string, c *config.Effective) *experiment.Manifest {
	m := experiment.Program()
	m.Build = experiment.Build()
	m.Kind, m.Command = kind, a.commandLine()
	m.Configuration, m.Given = c.Nested()
	return &m
}

// commandLine is the command as manifests have it.
func (a *app) commandLine() []string { return append([]string{"carousel"}, a.args...) }

// openDirectory claims the directory of a study before anything runs: --out, or one named after the study.
func openDirectory(command *cobra.Command, c *config.Effective, name string, m *experiment.Manifest, points []experiment.Point) (*results.Directory, error) {
	path, err := c.Out, error(nil)
	if path == "" {
		if path, err = results.DefaultPath(name, m, points); err != nil {
			return nil, err
		}
	} else if m.Study, err = experiment.KeyOf(points); err != nil {
		return nil, err
	}
	d, err := results.Open(path, m, points, formatsOf(c), claiming(command))
	if err == nil && c.Out == "" {
		err = results.Unversioned(path)
	}
	return d, outError(path, err)
}

// outError is the error about a directory that cannot be had.
func outError(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sweep.ErrInUse), errors.As(err, new(*sweep.Occupied)):
		return usagef("--out %s: %w", dir, err)
	}
	return usagef("--out %s: %w; choose a directory that can be written", dir, err)
}

// doing returns what does the points of a study, and draws their progress on the terminal and on
// the page of the monitor. noun is what points are called.
func (a *app) doing(command *cobra.Command, jobs int, noun string) results.Do {
	ctx := command.Context()
	return func(d *results.Directory, points []experiment.Point) ([]experiment.Outcome, error) {
		var observers []func(experiment.Event)
		p := &progress{statusLine: a.statusLine(), noun: noun, begun: time.Now()}
		if p.statusLine != nil {
			observers = append(observers, p.observe)
			defer p.clear()
		} else if !a.quiet {
			observers = append(observers, p.say(a.stderr))
		}
		if a.monitor != nil {
			watch, end := a.watch(d, points)
			observers = append(observers, watch)
			defer func() { end(ctx.Err()) }()
		}
		observe := func(e experiment.Event) {
			for _, o := range observers {
				o(e)
			}
		}
		return experiment.Run(ctx, points, experiment.Options{Jobs: jobs, Log: a.log(), Observe: observe, Store: d.Store})
	}
}

// finish ends a study and is the command's error: that nothing was saved, or else what became of
// the points.
func finish(command *cobra.Command, d *results.Directory, outcomes []experiment.Outcome, noun string) error {
	kept, err := d.Finish(experiment.CoverageOf(outcomes).Complete())
	if err != nil {
		return err
	}
	return verdict(command.Context().Err(), outcomes, noun, d.Path, kept...)
}

// verdict turns what became of the points into the command's error, which names the directories in
// which replaced studies are kept.
func verdict(stopped error, outcomes []experiment.Outcome, noun, out string, kept ...string) error {
	finished, failed := 0, error(nil)
	for i := range outcomes {
		switch o := &outcomes[i]; o.State {
		case tables.Finished:
			finished++
		case tables.Failed:
			if failed == nil {
				failed = fmt.Errorf("%s: %w", o.Label, o.Err)
			}
		}
	}
	saved := fmt.Sprintf("%d of %d %s are finished and saved in %s", finished, len(outcomes), noun, out)
	for _, dir := range kept {
		saved += "; the study that was there before is in " + dir
	}
	switch {
	case stopped != nil && finished < len(outcomes):
		return interruptedError{saved + "; give the command again to continue"}
	case failed == nil:
		return nil
	case errors.As(failed, new(*traces.Error)):
		return inputError{fmt.Errorf("%w\n%s", failed, saved)}
	}
	return wrongError{fmt.Errorf("%w\n%s", failed, saved)}
}

// forceFlag adds --force to a command that writes a study.
func forceFlag(command *cobra.Command) {
	command.Flags().Bool("force", false, "replace another study in the output directory")
}

// studyFlags adds --force and --reuse-builds to a command that does points.
func studyFlags(command *cobra.Command) {
	forceFlag(command)
	command.Flags().Bool("reuse-builds", false, "reuse finished points of other builds of carousel, whose models may differ")
}

// claiming is what the flags of studyFlags say.
func claiming(command *cobra.Command) sweep.Claiming {
	reuse, err := command.Flags().GetBool("reuse-builds")
	return sweep.Claiming{Force: forced(command), Reuse: err == nil && reuse}
}

// forced reports whether --force is given.
func forced(command *cobra.Command) bool {
	force, err := command.Flags().GetBool("force")
	return err == nil && force
}
