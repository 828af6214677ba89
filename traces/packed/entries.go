package packed

import (
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/traces"
)

// Entries reads a file of binary entries. Its errors name the entry and the byte.
type Entries struct {
	*Reader
	Name   string // of the file, for messages
	Stream traces.Stream
	Core   int   // -1 when no core is concerned
	Bytes  int   // of an entry where all are equally long, else 0
	Offset int64 // of the next entry
}

// OpenEntries opens a file of a core's entries of so many bytes; passed may be nil.
func OpenEntries(path string, core, bytes int, passed Passed) (*Entries, error) {
	from, err := Open(path, passed)
	return &Entries{Reader: from, Name: path, Stream: traces.RecordStream, Core: core, Bytes: bytes}, err
}

// Next returns the next bytes of the file, which Pass goes past. Of a file that ends within them,
// short says what they are, such as "a packet of 21"; hints say how to go on where it is cut off and
// where it does not decompress.
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
	fault := &traces.Error{File: e.Name, Stream: e.Stream, Core: e.Core, Offset: offset, Problem: problem, Hint: hint, Err: condition}
	if e.Bytes > 0 {
		fault.Record = uint64(e.Offset) / uint64(e.Bytes)
	}
	return fault
}
