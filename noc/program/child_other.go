//go:build !unix

package program

import (
	"io"
	"os"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// kill ends a program.
func kill(p *os.Process) { _ = p.Kill() }

// answers makes the pipe that a program answers on.
func answers() (io.ReadCloser, *os.File, error) { return os.Pipe() }
