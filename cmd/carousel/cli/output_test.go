package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTablesFitTheTerminal: the text of the last column and the notes are wrapped between words, and no word
// is lost.
func TestTablesFitTheTerminal(t *testing.T) {
	s := &sheet{header: []string{"key", "value", "what it is"}, after: []string{"a note that is longer than sixty columns, which a terminal would break anywhere"}}
	s.add("chip.core.window", "64", "instructions in flight")
	s.add("chip.core.sequential_consistency", "false", "drain the store buffer before a later load performs; otherwise total store order ± 0")
	var wide, narrow, tiny bytes.Buffer
	for _, c := range []struct {
		out     *bytes.Buffer
		columns int
	}{{&wide, 0}, {&narrow, 70}, {&tiny, 20}} {
		if err := s.align(c.out, c.columns); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(wide.String(), "\n"); n != 4 {
		t.Errorf("without a terminal there are %d lines:\n%s", n, wide.String())
	}
	for line := range strings.Lines(narrow.String()) {
		if n := utf8.RuneCountInString(line); n > 71 {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
	want := strings.Repeat(" ", 41) + "otherwise total store order ±\n"
	if !strings.Contains(narrow.String(), want) {
		t.Errorf("%q is not in\n%s", want, narrow.String())
	}
	for _, other := range []string{narrow.String(), tiny.String()} {
		if strings.Join(strings.Fields(other), " ") != strings.Join(strings.Fields(wide.String()), " ") {
			t.Errorf("the words differ:\n%s\n%s", wide.String(), other)
		}
	}
}
