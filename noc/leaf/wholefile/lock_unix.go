//go:build unix

package wholefile

import (
	"os"
	"syscall"
)

// lock makes the file this process's own; the error syscall.EWOULDBLOCK says that it is another's. The
// lock ends when the file is closed, or the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// Acquire locks a file until release is called or the process ends, however it ends. It returns nil
// and no error when another process holds the lock.
func Acquire(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err = lock(f); err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if err == syscall.EWOULDBLOCK {
		err = nil
	}
	return nil, err
}
