//go:build !linux

package record

import (
	"fmt"
	"os/exec"
	"runtime"
)

// supported returns an error where programs cannot be recorded.
func supported() error {
	return fmt.Errorf("%w: recording needs Linux, whose programs QEMU runs, and this is %s; record on a Linux host (a container will do) and copy the trace, which can be replayed here",
		ErrMissing, runtime.GOOS)
}

func tie(*exec.Cmd) {}
