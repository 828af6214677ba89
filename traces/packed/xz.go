package packed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
)

// xzReader adds to the decoder of package xz that a file must end with the end of a stream: the
// decoder takes a file that ends after the header of a stream, or within the header of a block, for a whole one.
type xzReader struct {
	plain io.Reader
	from  *lastBytes
}

func newXZ(from *bufio.Reader) (*xzReader, error) {
	if size := xzDictionary(from); size > WindowBytes {
		return nil, fmt.Errorf("it needs a dictionary of %d bytes; at most %d are allowed", size, WindowBytes)
	}
	last := &lastBytes{from: from}
	z, err := xz.NewReader(last)
	return &xzReader{plain: z, from: last}, err
}

// Read decompresses.
func (x *xzReader) Read(b []byte) (int, error) {
	n, err := x.plain.Read(b)
	if err == io.EOF && (x.from.short || string(x.from.last[:]) != "YZ") {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// lastBytes remembers the last two bytes read that no padding of zeros follows: those of a stream's
// end are "YZ".
type lastBytes struct {
	from  *bufio.Reader
	last  [2]byte
	short bool // the decoder has asked for more than there was
}

// Read hands on and remembers.
func (l *lastBytes) Read(b []byte) (int, error) {
	n, err := l.from.Read(b)
	if n > 0 {
		l.short = n < len(b)
	}
	seen := bytes.TrimRight(b[:n], "\x00")
	for _, v := range seen[max(0, len(seen)-len(l.last)):] {
		l.last[0], l.last[1] = l.last[1], v
	}
	return n, err
}

// xzDictionary returns the size of the dictionary that the first block of an xz file asks for, 0
// when there is none. The block's header follows the 12 bytes of the stream's: its length / 4 - 1,
// flags, perhaps two lengths, and filters, of which LZMA2 is number 21 hex with one byte that codes
// the size (xz file format 1.1.0, sections 3.1 and 5.3.1).
func xzDictionary(from *bufio.Reader) uint64 {
	head, _ := from.Peek(12 + 1024)
	if len(head) < 15 || head[12] == 0 {
		return 0
	}
	b := head[14:min(len(head), 12+4*(int(head[12])+1))]
	for lengths := head[13] >> 6; lengths > 0; lengths >>= 1 {
		if lengths&1 == 1 {
			b = b[varint(b):]
		}
	}
	for range head[13]&3 + 1 {
		id := varint(b)
		if id == 1 && len(b) > 2 && b[0] == 0x21 {
			bits := b[2]
			if bits > 40 {
				return 0 // the decoder refuses it
			}
			return (2 | uint64(bits&1)) << (bits/2 + 11)
		}
		if len(b) <= id {
			return 0
		}
		b = b[min(len(b), id+1+int(b[id])):]
	}
	return 0
}

// varint returns the length of a number of seven bits per byte.
func varint(b []byte) int {
	for i, v := range b {
		if v < 0x80 {
			return i + 1
		}
	}
	return len(b)
}
