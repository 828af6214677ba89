package paper

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/show/chart"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestExactClaimsHaveTests: each test that decides a claim is there, and a claim that tests refute says what they show.
func TestExactClaimsHaveTests(t *testing.T) {
	e := must.Get(Lookup("exact"))
	r := must.Get(e.Analyse(new(tables.Rows), chart.Extent{}))
	if len(r.Claims) != len(e.Claims) {
		t.Fatalf("%d of %d claims", len(r.Claims), len(e.Claims))
	}
	for i, c := range e.Claims {
		if got := r.Claims[i]; (got.Verdict == tables.NotConfirmed) != (c.Refuted != "") || (got.Reason == "") != (c.Refuted == "") {
			t.Errorf("%s: %+v", c.ID, got)
		}
		for test := range strings.SplitSeq(c.Tests, ", ") {
			folder, name, _ := strings.Cut(test, " ")
			files := must.Get(filepath.Glob(filepath.Join("../..", folder, "*_test.go")))
			found := false
			for _, file := range files {
				found = found || regexp.MustCompile(`(?m)^func `+name+`\(`).Match(must.Get(os.ReadFile(file)))
			}
			if !found {
				t.Errorf("%s: there is no test %s", c.ID, test)
			}
		}
	}
}
