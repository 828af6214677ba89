package initramfs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// WriteTo writes the archive. It implements io.WriterTo.
func (m *Image) WriteTo(w io.Writer) (int64, error) {
	a := &archive{to: bufio.NewWriterSize(w, 1<<16)}
	for i, at := range m.paths() {
		if err := a.entry(uint32(i+1), strings.TrimPrefix(at, "/"), m.entries[at]); err != nil {
			return a.written, err
		}
	}
	if err := a.entry(0, "TRAILER!!!", entry{}); err != nil {
		return a.written, err
	}
	return a.written, a.to.Flush()
}

// archive is one being written.
type archive struct {
	to      *bufio.Writer
	written int64
}

func (a *archive) write(b []byte) error {
	n, err := a.to.Write(b)
	a.written += int64(n)
	return err
}

// pad fills up to a multiple of 4 bytes.
func (a *archive) pad() error { return a.write(make([]byte, -a.written&3)) }

// entry writes a header of 110 hexadecimal digits, the name and the content.
func (a *archive) entry(number uint32, name string, e entry) error {
	links := uint32(1)
	if e.mode&kindFolder == kindFolder {
		links = 2
	}
	header := "070701"
	for _, field := range []uint32{number, e.mode, e.user, e.group, links, 0 /* time */, uint32(e.size), 0, 0, e.major, e.minor,
		uint32(len(name) + 1), 0 /* checksum */} {
		header += fmt.Sprintf("%08X", field)
	}
	if err := a.write([]byte(header + name + "\x00")); err != nil {
		return err
	}
	if err := a.pad(); err != nil {
		return err
	}
	if err := a.content(e); err != nil {
		return err
	}
	return a.pad()
}

func (a *archive) content(e entry) error {
	if e.host == "" {
		return a.write(e.content)
	}
	f, err := os.Open(e.host)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(a.to, io.LimitReader(f, e.size))
	a.written += n
	if err == nil && n != e.size {
		err = fmt.Errorf("%s was truncated while it was read: %d of %d bytes", e.host, n, e.size)
	}
	return err
}
