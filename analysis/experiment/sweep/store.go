package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/traces/wholefile"
)

// ErrInUse is wrapped by the error about a directory on which another process works.
var ErrInUse = errors.New("the directory is in use")

// PointsName is the name of the directory, in that of a study, which keeps the finished points.
const PointsName = "points"

// lockName is the file that the process which works on a directory has locked.
const lockName = ".carousel.lock"

// Store keeps finished points in a directory.
type Store struct {
	points  string
	release func()
}

// Open opens the store of a sweep's directory, making both when they do not exist. It takes the
// directory for this process until Close, and removes what a crash may have left half written.
func Open(dir string) (*Store, error) {
	points := filepath.Join(dir, PointsName)
	if err := os.MkdirAll(points, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the output directory: %w", err)
	}
	lock := filepath.Join(dir, lockName)
	release, err := acquire(lock)
	if err != nil {
		return nil, fmt.Errorf("cannot write into the output directory: %w", err)
	}
	if release == nil {
		return nil, inUse(dir)
	}
	entries, err := os.ReadDir(points)
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot read the finished points: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			if err := os.RemoveAll(filepath.Join(points, e.Name())); err != nil {
				release()
				return nil, fmt.Errorf("cannot remove what was left unfinished: %w", err)
			}
		}
	}
	return &Store{points, release}, nil
}

// inUse is the error about a directory on which another process works.
func inUse(dir string) error {
	return fmt.Errorf("%w: another carousel works on %s (it holds %s); wait for it, or use another directory and carousel merge",
		ErrInUse, dir, filepath.Join(dir, lockName))
}

// Close gives the directory free.
func (s *Store) Close() { s.release() }

// Has reports whether a point is finished.
func (s *Store) Has(key string) bool { return has(s.points, key) }

func has(points, key string) bool {
	_, err := os.Stat(filepath.Join(points, key))
	return err == nil
}

// Put keeps a finished point. Either all of its tables are there afterwards or none.
func (s *Store) Put(key string, rows *tables.Rows, manifest string) error {
	temporary, err := os.MkdirTemp(s.points, "."+key+"-*")
	if err != nil {
		return fmt.Errorf("cannot keep a finished point: %w", err)
	}
	defer os.RemoveAll(temporary) // fails, as it should, once it has its name
	folder, err := tables.OpenFolder(temporary)
	if err != nil {
		return err
	}
	defer folder.Discard()
	if err := rows.Put(folder, manifest); err != nil {
		return err
	}
	if err := folder.Commit(); err != nil {
		return err
	}
	// MkdirTemp makes directories that only their owner may enter.
	if err := os.Chmod(temporary, 0o755); err != nil {
		return fmt.Errorf("cannot keep a finished point: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(s.points, key)); err != nil {
		return fmt.Errorf("cannot keep a finished point: %w", err)
	}
	return wholefile.SyncFolder(s.points)
}

// Get reads a finished point back.
func (s *Store) Get(key string) (tables.Rows, error) { return get(s.points, key) }

func get(points, key string) (tables.Rows, error) {
	dir := filepath.Join(points, key)
	rows, _, err := tables.ReadRows(dir)
	if err != nil {
		return rows, fmt.Errorf("the finished point %s cannot be read; remove %s and give the command again: %w", key, dir, err)
	}
	return rows, nil
}

// Finished counts the points that a directory keeps, whoever has made them; 0 when it does not
// exist.
func Finished(dir string) (int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, PointsName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	n := 0
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			n++
		}
	}
	return n, err
}
