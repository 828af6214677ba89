package packed

import (
	"archive/zip"
	"bufio"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

const zipMagic = "PK\x03\x04"

// openZip opens a zip archive; nil is a file that is none.
func openZip(path string, f followed) (*Reader, error) {
	magic := make([]byte, len(zipMagic))
	if n, err := f.ReadAt(magic, 0); err != nil && err != io.EOF {
		return nil, err
	} else if string(magic[:n]) != zipMagic {
		return nil, nil
	}
	info, err := f.file.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		problem, condition := Condition(err)
		return nil, &traces.Error{File: path, Core: -1, Offset: info.Size(), Err: condition, Problem: "zip: " + problem}
	}
	return &Reader{Reader: bufio.NewReaderSize(&members{left: z.File}, bufferBytes)}, nil
}

// members reads the members of an archive one after the other.
type members struct {
	left []*zip.File
	open io.ReadCloser
}

// Read goes on to the next member at the end of one.
func (m *members) Read(b []byte) (int, error) {
	for {
		if m.open == nil {
			if len(m.left) == 0 {
				return 0, io.EOF
			}
			var err error
			if m.open, err = m.left[0].Open(); err != nil {
				return 0, err
			}
			m.left = m.left[1:]
		}
		n, err := m.open.Read(b)
		if err == io.EOF {
			m.open.Close()
			m.open, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}
