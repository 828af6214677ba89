package packed

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/carousel-sim/carousel/traces"
)

const unpackHint = "unpack it and name the files"

// errSeveral is the error of an archive with several files.
var errSeveral = errors.New("a tar archive with several files; " + unpackHint)

// several lists the files of a zip archive, up to three. Chunks of one file count once.
func several(members []*zip.File) (names []string) {
	chunks := false
	for _, m := range members {
		chunk := strings.HasPrefix(path.Base(m.Name), "chunk.")
		if strings.HasSuffix(m.Name, "/") || chunk && chunks || len(names) == 3 {
			continue
		}
		chunks = chunks || chunk
		names = append(names, fmt.Sprintf("%.60q", m.Name))
	}
	return names
}

// tarBytes is the length of the head of a tar archive's member.
const tarBytes = 512

func isTar(start []byte) bool { return len(start) == tarBytes && string(start[257:262]) == "ustar" }

// Tar reports whether a tar archive follows.
func (r *Reader) Tar() bool {
	start, _ := r.Peek(tarBytes)
	return isTar(start)
}

// tarred reads the one file of a tar archive.
type tarred struct {
	from *tar.Reader
	open bool
	more bool // a second file has been found
}

// Read reads the first file, and fails where a second one follows.
func (t *tarred) Read(b []byte) (int, error) {
	if t.more {
		return 0, errSeveral
	}
	if t.open {
		if n, err := t.from.Read(b); err != io.EOF {
			return n, err
		} else if n > 0 {
			return n, nil
		}
	}
	for {
		head, err := t.from.Next()
		if err != nil {
			return 0, err
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		if t.more = t.open; t.more {
			return 0, errSeveral
		}
		t.open = true
		return t.Read(b)
	}
}

// textMark names the byte-order mark that a text begins with, or returns "".
func textMark(b []byte) string {
	printable := func(b []byte) bool {
		return len(b) > 0 && !bytes.ContainsFunc(b, func(c rune) bool { return c != '\n' && c != '\r' && c != '\t' && (c < ' ' || c > '~') })
	}
	if rest, found := bytes.CutPrefix(b, []byte("\xEF\xBB\xBF")); found && printable(rest[:min(8, len(rest))]) {
		return "a byte-order mark"
	}
	if len(b) > 7 && (string(b[:2]) == "\xFF\xFE" && printable([]byte{b[2], b[4], b[6]}) && b[3] == 0 && b[5] == 0 ||
		string(b[:2]) == "\xFE\xFF" && printable([]byte{b[3], b[5], b[7]}) && b[2] == 0 && b[4] == 0) {
		return "a byte-order mark of UTF-16"
	}
	return ""
}

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
	switch names := several(z.File); {
	case len(names) == 0:
		return nil, &traces.Error{File: path, Core: -1, Offset: info.Size(), Err: traces.ErrCorrupt, Problem: "a zip archive that lists no files"}
	case len(names) > 1:
		return nil, &traces.Error{File: path, Core: -1, Offset: 0, Err: traces.ErrNotATrace, Problem: "a zip archive with several files, " + strings.Join(names, ", "), Hint: unpackHint}
	}
	return &Reader{Reader: bufio.NewReaderSize(plain{&members{left: z.File}, f.passed}, bufferBytes), Compressed: true, archived: true, passed: f.passed}, nil
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
			if m.open, err = m.left[0].Open(); err == io.EOF { // its head would be behind the end of the archive
				return 0, io.ErrUnexpectedEOF
			} else if err != nil {
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
