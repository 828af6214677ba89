//go:build unix

package program

import (
	"io"
	"os"
	"os/exec"
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

// answerPipe is the pipe that a program answers on, without the runtime's poller, which would wake another thread for
// each answer.
type answerPipe struct {
	io.Closer
	file  *os.File
	ready [1]unix.PollFd
}

// unpolled takes a pipe away from the runtime's poller.
func unpolled(pipe io.ReadCloser) io.ReadCloser {
	polled, is := pipe.(*os.File)
	if !is {
		return pipe
	}
	fd, err := unix.FcntlInt(polled.Fd(), unix.F_DUPFD_CLOEXEC, 0) // Fd lets reads block
	if err != nil {
		return pipe
	}
	polled.Close()
	file := os.NewFile(uintptr(fd), polled.Name())
	return &answerPipe{file, file, [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}}
}

// Read waits in the calling thread, but not after Close: another process may keep the pipe open.
func (p *answerPipe) Read(b []byte) (int, error) {
	for {
		n, err := unix.Poll(p.ready[:], 100)
		if n > 0 {
			return p.file.Read(b)
		}
		if n == 0 {
			_, err = p.file.Stat() // fails after Close
		}
		if err != nil && err != unix.EINTR {
			return 0, err
		}
	}
}
