//go:build unix

package sweep

import (
	"os"
	"syscall"
)

// acquire locks a file until release is called or the process ends, however it ends. It returns nil
// and no error when another process holds the lock.
func acquire(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if err == syscall.EWOULDBLOCK {
			return nil, nil
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}
