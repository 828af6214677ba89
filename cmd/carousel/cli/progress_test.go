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

// TestLinesWithoutTerminal: where nobody watches, a line is written now and then, and without
// control characters.
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
