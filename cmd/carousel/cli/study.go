package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/result"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/monitor"
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

// baselineFlag adds --baseline to a command that compares runs.
func baselineFlag(command *cobra.Command, other string) {
	command.Flags().String("baseline", "", "what ratios are relative to: fastest, or a value of a key that varies, such as router=base or "+other+"; see carousel help studies")
}

// setBaseline keeps the baseline of a study, given as rows of all its points. Networks alone have one only if it is
// given.
func setBaseline(command *cobra.Command, m *experiment.Manifest, rows *tables.Rows) error {
	given := command.Flags().Lookup("baseline")
	if !given.Changed && len(rows.Traffic) > 0 {
		return nil
	}
	by, err := result.Choose(rows, given.Value.String())
	if err != nil {
		return usagef("--baseline %w", err)
	}
	m.Baseline = by.String()
	return nil
}

// commandLine is the command as manifests have it.
func (a *app) commandLine() []string { return append([]string{"carousel"}, a.args...) }

// openDirectory claims the directory of a study before anything runs: --out, or one named after the study. check,
// if not nil, finds mistakes that finished points cannot have.
func openDirectory(command *cobra.Command, c *config.Effective, name string, m *experiment.Manifest, points []experiment.Point, check func() error) (*results.Directory, error) {
	m.Study = experiment.KeyOf(points)
	path := c.Out
	if path == "" {
		path = results.DefaultPath(name, m)
	}
	how := claiming(command)
	if kept, _ := sweep.Finished(path, how.Builds(), points); check != nil && (how.Force || len(kept) < len(points)) {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return claimDirectory(c, path, m, points, how)
}

// claimDirectory claims a directory for points, and leaves it out of version control unless the user
// named it.
func claimDirectory(c *config.Effective, path string, m *experiment.Manifest, points []experiment.Point, how sweep.Claiming) (*results.Directory, error) {
	files := c.Program.Files
	if err := apart(c.Origin("out").Label("out"), path, "directory", files); err != nil {
		return nil, err
	}
	if files != "" && isBelow(path, files) { // the next run of the study would find other files
		return nil, usagef("%s %s is in %s, whose files are part of the study; choose a directory outside it with --out", c.Origin("out").Label("out"), path, files)
	}
	d, err := results.Open(path, m, points, formatsOf(c), how)
	if err == nil && c.Out == "" {
		err = results.Unversioned(path)
	}
	return d, outError(c.Origin("out"), path, err)
}

// outError is the error about a directory that cannot be had.
func outError(from config.Origin, dir string, err error) error {
	dir = from.Label("out") + " " + dir
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sweep.ErrInUse), errors.As(err, new(*sweep.Occupied)):
		return usagef("%s: %w", dir, err)
	case refused(err) != nil:
		return wrongError{fmt.Errorf("%s: %w; make room, or choose another directory", dir, refused(err).Err)}
	}
	return usagef("%s: %w; choose a directory that can be written", dir, err)
}

// does lets a directory do points with progress on the terminal and on the page of the monitor. noun is what
// points are called.
func (a *app) does(command *cobra.Command, d *results.Directory, jobs int, noun string) {
	ctx := command.Context()
	d.Do = func(points []experiment.Point) ([]experiment.Outcome, error) {
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
	stopped := command.Context().Err()
	if failed := !slices.ContainsFunc(outcomes, func(o experiment.Outcome) bool { return o.State == tables.Finished }); failed && stopped == nil && kept != nil {
		d.Close()
		if restored, err := sweep.Restore(d.Path); err != nil {
			return outError(config.Origin{}, d.Path, err)
		} else if restored {
			return fmt.Errorf("%w; the study that was there before is there again", verdict(nil, outcomes, noun, d.Path))
		}
	}
	return verdict(stopped, outcomes, noun, d.Path, kept...)
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
	return sweep.Claiming{Force: isSet(command, "force"), Reuse: isSet(command, "reuse-builds")}
}

// isSet reports whether a command has a switch, and it is on.
func isSet(command *cobra.Command, flag string) bool {
	on, err := command.Flags().GetBool(flag)
	return err == nil && on
}

// monitorFlag adds --monitor to a command that does points, and serves the page while the command
// runs.
func (a *app) monitorFlag(command *cobra.Command) {
	address := command.Flags().String("monitor", "", "show progress and results on a web page at this address, such as localhost:8080")
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if !command.Flags().Changed("monitor") {
			return run(command, args)
		}
		if *address == "" {
			return usagef("--monitor needs an address, such as localhost:8080")
		}
		server, err := monitor.Listen(*address)
		if err != nil {
			return usagef("--monitor %s: %w; give an address of this machine and a free port, such as localhost:8080, or localhost:0 for any", *address, err)
		}
		defer server.Close()
		a.monitor = server
		if !a.quiet {
			fmt.Fprintf(a.stderr, "monitor: %s\n", server.URL())
			if server.Exposed() {
				fmt.Fprintln(a.stderr, "warning: anyone who can reach this machine can open the monitor; --monitor localhost:8080 restricts it to this machine")
			}
		}
		return run(command, args)
	}
}

// watch shows points on the page of the monitor. It returns what observes them, and what is called
// with how they ended.
func (a *app) watch(d *results.Directory, points []experiment.Point) (observe func(experiment.Event), end func(stopped error)) {
	title := a.title
	if title == "" {
		title = "carousel " + strings.Join(a.args, " ")
	}
	board, observe := d.Watch(title, points)
	a.monitor.Show(board)
	return observe, func(stopped error) {
		if stopped != nil {
			board.End("interrupted")
		} else {
			board.End("all points have ended")
		}
	}
}

// titleOf names a sweep on the page of the monitor.
func titleOf(p *plan.Plan, shard string) string {
	title := p.Title
	if title == "" {
		title = planName(p.Name)
	}
	if shard != "" {
		title += ", shard " + shard
	}
	return title
}
