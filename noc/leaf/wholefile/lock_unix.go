//go:build unix

package wholefile

import (
	"os"
	"syscall"
)

// lock reports whether the file is now this process's own. The lock ends when the file is closed, or
// the process.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
