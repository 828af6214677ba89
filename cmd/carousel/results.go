package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// results are the tables of a command's study, on their way into a directory.
type results struct {
	manifest experiment.Manifest
	folder   *tables.Folder
	out      string // where they are, or "not saved"
	unsaved  error
}

// openResults describes a study and makes sure, before anything runs, that its tables can be written: to --out, or else to
// a directory below results named after the study and its digest, so that different studies never overwrite each other.
// The caller discards the folder in the end, which does nothing after save.
func (a *app) openResults(c *config.Effective, name string, describe func(*experiment.Manifest) error) (*results, error) {
	r := &results{manifest: experiment.Program()}
	r.manifest.Command = append([]string{"carousel"}, a.args...)
	r.manifest.Configuration, r.manifest.Given = c.Nested()
	if err := describe(&r.manifest); err != nil {
		return nil, err
	}
	if r.out = c.Out; r.out == "" {
		r.out = filepath.Join("results", fmt.Sprintf("%s-%.10s", fileName(name), r.manifest.Study))
	}
	var err error
	if r.folder, err = tables.OpenFolder(r.out); err != nil {
		return nil, usagef("--out %s: %w; choose a directory that can be written", r.out, err)
	}
	return r, nil
}

// save writes the tables. What becomes of it is said after the report, which is worth printing in any case.
func (r *results) save(rows *tables.Rows, parquet bool) {
	if r.unsaved = experiment.Save(r.folder, rows, &r.manifest, parquet); r.unsaved != nil {
		r.out = "not saved"
	}
}

// verdict is the command's error: that nothing was saved, or else what became of the runs.
func (r *results) verdict(runs error) error {
	if r.unsaved != nil {
		return wrongError{fmt.Errorf("the results could not be saved: %w", r.unsaved)}
	}
	return runs
}

// fileName makes a name that a trace may have brought along harmless as a part of a path.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, name)
}
