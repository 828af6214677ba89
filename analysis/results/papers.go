package results

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Papers are figures of papers that are done together, in quick or full runs. A point that several
// of them ask for is done once.
type Papers struct {
	Quick   bool
	Figures []Figure
	Points  []experiment.Point // of all figures
	// Replaced lists where studies are kept that figures were to replace whose points are not all finished.
	Replaced []string
}

// Figure is a figure on its way: what it asks for, and what became of it.
type Figure struct {
	claim.Entry
	*Directory
	Result   claim.Result
	Pictures []string // files

	points   []experiment.Point // nil for an entry without a plan
	outcomes []experiment.Outcome
}

// NewPapers makes the points of entries, with settings below and above those of their plans.
// command is the command line for the manifests.
func NewPapers(entries []claim.Entry, quick bool, command []string, below, above config.Layer) (p Papers, err error) {
	p.Quick = quick
	unread, plans := map[string][]*plan.Unread{}, 0
	for _, e := range entries {
		program := experiment.Program()
		f := Figure{Entry: e, Directory: &Directory{Manifest: &program}}
		x, err := e.Expand(quick, below, above)
		if err == nil && x != nil {
			f.points = x.Points
			f.Manifest = x.Manifest(quick)
			f.Manifest.Plan.Changed, err = x.Changed()
			plans++
			for _, u := range x.Unread {
				unread[u.Key.Name] = append(unread[u.Key.Name], u)
			}
		}
		if err != nil {
			return p, err
		}
		f.Manifest.Command, f.Manifest.Kind = command, experiment.Paper
		p.Figures, p.Points = append(p.Figures, f), append(p.Points, f.points...)
	}
	for _, s := range above {
		if list := unread[s.Key.Name]; list != nil && len(list) == plans {
			return p, list[0]
		}
	}
	p.Points = experiment.Unique(p.Points)
	return p, nil
}

// Place claims a directory below that of the points for each figure. force replaces figures that were done
// with other settings.
func (p *Papers) Place(d *Directory, force bool) (err error) {
	form := "full"
	if p.Quick {
		form = "quick"
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		claiming := sweep.Claiming{Force: force}
		for _, c := range f.Charts {
			claiming.Pictures = append(claiming.Pictures, c.Name+"."+figures.SVG, c.Name+"."+figures.PNG)
		}
		if f.Directory, err = take(filepath.Join(d.Path, f.ID, form), f.Manifest, nil, d.Formats, claiming); err != nil {
			return err
		}
	}
	return nil
}

// Analyse draws each figure from what became of the points, judges its claims and saves everything.
func (p *Papers) Analyse(d *Directory, outcomes []experiment.Outcome) error {
	byKey := map[string]experiment.Outcome{}
	for i := range outcomes {
		byKey[outcomes[i].Key] = outcomes[i]
	}
	for i := range p.Figures {
		f := &p.Figures[i]
		for _, point := range f.points {
			done := byKey[point.Key]
			done.Point = point // with this plan's axes
			f.outcomes = append(f.outcomes, done)
		}
		kept, err := f.analyse(d)
		if err != nil {
			return &Error{fmt.Errorf("%s: %w", f.ID, err)}
		}
		p.Replaced = append(p.Replaced, kept...)
	}
	return nil
}

// analyse does one figure. It returns where studies are kept that it was to replace.
func (f *Figure) analyse(d *Directory) (kept []string, err error) {
	rows, err := experiment.Collect(d.Store, f.outcomes)
	if err != nil {
		return nil, err
	}
	rows.DropHostTime()
	f.Manifest.Coverage = experiment.CoverageOf(f.outcomes)
	if f.Result, err = f.Entry.Analyse(&rows, chart.ExtentOf(f.Manifest)); err != nil {
		return nil, err
	}
	if f.Pictures, err = f.write("", &rows, f.Result, figures.SVG, figures.PNG); err != nil {
		return nil, err
	}
	return f.Finish(f.points == nil || f.Manifest.Complete())
}

// Refuted lists the claims that are not confirmed.
func (p *Papers) Refuted() (list []string) {
	for i := range p.Figures {
		for _, c := range p.Figures[i].Result.Claims {
			if c.Verdict == tables.NotConfirmed {
				list = append(list, c.ID)
			}
		}
	}
	return list
}

// PapersDocument is what carousel paper run prints with --format json.
type PapersDocument struct {
	Quick   bool             `json:"quick"`
	Entries []FigureDocument `json:"entries"`
	// Incomplete says which figures miss points.
	Incomplete []string `json:"incomplete,omitempty"`
	Tables     string   `json:"tables"`
}

// FigureDocument is the part of a PapersDocument about one figure.
type FigureDocument struct {
	ID       string               `json:"id"`
	Title    string               `json:"title"`
	Manifest *experiment.Manifest `json:"manifest"`
	Points   int                  `json:"points"`
	Finished int                  `json:"finished"`
	Pictures []string             `json:"pictures"`
	Claims   []tables.Object      `json:"claims"`
}

// Document describes the figures for programs. out is where they are.
func (p *Papers) Document(out string) PapersDocument {
	r := PapersDocument{Quick: p.Quick, Entries: []FigureDocument{}, Incomplete: p.incomplete(), Tables: out}
	for i := range p.Figures {
		f := &p.Figures[i]
		r.Entries = append(r.Entries, FigureDocument{ID: f.ID, Title: f.Title, Manifest: f.Manifest, Points: f.Manifest.Points,
			Finished: f.Manifest.Finished, Pictures: append([]string{}, f.Pictures...), Claims: ClaimObjects(f.Result.Claims)})
	}
	return r
}

// The column of a claim's entry, and those of a spreadsheet of claims.
var (
	claimEntry   = tables.Claims.Named("entry")
	claimColumns = tables.Claims.Named("id", "entry", "verdict", "measured_value", "ci95", "printed_value", "rules", "prices", "reason", "text",
		"conditions", "criterion", "detail")
)

// ClaimObjects are claims as documents have them, below their entry.
func ClaimObjects(claims []tables.Claim) []tables.Object {
	return tables.Claims.Objects(claims, claimEntry...)
}

// Spreadsheet lists the claims with all digits.
func (p *Papers) Spreadsheet() *sheet.Sheet {
	var claims []tables.Object
	for i := range p.Figures {
		claims = append(claims, tables.Claims.Objects(p.Figures[i].Result.Claims)...)
	}
	s := compare.Pick(claims, tables.Texts(claimColumns...)...)
	s.Incomplete = p.incomplete()
	return s
}

// incomplete names the figures that miss points.
func (p *Papers) incomplete() (list []string) {
	for i := range p.Figures {
		f := &p.Figures[i]
		if warning := experiment.CoverageOf(f.outcomes).Warning(); f.points != nil && warning != "" {
			list = append(list, f.ID+" is "+warning+"; its claims stay open.")
		}
	}
	return list
}

// Sheet lists the claims for people. out is where the figures are.
func (p *Papers) Sheet(out string) *sheet.Sheet {
	s := sheet.New("claim", "figure", "verdict", "measured", "printed", "rules", "prices", "what it says, and why it is not confirmed")
	s.Incomplete = p.incomplete()
	for i := range p.Figures {
		f := &p.Figures[i]
		for _, c := range f.Result.Claims {
			text := c.Text
			if c.Reason != "" {
				text += " Reason: " + c.Reason + "."
			}
			s.Add(c.ID, c.Entry, c.Verdict, c.Estimate(), c.Printed, c.Rules, c.Prices, text)
		}
		for _, file := range f.Pictures {
			if strings.HasSuffix(file, "."+figures.SVG) {
				s.Note("picture: " + file)
			}
		}
	}
	s.DropEmpty()
	for i := range p.Figures {
		if m := p.Figures[i].Manifest; m.Plan != nil && m.Plan.Changed != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: not the set-up of the paper, but %s. The verdicts are about this set-up.", p.Figures[i].ID, strings.Join(m.Plan.Changed, ", ")))
		}
	}
	if p.Quick {
		s.Note("quick: short runs; --full takes the paper's run lengths.")
	}
	s.Note("criteria and details: table claims, or --format json; tables: " + out)
	return s
}
