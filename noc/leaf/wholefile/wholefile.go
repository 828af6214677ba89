// Package wholefile writes files that appear complete or not at all: a file is written beside its
// place, forced to the disk, and only then named. A program that is killed, or a disk that is full,
// leaves the file that was there before.
//
// On Linux a file has no name until it is complete, where the file system can do that (O_TMPFILE):
// nothing is left of it when the program is killed. Elsewhere it has a temporary name that begins
// with ".carousel-". A killed program may leave such a file, and no program removes a file that it
// has not made itself: nothing tells the file of a killed writer from one of the user.
//
// There is one type, a [File]. [Write] and [WriteBytes] do all of it for content in memory. A
// file can name its own checksum ([Seal]), which shows later damage.
//
// The package imports nothing of the module, so every package may use it.
package wholefile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// File is a file on its way to its name. It is written like any other; Commit or Abort ends it.
type File struct {
	*os.File
	path    string
	mode    fs.FileMode
	unnamed bool // the file has no name yet
	sealed  bool
	ended   bool
}

// Create begins a file. What has that name already stays until Commit, which keeps its mode.
func Create(path string) (*File, error) {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if f := openUnnamed(path); f != nil {
		return &File{File: f, path: path, mode: mode, unnamed: true}, nil
	}
	return createNamed(path, mode)
}

// temporary is what temporary names begin with.
const temporary = ".carousel-"

// createNamed begins a file with a temporary name.
func createNamed(path string, mode fs.FileMode) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
	if err != nil {
		return nil, named(err, path)
	}
	return &File{File: f, path: path, mode: mode}, nil
}

// Reopen opens a sealed file once more, to read it before it has its name.
func (f *File) Reopen() (*os.File, error) {
	if f.unnamed {
		return os.Open(unnamedPath(f.File))
	}
	return os.Open(f.Name())
}

// Seal ends the writing: the content is complete and on the disk, but still without its name. The
// file stays open where open files can be renamed.
func (f *File) Seal() error {
	if f.sealed {
		return nil
	}
	f.sealed = true
	err := f.Chmod(f.mode) // a temporary file is for its owner only
	if err == nil {
		err = f.Sync()
	}
	if runtime.GOOS == "windows" {
		err = errors.Join(err, f.Close())
	}
	return named(err, f.path)
}

// Place seals the file if that has not been done, and gives it its name. After an error nothing of
// it is left. To place many files in one folder, call SyncFolder once after the last; Commit is for
// a single file.
func (f *File) Place() error {
	err := f.Seal()
	if err == nil {
		err = named(f.rename(), f.path)
	}
	if err != nil {
		f.Abort()
		return err
	}
	f.ended = true
	f.Close() // after Seal nothing can be lost
	return nil
}

// rename gives the file its name.
func (f *File) rename() error {
	if !f.unnamed {
		return os.Rename(f.Name(), f.path)
	}
	err := link(f.File, f.path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// No system call names a file in place of another one.
	for {
		name := filepath.Join(filepath.Dir(f.path), fmt.Sprint(temporary, rand.Uint32()))
		switch err := link(f.File, name); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return err
		}
		if err := os.Rename(name, f.path); err != nil {
			os.Remove(name)
			return err
		}
		return nil
	}
}

// Commit places the file and makes its name durable.
func (f *File) Commit() error {
	if err := f.Place(); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(f.path))
}

// Abort removes what has been written. It does nothing after Commit or Place.
func (f *File) Abort() {
	if f.ended {
		return
	}
	f.ended = true
	if runtime.GOOS == "windows" {
		f.Close() // before it can be removed
	}
	if !f.unnamed {
		os.Remove(f.Name())
	}
	f.Close() // and with it a file without a name
}

// Write writes a file whose content a function provides.
func Write(path string, content func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := content(f); errors.As(err, new(*fs.PathError)) {
		return named(err, path)
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Commit()
}

// WriteBytes writes a file of the given content.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
}

// ErrNoFile is wrapped by the error about what is no regular file.
var ErrNoFile = errors.New("only regular files can be read, not pipes or devices; write it to a file first")

// Open opens a regular file. A pipe without a writer would block the program forever, and a device
// such as /dev/zero never ends; both are refused, and so is "-" for standard input. A folder can be
// opened, as with os.Open.
func Open(path string) (*os.File, error) {
	if err := Check(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Check returns an error if Open refuses a path for what is there.
func Check(path string) error {
	info, err := os.Stat(path)
	if path == "-" && errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: path, Err: ErrNoFile}
	}
	return nil
}

// TextBytes bounds files that people write, such as configurations, plans and graphs.
const TextBytes = 16 << 20

// Read returns the content of a regular file of at most limit bytes. A larger one is refused before
// it fills the memory.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	info, err := f.Stat()
	if err == nil && info.Size() <= limit {
		content.Grow(int(info.Size()) + bytes.MinRead)
		_, err = content.ReadFrom(io.LimitReader(f, limit+1)) // some files have no size
	}
	if err == nil && max(info.Size(), int64(content.Len())) > limit {
		err = fmt.Errorf("%s: the file is longer than %d MiB, the most that such a file may have", path, limit>>20)
	}
	return content.Bytes(), err
}

// Digest returns the SHA-256 of a file, in hexadecimal digits. It ends early when ctx is done.
func Digest(ctx context.Context, path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	for n := int64(1); n > 0 && err == nil; {
		if n, err = io.CopyN(h, f, 1<<20); err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		err = errors.Join(err, ctx.Err())
	}
	return "", err
}

// Probe returns an error if a file of that name could not be created. It leaves nothing behind.
func Probe(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}

// SyncFolder makes the names in a folder durable. Where a file system or platform cannot do this,
// that is no error.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be opened for it
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// named puts the file's own name into an error: the user does not know the temporary one.
func named(err error, path string) error {
	var open *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &open):
		return &fs.PathError{Op: open.Op, Path: path, Err: open.Err}
	case errors.As(err, &rename):
		return &fs.PathError{Op: rename.Op, Path: path, Err: rename.Err}
	}
	return err
}
