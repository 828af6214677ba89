package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/carousel-sim/carousel/cmd/carousel/cli"
)

var updateTwins = flag.Bool("update-twins", false, "write the tables of how good the embedded twins are anew")

// TestTwinQuality: how well the twins of the embedded recordings stand for them, row by row. Rows may move by 3 %
// with the models of the chip; a fit or generator that got better or worse shows. The second recording takes long.
func TestTwinQuality(t *testing.T) {
	for _, name := range []string{"nas-is-s", "nas-sp-s"} {
		t.Run(name, func(t *testing.T) {
			if name == "nas-sp-s" && os.Getenv("CAROUSEL_LONG") == "" || testing.Short() {
				t.Skip("long: set CAROUSEL_LONG=1")
			}
			var out, problems bytes.Buffer
			if code := cli.Execute(context.Background(), []string{"workload", "compare", name, "--router", "mrr", "--format", "csv"}, nil, &out, &problems); code != 0 {
				t.Fatalf("exit code %d: %s", code, problems.String())
			}
			file := filepath.Join("testdata", "twin", name+".csv")
			if *updateTwins {
				if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compareRows(t, readRows(t, out.Bytes()), readRows(t, golden))
		})
	}
}

func readRows(t *testing.T, text []byte) [][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// compareRows holds values to the golden ones. Counts below 200 are chance.
func compareRows(t *testing.T, got, want [][]string) {
	t.Helper()
	golden := map[string][]string{}
	for _, row := range want {
		golden[row[0]+" "+row[1]] = row
	}
	for _, row := range got {
		name := row[0] + " " + row[1]
		expected, ok := golden[name]
		if !ok {
			t.Errorf("%s: not in the golden table", name)
			continue
		}
		delete(golden, name)
		for column, what := range map[int]string{2: "recording", 3: "twin"} {
			g, err1 := strconv.ParseFloat(row[column], 64)
			w, err2 := strconv.ParseFloat(expected[column], 64)
			if err1 != nil || err2 != nil {
				t.Errorf("%s: %q and %q", name, row[column], expected[column])
			} else if small := w > 10 && w < 200 || w < 10 && w == math.Trunc(w); !small && math.Abs(g-w) > 0.03*w {
				t.Errorf("%s, %s: %g, golden %g; if that is meant, run with -update-twins", name, what, g, w)
			}
		}
	}
	for name := range golden {
		t.Errorf("%s: gone", name)
	}
}
