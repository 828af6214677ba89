package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// machine is what all starts of one machine have in common.
type machine struct {
	session *session
	kernel  string
	archive string // the first file system, in the session's folder
	key     string // of the machine's state after booting: whatever can change it is in its digest
	fixed   []string
}

// bootLimit is how long a machine may take to boot and to do its setup, or it is thought to hang.
const bootLimit = 30 * time.Minute

// kernelWords are the kernel's parameters: messages to the first serial port, addresses that are
// the same at every boot, a panic that ends the emulator, no protection against attacks that no
// emulator knows, processors without work that halt, and no watchdog that wakes them. The kernel
// does not test whether its timer ticks: on a busy host it finds too few ticks, and panics. The
// time comes from the HPET, whose state goes with the machine's: the processors' own counters begin
// anew, and at another rate, when instructions are counted.
const kernelWords = "console=ttyS0,115200 quiet panic=-1 nokaslr mitigations=off notsc clocksource=hpet idle=halt nowatchdog no_timer_check"

func (s *session) newMachine() (*machine, error) {
	y := s.config.System
	kernel, err := y.kernel()
	if err != nil {
		return nil, err
	}
	p, err := openProgram(s.program)
	if err != nil {
		return nil, err
	}
	defer p.file.Close()
	image, err := s.config.guest(p)
	if err != nil {
		return nil, err
	}
	m := &machine{session: s, kernel: kernel, archive: filepath.Join(s.folder, "initramfs")}
	memory := strconv.Itoa(y.Memory) + "M"
	m.fixed = []string{"-machine", "q35,memory-backend=memory", "-object", "memory-backend-memfd,id=memory,size=" + memory,
		"-m", memory, "-smp", strconv.Itoa(s.config.Cores), "-cpu", s.config.Processor, "-accel", "tcg,thread=single",
		"-no-user-config", "-nodefaults", "-display", "none", "-no-reboot", "-append", kernelWords}
	digest := sha256.New()
	fmt.Fprintf(digest, "machine 1, QEMU %s\n%q\n", s.version, m.fixed)
	if err := m.write(image, digest); err != nil {
		return nil, err
	}
	m.key = hex.EncodeToString(digest.Sum(nil)[:16])
	return m, nil
}

// write writes the archive and lets the digest see it and the kernel.
func (m *machine) write(image io.WriterTo, digest io.Writer) error {
	f, err := os.Create(m.archive)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := image.WriteTo(io.MultiWriter(f, digest)); err != nil {
		return err
	}
	kernel, err := wholefile.Open(m.kernel)
	if err != nil {
		return err
	}
	defer kernel.Close()
	if _, err := io.Copy(digest, kernel); err != nil {
		return err
	}
	return f.Close()
}

// start is one run of the emulator.
type start struct {
	command *exec.Cmd
	console string // file of the first serial port: the kernel's messages, and those of the first program
	monitor string // socket
	ended   chan struct{}
	failure error // of the emulator, once ended is closed
	copied  chan struct{}
}

// start starts the emulator. What the machine writes to its second serial port goes to the
// program's output. Both ports write to files, which are never busy: a wait for a reader would make
// the time of the machine depend on the host.
func (m *machine) start(ctx context.Context, name string, more ...string) (*start, error) {
	s := m.session
	in := func(what string) string { return filepath.Join(s.folder, name+"-"+what) }
	r := &start{console: in("console"), monitor: in("monitor"), ended: make(chan struct{}), copied: make(chan struct{})}
	args := append([]string(nil), m.fixed...)
	args = append(args, "-kernel", m.kernel, "-initrd", m.archive,
		"-chardev", "file,id=console,path="+r.console, "-serial", "chardev:console",
		"-chardev", "file,id=output,path="+in("output"), "-serial", "chardev:output",
		"-qmp", "unix:"+r.monitor+",server=on,wait=off")
	r.command = exec.CommandContext(ctx, s.emulator, append(args, more...)...)
	r.command.Stdout, r.command.Stderr = s.config.Errors, s.config.Errors
	r.command.Cancel = func() error { return r.command.Process.Signal(syscall.SIGTERM) }
	r.command.WaitDelay = 3 * time.Second
	tie(r.command)
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.failure = r.command.Wait()
		close(r.ended)
	}()
	go r.forward(in("output"), s.config.Output)
	return r, nil
}

func (r *start) stop() {
	_ = r.command.Process.Kill()
	<-r.ended
	<-r.copied
}

// forward copies a growing file until the emulator has ended.
func (r *start) forward(path string, to io.Writer) {
	defer close(r.copied)
	var from *os.File
	for last := false; ; {
		if from == nil {
			from, _ = os.Open(path)
		}
		if from != nil {
			if _, err := io.Copy(to, from); err != nil {
				return
			}
		}
		if last {
			break
		}
		select {
		case <-r.ended:
			last = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if from != nil {
		from.Close()
	}
}

// says returns the rest of the console's line that begins with a text.
func (r *start) says(text string) (string, bool) {
	b, _ := os.ReadFile(r.console)
	_, after, found := strings.Cut(string(b), text)
	line, _, whole := strings.Cut(after, "\n")
	return strings.TrimSpace(line), found && whole
}

// silence explains an emulator that has ended too early.
func (r *start) silence(what string) error {
	b, _ := os.ReadFile(r.console)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(b), "\r", "")), "\n")
	lines = lines[max(0, len(lines)-12):]
	problem := "the emulator ended"
	if r.failure != nil {
		problem += " with " + r.failure.Error()
	}
	return fmt.Errorf("%s %s; the last lines of the machine's console:\n%s", problem, what, strings.Join(lines, "\n"))
}

// record lets the machine go on from its kept state and takes what it does. It returns how the
// program failed.
func (m *machine) record(ctx context.Context) (status string, err error) {
	s := m.session
	kept, err := m.state(ctx)
	if err != nil || ctx.Err() != nil {
		return "", err
	}
	s.stage("starting the machine from its kept state")
	incoming := filepath.Join(s.folder, "incoming")
	processes := s.listen(0)
	r, err := m.start(ctx, "record", "-icount", "shift=0,sleep=off",
		"-rtc", "base=2026-01-01,clock=vm", "-seed", "1", "-incoming", "unix:"+incoming, "-plugin", s.options)
	if err != nil {
		return "", errors.Join(err, processes.wait(ctx))
	}
	if err := m.load(ctx, r, kept, incoming); err != nil {
		r.stop()
		if ctx.Err() != nil {
			err = nil
		}
		return "", errors.Join(err, processes.wait(ctx))
	}
	s.stage("recording")
	<-r.ended
	<-r.copied
	if err := processes.wait(ctx); err != nil || ctx.Err() != nil {
		return "", err
	}
	if s.last == MarkerReached && !s.config.Marker {
		s.last = ProgramEnded // the marker was ours
	}
	switch number, told := r.says(saysStatus); {
	case told && number == "0":
		return "", nil
	case told:
		return "exit status " + number, nil
	case r.failure == nil && s.last != ProgramEnded && s.last != CutOff:
		return "", nil // the recorder has stopped the machine
	}
	return "", r.silence("before the program had ended")
}

// load feeds the state to the emulator and lets the machine go.
func (m *machine) load(ctx context.Context, r *start, kept, socket string) error {
	q, err := openMonitor(ctx, r.monitor, r.ended)
	if err != nil {
		return err
	}
	defer q.conn.Close()
	// Announcing itself on the network, as after a move, has timers of the host's time, and these
	// end turns.
	if err := q.execute("migrate-set-parameters", map[string]any{"announce-rounds": 0}, nil); err != nil {
		return err
	}
	to, err := dial(ctx, socket, r.ended)
	if err != nil {
		return err
	}
	err = readState(kept, to)
	to.Close()
	if err != nil {
		return fmt.Errorf("cannot use the saved state of the machine, %s: %w; remove the file, and the next recording makes it again", kept, err)
	}
	// Until all is loaded the status is "inmigrate", and a command to go on would be lost.
	if err := q.status(ctx, "query-status", "paused", "internal-error"); err != nil {
		return err
	}
	return q.execute("cont", nil, nil)
}

func (s *session) stage(what string) {
	if s.config.Progress != nil {
		s.config.Progress(Progress{Stage: what})
	}
}

// System says how a whole machine is recorded: a Linux kernel on Config.Cores processors, which are
// the cores of the trace.
type System struct {
	Kernel  string   // image of a Linux kernel for x86-64; "" for the newest /boot/vmlinuz-*
	Busybox string   // name or path of a statically linked busybox
	Files   []string // files and folders to put into the machine: PATH, or PATH=PATH IN THE MACHINE
	Setup   string   // command for the machine's shell, done at full speed before the machine's state is kept
	Memory  int      // MiB of main memory
}

// SystemEmulator is the default emulator of whole machines.
const SystemEmulator = "qemu-system-x86_64"

// DefaultSystem returns a machine with 1 GiB of memory and what Debian installs.
func DefaultSystem() System { return System{Busybox: "busybox", Memory: 1024} }

// validate checks what can be checked before anything runs.
func (y System) validate(c Config) error {
	switch {
	case c.Cores > 255:
		return fmt.Errorf("cores is %d, and a machine has at most 255", c.Cores)
	case y.Memory < 128 || y.Memory > 2048:
		// Above 2 GiB the machine's memory has a hole, and QEMU 7.2 does not tell its plugins
		// addresses beyond it.
		return fmt.Errorf("memory is %d MiB, and must be from 128 to 2048", y.Memory)
	case c.Instances != 1, c.Children, len(c.Mapping) != 0:
		return errors.New("a machine's cores are its processors, and all its processes are recorded: instances, children and a mapping of threads are for single programs")
	case c.Begin != "", c.End != "", c.SkipInstructions != 0:
		return errors.New("the region of a machine is that of its program or lies between markers; functions and skipped instructions are for single programs")
	}
	return nil
}

func (y System) kernel() (string, error) {
	if y.Kernel != "" {
		if _, err := os.Stat(y.Kernel); err != nil {
			return "", fmt.Errorf("%w: the kernel: %w", ErrMissing, err)
		}
		return filepath.Abs(y.Kernel)
	}
	const pattern = "/boot/vmlinuz-*"
	list, _ := filepath.Glob(pattern)
	list = slices.DeleteFunc(list, func(name string) bool { // some distributions keep their kernels to themselves
		f, err := os.Open(name)
		f.Close()
		return err != nil
	})
	if len(list) == 0 {
		return "", fmt.Errorf("%w: there is no kernel %s that can be read; on Debian: apt-get install linux-image-cloud-amd64, or unpack that package with dpkg -x and name its boot/vmlinuz-* with --kernel", ErrMissing, pattern)
	}
	sort.Slice(list, func(i, k int) bool { return newer(list[k], list[i]) })
	return list[len(list)-1], nil
}

var number = regexp.MustCompile(`[0-9]+`)

// newer compares names by their numbers, of which 10 is more than 9.
func newer(a, b string) bool {
	wide := func(digits string) string { return fmt.Sprintf("%020s", strings.TrimLeft(digits, "0")) }
	return number.ReplaceAllStringFunc(a, wide) > number.ReplaceAllStringFunc(b, wide)
}
