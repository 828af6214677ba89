package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/analysis/show/report"
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/show/system"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// reportFlags are the flags of carousel report that are no configuration keys.
type reportFlags struct {
	page, title string
	pdf         bool
}

func reportCommand(a *app) *cobra.Command {
	var f reportFlags
	command := newCommand("report", someArguments("takes the directories of studies"), func(command *cobra.Command, args []string) error { return a.report(command, args, f) })
	flags := command.Flags()
	flags.StringVarP(&f.page, "output", "o", "", "the file to write (default report.html, in --out if that is given)")
	baselineFlag(command, "chip.protocol=token")
	flags.BoolVar(&f.pdf, "pdf", false, "write the pictures to --out as PDF files too")
	flags.StringVar(&f.title, "title", "", "title of the page (default that of the study)")
	a.keyFlags(command, append(tableFlags, "tech", "profile")...)
	flags.Lookup("tech").DefValue, flags.Lookup("profile").DefValue = "that of the study", "that of the study"
	flags.Lookup("out").Usage = "directory for tables and pictures (default none)"
	forceFlag(command)
	return command
}

// report does the whole command: read, price, draw, write.
func (a *app) report(command *cobra.Command, dirs []string, f reportFlags) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	if c.Origin("out").Kind == config.FromFile { // the directory of the study that the file describes
		c.Out = ""
	}
	prices, err := results.PricesOf(c)
	if err != nil {
		return usageError{err}
	}
	if c.Out == "" {
		none := []string{"pdf", "parquet", "csv", "compression"}
		if f.page == "" { // with --output, --force is what every command with that flag has
			none = append(none, "force")
		}
		if err := noEffect(command, "without --out", none...); err != nil {
			return err
		}
	}
	if f.page == "" {
		f.page = filepath.Join(c.Out, "report.html") // without --out in the current directory
	}
	if err := ownPage(f.page); err != nil {
		return err
	}
	studies, err := results.ReadAll(dirs)
	if err != nil {
		return inputError{err}
	}
	page := report.Page{Title: f.title}
	for _, s := range studies {
		if err := s.Reprice(prices, c); err != nil {
			return usagef("%s: %w", s.Dir, err)
		}
		if command.Flags().Changed("baseline") {
			if s.Entry != "" {
				return usagef("%s: --baseline has no effect on the figure of a paper, which says itself what it divides by; leave it out", s.Dir)
			}
			if err := setBaseline(command, s.Manifest, &s.Rows); err != nil {
				return fmt.Errorf("%s: %w", s.Dir, err)
			}
		}
		part, err := report.Of(s.Dir, &s.Rows, s.Bounds, s.Manifest, s.Entry)
		if err != nil {
			return inputError{err}
		}
		if part.System, err = a.systemOf(s); err != nil { // keys of an older version, or routers of another program
			part.Facts.Add("simulated system", "not described: "+err.Error())
		}
		page.Studies = append(page.Studies, part)
	}
	if c.Out != "" {
		pictures := []string{figures.SVG, figures.PNG}
		if f.pdf {
			pictures = append(pictures, figures.PDF)
		}
		if err := results.Save(c.Out, studies, page.Studies, pictures, formatsOf(c), isSet(command, "force")); err != nil {
			return outError(c.Origin("out"), c.Out, err)
		}
	}
	if err := page.Save(f.page); refused(err) != nil {
		return unwritten(err)
	} else if err != nil {
		return usagef("--output %s: %w; choose a file that can be written", f.page, err)
	}
	for i := 0; i < len(studies) && c.Out != ""; i++ {
		if err := studies[i].Release(); err != nil {
			return wrongError{err}
		}
	}
	return a.printReport(studies, &page, f.page)
}

// systemOf describes the chip of a study with its prices; nil for networks alone.
func (a *app) systemOf(s *results.Stored) (*sheet.Sheet, error) {
	m := s.Manifest
	if len(s.Rows.Runs) == 0 || len(m.Traces) == 0 {
		return nil, nil
	}
	layer, err := config.Parse("manifest.json", []byte(m.Text()))
	if err != nil {
		return nil, err
	}
	c, err := a.extra.New(layer)
	if err != nil {
		return nil, err
	}
	rows, err := system.Of(c, m)
	return sheet.Of(rows), err
}

// ownPage refuses to write over a file that is no report.
func ownPage(path string) error {
	if err := wholefile.Check(path); err != nil {
		return usagef("--output %s exists and is not a regular file; name another file", path)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > 0 && !sweep.IsPage(path) {
		return usagef("--output %s: the file exists and is not a report of carousel; choose another name", path)
	}
	return nil
}

// reportedStudy is a study in the JSON document of carousel report.
type reportedStudy struct {
	Directory string               `json:"directory"`
	Title     string               `json:"title"`
	Manifest  *experiment.Manifest `json:"manifest"`
	System    []system.Row         `json:"system,omitempty"` // as carousel config system prints it
	Runs      []tables.Object      `json:"runs"`
	Points    []tables.Object      `json:"points"`
	Pictures  []string             `json:"pictures"`
	Claims    []tables.Object      `json:"claims"`
	compare.Doubts
}

// printReport says what is on the page.
func (a *app) printReport(studies []*results.Stored, page *report.Page, path string) error {
	document := struct {
		Page    string          `json:"page"`
		Studies []reportedStudy `json:"studies"`
	}{path, []reportedStudy{}}
	s := sheet.New("study", "what it is", "runs", "pictures", "claims")
	for i, stored := range studies {
		part := &page.Studies[i]
		e := reportedStudy{Directory: stored.Dir, Title: part.Title, Manifest: stored.Manifest, Runs: stored.Rows.RunObjects(),
			Points: tables.TrafficObjects(stored.Rows.Traffic), Pictures: []string{}, Claims: results.ClaimObjects(part.Claims),
			Doubts: compare.Doubts{Incomplete: part.Warning, Warnings: append([]string{}, part.Doubts...)}}
		if part.System != nil {
			for _, row := range part.System.Rows {
				e.System = append(e.System, system.Row{Part: row[0], Value: row[1]})
			}
		}
		for k := range part.Figures {
			e.Pictures = append(e.Pictures, part.Figures[k].Name)
		}
		document.Studies = append(document.Studies, e)
		var runs any = len(e.Runs) + len(e.Points)
		if covered := stored.Manifest.Coverage; covered.Points > 0 && !covered.Complete() {
			runs = sheet.Digits(fmt.Sprintf("%d of %d", covered.Finished, covered.Points))
		}
		s.Add(e.Directory, e.Title, runs, len(e.Pictures), len(e.Claims))
		if e.Incomplete != "" {
			s.Incomplete = append(s.Incomplete, stored.Dir+": "+e.Incomplete)
		}
		for _, warning := range e.Warnings {
			s.Warnings = append(s.Warnings, stored.Dir+": "+warning)
		}
	}
	s.Note("page: " + path)
	return a.print(document, s)
}
