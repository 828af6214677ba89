package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
)

// progress is the status line of the points of a study.
type progress struct {
	*statusLine
	noun    string // what points are called: runs or points
	active  map[int]experiment.Event
	done    int
	earlier int // done by an earlier command
	begun   time.Time
}

// sayEvery is the time between two lines about a study without a terminal, as in the log of a batch
// job.
const sayEvery = time.Minute

// say returns an observer that writes a line now and then.
func (p *progress) say(w io.Writer) func(experiment.Event) {
	last := p.begun
	return func(e experiment.Event) {
		p.note(e)
		if now := time.Now(); now.Sub(last) >= sayEvery {
			last = now
			fmt.Fprintln(w, p.line(e.Points, now.Sub(p.begun)))
		}
	}
}

// observe takes an event and redraws the line now and then.
func (p *progress) observe(e experiment.Event) {
	p.note(e)
	p.draw(e.Done && !e.Earlier, func() string { return p.line(e.Points, time.Since(p.begun)) })
}

// note takes an event.
func (p *progress) note(e experiment.Event) {
	switch {
	case e.Done && e.Earlier:
		p.earlier++
	case e.Done:
		delete(p.active, e.Index)
		p.done++
	case p.active == nil:
		p.active = map[int]experiment.Event{e.Index: e}
	default:
		p.active[e.Index] = e
	}
}

// line is "40 of 160 points done (12 earlier), 1:20 left mrr, tornado, load 0.3, seed 1: 37%, 2.5 M
// cycles/s".
func (p *progress) line(points int, since time.Duration) string {
	text := fmt.Sprintf("%d of %d %s done", p.done+p.earlier, points, p.noun)
	if p.earlier > 0 {
		text += fmt.Sprintf(" (%d earlier)", p.earlier)
	}
	progress := float64(p.done)
	var parts []string
	for i := range points {
		e, ok := p.active[i]
		if !ok {
			continue
		}
		progress += e.Share
		part := fmt.Sprintf("%s: %.0f%%", e.Label, 100*e.Share)
		if seconds := e.Wall.Seconds(); e.Cycles > 0 && seconds > 0 {
			part += ", " + rate(float64(e.Cycles)/seconds) + " cycles/s"
		}
		parts = append(parts, part)
	}
	if progress > 0 {
		text += ", " + remaining(since.Seconds()*(float64(points-p.earlier)-progress)/progress)
	}
	return strings.Join(append([]string{text}, parts...), "  ")
}

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

// statusLine is the line on standard error, or nil without a terminal: scripts and pipes must not
// see control characters.
func (a *app) statusLine() *statusLine {
	s, ok := a.stderr.To.(stream)
	if !ok || a.quiet {
		return nil
	}
	return &statusLine{out: s, columns: cmp.Or(widthOf(s), 80)}
}

// draw replaces the line now and then, or at once.
func (l *statusLine) draw(atOnce bool, text func() string) {
	if l == nil {
		return
	}
	if now := time.Now(); atOnce || now.Sub(l.drawn) >= redraw {
		l.drawn = now
		l.put(blank+clip(printable.Name(text()), l.columns-1), true)
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
	if runes := []rune(line); columns > 0 && len(runes) > columns {
		return string(runes[:columns])
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

// reading follows a command that reads files from one end to the other: it ends the reading when
// the user interrupts the command, and draws how far it is. It draws on terminals only.
type reading struct {
	ctx    context.Context
	what   string // the command does, such as "importing"
	unit   string // of what is counted: "B" for bytes, or "records"
	total  int64  // bytes to read, once
	status *statusLine

	mutex sync.Mutex
	done  int64
	begun time.Time
}

// follow begins to follow a command that reads files or folders of them.
func (a *app) follow(ctx context.Context, what string, paths ...string) *reading {
	r := &reading{ctx: ctx, what: what, unit: "B", status: a.statusLine(), begun: time.Now()}
	for _, path := range paths {
		r.total += bytesOf(path)
	}
	return r
}

// bytesOf returns the size of a file, or of all files in a folder; what cannot be seen counts
// nothing.
func bytesOf(path string) (sum int64) {
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			sum += info.Size() // of what a link leads to
		} else if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// passed takes note of bytes that have been read, from any goroutine, and redraws the line now and
// then. Its error ends the reading.
func (r *reading) passed(bytes int) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done += int64(bytes)
	r.status.draw(false, func() string { return r.line(time.Since(r.begun)) })
	return nil
}

// line is "importing: 120.0 MB of 480.0 MB, 25%, 30.1 MB/s, 0:12 left". Files that are read again,
// as a trace is to be sliced, have their readings counted.
func (r *reading) line(since time.Duration) string {
	round, done := int64(0), r.done
	if r.total > 0 {
		round, done = r.done/r.total, r.done%r.total
	}
	text := r.what
	if round > 0 {
		text += fmt.Sprintf(" (reading %d)", round+1)
	}
	text += ": " + r.count(float64(done))
	if r.total > 0 {
		text += fmt.Sprintf(" of %s, %d%%", r.count(float64(r.total)), 100*done/r.total)
	}
	speed := float64(r.done) / max(since.Seconds(), 1e-3)
	text += fmt.Sprintf(", %s/s", r.count(speed))
	if speed > 0 && r.total > 0 {
		text += ", " + remaining(float64(r.total-done)/speed)
	}
	return text
}

// count writes a number of what is counted, such as "1.2 MB" or "12.0 M records".
func (r *reading) count(n float64) string {
	text := rate(n)
	if r.unit != "B" || n < 1e3 {
		text += " "
	}
	return text + r.unit
}

// end removes the line and classifies an error. Of a command that was interrupted it says what is
// left of its work; a file that could not be written is not the input's fault.
func (r *reading) end(err error, left string) error {
	r.status.clear()
	switch {
	case err == nil:
		return nil
	case r.ctx.Err() != nil:
		return interruptedError{left}
	case errors.As(err, new(usageError)), errors.As(err, new(wrongError)):
		return err
	}
	return cmp.Or[error](unwritten(err), inputError{err})
}
