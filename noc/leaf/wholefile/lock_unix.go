//go:build unix

package wholefile

import (
	"os"
	"syscall"
)

// lock makes the file this process's own; an error says that it is another's. The lock ends when the
// file is closed, or the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
