package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// redraw is the least time between two drawings of a status line.
const redraw = 200 * time.Millisecond

// statusLine is one line about what is under way, which the next drawing replaces. A nil one draws nothing.
type statusLine struct {
	out     io.Writer
	columns int
	drawn   time.Time
}

// statusLine is the line on standard error, or nil where nobody watches: scripts and pipes must not see control
// characters.
func (a *app) statusLine() *statusLine {
	if !a.onTerminal() || a.quiet {
		return nil
	}
	return &statusLine{out: a.stderr, columns: a.columns()}
}

// draw replaces the line now and then, or at once.
func (l *statusLine) draw(atOnce bool, text func() string) {
	if l == nil {
		return
	}
	if now := time.Now(); atOnce || now.Sub(l.drawn) >= redraw {
		l.drawn = now
		fmt.Fprintf(l.out, "\r\x1b[K%s", clip(text(), l.columns-1))
	}
}

// clear removes the line.
func (l *statusLine) clear() {
	if l != nil {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
}

// columns is the width of the terminal.
func (a *app) columns() int {
	if f, ok := a.stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 80
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
