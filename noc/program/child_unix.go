//go:build unix

package program

import (
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a program a process group of its own: an interrupt from the keyboard reaches Carousel
// alone, which then ends the program and what it has started.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(c.SysProcAttr)
}

// kill ends the processes of a program's group.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// answerPipe is the pipe that a program answers on. The runtime's poller does not know it: the poller would
// wake another thread for each answer.
type answerPipe struct {
	file   *os.File
	ready  [1]unix.PollFd
	closed atomic.Bool
}

// answers makes the pipe that a program answers on.
func answers() (io.ReadCloser, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	fd, err := unix.FcntlInt(r.Fd(), unix.F_DUPFD_CLOEXEC, 0) // Fd lets reads block
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return &answerPipe{file: os.NewFile(uintptr(fd), r.Name()), ready: [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}}, w, nil
}

// Read waits in the calling thread, but not after Close: another process may keep the pipe open.
func (p *answerPipe) Read(b []byte) (int, error) {
	for !p.closed.Load() {
		if n, err := unix.Poll(p.ready[:], 100); n > 0 || err != nil && err != unix.EINTR {
			break
		}
	}
	return p.file.Read(b)
}

// Close closes the pipe.
func (p *answerPipe) Close() error {
	p.closed.Store(true)
	return p.file.Close()
}
