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

// unpolled returns the pipe that a program answers on: this system reads it without a poller.
func unpolled(pipe io.ReadCloser) io.ReadCloser { return pipe }
