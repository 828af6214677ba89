package wholefile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openUnnamed opens a file without a name in the folder of a path, which messages show, or returns
// nil where that cannot be done.
func openUnnamed(path string) *os.File {
	number, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(number), path)
	if _, err := os.Stat(unnamedPath(f)); err != nil { // without /proc it would never have a name
		f.Close()
		return nil
	}
	return f
}

// unnamedPath is a path by which this process reaches an open file.
func unnamedPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// link names a file that has no name.
func link(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, unnamedPath(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: f.Name(), New: path, Err: err}
	}
	return nil
}
