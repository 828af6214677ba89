package cli

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
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
	a := &app{stderr: &printable.Writer{To: &bytes.Buffer{}}}
	line := a.statusLine()
	if line != nil {
		t.Error("a buffer is taken for a terminal")
	}
	line.draw(true, func() string { panic("a line that nobody sees is drawn") })
	line.clear()
}

// fakeTerminal is a terminal that keeps what is written.
type fakeTerminal struct{ *bytes.Buffer }

func (fakeTerminal) Fd() uintptr { return 0 }

// TestOutputRemovesStatusLine: output and status line never share a line, even where output ends in
// the middle of one.
func TestOutputRemovesStatusLine(t *testing.T) {
	var out bytes.Buffer
	s := stream{fakeTerminal{&out}, &screen{}}
	line := &statusLine{out: s, columns: 80}
	show := func(text string) { line.draw(true, func() string { return text }) }
	show("one")
	s.Write([]byte("whole\n"))
	show("two")
	s.Write([]byte("half"))
	show("three") // would stand behind half
	s.Write([]byte(" line\n"))
	show("four")
	line.clear()
	want := blank + "one" + blank + "whole\n" + blank + "two" + blank + "half line\n" + blank + "four" + blank
	if out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// TestReadingLine: how far a command is, in bytes and records, and in the second reading of a file.
func TestReadingLine(t *testing.T) {
	for _, c := range []struct {
		unit        string
		total, done int64
		since       time.Duration
		want        string
	}{
		{"B", 480_000_000, 120_000_000, 4 * time.Second, "reading: 120.0 MB of 480.0 MB, 25%, 30.0 MB/s, 0:12 left"},
		{"B", 480_000_000, 600_000_000, 20 * time.Second, "reading (reading 2): 120.0 MB of 480.0 MB, 25%, 30.0 MB/s, 0:12 left"},
		{"B", 0, 120, time.Second, "reading: 120 B, 120 B/s"},
		{"records", 4_000_000, 1_000_000, time.Second, "reading: 1.0 M records of 4.0 M records, 25%, 1.0 M records/s, 0:03 left"},
	} {
		r := &reading{what: "reading", unit: c.unit, total: c.total, done: c.done}
		if got := r.line(c.since); got != c.want {
			t.Errorf("the line is\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestReadingDraws: the line appears on terminals only, and is removed at the end.
func TestReadingDraws(t *testing.T) {
	var out bytes.Buffer
	r := &reading{ctx: context.Background(), what: "reading", unit: "B", total: 100, status: &statusLine{out: stream{fakeTerminal{&out}, &screen{}}, columns: 20}}
	if err := r.passed(50); err != nil || out.String() != "\r\x1b[Kreading: 50 B of 10" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := r.end(nil, ""); err != nil || !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestFullDisk: a command that cannot write ends with exit code 1 and says where and why.
func TestFullDisk(t *testing.T) {
	r := &reading{ctx: context.Background(), status: &statusLine{out: stream{fakeTerminal{&bytes.Buffer{}}, &screen{}}, columns: 20}}
	err := r.end(&fs.PathError{Op: "write", Path: "made/.new.trace", Err: syscall.ENOSPC}, "")
	if exitCode(err) != exitWrong || !strings.Contains(err.Error(), "the new file in made could not be written") || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}
