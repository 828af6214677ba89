package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// ManifestName is the file that says which study a directory holds.
const ManifestName = "manifest.json"

// Occupied is the error about a directory that holds something else than the study that wants it.
// Its text says what, and what to do.
type Occupied struct{ Text string }

func (o *Occupied) Error() string { return o.Text }

func occupied(format string, parts ...any) error { return &Occupied{fmt.Sprintf(format, parts...)} }

// Claiming says what a claim may do with a directory that holds another study.
type Claiming struct {
	Force  bool // move the other study away
	Extend bool // continue a sweep that shares points with this one
	Reuse  bool // take points that other builds of the program have finished
}

// TakeDirectory claims a directory, which need not exist, for the study of a manifest. A directory
// that holds the same study is continued. One that holds another study is refused, or with Force
// moved away in one step: the old study stays beside the new one, under a hidden name, until
// Release. A directory with a foreign file of a name that the study writes, or with such files
// beside an old study that would be moved, is refused in any case.
func TakeDirectory(dir string, m *experiment.Manifest, points []experiment.Point, c Claiming) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return note(dir, m)
	} else if err != nil {
		return fmt.Errorf("cannot make the output directory: %w", err)
	}
	old, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		unfinished := []string{lockName, PointsName, planName} // of a sweep that an older version left
		if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return ours(dir, e.Name()) && !slices.Contains(unfinished, e.Name()) }); i >= 0 {
			return occupied("%s holds %s, and no %s that says which study wrote it; choose another --out", dir, entries[i].Name(), ManifestName)
		}
		return note(dir, m)
	} else if err != nil {
		return occupied("%v; choose another --out", err)
	}
	differs := experiment.Difference(old, m)
	switch {
	case differs == "" && !c.Force, c.Extend && old.Kind == m.Kind && shares(dir, points):
		if old.Build != m.Build && !c.Reuse {
			return note(dir, m) // this build does it again
		}
		return nil
	case !c.Force && m.Kind == old.Kind && m.Kind == experiment.Sweep && shares(dir, points):
		return occupied("%s holds another plan with points of this one (%s); add --resume to use them, --force to replace it, or choose another --out",
			dir, differs)
	case !c.Force:
		return occupied("%s holds another study (%s); choose another --out, or add --force to replace it", dir, differs)
	}
	if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return !ours(dir, e.Name()) }); i >= 0 {
		return occupied("%s also holds %s, which no study has written; move it away, or choose another --out", dir, entries[i].Name())
	}
	if err := replace(dir); err != nil {
		return err
	}
	return note(dir, m)
}

// note makes the directory and writes down whose it is, before anything is simulated.
func note(dir string, m *experiment.Manifest) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot make the output directory: %w", err)
	}
	content, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := wholefile.WriteBytes(filepath.Join(dir, ManifestName), append(content, '\n')); err != nil {
		return fmt.Errorf("cannot write into the output directory: %w", err)
	}
	return nil
}

// lock takes a directory for this process until release is called or the process ends, however it ends.
func lock(dir string) (release func(), err error) {
	file := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := file.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot write into the output directory: %w", err)
	case !free:
		return nil, inUse(dir)
	}
	return func() { _ = file.Unlock() }, nil
}

// replace moves the directory to a hidden name beside it, unless another process works there.
func replace(dir string) error {
	release, err := lock(dir)
	if err != nil {
		return err
	}
	defer release()
	whole, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	aside, err := os.MkdirTemp(filepath.Dir(whole), replacedName(whole)+"*")
	if err == nil {
		err = os.Remove(aside) // its name is reserved; not every system renames over a directory
	}
	if err == nil {
		err = os.Rename(whole, aside)
	}
	if err != nil {
		return fmt.Errorf("cannot move the older study away: %w", err)
	}
	return nil
}

// replacedName is what the hidden names begin with under which studies are kept that were in a
// directory before.
func replacedName(dir string) string { return "." + filepath.Base(dir) + ".replaced-" }

// Release ends the claim to a directory. Studies that this one has replaced, now or in a run that was
// stopped, are removed when it is complete; else Release returns where they are.
func Release(dir string, complete bool) (kept []string, err error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Dir(whole))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), replacedName(whole)) {
			continue
		}
		aside := filepath.Join(filepath.Dir(whole), e.Name())
		if _, unlike := ReadManifest(aside); unlike != nil {
			continue
		}
		if !complete {
			kept = append(kept, aside)
		} else {
			err = errors.Join(err, os.RemoveAll(aside))
		}
	}
	return kept, err
}

// ReadManifest reads the manifest of a directory.
func ReadManifest(dir string) (*experiment.Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	content, err := wholefile.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := experiment.ParseManifest(content)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if m.ModelVersion == "" || len(m.Command) == 0 {
		return nil, fmt.Errorf("%s is not a manifest of carousel", path)
	}
	return m, nil
}

// shares reports whether a directory keeps one of these points, or keeps none at all.
func shares(dir string, points []experiment.Point) bool {
	all, _, err := readFinished(filepath.Join(dir, PointsName))
	return err == nil && (len(all) == 0 || slices.ContainsFunc(points, func(p experiment.Point) bool { return all[p.Key] != nil }))
}

// Directories of runs beside those of a comparison: under other assumptions, and on a network
// without contention.
const (
	Band  = "band"
	Bound = "bound"
)

// ours reports whether a study writes files or directories of a name into a directory.
func ours(dir, name string) bool {
	switch name {
	case ManifestName, planName, PointsName, lockName, "report.html", "quick", "full", Band, Bound:
		return true
	}
	if strings.HasPrefix(name, ".carousel") {
		return true
	}
	stem, ending := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	switch ending {
	case ".arrow", ".parquet", ".csv":
		return slices.ContainsFunc(tables.Descriptions(), func(d tables.Description) bool { return d.Name == stem })
	case ".svg", ".png":
		points, _, err := tables.FigurePoints.ReadArrow(filepath.Join(dir, tables.FigurePoints.Name+".arrow"))
		return err == nil && slices.ContainsFunc(points, func(p tables.FigurePoint) bool { return p.Figure == stem })
	}
	return false
}
