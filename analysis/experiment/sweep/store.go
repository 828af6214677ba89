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

// name is the directory of a point that this program finishes.
func (b Builds) name(key string) string {
	if b.Own == "" {
		return key
	}
	return key + "-" + b.Own
}

// find returns the directory, among those of a point, that may be taken, or "".
func (b Builds) find(names []string, key string) string {
	switch {
	case slices.Contains(names, b.name(key)):
		return b.name(key)
	case b.Any && len(names) > 0:
		return names[0]
	}
	return ""
}

// finished lists the directories of finished points by key, one for each build.
type finished map[string][]string

// pointName is what the directory of a point is called: its key and perhaps a build. With a dot it is one
// that a crash has left half written.
var pointName = regexp.MustCompile(`^\.?[0-9a-f]{32}(-|$)`)

// readFinished lists what a directory of points holds, and what a crash has left there.
func readFinished(points string) (all finished, left []string, err error) {
	entries, err := os.ReadDir(points)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("cannot read the finished points: %w", err)
	}
	all = finished{}
	for _, e := range entries {
		switch key, _, _ := strings.Cut(e.Name(), "-"); {
		case !pointName.MatchString(e.Name()) || !e.IsDir(): // another's
		case key[0] == '.':
			left = append(left, e.Name())
		default:
			all[key] = append(all[key], e.Name())
		}
	}
	return all, left, nil
}

// Store keeps finished points in a directory.
type Store struct {
	points  string
	builds  Builds
	before  finished // when it was opened
	release func()
}

// Open opens the store of a sweep's directory, making both when they do not exist. It takes the
// directory for this process until Close, and removes what a crash may have left half written.
func Open(dir string, builds Builds) (*Store, error) {
	points := filepath.Join(dir, PointsName)
	if err := os.MkdirAll(points, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the output directory: %w", err)
	}
	release, err := lock(dir)
	if err != nil {
		return nil, err
	}
	before, left, err := readFinished(points)
	for _, name := range left {
		if err == nil {
			err = os.RemoveAll(filepath.Join(points, name))
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return &Store{points, builds, before, release}, nil
}

// inUse is the error about a directory on which another process works.
func inUse(dir string) error {
	return fmt.Errorf("%w: another carousel works on %s (it holds %s); wait for it, or use another directory and carousel merge",
		ErrInUse, dir, filepath.Join(dir, lockName))
}

// Close gives the directory free.
func (s *Store) Close() { s.release() }

// Has reports whether a point is finished.
func (s *Store) Has(key string) bool { return s.find(key) != "" }

// find returns the directory of a finished point, or "".
func (s *Store) find(key string) string {
	if _, err := os.Stat(filepath.Join(s.points, s.builds.name(key))); err == nil {
		return s.builds.name(key)
	}
	return s.builds.find(s.before[key], key)
}

// FinishedByOthers reports whether other builds of the program had finished a point before.
func (s *Store) FinishedByOthers(key string) bool {
	return slices.ContainsFunc(s.before[key], func(name string) bool { return name != s.builds.name(key) })
}

// Put keeps a finished point. Either all of its tables are there afterwards or none.
func (s *Store) Put(key string, rows *tables.Rows) error {
	temporary, err := os.MkdirTemp(s.points, "."+key+"-*")
	if err != nil {
		return fmt.Errorf("cannot save a finished point: %w", err)
	}
	defer os.RemoveAll(temporary) // fails, as it should, once it has its name
	folder, err := tables.OpenFolder(temporary)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := rows.Put(folder, ""); err != nil {
		return err
	}
	if err := folder.Commit(); err != nil {
		return err
	}
	// MkdirTemp makes directories that only their owner may enter.
	if err := os.Chmod(temporary, 0o755); err != nil {
		return fmt.Errorf("cannot save a finished point: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(s.points, s.builds.name(key))); err != nil {
		return fmt.Errorf("cannot save a finished point: %w", err)
	}
	return wholefile.SyncFolder(s.points)
}

// Get reads a finished point back.
func (s *Store) Get(key string) (tables.Rows, error) {
	return get(filepath.Join(s.points, s.find(key)))
}

func get(dir string) (tables.Rows, error) {
	rows, _, err := tables.ReadRows(dir)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return rows, fmt.Errorf("a finished point cannot be read: %w; close other programs or raise ulimit -n", err)
	}
	if err != nil {
		return rows, fmt.Errorf("a finished point cannot be read; remove %s and give the command again: %w", dir, err)
	}
	return rows, nil
}

// sampled is how many finished points Spent reads.
const sampled = 64

// Spent says how many of some points, or with nil of any, a directory keeps that these builds may
// take, and the mean time in seconds that one of them took, or 0 if it is not known. It reads a
// sample of the points, evenly spaced, and neither claims nor changes the directory.
func Spent(dir string, builds Builds, points []experiment.Point) (kept int, mean float64, err error) {
	dir = filepath.Join(dir, PointsName)
	all, _, err := readFinished(dir)
	if err != nil {
		return 0, 0, err
	}
	keys := slices.Sorted(maps.Keys(all))
	if points != nil {
		keys = nil
		for i := range points {
			keys = append(keys, points[i].Key)
		}
	}
	var names []string
	for _, key := range keys {
		if name := builds.find(all[key], key); name != "" {
			names = append(names, name)
		}
	}
	timed, seconds := 0, 0.0
	for i := 0; i < len(names); i += 1 + len(names)/sampled {
		rows, err := get(filepath.Join(dir, names[i]))
		if err != nil {
			return 0, 0, err
		}
		spent := 0.0
		rows.EachPoint(func(p tables.Point) { spent += p.WallSeconds.Value })
		if spent > 0 {
			timed++
			seconds += spent
		}
	}
	return len(names), seconds / float64(max(1, timed)), nil
}
