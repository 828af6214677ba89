package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces"
)

// output is a study on its way into a directory, which keeps its points as they finish.
type output struct {
	manifest *experiment.Manifest
	dir      string
	claim    *sweep.Claim
	store    *sweep.Store
	formats  tables.Formats
	unsaved  error
}

// describe begins the manifest of a study of some kind.
func (a *app) describe(kind string, c *config.Effective) *experiment.Manifest {
	m := experiment.Program()
	m.Build = experiment.Build()
	m.Kind, m.Command = kind, append([]string{"carousel"}, a.args...)
	m.Configuration, m.Given = c.Nested()
	return &m
}

// outputOf takes the directory of a study before anything runs: --out, or else one below results
// named after the study and a digest of it and of the program, so that a changed program does not
// take results of its former self. A directory that holds the same study is continued, and one
// that holds another is refused, unless claiming says otherwise. The caller closes the output.
func outputOf(c *config.Effective, name string, m *experiment.Manifest, points []experiment.Point, claiming sweep.Claiming) (*output, error) {
	o := &output{manifest: m, dir: c.Out, formats: formatsOf(c)}
	if m.Study == "" {
		var err error
		if m.Study, err = experiment.KeyOf(points); err != nil {
			return nil, err
		}
	}
	if o.dir == "" {
		digest, err := experiment.Digest([]string{m.Study, m.Build})
		if err != nil {
			return nil, err
		}
		o.dir = filepath.Join("results", fmt.Sprintf("%s-%.10s", fileName(name), digest))
	}
	return o, o.take(points, claiming)
}

// take claims the directory and opens its store.
func (o *output) take(points []experiment.Point, claiming sweep.Claiming) (err error) {
	if o.claim, err = sweep.TakeDirectory(o.dir, o.manifest, points, claiming); err == nil {
		o.store, err = sweep.Open(o.dir)
	}
	return outError(o.dir, err)
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

// close lets go of the directory.
func (o *output) close() { o.store.Close() }

// do does the points that are not finished, draws their progress, and saves the tables of all of
// them. keepTime keeps the host's time in the tables.
func (o *output) do(ctx context.Context, a *app, points []experiment.Point, jobs int, noun string, keepTime bool) ([]experiment.Outcome, tables.Rows, error) {
	outcomes, err := a.doPoints(ctx, o, points, jobs, noun)
	if err != nil {
		o.unsaved = err
	}
	rows, err := o.collect(outcomes, keepTime)
	return outcomes, rows, err
}

// collect puts the rows of outcomes together and saves their tables. keepTime keeps the host's time in
// them.
func (o *output) collect(outcomes []experiment.Outcome, keepTime bool) (tables.Rows, error) {
	rows, err := experiment.Collect(o.store, outcomes)
	if err != nil {
		return rows, wrongError{err}
	}
	if !keepTime {
		rows.DropHostTime()
	}
	covered := experiment.CoverageOf(outcomes)
	covered.Points = max(covered.Points, o.manifest.Points) // of the whole plan, when these are a shard
	o.manifest.Cover(covered)
	o.save(&rows)
	return rows, nil
}

// save writes the tables. What becomes of it is said after the report, which is worth printing in any case.
func (o *output) save(rows *tables.Rows) {
	folder, err := tables.OpenFolder(o.dir)
	if err == nil {
		defer folder.Discard()
		err = saveTables(folder, o.formats, rows, o.manifest)
	}
	o.unsaved = errors.Join(o.unsaved, err)
}

// saveTables writes the tables of a study with their summary, and the manifest.
func saveTables(folder *tables.Folder, formats tables.Formats, rows *tables.Rows, m *experiment.Manifest) error {
	folder.Formats = formats
	text, err := m.Text()
	if err == nil {
		err = chart.PutSummary(folder, rows, text)
	}
	if err != nil {
		return err
	}
	return experiment.Save(folder, rows, m)
}

// notSaved stands for the directory of tables that could not be written.
const notSaved = "not saved"

// whereTables says where the tables are, and what to do with them.
func whereTables(dir string) []string {
	where := []string{"tables: " + dir}
	if dir == notSaved {
		return where
	}
	if strings.ContainsFunc(dir, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"$&;()<>|*?", r) }) {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return append(where, "next: carousel report "+dir)
}

// place is where the tables are, for people.
func (o *output) place() string {
	if o.unsaved != nil {
		return notSaved
	}
	return o.dir
}

// verdict ends the claim and is the command's error: that nothing was saved, or else what became of the points.
func (o *output) verdict(stopped error, outcomes []experiment.Outcome, noun, again string) error {
	kept, err := o.claim.Release(o.unsaved == nil && experiment.CoverageOf(outcomes).Complete())
	if o.unsaved = errors.Join(o.unsaved, err); o.unsaved != nil {
		return wrongError{fmt.Errorf("the results could not be saved: %w; finished points are kept in %s", o.unsaved, o.dir)}
	}
	if kept != "" {
		again += "; the study that was there before is in " + kept
	}
	return verdict(stopped, outcomes, noun, o.dir, again)
}

// doPoints does the points that the store of an output, if there is one, does not have, and draws their
// progress on the terminal and on the page of the monitor.
func (a *app) doPoints(ctx context.Context, o *output, points []experiment.Point, jobs int, noun string) ([]experiment.Outcome, error) {
	var observers []func(experiment.Event)
	if line := a.statusLine(); line != nil {
		bar := &progress{statusLine: line, noun: noun, begun: time.Now()}
		observers = append(observers, bar.observe)
		defer bar.clear()
	} else if !a.quiet {
		said := &progress{noun: noun, begun: time.Now()}
		observers = append(observers, said.say(a.stderr))
	}
	if a.monitor != nil {
		watch, end := a.watch(o, points)
		observers = append(observers, watch)
		defer func() { end(ctx.Err()) }()
	}
	observe := func(e experiment.Event) {
		for _, o := range observers {
			o(e)
		}
	}
	options := experiment.Options{Jobs: jobs, Log: a.log(), Observe: observe}
	if o != nil {
		options.Store = o.store
	}
	return experiment.Run(ctx, points, options)
}

// goOn is how an interrupted study is continued.
const goOn = "give the command again to go on"

// verdict turns what became of the points into the command's error; again says how to go on.
func verdict(stopped error, outcomes []experiment.Outcome, noun, out, again string) error {
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
	switch {
	case stopped != nil && finished < len(outcomes):
		return interruptedError{saved + "; " + again}
	case failed == nil:
		return nil
	case errors.As(failed, new(*traces.Error)):
		return inputError{fmt.Errorf("%w\n%s", failed, saved)}
	}
	return wrongError{fmt.Errorf("%w\n%s", failed, saved)}
}

// earlierNote says how many points an earlier command has done and what simulates them again, or nothing.
func (o *output) earlierNote(outcomes []experiment.Outcome, noun, afresh string) []string {
	n := 0
	for i := range outcomes {
		if outcomes[i].Earlier {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	before := "before"
	if o.claim.OtherBuild {
		before = "by another build of carousel"
	}
	return []string{fmt.Sprintf("%d of %d %s were finished %s and not simulated again (%s does).", n, len(outcomes), noun, before, afresh)}
}

// forceFlag adds --force to a command that writes a study.
func forceFlag(command *cobra.Command) {
	command.Flags().Bool("force", false, "replace another study in the output directory")
}

// forced reports whether --force is given.
func forced(command *cobra.Command) bool {
	force, err := command.Flags().GetBool("force")
	return err == nil && force
}

// fileName makes a name that a trace may have brought along harmless as a part of a path.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}
