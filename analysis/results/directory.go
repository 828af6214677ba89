package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"al.essio.dev/pkg/shellescape"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// Directory is where a study is written: each point as it finishes, and the tables at the end.
type Directory struct {
	Path     string
	Manifest *experiment.Manifest
	Formats  tables.Formats
	Store    *sweep.Store // of finished points; nil where another directory keeps them
	// Do does the points that the store lacks, and keeps them there; see [experiment.Run].
	Do func(points []experiment.Point) ([]experiment.Outcome, error)

	unsaved error
}

// Error says that results could not be written, or not be read again. What was finished is kept.
type Error struct{ error }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.error }

// DefaultPath is the directory of a study without --out: below results, named after the study
// and a digest of it and of the program, so that a changed program does not replace the tables of its
// former self.
func DefaultPath(name string, m *experiment.Manifest) string {
	return filepath.Join("results", fmt.Sprintf("%s-%.10s", FileName(name), experiment.Digest([]string{m.Study, m.Build})))
}

// Unversioned keeps the default directory of studies out of version control, unless it says
// itself what belongs there.
func Unversioned(path string) error {
	name := filepath.Join(filepath.Dir(path), ".gitignore")
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	return os.WriteFile(name, []byte("*\n"), 0o666)
}

// FileName makes a name, which may come from a trace, safe as a part of a path.
func FileName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}

// Open claims a directory for a study before anything runs. One that holds the same study is
// continued, and one that holds another is refused, unless claiming says otherwise. The caller
// closes it.
func Open(path string, m *experiment.Manifest, points []experiment.Point, formats tables.Formats, claiming sweep.Claiming) (d *Directory, err error) {
	if d, err = take(path, m, points, formats, claiming); err == nil {
		d.Store, err = sweep.Open(path, claiming.Builds())
	}
	return d, err
}

// take claims a directory that keeps no points.
func take(path string, m *experiment.Manifest, points []experiment.Point, formats tables.Formats, claiming sweep.Claiming) (*Directory, error) {
	return &Directory{Path: path, Manifest: m, Formats: formats}, sweep.TakeDirectory(path, m, points, claiming)
}

// Close releases the directory.
func (d *Directory) Close() { d.Store.Close() }

// Run does the points that are not finished, and saves the tables of all of them. keepTime keeps
// the host's time in the tables.
func (d *Directory) Run(points []experiment.Point, keepTime bool) ([]experiment.Outcome, tables.Rows, error) {
	return d.collect("", d.do(points), keepTime)
}

// do does points and remembers why one could not be kept.
func (d *Directory) do(points []experiment.Point) []experiment.Outcome {
	outcomes, err := d.Do(points)
	d.unsaved = errors.Join(d.unsaved, err)
	return outcomes
}

// RunUntil does points round by round, each with more windows of the traces, and keeps the host's
// time in the tables. It ends when the time of the fastest router over that of the next is known
// to within width, a fraction of the ratio to either side, or when no window is left. A width of
// 0 does all points at once. After the first round and after the last window, tell is told how
// many windows are expected to be enough, unless they were.
func (d *Directory) RunUntil(points []experiment.Point, width float64, tell func(forecast string)) ([]experiment.Outcome, tables.Rows, error) {
	if width == 0 {
		return d.Run(points, true)
	}
	var all []experiment.Outcome
	list, windows := rounds(points)
	for i, round := range list {
		all = append(all, d.do(round)...)
		rows, err := experiment.Collect(d.Store, all)
		if err != nil {
			return nil, rows, &Error{err}
		}
		least, known := leastKnown(&rows)
		interrupted := slices.ContainsFunc(all, func(o experiment.Outcome) bool { return o.State == tables.Interrupted })
		if d.unsaved != nil || interrupted || known <= width {
			break
		}
		if i == 0 || i == len(list)-1 {
			tell(forecast(least, width, windows))
		}
	}
	return d.collect("", all, true)
}

// collect puts the rows of outcomes together and saves their tables, in the directory or in one below it. It
// reads tables that an earlier command has written from the same points.
func (d *Directory) collect(below string, outcomes []experiment.Outcome, keepTime bool) ([]experiment.Outcome, tables.Rows, error) {
	if below == "" {
		covered := experiment.CoverageOf(outcomes)
		covered.Points = max(covered.Points, d.Manifest.Points) // of the whole plan, when these are a shard
		d.Manifest.Coverage = covered
	}
	rows, ok := d.unchanged(below, outcomes)
	if !ok {
		var err error
		if rows, err = experiment.Collect(d.Store, outcomes); err != nil {
			return nil, rows, &Error{err}
		}
		if !keepTime {
			rows.DropHostTime()
		}
		d.Save(below, &rows)
	}
	return outcomes, rows, nil
}

// unchanged reads the tables of outcomes if Save would write the same.
func (d *Directory) unchanged(below string, outcomes []experiment.Outcome) (rows tables.Rows, ok bool) {
	dir := filepath.Join(d.Path, below)
	old, err := sweep.ReadManifest(dir)
	if err != nil || len(old.Files) == 0 || d.Formats.Parquet || d.Formats.CSV || slices.ContainsFunc(outcomes, func(o experiment.Outcome) bool { return !o.Earlier }) ||
		slices.ContainsFunc(old.Files, func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err != nil }) {
		return rows, false
	}
	summary := tables.SummaryTable(nil)
	_, first, err := summary.ReadArrow(filepath.Join(dir, summary.Name+".arrow"))
	rows, second, failed := tables.ReadRows(dir)
	text := d.Manifest.Text()
	return rows, errors.Join(err, failed) == nil && !rows.Mixed && first == text && second == text
}

// Save writes the tables of rows, in the directory or in one below it. An error waits until Finish: the report
// is worth printing in any case.
func (d *Directory) Save(below string, rows *tables.Rows) error {
	_, err := d.write(below, rows, claim.Result{})
	d.unsaved = errors.Join(d.unsaved, err)
	return err
}

// write writes the tables of a study with their summary and the manifest, and what else it shows:
// pictures in some formats, and the tables of their values and of claims, if it has any. It
// replaces only files of studies. Either all files appear or none. It returns the files of the
// pictures.
func (d *Directory) write(below string, rows *tables.Rows, shown claim.Result, pictures ...string) (files []string, err error) {
	dir := filepath.Join(d.Path, below)
	folder, err := tables.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Discard()
	folder.Formats = d.Formats
	text := d.Manifest.Text()
	for i := range shown.Figures {
		for _, format := range pictures {
			name := shown.Figures[i].Name + "." + format
			folder.Add(name, func(w *os.File) error { return shown.Figures[i].Render(w, format) })
			files = append(files, filepath.Join(dir, name))
		}
	}
	if pictures != nil {
		tables.Put(folder, tables.FigurePoints, shown.Points, text)
	}
	if shown.Claims != nil {
		tables.Put(folder, tables.Claims, shown.Claims, text)
	}
	table, summary := summaryOf(rows, d.Manifest.Baseline)
	tables.Put(folder, table, summary, text)
	rows.Put(folder, text)
	if err = folder.Err(); err == nil {
		err = sweep.Note(dir, d.Manifest, folder.Names())
	}
	if err == nil {
		err = folder.Commit()
	}
	return files, err
}

// Place is where the tables are, for people.
func (d *Directory) Place() string {
	if d.unsaved != nil {
		return "not saved"
	}
	return d.Path
}

// Where says where the tables are, and what to do with them.
func (d *Directory) Where() []string {
	where := []string{"tables: " + d.Place()}
	if d.unsaved != nil {
		return where
	}
	return append(where, "next: carousel report "+shellescape.Quote(d.Path))
}

// Finish ends the claim. Where an incomplete study was to replace others, it returns the places in
// which the others are kept. The error is what could not be saved.
func (d *Directory) Finish(complete bool) (kept []string, err error) {
	kept, err = sweep.Release(d.Path, d.unsaved == nil && complete)
	if d.unsaved != nil {
		err = d.unsaved
	}
	return kept, Unsaved(d.Path, err)
}

// Unsaved returns the error of a study in a directory whose results could not be saved for some reason,
// or nil for none. Of what a file system says it has the reason alone: it is the same for all files.
func Unsaved(dir string, reason error) error {
	if reason == nil {
		return nil
	}
	if part := new(fs.PathError); errors.As(reason, &part) {
		reason = part.Err
	}
	return &Error{fmt.Errorf("the results could not be saved in %s: %w; finished points are kept there, and the same command continues", dir, reason)}
}

// EarlierNote says how many points were finished before, with what simulates them again, and how
// many were simulated although another build of the program had finished them.
func (d *Directory) EarlierNote(outcomes []experiment.Outcome, noun, afresh string) (notes []string) {
	earlier, again := experiment.CoverageOf(outcomes).Earlier, 0
	for i := range outcomes {
		if o := &outcomes[i]; !o.Earlier && o.State == tables.Finished && d.Store.FinishedByOthers(o.Key) {
			again++
		}
	}
	if earlier > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d %s were finished before and not simulated again (%s simulates them again).", earlier, len(outcomes), noun, afresh))
	}
	if again > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d %s were simulated again, because another build of carousel had finished them (--reuse-builds reuses them).", again, len(outcomes), noun))
	}
	return notes
}
