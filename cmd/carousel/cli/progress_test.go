package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
)

func TestProgressLine(t *testing.T) {
	var out bytes.Buffer
	p := &progress{statusLine: &statusLine{out: stream{fakeTerminal{&out}, &screen{}}, columns: 200}, noun: "points", begun: time.Now()}
	event := func(i int, label string, share float64) experiment.Event {
		return experiment.Event{Index: i, Points: 4, Label: label, Progress: experiment.Progress{Share: share}}
	}
	end := func(e experiment.Event) experiment.Event {
		e.Done = true
		return e
	}
	earlier := end(event(0, "a", 0))
	earlier.Earlier = true
	fast := event(3, "d", 0.25)
	fast.Cycles, fast.Wall = 5_000_000, 2*time.Second
	for _, e := range []experiment.Event{earlier, event(1, "b", 0), end(event(1, "b", 0)), fast, event(2, "c", 0.25)} {
		p.observe(e)
	}
	// One and a half of three points took 90 s.
	if got, want := p.line(4, 90*time.Second), "2 of 4 points done (1 earlier), 1:30 left  c: 25%  d: 25%, 2.5 M cycles/s"; got != want {
		t.Errorf("the line is %q; want %q", got, want)
	}
	out.Reset()
	p.observe(end(event(2, "c", 0)))
	if text := out.String(); !strings.HasPrefix(text, "\r\x1b[K3 of 4 points done (1 earlier), ") || !strings.HasSuffix(text, "  d: 25%, 2.5 M cycles/s") {
		t.Errorf("drawn were %q", text)
	}
	if got := clip("abcdef", 4); got != "abcd" {
		t.Errorf("clipped to %s", got)
	}
}

// TestLinesWithoutTerminal: where nobody watches, a line is written now and then, and without control characters.
func TestLinesWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	p := &progress{noun: "runs", begun: time.Now().Add(-3 * sayEvery)}
	say := p.say(&out)
	say(experiment.Event{Index: 0, Points: 2, Label: "a", Done: true})
	say(experiment.Event{Index: 1, Points: 2, Label: "b", Progress: experiment.Progress{Share: 0.5}})
	if want := "1 of 2 runs done, 3:00 left\n"; out.String() != want {
		t.Errorf("written were %q; want %q", out.String(), want)
	}
}

// TestSheetFitsTheTerminal: the last columns of numbers go, not the first ones and no texts, and a note says so.
func TestSheetFitsTheTerminal(t *testing.T) {
	s := &sheet{header: []string{"router", "runs", "cycles", "unicast", "multicast"}}
	s.add("base", "1", "1000 ± 2", "5", "6")
	s.fit(26)
	if len(s.header) != 3 || len(s.rows[0]) != 3 || len(s.after) != 1 || !strings.HasPrefix(s.after[0], "2 more columns do not fit") {
		t.Errorf("the sheet is %+v", s)
	}
	if s.fit(0); len(s.header) != 3 || len(s.after) != 1 {
		t.Errorf("a pipe cuts the sheet: %+v", s)
	}
	said := &sheet{header: []string{"a", "b", "c", "what it says"}, rows: [][]string{{"1", "2", "3", "a long text"}}}
	if said.fit(5); len(said.header) != 4 {
		t.Error("a text is left out")
	}
}

// TestIntervals: large numbers are written without an exponent, so that columns can be compared.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		want       string
	}{{12503, 196, "12503 ± 200"}, {0.10482, 0.00123, "0.1048 ± 0.0012"}, {47.332, 0.58, "47.33 ± 0.58"}, {9716, 1712, "9716 ± 1700"}} {
		if got := (estimate{&c.mean, &c.half}).cell(1); got != c.want {
			t.Errorf("%g and %g are %q; want %q", c.mean, c.half, got, c.want)
		}
	}
}

// TestNoProgressWithoutTerminal: scripts and pipes must not see control characters.
func TestNoProgressWithoutTerminal(t *testing.T) {
	a := &app{stderr: &bytes.Buffer{}}
	line := a.statusLine()
	if line != nil {
		t.Error("a buffer is taken for a terminal")
	}
	line.draw(true, func() string { panic("a line that nobody sees is drawn") })
	line.clear()
}

func TestSheet(t *testing.T) {
	s := &sheet{header: []string{"router", "n"}, before: []string{"before"}, after: []string{"after"}}
	s.add("mrr", "12.5")
	s.add("base", "-")
	var out bytes.Buffer
	if err := s.align(&out, 0); err != nil {
		t.Fatal(err)
	}
	if want := "before\nrouter     n\nmrr     12.5\nbase       -\nafter\n"; out.String() != want {
		t.Errorf("the sheet is\n%q\nwant\n%q", out.String(), want)
	}
}
