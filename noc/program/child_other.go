//go:build !unix

package program

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// kill ends a program.
func kill(p *os.Process) { _ = p.Kill() }
