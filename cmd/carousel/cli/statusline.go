package cli

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/term"
)

// redraw is the least time between two drawings of a status line.
const redraw = 200 * time.Millisecond

// blank removes a status line.
const blank = "\r\x1b[K"

// screen is a terminal on which a status line and the output of programs alternate.
type screen struct {
	sync.Mutex
	shown bool // a status line is
	open  bool // output has ended in the middle of a line, where no status line may begin
}

// stream is output to a terminal that first removes the status line. It is no os.File, so that the
// output of programs that are started takes the same way.
type stream struct {
	terminal
	*screen
}

// terminal is what a stream needs of a file.
type terminal interface {
	io.Writer
	Fd() uintptr
}

// Write implements io.Writer.
func (s stream) Write(b []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	if s.shown {
		io.WriteString(s.terminal, blank)
		s.shown = false
	}
	if len(b) > 0 {
		s.open = b[len(b)-1] != '\n'
	}
	return s.terminal.Write(b)
}

// onScreen makes streams of those of several files that are terminals.
func onScreen(files ...io.Writer) []io.Writer {
	s := &screen{}
	for i, w := range files {
		if f, ok := w.(terminal); ok && term.IsTerminal(int(f.Fd())) {
			files[i] = stream{f, s}
		}
	}
	return files
}

// statusLine is one line about what is under way, which the next drawing replaces. A nil one draws
// nothing.
type statusLine struct {
	out     stream
	columns int
	drawn   time.Time
}

// statusLine is the line on standard error, or nil where nobody watches: scripts and pipes must not
// see control characters.
func (a *app) statusLine() *statusLine {
	s, ok := a.stderr.(stream)
	if !ok || a.quiet {
		return nil
	}
	return &statusLine{out: s, columns: cmp.Or(widthOf(a.stderr), 80)}
}

// draw replaces the line now and then, or at once.
func (l *statusLine) draw(atOnce bool, text func() string) {
	if l == nil {
		return
	}
	if now := time.Now(); atOnce || now.Sub(l.drawn) >= redraw {
		l.drawn = now
		l.put(blank+clip(text(), l.columns-1), true)
	}
}

// put writes to the terminal, unless output is in the middle of a line.
func (l *statusLine) put(text string, shown bool) {
	l.out.Lock()
	defer l.out.Unlock()
	if !l.out.open {
		io.WriteString(l.out.terminal, text)
		l.out.shown = shown
	}
}

// clear removes the line.
func (l *statusLine) clear() {
	if l != nil {
		l.put(blank, false)
	}
}

// clip cuts a line to a terminal's width.
func clip(line string, columns int) string {
	if columns > 0 && len(line) > columns {
		return line[:columns]
	}
	return line
}

// rate writes a number with a prefix for thousands or millions.
func rate(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.1f M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.0f k", v/1e3)
	}
	return fmt.Sprintf("%.0f", v)
}

// remaining writes a time as minutes and seconds.
func remaining(seconds float64) string {
	left := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%d:%02d left", int(left.Minutes()), int(left.Seconds())%60)
}
