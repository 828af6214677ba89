package sheet

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/carousel-sim/carousel/analysis/metrics"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestTablesFitTheTerminal: the text of the last column and the notes are wrapped between words,
// and no word is lost.
func TestTablesFitTheTerminal(t *testing.T) {
	s := &Sheet{Header: []string{"key", "value", "what it is"}, After: []string{"a note that is longer than sixty columns, which a terminal would break anywhere"}}
	s.Add("chip.core.window", "64", "instructions in flight")
	s.Add("chip.core.sequential_consistency", "false", "drain the store buffer before a later load performs; otherwise total store order ± 0")
	in := func(columns int) string {
		var out bytes.Buffer
		must.Do(s.align(&out, columns))
		return out.String()
	}
	wide, narrow := in(0), in(70)
	if n := strings.Count(wide, "\n"); n != 4 {
		t.Errorf("without a terminal there are %d lines:\n%s", n, wide)
	}
	for line := range strings.Lines(narrow) {
		if n := utf8.RuneCountInString(line); n > 71 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
	if want := strings.Repeat(" ", 41) + "otherwise total store order ±\n"; !strings.Contains(narrow, want) {
		t.Errorf("%q is not in\n%s", want, narrow)
	}
	for _, other := range []string{narrow, in(20)} {
		if !slices.Equal(strings.Fields(other), strings.Fields(wide)) {
			t.Errorf("the words differ:\n%s\n%s", wide, other)
		}
	}
}

// TestSheetFitsTheTerminal: the last columns of numbers go, not the first ones and no texts, and a
// note says so.
func TestSheetFitsTheTerminal(t *testing.T) {
	s := &Sheet{Header: []string{"router", "runs", "cycles", "unicast", "multicast"}}
	s.Add("base", 1, metrics.MeanOf([]float64{999, 1001}), uint64(5), Digits("6"))
	s.fit(26)
	if len(s.Header) != 3 || len(s.Rows[0]) != 3 || len(s.After) != 1 || !strings.HasPrefix(s.After[0], "2 more columns do not fit") {
		t.Errorf("the sheet is %+v", s)
	}
	if s.fit(0); len(s.Header) != 3 || len(s.After) != 1 {
		t.Errorf("a pipe cuts the sheet: %+v", s)
	}
	said := &Sheet{Header: []string{"a", "b", "c", "what it says"}}
	said.Add(1, 2, 3, "12 words that look like a number at first")
	if said.fit(5); len(said.Header) != 4 {
		t.Error("a text is left out")
	}
}

// TestControlCharactersAreEscaped: the name of a trace cannot move a terminal's cursor.
func TestControlCharactersAreEscaped(t *testing.T) {
	s := Facts(struct {
		Workload string `title:"workload"`
	}{"a\x1b[2Jb\r\u009bc µ\td\ne"})
	if want := `a\x1b[2Jb\r\u009bc µ\td\ne`; s.Rows[0][1] != want {
		t.Errorf("the name is shown as %q, not %q", s.Rows[0][1], want)
	}
}
