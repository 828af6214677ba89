package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeWhole writes a file so that it appears complete or not at all.
func writeWhole(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		var detail *fs.PathError
		if errors.As(err, &detail) { // the temporary name would only confuse
			err = detail.Err
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	err = write(f)
	if chmod := f.Chmod(0o644); err == nil {
		err = chmod
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeBytes writes a file of the given content, complete or not at all.
func writeBytes(path string, content []byte) error {
	return writeWhole(path, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
}
