//go:build !unix

package wholefile

import (
	"errors"
	"io/fs"
	"os"
)

// lock reports that the file may be another process's: what killed writers leave stays.
func lock(*os.File) error { return errors.ErrUnsupported }

// Acquire makes a file that no other process can make until release is called. It returns nil and
// no error when the file is there. After a crash it stays and must be removed by hand.
func Acquire(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { f.Close(); os.Remove(path) }, nil
}
