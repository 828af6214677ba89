package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

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
	case errors.As(err, new(usageError)):
		return err
	}
	return cmp.Or[error](unwritten(err), inputError{err})
}
