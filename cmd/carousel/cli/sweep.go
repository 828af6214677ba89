package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
)

// sweepFlags are the flags of carousel sweep that are no configuration keys.
type sweepFlags struct {
	resume, dry, quick bool
	shard              string
	clusterFlags
}

func sweepCommand(a *app) *cobra.Command {
	var f sweepFlags
	command := newCommand("sweep", oneFile, func(command *cobra.Command, args []string) error {
		p, err := plan.Read(args[0], f.quick)
		if err != nil {
			return err
		}
		p.Extra = a.extra
		return a.sweep(command, p, f)
	})
	flags := command.Flags()
	flags.BoolVar(&f.resume, "resume", false, "continue a sweep even if its plan has changed")
	flags.BoolVar(&f.dry, "dry-run", false, "print the points, or only the axes if there are many, and an estimate of the time; run nothing")
	flags.BoolVar(&f.quick, "quick", false, "replace the values that the plan's section quick names (carousel help studies)")
	flags.StringVar(&f.shard, "shard", "", "part of the plan to run, as NUMBER/OF, such as 1/4")
	f.add(flags)
	a.keyFlags(command, append(tableFlags, "plain")...)
	viewFlags(command)
	baselineFlag(command, "chip.protocol=token")
	studyFlags(command)
	a.monitorFlag(command)
	return command
}

// sweep does the whole command: points, simulation of those that are not finished, tables, report.
func (a *app) sweep(command *cobra.Command, p *plan.Plan, f sweepFlags) error {
	below, above, err := a.planLayers(command, p)
	if err != nil {
		return err
	}
	x, err := a.expand(command, p, below, above)
	if err != nil {
		return err
	}
	n := len(x.Points)
	if err := f.check(command, n); err != nil {
		return err
	}
	shard, err := sweep.ParseShard(f.shard, n)
	if err != nil {
		return usagef("--shard %s: %w", f.shard, err)
	}
	manifest := x.Manifest(f.quick)
	manifest.Command = a.commandLine()
	manifest.Kind, manifest.Points, manifest.Build = experiment.Sweep, n, experiment.Build()
	if err := setBaseline(command, manifest, experiment.Blank(x.Points)); err != nil {
		return err
	}
	mine := shard.Points(x.Points)
	manifest.Plan.Shard = f.shard
	c := x.First
	out := c.Out
	if out == "" {
		out = filepath.Join("results", fmt.Sprintf("%s-%.10s", planName(p.Name), manifest.Study))
	}
	if f.dry {
		return a.printDry(command, x, mine, out)
	}
	if f.slurm {
		return a.cluster(command, p.Name, c.Origin("out"), out, n, f)
	}
	a.title = titleOf(p, f.shard)
	how := claiming(command)
	how.Extend = f.resume
	d, err := claimDirectory(c, out, manifest, x.Points, how)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Store.Describe(x.Points); err != nil {
		return outError(c.Origin("out"), out, err)
	}
	a.does(command, d, c.Jobs, "points")
	outcomes, rows, err := d.Run(mine, false)
	if err != nil {
		return err
	}
	report := compare.NewStudy(manifest, &rows, compare.Extra{}, d.Place())
	if err := a.printStudy(d, report, report.Spreadsheet(), report.Sheets(viewOf(command, d.EarlierNote(outcomes, "points", "--force")))); err != nil {
		return err
	}
	return finish(command, d, outcomes, "points")
}

// expand makes the points of a plan.
func (a *app) expand(command *cobra.Command, p *plan.Plan, below, above config.Layer) (*plan.Expansion, error) {
	planning := a.follow(command.Context(), "planning")
	planning.unit = "combinations"
	p.Context = command.Context()
	p.Stopped = func() error {
		if err := planning.passed(1); p.Combinations() > mostListed {
			return err
		}
		return nil // a few points are made in any case, as an interrupted sweep shows what it has not measured
	}
	x, err := p.Expand(below, above)
	planning.status.clear()
	if errors.Is(err, context.Canceled) {
		err = interruptedError{"nothing was simulated"}
	} else if err == nil {
		err = plan.Refused(x.Unread)
	}
	return x, err
}

// printStudy writes what a study has measured: as a spreadsheet, as a document, or as sheets for people.
func (a *app) printStudy(d *results.Directory, study *compare.Study, spreadsheet *sheet.Sheet, sheets []*sheet.Sheet) error {
	first, last := sheets[0], sheets[len(sheets)-1]
	last.Note(d.Where()...)
	switch a.format {
	case "csv":
		spreadsheet.Incomplete, spreadsheet.Warnings = first.Incomplete, last.Warnings
		return a.print(study, spreadsheet)
	case "json":
		return a.printJSON(study)
	case "markdown", "latex": // warnings come first
		warnings := last.Warnings
		last.Warnings = nil
		first.Warnings = warnings
	}
	for i, s := range sheets {
		if i > 0 && a.format != "table" { // between tables of Markdown and LaTeX
			fmt.Fprintln(a.stdout)
		}
		if err := a.print(study, s); err != nil {
			return err
		}
	}
	return nil
}

// mostListed is how many points carousel sweep --dry-run lists.
const mostListed = 1000

// drySweep is a sweep that is not done, as --dry-run prints it.
type drySweep struct {
	Points       int           `json:"points"`
	AtMost       bool          `json:"at_most"` // always false: points are made to be counted
	Combinations int           `json:"combinations"`
	Axes         []countedAxis `json:"axes"`
	Time         string        `json:"time"`
	List         []listedPoint `json:"list,omitempty"`
}

// countedAxis is how many values an axis has.
type countedAxis struct {
	Axis   string `json:"axis" title:"axis"`
	Values int    `json:"values" title:"values"`
	First  string `json:"first" title:"first"`
	Last   string `json:"last" title:"last"`
}

// listedPoint is a point of a plan before it is done.
type listedPoint struct {
	RunKey string               `json:"run_key"`
	Label  string               `json:"label" title:"point"`
	Axes   []experiment.Setting `json:"axes"`
}

// printDry prints the points that a plan asks for, or only its axes where there are many, and the time that
// the points take.
func (a *app) printDry(command *cobra.Command, x *plan.Expansion, points []experiment.Point, out string) error {
	kept, mean, err := sweep.Spent(out, claiming(command).Builds(), points)
	if err != nil {
		return outError(x.First.Origin("out"), out, err)
	}
	n := len(points)
	d := drySweep{Points: n, Combinations: int(x.Plan.Combinations()), Axes: []countedAxis{}, Time: timeOf(command, out, n, kept, mean, x.First.Jobs)}
	for _, axis := range x.Plan.Dimensions() {
		d.Axes = append(d.Axes, countedAxis{axis.Key, len(axis.Values), config.Text(axis.Values[0]), config.Text(axis.Values[len(axis.Values)-1])})
	}
	for i := 0; i < n && n <= mostListed; i++ {
		d.List = append(d.List, listedPoint{points[i].Key, points[i].Label, points[i].Axes})
	}
	s := sheet.Of(d.List)
	if n > mostListed {
		s = sheet.Of(d.Axes)
	}
	s.Note(fmt.Sprintf("%d points of %s; nothing was simulated.", n, x.Plan.Name), d.Time)
	return a.print(d, s)
}

// timeOf estimates the time of a sweep of which so many points are kept and took a mean time, in
// seconds.
func timeOf(command *cobra.Command, out string, points, kept int, mean float64, jobs int) string {
	left := points - kept
	if isSet(command, "force") {
		left = points
	}
	switch {
	case left == 0:
		return fmt.Sprintf("Time: none; all points are finished in %s.", out)
	case mean == 0:
		return fmt.Sprintf("Time: unknown, because no point is finished in %s.", out)
	default:
		rounds := (left + max(1, jobs) - 1) / max(1, jobs)
		return fmt.Sprintf("Time: about %v for %d points, %d at a time; the %d that are finished in %s took %v each on average.",
			timeText(float64(rounds)*mean), left, max(1, jobs), kept, out, timeText(mean))
	}
}

// timeText rounds a time in seconds for people.
func timeText(seconds float64) time.Duration {
	unit := time.Second
	if seconds < 10 {
		unit = time.Millisecond
	}
	return time.Duration(seconds * float64(time.Second)).Round(unit)
}

// planLayers returns the settings around a plan.
func (a *app) planLayers(command *cobra.Command, p *plan.Plan) (below, above config.Layer, err error) {
	for _, entry := range a.set {
		name, _, _ := strings.Cut(entry, "=")
		if p.Kind == plan.Messages && plan.IsMessageKey(strings.TrimSpace(name)) {
			return nil, nil, usagef("--set %s: %s is of kind messages, whose keys are set in the plan; change it there", entry, p.Name)
		}
	}
	return a.layers(command)
}

// planName is the name of a plan's file without its ending, for the names of others.
func planName(path string) string {
	return results.FileName(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
}

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
	manifest.Coverage = experiment.Coverage{Points: points, Finished: points}
	manifest.Command, manifest.Study, manifest.Kind = a.commandLine(), study, experiment.Sweep
	if manifest.Plan != nil {
		manifest.Plan.Shard = ""
	}
	d, err := claimDirectory(c, c.Out, manifest, nil, sweep.Claiming{Force: isSet(command, "force")})
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Save("", &rows); err != nil {
		return err
	}
	if _, err := d.Finish(true); err != nil {
		return err
	}
	report := compare.NewStudy(manifest, &rows, compare.Extra{}, c.Out)
	return a.printStudy(d, report, report.Spreadsheet(), report.Sheets(viewOf(command, nil)))
}
