package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// ErrInUse is wrapped by the error about a directory on which another process works.
var ErrInUse = errors.New("the directory is in use")

// PointsName is the name of the directory, in that of a study, which keeps the finished points.
const PointsName = "points"

// lockName is the file that the process which works on a directory has locked.
const lockName = ".carousel.lock"

// Builds says which builds of the program may have finished a point. A model under development
// changes between two builds without another model version.
type Builds struct {
	// Own is the build of this program, or "" for a release, whose model version is enough.
	Own string
	// Any takes the points of other builds, too.
	Any bool
}

// kept is a finished point: the build that has finished it, and its directory.
type kept struct{ build, path string }

// find returns the path of one that may be taken, or "".
func (b Builds) find(list []kept) string {
	for _, k := range list {
		if k.build == b.Own {
			return k.path
		}
	}
	if b.Any && len(list) > 0 {
		return list[0].path
	}
	return ""
}

// pointName is what the directory of a point is called: its key and perhaps a build. With a dot it is one
// that is half written.
var pointName = regexp.MustCompile(`^\.?([0-9a-f]{32})(?:-(.+))?$`)

// readFinished lists the finished points in directories of studies, by key.
func readFinished(dirs ...string) (map[string][]kept, error) {
	all := map[string][]kept{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(dir, PointsName))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot read the finished points: %w", err)
		}
		for _, e := range entries {
			if part := pointName.FindStringSubmatch(e.Name()); part != nil && e.IsDir() && e.Name()[0] != '.' {
				all[part[1]] = append(all[part[1]], kept{part[2], filepath.Join(dir, PointsName, e.Name())})
			}
		}
	}
	return all, nil
}

// Store keeps finished points in a directory.
type Store struct {
	dir     string
	builds  Builds
	release func()

	mutex    sync.Mutex
	finished map[string][]kept
}

// Open opens the store of a study's directory, making both when they do not exist. It takes the
// directory for this process until Close, and removes what a crash has left half written.
func Open(dir string, builds Builds) (*Store, error) {
	s := &Store{dir: dir, builds: builds}
	if err := os.MkdirAll(filepath.Join(dir, PointsName), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the output directory: %w", err)
	}
	var err error
	if s.release, err = lock(dir); err != nil {
		return nil, err
	}
	if s.finished, err = readFinished(dir); err == nil {
		err = removeHalfWritten(dir)
	}
	if err != nil {
		s.release()
	}
	return s, err
}

// removeHalfWritten removes points that no rename has given their name.
func removeHalfWritten(dir string) (err error) {
	left, _ := filepath.Glob(filepath.Join(dir, PointsName, ".*")) // the pattern is a good one
	for _, path := range left {
		if pointName.MatchString(filepath.Base(path)) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// Close gives the directory free.
func (s *Store) Close() { s.release() }

// find returns the path of a finished point, or "".
func (s *Store) find(key string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.builds.find(s.finished[key])
}

// Has reports whether a point is finished.
func (s *Store) Has(key string) bool { return s.find(key) != "" }

// FinishedByOthers reports whether other builds of the program have finished a point.
func (s *Store) FinishedByOthers(key string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.ContainsFunc(s.finished[key], func(k kept) bool { return k.build != s.builds.Own })
}

// Put keeps a finished point. Either all of its tables are there afterwards or none.
func (s *Store) Put(key string, rows *tables.Rows) error {
	points := filepath.Join(s.dir, PointsName)
	path := filepath.Join(points, strings.TrimSuffix(key+"-"+s.builds.Own, "-"))
	temporary, err := os.MkdirTemp(points, "."+key+"-*")
	if err == nil {
		defer os.RemoveAll(temporary) // it has gone once it has its name
		err = putInto(temporary, rows)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		err = wholefile.SyncFolder(points)
	}
	if err != nil {
		return fmt.Errorf("cannot save a finished point: %w", err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.finished[key] = append(s.finished[key], kept{s.builds.Own, path})
	return nil
}

// putInto writes tables into a directory that os.MkdirTemp has made, which only its owner may enter.
func putInto(dir string, rows *tables.Rows) error {
	folder, err := tables.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	folder.Compression = tables.LZ4 // points are small and many
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	rows.Put(folder, "")
	return folder.Commit()
}

// Get reads a finished point back.
func (s *Store) Get(key string) (tables.Rows, error) { return get(s.find(key)) }

// get reads a point.
func get(path string) (tables.Rows, error) {
	rows, _, err := tables.ReadRows(path)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return rows, fmt.Errorf("a finished point cannot be read: %w; close other programs or raise ulimit -n", err)
	}
	if err == nil {
		err = whole(&rows)
	}
	if err != nil {
		return rows, fmt.Errorf("a finished point cannot be read; remove %s and give the command again: %w", path, err)
	}
	return rows, nil
}

// whole returns an error if a point lacks tables, or has rows of another one.
func whole(rows *tables.Rows) (err error) {
	if rows.Lacking != nil {
		err = fmt.Errorf("it has no %s", strings.Join(rows.Lacking, ", "))
	}
	own := map[string]bool{}
	rows.EachPoint(func(p tables.Point) { own[*p.RunKey] = true })
	rows.EachKey(func(key *string) {
		if !own[*key] {
			err = fmt.Errorf("it has rows of another run, %.40q", *key)
		}
	})
	return err
}

// Finished lists the directories of those of some points, or with nil of any, that a directory keeps and these builds may
// take. It neither claims nor changes the directory.
func Finished(dir string, builds Builds, points []experiment.Point) (paths []string, err error) {
	all, err := readFinished(dir)
	if err != nil {
		return nil, err
	}
	keys := slices.Sorted(maps.Keys(all))
	if points != nil {
		keys = nil
		for i := range points {
			keys = append(keys, points[i].Key)
		}
	}
	for _, key := range keys {
		if path := builds.find(all[key]); path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// sampled is about how many finished points Spent reads.
const sampled = 64

// Spent returns how many points Finished lists, and the mean time in seconds that one of them took, or 0 if it is
// not known. It reads a sample of them, evenly spaced.
func Spent(dir string, builds Builds, points []experiment.Point) (kept int, mean float64, err error) {
	paths, err := Finished(dir, builds, points)
	if err != nil {
		return 0, 0, err
	}
	timed := 0
	for i := 0; i < len(paths); i += 1 + len(paths)/sampled {
		rows, err := get(paths[i])
		if err != nil {
			return 0, 0, err
		}
		spent := 0.0
		if rows.EachPoint(func(p tables.Point) { spent += p.WallSeconds.Value }); spent > 0 {
			timed, mean = timed+1, mean+spent
		}
	}
	return len(paths), mean / float64(max(1, timed)), nil
}
