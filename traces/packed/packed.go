// Package packed reads files that may be compressed, and recognises the compression.
//
// There is one type, [Reader]. It looks at the first bytes and decompresses gzip, Zstandard, xz and
// bzip2. An archive, tar or zip, must hold one file, compressed or not, or chunks of one as DynamoRIO names them.
// Everything else is read as it is. Names of files play no part.
//
// Laws: what a compressed file decompresses to is what is read; a file that is cut off or damaged
// ends in an error that [Condition] classifies, never in io.EOF. No file makes a decoder take more
// than [WindowBytes] for its window, except that only the first block of an xz file is looked at.
package packed

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/traces"
)

// WindowBytes bounds the window of a decoder: what the strongest settings of the usual compressors
// need.
const WindowBytes = 128 << 20

const bufferBytes = 1 << 16

// form is one way to compress: how a file of it begins, and what reads it.
type form struct {
	name, magic string
	open        func(*bufio.Reader) (plain io.Reader, closed func(), err error)
}

const longestMagic = 6

var forms = []form{
	{"gzip", "\x1F\x8B", func(from *bufio.Reader) (io.Reader, func(), error) {
		z, err := gzip.NewReader(from)
		return z, nil, err
	}},
	{"zstd", "\x28\xB5\x2F\xFD", func(from *bufio.Reader) (io.Reader, func(), error) {
		z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(WindowBytes))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}},
	{"xz", "\xFD7zXZ\x00", func(from *bufio.Reader) (io.Reader, func(), error) {
		z, err := newXZ(from)
		return z, nil, err
	}},
	{"bzip2", "BZh", func(from *bufio.Reader) (io.Reader, func(), error) { return bzip2.NewReader(from), nil, nil }},
}

// Reader gives the plain bytes of a file.
type Reader struct {
	*bufio.Reader
	Compressed bool
	archived   bool // it is the file in an archive
	file       io.Closer
	closed     []func()
	passed     Passed
}

// Passed is called with the number of bytes of a file, as it is stored, that have been read since
// the last call. It is called with 0 for each piece of a compressed file. An error that it returns ends
// the reading; the message may then report a damaged file. It may be nil.
type Passed func(bytes int) error

// followed is a file that tells how much of it is read.
type followed struct {
	file   *os.File
	passed Passed
}

func (f followed) Read(b []byte) (int, error) {
	n, err := f.file.Read(b)
	return f.tell(n, err)
}

// plain is what a file decompresses to. It asks whether to go on, as a small file may become a long one.
type plain struct {
	io.Reader
	passed Passed
}

func (p plain) Read(b []byte) (int, error) {
	if err := p.passed(0); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}

// ReadAt is for archives.
func (f followed) ReadAt(b []byte, offset int64) (int, error) {
	n, err := f.file.ReadAt(b, offset)
	return f.tell(n, err)
}

func (f followed) tell(n int, err error) (int, error) {
	if stop := f.passed(n); stop != nil {
		return n, stop
	}
	return n, err
}

// OpenFor opens a file of an import; of a tar archive it reads the one file. If c.Head is not 0, the
// file ends after so many bytes with traces.ErrHead.
func OpenFor(path string, c traces.ImportConfig) (*Reader, error) {
	r, err := Open(path, c.Passed)
	if err == nil {
		err = r.inside(path)
	}
	if err != nil {
		return nil, err
	}
	if c.Head > 0 {
		r.Reader = bufio.NewReaderSize(&Bounded{r.Reader, c.Head, traces.ErrHead}, bufferBytes)
	}
	return r, nil
}

// Bounded reads Left bytes at most, and then fails.
type Bounded struct {
	From io.Reader
	Left int
	Err  error
}

// Read implements io.Reader.
func (b *Bounded) Read(into []byte) (int, error) {
	if b.Left == 0 {
		return 0, b.Err
	}
	n, err := b.From.Read(into[:min(len(into), b.Left)])
	b.Left -= n
	return n, err
}

// Open opens a file; passed may be nil.
func Open(path string, passed Passed) (*Reader, error) {
	if passed == nil {
		passed = func(int) error { return nil }
	}
	f, err := wholefile.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a folder, and files of this format are needed: name the files in it", path)
	}
	from := followed{f, passed}
	r, err := openZip(path, from)
	if r == nil && err == nil {
		r, err = NewReader(path, from)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// inside looks for an archive, for a compressed file in it, and for the mark of a text.
func (r *Reader) inside(path string) error {
	fault := func(condition error, problem, hint string) error {
		r.Close()
		return &traces.Error{File: path, Core: -1, Offset: 0, Err: condition, Problem: problem, Hint: hint}
	}
	start, err := r.Peek(tarBytes) // once, since a decoder may go on behind an error
	if isTar(start) {
		r.Reader, r.Compressed, r.archived = bufio.NewReaderSize(&tarred{from: tar.NewReader(r.Reader)}, bufferBytes), true, true
		start, err = r.Peek(tarBytes)
	}
	if formOf(start) != nil {
		if !r.archived {
			return fault(traces.ErrNotATrace, "the file is compressed twice", "decompress it once")
		}
		if err := r.unpack(path); err != nil {
			r.Close()
			return err
		}
		start, err = r.Peek(tarBytes)
	}
	if err != nil && err != io.EOF {
		problem, condition := Condition(err)
		return fault(condition, problem, "")
	}
	if mark := textMark(start); mark != "" {
		return fault(traces.ErrNotATrace, "the file begins with "+mark, "save it as plain UTF-8, without the mark")
	}
	return nil
}

// NewReader reads from anything; name is for messages.
func NewReader(name string, from io.Reader) (*Reader, error) {
	r := &Reader{Reader: bufio.NewReaderSize(from, bufferBytes)}
	if file, ok := from.(followed); ok {
		r.passed = file.passed
	}
	return r, r.unpack(name)
}

// formOf finds the form of a file that begins like this.
func formOf(start []byte) *form {
	i := slices.IndexFunc(forms, func(f form) bool { return bytes.HasPrefix(start, []byte(f.magic)) })
	if i < 0 {
		return nil
	}
	return &forms[i]
}

// unpack reads what the file decompresses to, if it is compressed.
func (r *Reader) unpack(name string) error {
	start, err := r.Peek(longestMagic)
	if err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	f := formOf(start)
	if f == nil {
		return nil
	}
	unpacked, closed, err := f.open(r.Reader)
	if err != nil {
		problem, condition := Condition(err)
		return &traces.Error{File: name, Core: -1, Offset: 0, Err: condition, Problem: f.name + ": " + problem}
	}
	if r.passed != nil {
		unpacked = plain{unpacked, r.passed}
	}
	if closed != nil {
		r.closed = append(r.closed, closed)
	}
	r.Reader, r.Compressed = bufio.NewReaderSize(unpacked, bufferBytes), true
	return nil
}

// Close closes the file and frees the decoders.
func (r *Reader) Close() error {
	for _, closed := range r.closed {
		closed()
	}
	if r.file != nil {
		return r.file.Close()
	}
	return nil
}

// Condition returns what an error of reading says about the file, and says it in a sentence.
func Condition(err error) (problem string, condition error) {
	switch {
	case errors.Is(err, traces.ErrHead):
		return err.Error(), traces.ErrHead
	case errors.Is(err, errSeveral):
		return err.Error(), traces.ErrNotATrace
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, zip.ErrFormat) {
		return "the compressed file is cut off", traces.ErrTruncated
	}
	return "the file does not decompress: " + err.Error(), traces.ErrCorrupt
}

// CutNotes returns a note about files of a format that does not mark the end of a file. A file
// that is cut off at the end of a line or record looks complete, unless it is compressed.
func CutNotes(paths ...string) []string {
	var names []string
	for _, path := range paths {
		r, err := Open(path, nil)
		if err != nil {
			continue // the importer says why
		}
		if r.Close(); !r.Compressed {
			names = append(names, filepath.Base(path))
		}
	}
	if names == nil {
		return nil
	}
	return []string{"no end mark: the file may be cut off (" + Few(names) + ")"}
}

// Few lists the first three names, and says how many more there are.
func Few(names []string) string {
	const most = 3
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(names, ", ")
}

// Walk lists the regular files in a folder and in those below it, in the order of their names, but for hidden ones.
func Walk(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			return err
		}
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() { // also behind a link
			files = append(files, at)
		}
		return nil
	})
	return files, err
}

// Entries reads a file of binary entries. Its errors name the entry and the byte.
type Entries struct {
	*Reader
	Name   string // of the file, for messages
	Core   int    // -1 when no core is concerned
	Bytes  int    // of an entry where all are equally long, else 0
	Offset int64  // of the next entry
}

// Lines reads the file as text from where it stands.
func (e *Entries) Lines() Lines { return Lines{From: e.Reader.Reader, Name: e.Name, Core: e.Core} }

// OpenEntries opens a file of a core's entries of so many bytes.
func OpenEntries(path string, core, bytes int, c traces.ImportConfig) (*Entries, error) {
	from, err := OpenFor(path, c)
	return &Entries{Reader: from, Name: path, Core: core, Bytes: bytes}, err
}

// Next returns the next bytes of the file, which Pass goes past. Of a file that ends within them,
// short says what they are, such as "a packet of 21"; hints say how to go on where it is cut off
// and where it does not decompress.
func (e *Entries) Next(n int, short string, hints ...string) ([]byte, error) {
	b, err := e.Peek(n)
	hints = append(hints, "", "")
	switch {
	case err == io.EOF:
		return b, e.Fault(e.Offset, traces.ErrTruncated, fmt.Sprintf("the file ends %d bytes into %s", len(b), short), hints[0])
	case err != nil:
		problem, condition := Condition(err)
		return b, e.Fault(e.Offset, condition, problem, hints[1])
	}
	return b, nil
}

// Pass goes past bytes that Next has returned.
func (e *Entries) Pass(n int) error {
	e.Offset += int64(n)
	_, err := e.Discard(n)
	return err
}

// Ended reports whether nothing follows.
func (e *Entries) Ended() bool {
	b, err := e.Peek(1)
	return len(b) == 0 && err == io.EOF
}

// Fault returns an error at a byte, and at the next entry where all are equally long.
func (e *Entries) Fault(offset int64, condition error, problem, hint string) error {
	fault := &traces.Error{File: e.Name, Core: e.Core, Offset: offset, Problem: problem, Hint: hint, Err: condition}
	if e.Bytes > 0 {
		fault.Stream, fault.Record = traces.RecordStream, uint64(e.Offset)/uint64(e.Bytes)
	}
	return fault
}
