package assemble

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Files lists the files of an import that takes one per thread: those given by name, and from each
// folder given, and the folders below it, those that are traces by their names. A folder without
// any is an error, which says what is missing.
func Files(paths []string, isTrace func(name string) bool, missing string, below ...string) (files []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		found := len(files)
		for _, dir := range append([]string{""}, below...) {
			entries, err := os.ReadDir(filepath.Join(p, dir))
			if err != nil && (dir == "" || !errors.Is(err, fs.ErrNotExist)) {
				return nil, err
			}
			for _, e := range entries {
				if isTrace(e.Name()) && !e.IsDir() {
					files = append(files, filepath.Join(p, dir, e.Name()))
				}
			}
		}
		if len(files) == found {
			return nil, fmt.Errorf("%s: %s", p, missing)
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no files given: name one per thread, or their folder")
	}
	return files, nil
}
