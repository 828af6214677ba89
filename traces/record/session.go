package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/carousel-sim/carousel/traces"
)

// Result is what a recording reports.
type Result struct {
	traces.Imported
	// Reason tells why the recording of the last instance ended.
	Reason Reason
	// Status is how the last failed program ended, such as "exit status 3"; "" when none failed.
	Status string
	// Interrupted: the context ended the recording; what had been recorded is in the trace.
	Interrupted bool
}

// ErrNothing: the program ended before the region began.
var ErrNothing = errors.New("nothing was recorded")

// Run records the program and writes its trace. When the context ends, the program is interrupted
// and what it did so far is kept.
func Run(ctx context.Context, c Config, to traces.Destination) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, err
	}
	if err := supported(); err != nil {
		return Result{}, err
	}
	if c.Windows > 0 {
		return c.InWindows(true, func(whole traces.Destination) (Result, error) { return runWhole(ctx, c, whole) }, to)
	}
	return runWhole(ctx, c, to)
}

func runWhole(ctx context.Context, c Config, to traces.Destination) (Result, error) {
	s, err := newSession(c)
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	w, err := to(s.metadata())
	if err != nil {
		return Result{}, err
	}
	s.converter = newConverter(c, w)
	result, err := s.run(ctx)
	if err == nil {
		err = s.converter.finish()
	}
	if err != nil {
		w.Abort()
		return Result{}, err
	}
	if result.Interrupted {
		w.Note("the recording was interrupted before the end of the program")
	}
	if err := w.Close(); err != nil {
		return Result{}, err
	}
	result.Imported = traces.Imported{Metadata: s.metadata(), Totals: w.Totals(), Input: s.converter.list()}
	return result, nil
}

// session is one recording: the emulator's command line, the socket, and what comes out.
type session struct {
	config    Config
	folder    string // of the socket
	listener  *net.UnixListener
	emulator  string
	version   string // of QEMU
	options   string // of the plugin
	program   string
	preload   string // library for the program, or ""
	machine   *machine
	converter *converter
	last      Reason
}

func newSession(c Config) (*session, error) {
	s := &session{config: c}
	var err error
	if s.emulator, s.version, err = emulator(c.emulator()); err != nil {
		return nil, err
	}
	p, err := openProgram(c.Program[0])
	if err != nil {
		return nil, err
	}
	defer p.file.Close()
	s.program = p.path
	built, err := library(c.Cache, "plugin")
	if err != nil {
		return nil, err
	}
	if c.System == nil {
		if s.preload, err = library(c.Cache, "preload"); err != nil {
			return nil, err
		}
	}
	if s.folder, err = os.MkdirTemp("", "carousel-record-"); err != nil {
		return nil, err
	}
	if s.options, err = c.options(built, filepath.Join(s.folder, "socket"), p); err == nil && c.System != nil {
		s.machine, err = s.newMachine()
	}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		os.RemoveAll(s.folder)
	}
	return s, err
}

// open makes the socket. A program that starts as root may have given up its rights by the time at
// which the region begins, and must still reach it; its folder has a name that others cannot list.
func (s *session) open() (err error) {
	path := filepath.Join(s.folder, "socket")
	if s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}); err != nil || os.Geteuid() != 0 {
		return err
	}
	if err = errors.Join(os.Chmod(path, 0o666), os.Chmod(s.folder, 0o711)); err != nil {
		s.listener.Close()
	}
	return err
}

func (s *session) close() {
	s.listener.Close()
	os.RemoveAll(s.folder)
}

// options returns the value of the emulator's -plugin: commas separate its parts.
func (c Config) options(plugin, socket string, p *program) (string, error) {
	parts := []string{plugin, "socket=" + socket}
	for _, path := range parts {
		if strings.Contains(path, ",") {
			return "", fmt.Errorf("%s: QEMU does not accept a comma in this path; choose another TMPDIR or cache folder", path)
		}
	}
	for _, edge := range []struct{ name, function string }{{"begin", c.Begin}, {"end", c.End}} {
		if edge.function == "" {
			continue
		}
		at, err := p.offset(edge.function)
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("%s=%d", edge.name, at))
	}
	goOn := flag(c.GoOn, uint64(1))
	if !c.GoOn && c.System != nil && !c.Marker {
		goOn = 2 // after the program, the machine tells how it ended
	}
	for _, o := range []struct {
		name  string
		value uint64
	}{{"skip", c.SkipInstructions}, {"turn", uint64(c.Turn)}, {"instructions", c.Instructions}, {"records", c.Records},
		{"marker", flag(c.Marker || c.System != nil, uint64(1))}, {"goon", goOn}, {"children", flag(c.Children, uint64(1))}} {
		if o.value > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", o.name, o.value))
		}
	}
	if !c.Fetches {
		parts = append(parts, "fetches=0")
	}
	return strings.Join(parts, ","), nil
}

// run records all instances, one after the other.
func (s *session) run(ctx context.Context) (Result, error) {
	result := Result{}
	for i := range s.config.Instances {
		status, err := s.instance(ctx, i)
		if err != nil {
			return result, err
		}
		if status != "" {
			result.Status = status
		}
		result.Reason, result.Interrupted = s.last, ctx.Err() != nil
		if result.Interrupted {
			break
		}
	}
	if s.converter.counts.processes == 0 {
		return result, fmt.Errorf("%w: %s", ErrNothing, s.explain(result))
	}
	return result, nil
}

func (s *session) explain(r Result) string {
	switch {
	case r.Interrupted:
		return "the program was interrupted before the region began"
	case !s.config.fromStart():
		return "the program ended before the region began (" + s.config.region() + ")"
	}
	return "the emulator ended before the program began; its message is above"
}

// environment returns the program's. What preload/execute.c reads is in it where it is wanted. The
// emulator loads the library, too, which then does nothing.
func (s *session) environment() []string {
	list := append([]string(nil), s.config.Environment...)
	if s.preload == "" {
		return list
	}
	preload := "LD_PRELOAD=" + s.preload
	for i, entry := range list {
		if others, found := strings.CutPrefix(entry, "LD_PRELOAD="); found && others != "" {
			list, preload = slices.Delete(list, i, i+1), preload+":"+others
			break
		}
	}
	if list = append(list, preload); !s.config.Children || !s.config.fromStart() {
		return list
	}
	return append(list, "RECORD_EMULATOR="+s.emulator, "RECORD_PROCESSOR="+s.config.Processor, "RECORD_OPTIONS="+s.options)
}

// instance runs the program once and takes what it sends. It returns how the program failed, if it
// did.
func (s *session) instance(ctx context.Context, number int) (status string, err error) {
	if s.machine != nil {
		return s.machine.record(ctx)
	}
	command := s.command(ctx, number)
	if err := command.Start(); err != nil {
		return "", err
	}
	processes := s.listen(number)
	waited := command.Wait()
	err = processes.wait(ctx)
	var exit *exec.ExitError
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", nil
	case errors.As(waited, &exit):
		return exit.String(), nil
	}
	return "", waited
}

func (s *session) command(ctx context.Context, number int) *exec.Cmd {
	args := []string{"-cpu", s.config.Processor, "-plugin", s.options, s.program}
	for _, a := range s.config.Program[1:] {
		args = append(args, strings.ReplaceAll(a, "{}", strconv.Itoa(number)))
	}
	command := exec.CommandContext(ctx, s.emulator, args...)
	command.Dir = s.config.Folder
	command.Stdin, command.Stdout, command.Stderr, command.Env = s.config.Input, s.config.Output, s.config.Errors, s.environment()
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = 3 * time.Second
	return command
}

// processes takes the messages of a program and its children.
type processes struct {
	session  *session
	instance int
	group    sync.WaitGroup
	ended    chan struct{}
	mutex    sync.Mutex
	open     []*net.UnixConn
	last     map[uint64]chan struct{} // per number of a process, the end of its last stream
	err      error
}

// listen accepts connections until wait is called. The first is the program's own.
func (s *session) listen(instance int) *processes {
	p := &processes{session: s, instance: instance, ended: make(chan struct{}), last: map[uint64]chan struct{}{}}
	s.last = CutOff
	s.converter.forget()
	_ = s.listener.SetDeadline(time.Time{})
	go func() {
		defer close(p.ended)
		for first := true; ; first = false {
			c, err := s.listener.AcceptUnix()
			if err != nil {
				return // wait has set a deadline
			}
			p.mutex.Lock()
			p.open = append(p.open, c)
			p.mutex.Unlock()
			p.group.Go(func() { p.serve(c, first) })
		}
	}()
	return p
}

// wait is called when the program has ended: processes that connected before are in the listener's
// queue.
func (p *processes) wait(ctx context.Context) error {
	_ = p.session.listener.SetDeadline(time.Now().Add(50 * time.Millisecond))
	<-p.ended
	stop := context.AfterFunc(ctx, func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		for _, c := range p.open {
			_ = c.SetReadDeadline(time.Now().Add(time.Second)) // children that go on are left alone
		}
	})
	defer stop()
	p.group.Wait()
	return p.err
}

// follow waits for the end of an earlier stream of the same process, which has executed another
// program.
func (p *processes) follow(number uint64, done chan struct{}) {
	p.mutex.Lock()
	before := p.last[number]
	p.last[number] = done
	p.mutex.Unlock()
	if before != nil {
		<-before
	}
}

// serve takes one process's messages to their end. After an error it hangs up, and the plugin ends
// the process: a program that is not recorded would only keep the user waiting.
func (p *processes) serve(c *net.UnixConn, first bool) {
	defer c.Close()
	k := p.session.converter
	from, space := newStream(c), k.newProcess()
	messages := make([]message, 4096)
	var failed error
	drawn := time.Now()
	done := make(chan struct{})
	defer close(done)
	for {
		n, err := from.next(messages)
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) && failed == nil {
				failed = err
			}
			break
		}
		if messages[0].kind == kindProcess {
			p.follow(uint64(messages[0].instructions), done)
		}
		if failed = k.takeAll(space, messages[:n]); failed != nil {
			break
		}
		if p.session.config.Progress != nil && time.Since(drawn) > 200*time.Millisecond {
			drawn = time.Now()
			p.session.config.Progress(k.progress(p.instance))
		}
	}
	if err := k.leave(space); failed == nil {
		failed = err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if first {
		p.session.last = space.reason
	}
	if p.err == nil {
		p.err = failed
	}
}
