//go:build unix

package program

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a program a process group of its own: an interrupt from the keyboard reaches Carousel
// alone, which then ends the program and what it has started.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(c.SysProcAttr)
}

// kill ends the processes of a program's group.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
