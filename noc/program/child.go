package program

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// child is a running program and the connection to it.
type child struct {
	name    string // as tables show it
	command *exec.Cmd
	to      io.WriteCloser
	from    io.ReadCloser
	printed tail

	out     []byte // the message that is being made
	in      []byte // what has been read; before used it has been decoded
	used    int
	limit   time.Duration
	watch   *time.Timer // kills the program
	late    atomic.Bool // it was cut off
	unwatch func() bool // ends the wait for the end of until
	calls   int
	beside  together
	call    string // that is under way or was the last one
	failed  error  // of sending the message
	ended   bool
}

// until is the context whose end ends all programs.
var until atomic.Pointer[context.Context]

// EndWith ends programs that start from now on when a context ends, also within a call.
func EndWith(ctx context.Context) { until.Store(&ctx) }

// grace is how long a program may take to end after the end of its standard input.
const grace = 2 * time.Second

// start starts a program.
func start(path string, arguments []string, limit time.Duration) (*child, error) {
	c := &child{name: Name(path), command: exec.Command(path, arguments...), limit: limit, call: "start"}
	c.command.Stderr, c.command.WaitDelay = &c.printed, grace
	ownGroup(c.command)
	var err error
	if c.to, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	if c.from, err = c.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, ExplainStart(path, err)
	}
	c.from = unpolled(c.from)
	c.watch = time.AfterFunc(limit, c.cut)
	c.watch.Stop()
	c.unwatch = func() bool { return true }
	if ctx := until.Load(); ctx != nil {
		c.unwatch = context.AfterFunc(*ctx, c.cut)
	}
	return c, nil
}

// Name returns how tables and messages name the program in a file.
func Name(path string) string {
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// ExplainStart says why a program cannot be started, and what helps.
func ExplainStart(path string, err error) error {
	info, missing := os.Stat(path)
	exists := missing == nil && filepath.Base(path) != path // others are searched on the path
	switch {
	case errors.Is(err, exec.ErrDot) || errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no program %s on the path; for a file of this folder write program:./%s", path, path)
	case exists && (info.IsDir() || !info.Mode().IsRegular()):
		return fmt.Errorf("%s is a folder or a device; name the file of a program", path)
	case exists && errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the interpreter of %s does not exist; its first line should name one, such as #!/usr/bin/env python3, and end as on Unix", path)
	case !exists && (errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return fmt.Errorf("there is no program %s", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be executed; make it executable with chmod +x", path)
	}
	return fmt.Errorf("program %s cannot be started (%w); a script needs a first line such as #!/usr/bin/env python3", path, err)
}

// begin starts a message to the program.
func (c *child) begin(tag string) { c.out = append(append(c.out[:0], 0, 0, 0, 0), tag...) }

func (c *child) put32(v uint32) { c.out = binary.LittleEndian.AppendUint32(c.out, v) }
func (c *child) put64(v uint64) { c.out = binary.LittleEndian.AppendUint64(c.out, v) }

// ask sends the message and returns the body of the answer, which must have a tag. The body is valid
// until the next ask.
func (c *child) ask(call, tag string) ([]byte, error) {
	c.send(call)
	return c.answer(tag)
}

// send sends the message. answer follows.
func (c *child) send(call string) {
	c.call = call
	c.calls++
	if c.ended {
		return
	}
	binary.LittleEndian.PutUint32(c.out, uint32(len(c.out)-header))
	c.watch.Reset(c.limit)
	c.beside.begin()
	_, c.failed = c.to.Write(c.out)
}

// answer waits for the answer to the message that was sent.
func (c *child) answer(tag string) (body []byte, err error) {
	if c.ended {
		return nil, errors.New("the program has ended before")
	}
	var got string
	if c.failed == nil {
		body, got, err = c.receive()
	}
	c.watch.Stop()
	c.beside.end()
	switch {
	case c.failed != nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || c.late.Load():
		return nil, c.end()
	case err != nil:
		return nil, err
	case got == failTag:
		return nil, fmt.Errorf("it says: %s", cmp.Or(strings.TrimSpace(string(body[:min(len(body), tailBytes)])), "nothing"))
	case got != tag:
		return nil, fmt.Errorf("it answers with message %q; %q is needed", got, tag)
	}
	if tag == shapeTag { // it has started
		c.beside.pair(c.command.Process.Pid)
	}
	return body, nil
}

// receive reads the next message.
func (c *child) receive() (body []byte, tag string, err error) {
	if rest := c.in[c.used:]; len(rest) > 0 {
		return nil, "", fmt.Errorf("%d bytes follow its last answer: %q", len(rest), shorten(rest))
	}
	c.in, c.used = c.in[:0], 0
	for {
		if len(c.in) >= header {
			size := int(binary.LittleEndian.Uint32(c.in))
			tag := tagOf(c.in[4:header])
			if tag == "" {
				return nil, "", fmt.Errorf("its standard output has %q where an answer starts; print to standard error instead", shorten(c.in))
			}
			if size > longestAnswer {
				return nil, "", fmt.Errorf("it announces an answer of %d bytes; at most %d are allowed", size, longestAnswer)
			}
			if len(c.in) >= header+size {
				c.used = header + size
				return c.in[header:c.used], tag, nil
			}
		}
		if len(c.in) == cap(c.in) {
			c.in = append(make([]byte, 0, max(4096, 2*cap(c.in))), c.in...)
		}
		n, err := c.from.Read(c.in[len(c.in):cap(c.in)])
		c.in = c.in[:len(c.in)+n]
		if n == 0 && err != nil {
			if len(c.in) > 0 && !c.late.Load() && len(c.in) < header {
				return nil, "", fmt.Errorf("its standard output ends with %q where an answer starts: %w", shorten(c.in), io.ErrUnexpectedEOF)
			}
			return nil, "", io.EOF
		}
	}
}

// shorten returns the first bytes of what a program has written.
func shorten(b []byte) []byte { return b[:min(len(b), 40)] }

// end waits for a program that has closed its output, or was killed, and says how it ended.
func (c *child) end() error {
	if ctx := until.Load(); c.late.Load() && ctx != nil && (*ctx).Err() != nil {
		c.stop()
		return fmt.Errorf("it was ended: %w", (*ctx).Err())
	} else if c.late.Load() {
		c.stop()
		return fmt.Errorf("it did not answer within %v, the value of network.program.time_limit, and was ended", c.limit)
	}
	rest := shorten(c.in[c.used:])
	killed := c.stop()
	how := "it has ended with " + c.command.ProcessState.String()
	if killed {
		how = "it closed its standard input or output, lived on, and was ended"
	} else if c.command.ProcessState.ExitCode() == 0 {
		how = "it has ended with exit status 0 before Carousel closed its standard input"
	}
	if len(rest) > 0 {
		how += fmt.Sprintf(" within an answer; its standard output ends with %q", rest)
	}
	return errors.New(how)
}

// stop closes the connection and waits for the end of the program, which it kills after a grace. It reports
// whether it did.
func (c *child) stop() (killed bool) {
	if c.ended {
		return false
	}
	c.ended = true
	c.watch.Stop()
	c.unwatch()
	c.beside.release()
	c.to.Close()
	killer := time.AfterFunc(grace, c.cut)
	io.Copy(io.Discard, c.from) // until it closes its output
	c.from.Close()
	c.command.Wait()
	return !killer.Stop() && c.command.ProcessState.ExitCode() < 0
}

// cut kills the program and closes the connection, as a process that it has started may hold the other end.
func (c *child) cut() {
	c.late.Store(true)
	kill(c.command.Process)
	c.to.Close()
	c.from.Close()
}

// tail keeps the end of what a program prints to standard error.
type tail struct {
	sync.Mutex
	kept []byte
}

// The end of standard error that is kept, in bytes, and the lines of it that errors show.
const (
	tailBytes = 4096
	tailLines = 5
)

func (t *tail) Write(p []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// lines returns the last lines.
func (t *tail) lines() []string {
	t.Lock()
	defer t.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?"))
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-tailLines):]
}
