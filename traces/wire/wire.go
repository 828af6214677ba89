// Package wire reads files of protobuf messages, each behind its length as a varint, as Chakra and gem5 write
// them.
//
// [Reader.Next] returns the next message of a file, and [Fields] passes on its fields. Laws: an error names the file
// and the byte; a message has at most [MostBytes].
package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// MostBytes bounds one message of a file.
const MostBytes = 16 << 20

// Reader takes the messages of a file.
type Reader struct {
	*packed.Entries
	Start int64 // of the latest message
	buf   []byte
}

// Fault returns an error at the latest message.
func (r *Reader) Fault(condition error, problem string) error {
	return r.Entries.Fault(r.Start, condition, problem, "")
}

// Next returns the next message, or io.EOF at the end of the file. It is good until the next one is read. what says
// what it is, for messages.
func (r *Reader) Next(what string) ([]byte, error) {
	r.Start = r.Offset
	var head []byte
	for {
		b, err := r.ReadByte()
		if err == io.EOF && len(head) == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, r.cut(what, err)
		}
		if head = append(head, b); b < 0x80 || len(head) == binary.MaxVarintLen64 {
			break
		}
	}
	length, n := protowire.ConsumeVarint(head)
	if n < 0 || length > MostBytes {
		return nil, r.Fault(traces.ErrIllegal, fmt.Sprintf("%s cannot have the length %d; at most %d bytes are possible", what, length, MostBytes))
	}
	if message, err := r.Peek(int(min(length, uint64(r.Size())))); uint64(len(message)) < length && err != nil {
		return nil, r.cut(what, fmt.Errorf("it has %d of %d bytes: %w", len(message), length, err))
	}
	if uint64(cap(r.buf)) < length {
		r.buf = make([]byte, length)
	}
	r.buf = r.buf[:length]
	if n, err := io.ReadFull(r.Reader, r.buf); err != nil {
		return nil, r.cut(what, fmt.Errorf("it has %d of %d bytes: %w", n, length, err))
	}
	r.Offset += int64(len(head)) + int64(length)
	return r.buf, nil
}

// cut is the error of a file that ends within a message, or that does not decompress.
func (r *Reader) cut(what string, err error) error {
	if problem, condition := packed.Condition(err); r.Compressed || condition == traces.ErrHead {
		return r.Fault(condition, problem)
	}
	return r.Fault(traces.ErrTruncated, fmt.Sprintf("the file ends within %s: %v", what, err))
}

// Fields passes the fields of a message to take: bytes, or a number.
func Fields(message []byte, take func(number protowire.Number, kind protowire.Type, bytes []byte, value uint64) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var bytes []byte
		var value uint64
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			value = uint64(v)
		case protowire.Fixed64Type:
			value, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if err := take(number, kind, bytes, value); err != nil {
			return err
		}
	}
	return nil
}

// Append appends the numbers of a repeated field, which is one number or packed into bytes.
func Append(list []uint64, kind protowire.Type, bytes []byte, value uint64) ([]uint64, error) {
	if kind == protowire.VarintType {
		return append(list, value), nil
	}
	for len(bytes) > 0 {
		v, n := protowire.ConsumeVarint(bytes)
		if n < 0 {
			return list, protowire.ParseError(n)
		}
		list, bytes = append(list, v), bytes[n:]
	}
	return list, nil
}
