package cli

import (
	"bytes"
	"testing"
)

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
