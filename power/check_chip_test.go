package power

import (
	"os"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestChipRows: prices of caches and cores agree with rows that the tools printed, and rows that are not priced
// are counted.
func TestChipRows(t *testing.T) {
	for file, want := range map[string][]string{
		"testdata/caches.csv": {"word_read", "word_write", "block_read", "block_write", "tag", "cache_leakage"},
		"testdata/cores.csv":  {"instruction"},
	} {
		groups, excluded, err := check(strings.NewReader(string(must.Get(os.ReadFile(file)))))
		if err != nil {
			t.Fatal(file, err)
		}
		seen := map[string]bool{}
		for _, g := range groups {
			seen[g.Component] = true
			if !g.Passed() || g.Rows == 0 {
				t.Errorf("%s: %+v", file, g)
			}
		}
		for _, component := range want {
			if !seen[component] {
				t.Errorf("%s: %s is not compared", file, component)
			}
		}
		if len(excluded) == 0 {
			t.Errorf("%s: no row is excluded", file)
		}
	}
}

// TestChipRowsBite: a wrong value exceeds the tolerance, and damage is named.
func TestChipRowsBite(t *testing.T) {
	text := string(must.Get(os.ReadFile("testdata/caches.csv")))
	lines := strings.Split(text, "\n")
	change := func(column, to string) string {
		header, row := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
		for i := range header {
			if header[i] == column {
				row[i] = to
			}
		}
		return lines[0] + "\n" + strings.Join(row, ",") + "\n"
	}
	groups, _, err := check(strings.NewReader(change("e_read_pj", "1000")))
	if err != nil || groups[0].Passed() {
		t.Errorf("a wrong energy passes: %+v, %v", groups, err)
	}
	for column, wrong := range map[string]string{"tech_nm": "small", "size_kb": "-1", "ways": "0", "e_read_pj": "much"} {
		if _, _, err := check(strings.NewReader(change(column, wrong))); err == nil || !strings.Contains(err.Error(), column) {
			t.Errorf("%s=%s: %v", column, wrong, err)
		}
	}
	for column, odd := range map[string]string{"cell": "itrs-odd", "tech_nm": "28", "port_bits": "32", "access_mode": "fast"} {
		if groups, excluded, _ := check(strings.NewReader(change(column, odd) + lines[2] + "\n")); len(excluded) != 1 {
			t.Errorf("%s=%s: groups %+v, excluded %+v", column, odd, groups, excluded)
		}
	}
	if _, _, err := check(strings.NewReader("tool,e_tag_read_pj\nx,1\n")); err == nil || !strings.Contains(err.Error(), `column "size_kb" is missing`) {
		t.Errorf("missing columns give %v", err)
	}
	// A mean beyond its own limit fails although each row is near enough.
	if (Group{Rows: 1, MeanError: 0.3, MaxError: 0.3, Tolerance: 0.4, MeanTolerance: 0.2}).Passed() {
		t.Error("a mean of 30 % passes a limit of 20 %")
	}
}
