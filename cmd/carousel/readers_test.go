package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
)

// TestReaders lets other people's readers of Arrow and Parquet read the tables of a run.
// CAROUSEL_NODE_MODULES is the folder node_modules in which the packages of
// testdata/readers/package.json are installed.
func TestReaders(t *testing.T) {
	modules := os.Getenv("CAROUSEL_NODE_MODULES")
	node, missing := exec.LookPath("node")
	if modules == "" || missing != nil {
		t.Skip("needs node, and CAROUSEL_NODE_MODULES with apache-arrow, nodejs-polars and @duckdb/node-api")
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "t.trace")
	if err := writeTrace(trace, 4, 400); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"none": filepath.Join(dir, "plain"), "zstd": filepath.Join(dir, "zstd")}
	for compression, out := range folders {
		if code := cli.Execute(context.Background(), []string{"run", "--trace", trace, "--router", "base,mrr", "--out", out, "--parquet",
			"--compression", compression, "--quiet"}, nil, io.Discard, os.Stderr); code != 0 {
			t.Fatalf("exit code %d", code)
		}
	}
	rows, _, err := tables.ReadRows(folders["zstd"])
	if err != nil {
		t.Fatal(err)
	}
	wanted := uint64(0)
	for i := range rows.Links {
		wanted += rows.Links[i].Phits
	}
	for _, c := range []struct{ reader, compression string }{{"arrow", "none"}, {"polars", "zstd"}, {"polars", "none"}, {"duckdb", "zstd"}, {"duckdb", "none"}} {
		t.Run(c.reader+"/"+c.compression, func(t *testing.T) {
			command := exec.Command(node, filepath.Join("testdata", "readers", "read.js"), c.reader, folders[c.compression])
			out, err := command.Output()
			if err != nil {
				if exit, ok := err.(*exec.ExitError); ok {
					t.Fatalf("%v\n%s", err, exit.Stderr)
				}
				t.Fatal(err)
			}
			var found struct {
				Columns map[string][]string
				Runs    [][2]any
				Phits   uint64
			}
			if err := json.Unmarshal(out, &found); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, d := range tables.Descriptions() {
				if have, read := found.Columns[d.Name]; read && len(have) != len(d.Columns) {
					t.Errorf("%s has %d columns, want %d", d.Name, len(have), len(d.Columns))
				} else if read && slices.ContainsFunc(d.Columns, func(c tables.ColumnDescription) bool { return !slices.Contains(have, c.Name) }) {
					t.Errorf("%s has the columns %q", d.Name, have)
				}
			}
			if len(found.Runs) != 2 || found.Runs[0] != [2]any{"base", float64(rows.Runs[0].Cycles.Value)} || found.Phits != wanted {
				t.Errorf("found the runs %v and %d phits, want %d", found.Runs, found.Phits, wanted)
			}
		})
	}
}
