package vectors

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFiles: every file of cases passes.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		file  string
		cases int
	}{{"hamiltonian.json", 14}, {"star.json", 49}, {"pathbased.json", 42}, {"qg.json", 53}, {"min.json", 81}, {"software_multicast.json", 30}, {"updown.json", 25}} {
		f, err := os.Open(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		report, err := Check(f)
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		if report.Passed != c.cases || report.Failed != 0 {
			t.Errorf("%s: %d passed, %d failed; want %d and 0", c.file, report.Passed, report.Failed, c.cases)
		}
		for _, f := range report.Failures {
			for _, p := range f.Problems {
				t.Errorf("%s: %s: %.300s", c.file, f.ID, p)
			}
		}
	}
}
