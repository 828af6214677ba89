// Package netracetest makes small packet traces for tests, written as package netrace documents the
// format; they are no recordings.
package netracetest

import (
	"encoding/binary"
	"math"
)

// Pairs returns a file of requests of 8 bytes and of the answers of 72 bytes that wait for them,
// four pairs per cycle.
func Pairs(nodes byte, pairs int) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0x484A5455)
	b = le.AppendUint32(b, math.Float32bits(1))
	b = append(b, append([]byte("pairs"), make([]byte, 25)...)...)
	b = append(b, nodes, 0)
	b = le.AppendUint64(b, uint64(pairs))
	b = le.AppendUint64(b, 2*uint64(pairs))
	b = append(b, make([]byte, 16)...)
	for i := range pairs {
		src, dst := byte(i*7)%nodes, byte(i*11+5)%nodes
		b = le.AppendUint64(b, uint64(i/4))
		b = le.AppendUint32(b, uint32(2*i))
		b = append(b, 0, 0, 0, 0, 1, src, dst, 0x02, 1)
		b = le.AppendUint32(b, uint32(2*i+1))
		b = le.AppendUint64(b, uint64(i/4))
		b = le.AppendUint32(b, uint32(2*i+1))
		b = append(b, 0, 0, 0, 0, 2, dst, src, 0x20, 0)
	}
	return b
}
