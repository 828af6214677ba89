package compare

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// TestUnsteady: a run warns of events that are more frequent per miss at the start of most windows, or at
// their end; not of what one window does, of rare events, of memory reads of empty caches, nor of a whole
// program.
func TestUnsteady(t *testing.T) {
	type third struct{ reads, misses, repeated, persistent uint64 }
	usual := third{50, 10_000, 100, 40}
	for _, x := range []struct {
		name        string
		first, last third
		windows     int
		odd         bool // one window alone has the difference
		start       string
		want        string
	}{
		{"steady", usual, third{60, 10_000, 150, 30}, 8, false, tables.WarmStart, ""},
		{"storms", third{50, 10_000, 100, 90}, usual, 8, false, tables.WarmStart, "Persistent requests per miss differ between the first and the last third of windows, by these factors: is (2.2 on mrr). Draw windows with a longer warm-up"},
		{"storms at the end", third{50, 5000, 50, 20}, third{50, 10_000, 300, 40}, 8, false, tables.WarmStart, "Repeated requests per miss differ between the first and the last third of windows, by these factors: is (3.0 on mrr)."},
		{"fewer misses", third{25, 5000, 50, 20}, usual, 8, false, tables.WarmStart, ""},
		{"reads", third{500, 10_000, 100, 40}, usual, 8, false, tables.WarmStart, "Memory reads per miss differ between the first and the last third of windows, by these factors: is (10.0 on mrr)."},
		{"empty caches", third{500, 10_000, 100, 40}, usual, 8, false, tables.ColdStart, ""},
		{"one window", third{500, 10_000, 900, 900}, usual, 1, false, tables.WarmStart, ""},
		{"odd", third{50, 10_000, 100, 900}, usual, 8, true, tables.WarmStart, ""},
		{"rare", third{0, 10_000, 0, 0}, third{0, 10_000, 0, 0}, 8, false, tables.WarmStart, ""},
	} {
		var rows tables.Rows
		for w := range x.windows {
			r := worked("mrr", 1000, 0, 0)
			r.RunKey, r.Window, r.Start = string(rune('a'+w)), uint64(w), tables.Some(x.start)
			first := x.first
			if x.odd && w > 0 {
				first = usual
			}
			r.FirstThirdReads, r.LastThirdReads = tables.Some(first.reads), tables.Some(x.last.reads)
			r.FirstThirdMisses, r.LastThirdMisses = tables.Some(first.misses), tables.Some(x.last.misses)
			r.FirstThirdRepeated, r.LastThirdRepeated = tables.Some(first.repeated), tables.Some(x.last.repeated)
			r.FirstThirdPersistent, r.LastThirdPersistent = tables.Some(first.persistent), tables.Some(x.last.persistent)
			rows.Runs = append(rows.Runs, r)
		}
		f := &findings{rows: &rows, places: placesOf(&rows)}
		var texts []string
		for _, s := range ofStudies {
			for _, one := range s.say(f, nil) {
				if strings.Contains(one.Text, "third of windows") {
					texts = append(texts, one.Text)
				}
			}
		}
		if got := strings.Join(texts, " "); (got == "") != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

// TestStarved: a run warns of many persistent requests in windows that have no warm-up.
func TestStarved(t *testing.T) {
	for _, x := range []struct {
		windows          int
		warmUp, requests uint64
		warns            bool
	}{{8, 0, 20, true}, {8, 0, 5, false}, {8, 5000, 20, false}, {1, 0, 20, false}} {
		var rows tables.Rows
		for w := range x.windows {
			r := worked("mrr", 10_000, 0, 0)
			r.RunKey, r.Window = string(rune('a'+w)), uint64(w)
			r.WarmUpCycles, r.PersistentRequests = tables.Some(x.warmUp), tables.Some(x.requests)
			rows.Runs = append(rows.Runs, r)
		}
		f := &findings{rows: &rows, places: placesOf(&rows)}
		got := ""
		for _, s := range ofStudies {
			for _, one := range s.say(f, nil) {
				if one.Kind == Warning && strings.Contains(one.Text, "without a warm-up") {
					got += one.Text
				}
			}
		}
		if (got != "") != x.warns || x.warns && !strings.Contains(got, "is (2,000 on mrr)") {
			t.Errorf("%+v: %q", x, got)
		}
	}
}
