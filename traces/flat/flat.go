// Package flat reads and writes traces as a stream of fixed records of 32 bytes, for tools that
// write binary data.
//
// All numbers are little-endian. The head, 32 bytes:
//
//	0   8   magic C7 43 52 53 42 0D 0A 1A: as that of the native format, with a B for L
//	8   2   version, 1
//	10  2   flags: 1 the records have virtual addresses, 2 they have physical ones, 4 every core has an address
//	        space of its own
//	12  4   cores
//	16  16  zero
//
// Records of all cores follow, those of a core in its order:
//
//	0   2   core
//	2   1   kind: 0 load, 1 store, 2 atomic, 3 fetch, 4 fence, 5 lock, 6 unlock, 7 barrier, 8 create, 9 join,
//	        10 end; 255 edge
//	3   1   log2 of the bytes accessed, 0 to 6; an access stays within a line of 64 bytes
//	4   4   gap: instructions since the core's previous record, its own included
//	8   8   virtual address; of lock, unlock, barrier, create and join the number of the object or core; of an
//	        edge the position, from 0, in the producer's records, edges not counted
//	16  8   physical address
//	24  2   dependence: distance in accesses of the core back to the load that made this address, 0 for none
//	26  2   of a barrier, how many cores meet; of an edge, the producer
//	28  4   zero
//
// An edge says that the next record of its core waits for a record of another core. Every core ends
// with an end. Where there are virtual addresses only, pages get frames in order of first touch;
// where there are both, a pair of address 0 and a physical one says nothing about pages. Fields
// that a kind has no use for are zero.
//
// There are two functions: [Import] and [Export]. What Export writes, Import reads back record by
// record; the metadata, pages that no record touches and the page at address 0 are lost.
package flat

import (
	"encoding/binary"

	"github.com/carousel-sim/carousel/traces"
)

// Version names the importer in the files that it writes; it goes up when its output changes.
const Version = "binary 1"

const (
	magic       = "\xC7CRSB\r\n\x1a"
	version     = 1
	headBytes   = 32
	recordBytes = 32

	flagVirtual  = 1
	flagPhysical = 2
	flagSeparate = 4
	flagValues   = 8 // refused: accesses are followed by what they read or wrote, as earlier programs exported it

	kindEdge = 255
)

// row is one record or edge as it stands in the file.
type row struct {
	virtual, physical uint64
	gap, zero         uint32
	core              uint16
	dependence, count uint16
	kind, size        uint8
}

func decode(b []byte) row {
	le := binary.LittleEndian
	return row{core: le.Uint16(b), kind: b[2], size: b[3], gap: le.Uint32(b[4:]), virtual: le.Uint64(b[8:]), physical: le.Uint64(b[16:]),
		dependence: le.Uint16(b[24:]), count: le.Uint16(b[26:]), zero: le.Uint32(b[28:])}
}

func (r *row) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, r.core)
	b = append(b, r.kind, r.size)
	b = le.AppendUint32(b, r.gap)
	b = le.AppendUint64(b, r.virtual)
	b = le.AppendUint64(b, r.physical)
	b = le.AppendUint16(b, r.dependence)
	b = le.AppendUint16(b, r.count)
	return le.AppendUint32(b, r.zero)
}

// head is what the first bytes say.
type head struct{ cores, flags int }

func appendHead(b []byte, h head) []byte {
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.flags))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.cores))
	return append(b, make([]byte, headBytes-len(magic)-8)...)
}

// Sniff reports whether a file that begins like this, decompressed, is of this format.
func Sniff(b []byte) bool { return len(b) >= len(magic) && string(b[:len(magic)]) == magic }

// needless returns which field of a row its kind has no use for.
func (r *row) needless() string {
	k := traces.Kind(r.kind)
	edge := r.kind == kindEdge
	switch {
	case r.zero != 0:
		return "the last four bytes"
	case r.count != 0 && !edge && k != traces.Barrier:
		return "the count"
	case r.physical != 0 && !k.IsAccess():
		return "the physical address"
	case r.gap != 0 && edge:
		return "the gap"
	case r.virtual != 0 && (k == traces.Fence || k == traces.End):
		return "the address"
	}
	return ""
}
