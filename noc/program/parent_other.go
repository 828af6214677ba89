//go:build unix && !linux

package program

import "syscall"

// endWithParent leaves it to the end of standard input: this system has no signal for that.
func endWithParent(*syscall.SysProcAttr) {}
