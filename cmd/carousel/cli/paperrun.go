package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/chart"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/plan"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// paperPart is one entry on its way: what it asks for and what became of it.
type paperPart struct {
	entry    claim.Entry
	plan     *plan.Expansion // nil for an entry without a plan
	outcomes []experiment.Outcome
	dir      string
	place    *sweep.Claim
	manifest *experiment.Manifest
	result   claim.Result
	files    []string // pictures
}

// paperRun does the points of all entries, each once, and then analyses entry by entry.
func (a *app) paperRun(command *cobra.Command, entries []claim.Entry, quick bool) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	parts, points, err := a.expandEntries(command, entries, quick)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = filepath.Join("results", "paper")
	}
	root := a.describe(experiment.Paper, c)
	root.Configuration, root.Given = nil, nil // of each entry, in its own directory
	o := &output{manifest: root, dir: out, formats: formatsOf(c)}
	if err := o.take(points, sweep.Claiming{Extend: true}); err != nil {
		return err
	}
	defer o.close()
	for i := range parts {
		p := &parts[i]
		p.dir = filepath.Join(out, p.entry.ID, map[bool]string{true: "quick", false: "full"}[quick])
		if p.place, err = sweep.TakeDirectory(p.dir, p.manifest, nil, sweep.Claiming{Force: forced(command)}); err != nil {
			return outError(out, err)
		}
	}
	outcomes, err := a.doPoints(command.Context(), o, points, c.Jobs, "points")
	if err != nil {
		return wrongError{fmt.Errorf("the results could not be saved: %w; finished points are kept in %s", err, out)}
	}
	byKey := map[string]experiment.Outcome{}
	for i := range outcomes {
		byKey[outcomes[i].Key] = outcomes[i]
	}
	for i := range parts {
		p := &parts[i]
		if p.plan != nil {
			for _, point := range p.plan.Points {
				done := byKey[point.Key]
				done.Point = point // with this plan's axes
				p.outcomes = append(p.outcomes, done)
			}
		}
		if err := p.analyse(o.store, quick, o.formats); err != nil {
			return wrongError{fmt.Errorf("%s: %w", p.entry.ID, err)}
		}
	}
	table := paperSheet(a.format, parts, quick, out)
	table.after = append(table.after, o.earlierNote(outcomes, "points", "another --out")...)
	if err := a.print(paperDocument(parts, quick, out), table); err != nil {
		return err
	}
	return paperVerdict(command.Context().Err(), parts, outcomes, out)
}

// expandEntries makes the points of all entries; one that several of them ask for is there once.
func (a *app) expandEntries(command *cobra.Command, entries []claim.Entry, quick bool) (parts []paperPart, points []experiment.Point, err error) {
	below, above, err := a.layers(command)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		part := paperPart{entry: e}
		if part.plan, err = e.Expand(quick, below, above); err != nil {
			return nil, nil, err
		}
		program := experiment.Program()
		part.manifest = &program
		if part.plan != nil {
			if part.manifest, err = part.plan.Manifest(quick); err != nil {
				return nil, nil, err
			}
			points = append(points, part.plan.Points...)
		}
		part.manifest.Command = append([]string{"carousel"}, a.args...)
		part.manifest.Kind = experiment.Paper
		parts = append(parts, part)
	}
	return parts, experiment.Unique(points), nil
}

// analyse draws an entry's figures, judges its claims and saves everything.
func (p *paperPart) analyse(store *sweep.Store, quick bool, formats tables.Formats) error {
	rows, err := experiment.Collect(store, p.outcomes)
	if err != nil {
		return err
	}
	rows.DropHostTime()
	covered := experiment.CoverageOf(p.outcomes)
	p.manifest.Cover(covered)
	if p.result, err = p.entry.Analyse(&rows, chart.Extent{Quick: quick, Coverage: covered}); err != nil {
		return err
	}
	folder, err := tables.OpenFolder(p.dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	folder.Formats = formats
	for i := range p.result.Figures {
		f := &p.result.Figures[i]
		for _, format := range []string{figures.SVG, figures.PNG} {
			name := f.Name + "." + format
			if err := folder.Add(name, func(w *os.File) error { return f.Render(w, format) }); err != nil {
				return err
			}
			p.files = append(p.files, filepath.Join(p.dir, name))
		}
	}
	manifest, err := p.manifest.Text()
	if err != nil {
		return err
	}
	if err := tables.Put(folder, tables.FigurePoints, p.result.Points, manifest); err != nil {
		return err
	}
	if err := tables.Put(folder, tables.Claims, p.result.Claims, manifest); err != nil {
		return err
	}
	if err := saveTables(folder, formats, &rows, p.manifest); err != nil {
		return err
	}
	_, err = p.place.Release(p.plan == nil || covered.Complete())
	return err
}

// paperReport is the JSON document of carousel paper run.
type paperReport struct {
	Quick   bool          `json:"quick"`
	Entries []paperResult `json:"entries"`
	Tables  string        `json:"tables"`
}

type paperResult struct {
	ID       string               `json:"id"`
	Title    string               `json:"title"`
	Manifest *experiment.Manifest `json:"manifest"`
	Points   int                  `json:"points"`
	Finished int                  `json:"finished"`
	Pictures []string             `json:"pictures"`
	Claims   []tables.Object      `json:"claims"`
}

func paperDocument(parts []paperPart, quick bool, out string) *paperReport {
	r := &paperReport{Quick: quick, Entries: []paperResult{}, Tables: out}
	for i := range parts {
		p := &parts[i]
		e := paperResult{ID: p.entry.ID, Title: p.entry.Title, Manifest: p.manifest, Points: p.manifest.Points, Finished: p.manifest.Finished, Pictures: append([]string{}, p.files...), Claims: []tables.Object{}}
		for k := range p.result.Claims {
			e.Claims = append(e.Claims, tables.Claims.Object(&p.result.Claims[k], "entry"))
		}
		r.Entries = append(r.Entries, e)
	}
	return r
}

// paperSheet lists the claims: in short for people, whole for programs.
func paperSheet(format string, parts []paperPart, quick bool, out string) *sheet {
	s := &sheet{header: []string{"claim", "figure", "verdict", "measured", "printed", "what it says"}}
	if format == "csv" {
		s.header = []string{"id", "entry", "verdict", "measured_value", "ci95", "printed_value", "text", "conditions", "criterion", "detail"}
	}
	for i := range parts {
		if p := &parts[i]; p.plan != nil && experiment.CoverageOf(p.outcomes).Warning() != "" {
			s.before = append(s.before, p.entry.ID+" is "+experiment.CoverageOf(p.outcomes).Warning()+"; its claims stay open.")
		}
		for k := range parts[i].result.Claims {
			c := &parts[i].result.Claims[k]
			if format == "csv" {
				s.add(c.ID, c.Entry, c.Verdict, full(known(c.Measured)), full(known(c.CI)), c.Printed, c.Text, c.Conditions, c.Criterion, c.Detail)
				continue
			}
			measured := cell(known(c.Measured), 1)
			if c.CI.Known {
				measured += " ± " + fmt.Sprintf("%.2g", c.CI.Value)
			}
			s.add(c.ID, c.Entry, c.Verdict, measured, c.Printed, c.Text)
		}
		for _, file := range parts[i].files {
			if strings.HasSuffix(file, "."+figures.SVG) {
				s.after = append(s.after, "picture: "+file)
			}
		}
	}
	if quick {
		s.after = append(s.after, "quick: short runs; --full takes the paper's run lengths.")
	}
	s.after = append(s.after, "criteria and details are in the tables claims and with --format json; tables: "+out)
	return s
}

// paperVerdict turns failed points and claims into the command's error.
func paperVerdict(stopped error, parts []paperPart, outcomes []experiment.Outcome, out string) error {
	finished := verdict(stopped, outcomes, "points", out, goOn)
	if errors.As(finished, new(interruptedError)) {
		return finished
	}
	var refuted []string
	for i := range parts {
		for _, c := range parts[i].result.Claims {
			if c.Verdict == tables.NotConfirmed {
				refuted = append(refuted, c.ID)
			}
		}
	}
	if len(refuted) > 0 {
		return wrongError{errors.Join(finished, fmt.Errorf("not confirmed: %s", strings.Join(refuted, ", ")))}
	}
	return finished
}
