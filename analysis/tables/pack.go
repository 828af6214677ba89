package tables

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// Pack returns the tables as the content of one file, a zip archive of Arrow files.
func (r *Rows) Pack() ([]byte, error) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, p := range r.parts(false) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: p.file()}) // not compressed twice
		if err == nil {
			err = p.write(f)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return archive.Bytes(), err
}

// Unpack reads the tables of such a file.
func Unpack(path string) (rows Rows, err error) {
	content, err := wholefile.Read(path, tableBytes)
	if err != nil {
		return Rows{}, err
	}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return Rows{}, fmt.Errorf("%s is damaged: %w", path, err)
	}
	found, err := rows.read(func(p part) (*arrowFile, error) {
		content, err := fs.ReadFile(archive, p.file())
		if err != nil {
			return nil, fmt.Errorf("%s is damaged: %w", path, err)
		}
		return parseArrow(path, content)
	})
	if err == nil && len(found) != len(archive.File) {
		err = fmt.Errorf("%s is damaged: it holds other files than tables", path)
	}
	if err != nil {
		return Rows{}, err
	}
	return rows, nil
}

// read reads the tables that open finds, and returns their files by name.
func (r *Rows) read(open func(part) (*arrowFile, error)) (map[string]*arrowFile, error) {
	found := map[string]*arrowFile{}
	for _, p := range r.parts(true) {
		file, err := open(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = p.read(file)
		}
		if err != nil {
			return nil, err
		}
		if found[p.file()] = file; !file.sealed {
			r.Unsealed++
		}
	}
	return found, nil
}
