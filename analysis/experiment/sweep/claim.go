package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// The largest manifest and list of points: those of a plan with a million points.
const (
	manifestBytes = 64 << 20
	listingBytes  = 1 << 30
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
	// Pictures are the files that the study draws beside its tables.
	Pictures []string
}

// Builds are those whose points are taken.
func (c Claiming) Builds() Builds { return Builds{Own: experiment.PointBuild(), Any: c.Reuse} }

// TakeDirectory claims a directory, which need not exist, for the study of a manifest. A directory
// that holds the same study is continued. One that holds another study is refused, or with Force
// moved away in one step: the old study stays beside the new one, under a hidden name, until
// Release. A directory with a foreign file of a name that the study writes, or with any foreign file
// in an old study that would be moved, is refused in any case.
func TakeDirectory(dir string, m *experiment.Manifest, points []experiment.Point, c Claiming) error {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot make the output directory: %w", err)
	}
	files := append(tableFiles(), c.Pictures...)
	if m.Kind == experiment.Sweep {
		files = append(files, planName)
	}
	old, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Note(dir, m, nil, files...)
	} else if errors.Is(err, wholefile.ErrChecksum) {
		return damaged(dir, err)
	} else if err != nil {
		return occupied("%v; choose another --out", err)
	}
	differs := experiment.Difference(old, m)
	switch {
	case differs == "" && !c.Force, c.Extend && old.Kind == m.Kind && shares(dir, points):
		if old.Build != m.Build && !c.Reuse {
			return Note(dir, m, nil, files...) // this build does it again
		}
		return checkFiles(dir, files)
	case !c.Force && m.Kind == old.Kind && m.Kind == experiment.Sweep && shares(dir, points):
		return occupied("%s holds another plan with points of this one (%s); add --resume to use them, --force to replace it, or choose another --out",
			dir, differs)
	case !c.Force:
		return occupied("%s holds another study (%s); choose another --out, or add --force to replace it", dir, differs)
	}
	if other, err := foreign(dir); err != nil {
		return fmt.Errorf("cannot replace the older study: %w", err)
	} else if other != "" {
		return unlisted(dir, fmt.Sprintf("%s also holds %s, which no study has written", dir, other))
	}
	if err := replace(dir); err != nil {
		return err
	}
	return Note(dir, m, nil)
}

// damaged is the error about a directory whose manifest is damaged. Finished points need none.
func damaged(dir string, err error) error {
	return occupied("%v; remove it and the other files of the study in %s, but not %s, and give the command again, or choose another --out", err, dir, PointsName)
}

// checkFiles returns an error if a file of one of these names in the directory of a study, or of the runs
// beside it, is another's.
func checkFiles(dir string, names []string) error {
	for _, name := range names {
		for _, below := range []string{"", Band, Bound} {
			path := filepath.Join(dir, below, name)
			if _, err := os.Lstat(path); err == nil && !isWritten(path) {
				return unlisted(filepath.Dir(path), path+" exists, and no study has written it")
			}
		}
	}
	return nil
}

// unlisted is the error about a file that the manifest of a directory does not list. Those of older versions
// list none.
func unlisted(dir, text string) error {
	switch m, err := ReadManifest(dir); {
	case errors.Is(err, wholefile.ErrChecksum):
		return damaged(dir, err)
	case err == nil && len(m.Files) == 0:
		return occupied("%s, unless it is one of an older version of carousel; move %s away, or choose another --out", text, dir)
	}
	return occupied("%s; move it away, or choose another --out", text)
}

// Note makes the directory of a study and writes down whose it is, and which files the study is about to
// write. It refuses a directory in which one of these, or of those that the study may write later, is
// another's.
func Note(dir string, m *experiment.Manifest, files []string, later ...string) error {
	if err := checkFiles(dir, slices.Concat(files, later)); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot make the output directory: %w", err)
	}
	noted := *m
	noted.Files = slices.Clone(files)
	if old, err := ReadManifest(dir); err == nil {
		noted.Files = append(noted.Files, old.Files...)
	}
	slices.Sort(noted.Files)
	noted.Files = slices.Compact(noted.Files)
	content, err := wholefile.SealedJSON(&noted)
	if err != nil {
		return err
	}
	if err := wholefile.WriteBytes(filepath.Join(dir, ManifestName), content); err != nil {
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
		return nil, fmt.Errorf("%w: another carousel works on %s (it holds %s); wait for it, or use another directory and carousel merge",
			ErrInUse, dir, filepath.Join(dir, lockName))
	}
	return func() { _ = file.Unlock() }, nil
}

// replace moves the directory to a hidden name beside it, unless another process works there. A study that was
// itself to replace another one, and never became complete, is removed.
func replace(dir string) error {
	release, err := lock(dir)
	if err != nil {
		return err
	}
	defer release()
	whole, aside, held, err := replaced(dir)
	if err != nil {
		return err
	}
	if held {
		return os.RemoveAll(whole)
	}
	if err := os.Rename(whole, aside); err != nil {
		return fmt.Errorf("cannot move the older study away: %w", err)
	}
	return nil
}

// replaced returns the whole name of a directory, the hidden name beside it for a study that was there before, and
// whether there is such a study.
func replaced(dir string) (whole, aside string, held bool, err error) {
	if whole, err = filepath.Abs(dir); err != nil {
		return "", "", false, err
	}
	aside = filepath.Join(filepath.Dir(whole), "."+filepath.Base(whole)+".replaced-study")
	_, unlike := ReadManifest(aside)
	return whole, aside, unlike == nil, nil
}

// Release ends the claim to a directory. A study that this one has replaced, now or in a run that was
// stopped, is removed when it is complete; else Release returns where it is.
func Release(dir string, complete bool) (kept []string, err error) {
	_, aside, held, err := replaced(dir)
	switch {
	case err != nil || !held:
		return nil, err
	case complete:
		return nil, os.RemoveAll(aside)
	}
	return []string{aside}, nil
}

// Restore puts back the study that another one was to replace, of which nothing has finished, and reports whether
// there was one. A directory with files of others stays as it is.
func Restore(dir string) (bool, error) {
	whole, aside, held, err := replaced(dir)
	if err != nil || !held {
		return false, err
	}
	if other, err := foreign(whole); err != nil || other != "" {
		return false, err
	}
	if err := os.RemoveAll(whole); err != nil {
		return false, err
	}
	return true, os.Rename(aside, whole)
}

// ReadManifest reads the manifest of a directory.
func ReadManifest(dir string) (*experiment.Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	content, _, err := wholefile.ReadSealed(path, manifestBytes)
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
	all, err := readFinished(dir)
	return err == nil && (len(all) == 0 || slices.ContainsFunc(points, func(p experiment.Point) bool { return all[p.Key] != nil }))
}

// Directories of runs beside those of a comparison: under other assumptions, and on a network
// without contention.
const (
	Band  = "band"
	Bound = "bound"
)

// tableFiles lists the files that tables may have.
func tableFiles() (names []string) {
	for _, d := range tables.Descriptions() {
		names = append(names, d.Name+".arrow", d.Name+".parquet", d.Name+".csv")
	}
	return names
}

// isWritten reports whether this program has written a file into the directory of a study: the manifest
// there lists it, or its name or content shows it.
func isWritten(path string) bool {
	dir, name := filepath.Split(path)
	m, err := ReadManifest(dir)
	switch {
	case err != nil:
		return false
	case name == ManifestName, slices.Contains(m.Files, name):
		return true
	case name == planName:
		l, err := readListing(dir)
		return err == nil && l.Study != "" || errors.Is(err, wholefile.ErrChecksum) // written, and damaged since
	case name == lockName:
		info, err := os.Stat(path)
		return err == nil && info.Size() == 0
	case filepath.Ext(name) == ".arrow":
		return slices.Contains(tableFiles(), name)
	}
	return IsPage(path)
}

// IsPage reports whether a file is a page of carousel report.
func IsPage(path string) bool {
	file, err := wholefile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(file, head)
	return bytes.Contains(head[:n], []byte(experiment.PageGenerator))
}

// foreign returns the first file or directory in that of a study which this program has not written, or
// "".
func foreign(dir string) (found string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		above, own := filepath.Dir(name), false
		switch {
		case above == PointsName:
			own = pointName.MatchString(e.Name())
		case filepath.Dir(above) == PointsName:
			own = filepath.Ext(name) == ".arrow"
		case e.IsDir():
			own = slices.Contains([]string{".", PointsName, Band, Bound}, name)
		default:
			own = e.Type().IsRegular() && isWritten(path)
		}
		if err == nil && !own {
			found, err = name, fs.SkipAll
		}
		return err
	})
	return found, err
}
