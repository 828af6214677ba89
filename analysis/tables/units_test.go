package tables

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dimensionless are the numbers without a unit: names of random streams, numbers of things that
// have no name, shares, ratios, and values whose unit is in another column of the row.
var dimensionless = map[string][]string{
	"runs":    {"seed", "trace_window"},
	"traffic": {"seed", "classes", "multicast_fraction"},
	"cores":   {"core"},
	"summary": {"multicast_fraction", "cycles_ratio", "cycles_ratio_ci95", "energy_j_ratio", "energy_j_ratio_ci95",
		"latency_mean_ratio", "latency_mean_ratio_ci95", "energy_pj_ratio", "energy_pj_ratio_ci95", "ed2p_ratio", "ed2p_ratio_ci95"},
	// In the unit of the row's measure, quantity or claim.
	"figure":     {"x", "value", "ci95_low", "ci95_high"},
	"hot_blocks": {"core"},
	"batches":    {"batch", "arrival_cv", "arrival_cv_header", "arrival_spread"},
	"claims":     {"measured_value", "ci95"},
}

// suffixes are the endings of names that promise a unit.
var suffixes = map[string]string{
	"_j": "J", "_pj": "pJ", "_js": "J s", "_js2": "J s^2", "_nm": "nm", "_seconds": "s", "cycles": "cycles", "_phits": "phits",
}

// checkUnits holds the columns of one table: each has a sentence, each number a unit or a place in
// the list above, no text a unit, and no name promises another unit than the column has.
func checkUnits[R any](t *testing.T, table *Table[R]) {
	t.Helper()
	free := dimensionless[table.Name]
	seen := 0
	for _, c := range table.Columns {
		listed := slices.Contains(free, c.Name)
		if listed {
			seen++
		}
		switch {
		case c.Doc == "" || strings.HasSuffix(c.Doc, "."):
			t.Errorf("%s.%s needs a sentence without a full stop", table.Name, c.Name)
		case c.Type == textType && c.Unit != "":
			t.Errorf("%s.%s is a text with the unit %q", table.Name, c.Name, c.Unit)
		case c.Type != textType && c.Unit == "" && !listed:
			t.Errorf("%s.%s is a number without a unit", table.Name, c.Name)
		case listed && c.Unit != "":
			t.Errorf("%s.%s has the unit %q and is listed without one", table.Name, c.Name, c.Unit)
		}
		for suffix, unit := range suffixes {
			if strings.HasSuffix(c.Name, suffix) && c.Type != textType && c.Unit != unit {
				t.Errorf("%s.%s has the unit %q; its name promises %q", table.Name, c.Name, c.Unit, unit)
			}
		}
	}
	if seen != len(free) {
		t.Errorf("%s lacks one of %v", table.Name, free)
	}
}

// keywords cannot stand alone as names in SQL: those that DuckDB and PostgreSQL reserve.
var keywords = strings.Fields(`all analyse analyze and any array as asc asymmetric at both by case cast check collate
	column constraint create cross default deferrable desc describe distinct do else end except false fetch for foreign
	freeze from full grant group having in initially inner intersect into is join lambda lateral leading left like limit
	natural not null offset on only or order outer pivot placing positional primary qualify references returning right
	select semi show similar some struct summarize symmetric table tablesample then to trailing true union unique unpivot
	user using variadic verbose when where window with`)

// TestNamesServeInQueries: no column needs quotes in SQL, and a column of the runs has no namesake
// of another kind in a table that is joined with them.
func TestNamesServeInQueries(t *testing.T) {
	ofRuns := map[string]string{}
	for _, c := range Runs.Describe().Columns {
		ofRuns[c.Name] = c.Type
	}
	for _, d := range Descriptions() {
		for _, c := range d.Columns {
			if slices.Contains(keywords, c.Name) {
				t.Errorf("%s.%s is a keyword of SQL", d.Name, c.Name)
			}
			if kind := ofRuns[c.Name]; d.Columns[0].Name == "run_key" && kind != "" && kind != c.Type {
				t.Errorf("%s.%s is a %s, and a %s in the runs", d.Name, c.Name, c.Type, kind)
			}
		}
	}
}

// TestDescriptionsNameColumns: a word of a description that is spelt like a column is one: of the
// same table, or of one that the description names.
func TestDescriptionsNameColumns(t *testing.T) {
	word := regexp.MustCompile(`[a-z0-9]+(?:_[a-z0-9]+)+`)
	all := Descriptions()
	has := func(d *Description, name string) bool {
		return slices.ContainsFunc(d.Columns, func(c ColumnDescription) bool { return c.Name == name })
	}
	for i := range all {
		for _, c := range append(slices.Clone(all[i].Columns), ColumnDescription{Name: "the table", Doc: all[i].Doc}) {
			for _, name := range word.FindAllString(c.Doc, -1) {
				if !has(&all[i], name) && !slices.ContainsFunc(all, func(d Description) bool {
					return strings.Contains(c.Doc, d.Name+" table") && has(&d, name)
				}) {
					t.Errorf("%s.%s: there is no column %s: %s", all[i].Name, c.Name, name, c.Doc)
				}
			}
		}
	}
}
