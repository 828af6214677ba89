package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/report"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// reportFlags are the flags of carousel report that are no configuration keys.
type reportFlags struct {
	page, title string
	pdf         bool
}

func reportCommand(a *app) *cobra.Command {
	var f reportFlags
	command := &cobra.Command{
		Use:   "report DIR...",
		Short: "Make one page of stored studies, also at other prices of energy",
		Long: `Makes one HTML file of the studies that run, traffic, sweep, merge and paper run have written:
pictures, their values, claims with verdicts, all runs, and how they came about. The file needs
nothing else, no network and no program but a browser; without scripts everything is still there.

With --set power.KEY=VALUE, --tech or --profile the studies are priced again before they are
shown, without simulating: the tables hold the counts. Energies, energy-delay products and keys
are then those of a study simulated with the new prices, to the last bit. A voltage or a buffer
circuit that was the usual one of technology and profile follows them. The clock cannot change:
with another one the chip would have done something else.

With --out the tables, priced again, and the pictures (SVG and PNG, and PDF with --pdf) are written there, too: of
several studies each into a directory of its own name. A directory that holds other studies, such
as that of paper run, stands for all of them.`,
		Example: `  carousel report study -o report.html
  carousel report study -o report45.html --tech 45 --profile S --out study45
  carousel report figures -o papers.html
  carousel report figures/mrr.fig7 figures/mrr.fig8 -o mrr.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("carousel report takes the directories of studies")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error { return a.report(command, args, f) },
	}
	flags := command.Flags()
	flags.StringVarP(&f.page, "output", "o", "", "the file to write (default report.html, in --out where that is given)")
	flags.BoolVar(&f.pdf, "pdf", false, "write the pictures to --out as PDF, too")
	flags.StringVar(&f.title, "title", "", "title of the page (default that of the study)")
	flags.Int("tech", 65, "technology to price at, in nm")
	flags.String("profile", "O", "energy profile to price with: O, O1 or S")
	tableFlags(flags)
	flags.Lookup("out").Usage = "directory for tables and pictures (default none)"
	forceFlag(command)
	return command
}

// pictures are the formats of pictures in --out.
func (f *reportFlags) pictures() []string {
	list := []string{figures.SVG, figures.PNG}
	if f.pdf {
		list = append(list, figures.PDF)
	}
	return list
}

// report does the whole command: read, price, draw, write.
func (a *app) report(command *cobra.Command, dirs []string, f reportFlags) error {
	c, err := a.configuration(command)
	if err != nil {
		return err
	}
	change, repriced, err := repricing(c)
	if err != nil {
		return err
	}
	if f.pdf && c.Out == "" {
		return usagef("--pdf needs --out, the directory that pictures are written to")
	}
	page := report.Page{Title: f.title}
	var studies []storedStudy
	if dirs, err = studiesIn(dirs); err != nil {
		return inputError{err}
	}
	if f.page == "" {
		f.page = filepath.Join(c.Out, "report.html") // without --out in the current directory
	}
	if err := ownPage(f.page); err != nil {
		return err
	}
	var claims []*sweep.Claim
	for _, dir := range dirs {
		s, err := readStudy(dir)
		if err != nil {
			return inputError{err}
		}
		if repriced != "" {
			if err := s.reprice(change, repriced, c); err != nil {
				return usagef("%s: %w", dir, err)
			}
		}
		part, err := report.Of(dir, &s.rows, s.manifest, s.entry, repriced)
		if err != nil {
			return inputError{err}
		}
		page.Studies, studies = append(page.Studies, part), append(studies, *s)
	}
	if c.Out != "" {
		if claims, err = takePlaces(c.Out, studies, forced(command)); err != nil {
			return err
		}
		if err := saveStudies(studies, page.Studies, formatsOf(c), f.pictures()); err != nil {
			return usagef("--out %s: %w; choose a directory that can be written", c.Out, err)
		}
	}
	if err := savePage(f.page, &page); err != nil {
		return usagef("--output %s: %w; choose a file that can be written", f.page, err)
	}
	for _, claim := range claims {
		if _, err := claim.Release(true); err != nil {
			return wrongError{err}
		}
	}
	return a.print(reportDocument(studies, &page, f.page), reportSheet(studies, &page, f.page))
}

// studiesIn replaces each directory that holds no study itself by those below it that do, up to
// two levels down: paper run writes such directories.
func studiesIn(dirs []string) (list []string, err error) {
	for _, dir := range dirs {
		found := studiesBelow(dir, 2)
		if len(found) == 0 {
			if _, err := os.Stat(dir); err != nil {
				return nil, fmt.Errorf("cannot read the study: %w", err)
			}
			return nil, fmt.Errorf("%s holds no study: there is neither %s.arrow nor %s.arrow, in directories below neither", dir, tables.Runs.Name, tables.TrafficPoints.Name)
		}
		list = append(list, found...)
	}
	return list, nil
}

func studiesBelow(dir string, levels int) (list []string) {
	for _, name := range []string{tables.Runs.Name, tables.TrafficPoints.Name} {
		if _, err := os.Stat(filepath.Join(dir, name+".arrow")); err == nil {
			return []string{dir}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || levels == 0 {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != sweep.PointsName && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, studiesBelow(filepath.Join(dir, e.Name()), levels-1)...)
		}
	}
	return list
}

// ownPage refuses to write over a file that is no report.
func ownPage(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return nil // nothing is there, or writing will say what is wrong
	}
	defer file.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	if n > 0 && !bytes.Contains(head[:n], []byte(report.Generator)) {
		return usagef("--output %s: the file is there and no report of carousel; choose another name", path)
	}
	return nil
}

// savePage writes the page under a temporary name and renames it.
func savePage(path string, page *report.Page) error {
	folder, err := tables.OpenFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := folder.Add(filepath.Base(path), func(w *os.File) error { return page.Write(w) }); err != nil {
		return err
	}
	return folder.Commit()
}

// reportEntry is a study in the JSON document of carousel report.
type reportEntry struct {
	Directory string               `json:"directory"`
	Title     string               `json:"title"`
	Manifest  *experiment.Manifest `json:"manifest"`
	Runs      []tables.Object      `json:"runs"`
	Points    []tables.Object      `json:"points"`
	Pictures  []string             `json:"pictures"`
	Claims    []tables.Object      `json:"claims"`
}

// pageReport is that document.
type pageReport struct {
	Page    string        `json:"page"`
	Studies []reportEntry `json:"studies"`
}

func reportDocument(studies []storedStudy, page *report.Page, path string) *pageReport {
	r := &pageReport{Page: path, Studies: []reportEntry{}}
	for i := range studies {
		s, part := &studies[i], &page.Studies[i]
		sweep := buildSweepReport(s.manifest, &s.rows, s.dir)
		e := reportEntry{Directory: s.dir, Title: part.Title, Manifest: s.manifest, Runs: sweep.Runs, Points: sweep.Points, Pictures: []string{}, Claims: []tables.Object{}}
		for k := range part.Figures {
			e.Pictures = append(e.Pictures, part.Figures[k].Name)
		}
		for k := range part.Claims {
			e.Claims = append(e.Claims, tables.Claims.Object(&part.Claims[k], "entry"))
		}
		r.Studies = append(r.Studies, e)
	}
	return r
}

// reportSheet says what is on the page.
func reportSheet(studies []storedStudy, page *report.Page, path string) *sheet {
	s := &sheet{header: []string{"study", "what it is", "runs", "pictures", "claims"}, after: []string{"page: " + path}}
	for i := range studies {
		part := &page.Studies[i]
		s.add(studies[i].dir, part.Title, fmt.Sprint(len(studies[i].rows.Runs)+len(studies[i].rows.Traffic)), fmt.Sprint(len(part.Figures)), fmt.Sprint(len(part.Claims)))
	}
	return s
}
