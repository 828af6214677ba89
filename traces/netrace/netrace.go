// Package netrace reads packet traces of the netrace library: what caches and memories of a chip
// sent each other, with the packets that could only be sent because others had arrived. They are
// for networks alone; they hold no accesses, so that they cannot become traces of cores.
//
// There are two types: a [Reader] gives the [Packet]s of a file in order. Files are usually
// compressed with bzip2, and may be in any way that package packed reads. The head, little-endian,
// 72 bytes:
//
//	0   4   magic 484A5455 hex
//	4   4   version, the floating-point number 1
//	8   30  name of the benchmark, ended by a zero
//	38  1   nodes
//	39  1   unused
//	40  8   cycles
//	48  8   packets
//	56  4   length of the notes
//	60  4   regions
//	64  8   unused
//	72  n   notes, and then 24 bytes per region: 8 offset of its packets, 8 cycles, 8 packets
//
// A packet, 17 bytes and 4 for each dependant:
//
//	0   8   cycle in which it was sent
//	8   4   number
//	12  4   address
//	16  1   type, see types
//	17  1   source node
//	18  1   destination node
//	19  1   kinds of the two ends, 4 bits each: 0 L1 data cache, 1 L1 instruction cache, 2 L2 cache, 3 memory
//	20  1   dependants: packets that may be sent only after this one has arrived
//	21  4n  their numbers
//
// Facts are from the library's own reader (Hestness, Grot and Keckler, Netrace, 2010), which has
// one more byte than some descriptions of the head.
package netrace

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Magic begins a file. LongestBytes is the length of the longest packet.
const (
	Magic        = "UTJH"
	LongestBytes = 72
)

const (
	headBytes   = 72
	regionBytes = 24
	packetBytes = 21
	limitNotes  = 8192
	limitRegion = 100
)

type kind struct {
	name    string
	bytes   uint16
	request bool
}

// types lists the types in use; all others are none.
var types = [31]kind{
	1: {"ReadReq", 8, true}, 2: {"ReadResp", 72, false}, 3: {"ReadRespWithInvalidate", 72, false},
	4: {"WriteReq", 72, true}, 5: {"WriteResp", 8, false}, 6: {"Writeback", 72, false},
	13: {"UpgradeReq", 8, true}, 14: {"UpgradeResp", 8, false}, 15: {"ReadExReq", 8, true}, 16: {"ReadExResp", 72, false},
	25: {"BadAddressError", 8, false}, 27: {"InvalidateReq", 8, true}, 28: {"InvalidateResp", 8, false},
	29: {"DowngradeReq", 8, true}, 30: {"DowngradeResp", 72, false},
}

// Head is what a file says of itself.
type Head struct {
	Benchmark       string
	Nodes           int
	Cycles, Packets uint64
	Regions         []Region
}

// Region is a part of a file, such as the warm-up or the region of interest.
type Region struct{ Cycles, Packets uint64 }

// Packet is one packet. Dependants is good until the next one is read.
type Packet struct {
	Cycle      uint64
	ID         uint32
	Type       uint8
	Src, Dst   uint8
	Dependants []uint32
}

// Bytes returns the packet's length, Request whether it asks for something.
func (p *Packet) Bytes() int    { return int(types[p.Type].bytes) }
func (p *Packet) Request() bool { return types[p.Type].request }

// String returns the name of the packet's type.
func (p *Packet) String() string { return types[p.Type].name }

// Reader walks a file.
type Reader struct {
	from *packed.Entries
	head Head
	read uint64
	last uint64
	// Packets of a region are those up to end, and their cycles count from base.
	end, base uint64
	chosen    bool
	deps      []uint32
}

// Open opens a file and reads its head.
func Open(path string) (*Reader, error) {
	from, err := packed.OpenEntries(path, -1, 0, traces.ImportConfig{})
	if err != nil {
		return nil, err
	}
	r := &Reader{from: from}
	if err := r.readHead(); err != nil {
		from.Close()
		return nil, err
	}
	return r, nil
}

// Head returns the file's head.
func (r *Reader) Head() Head { return r.head }

// Close closes the file.
func (r *Reader) Close() error { return r.from.Close() }

func (r *Reader) readHead() error {
	b, err := r.next(headBytes, "the head")
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	if string(b[:len(Magic)]) != Magic {
		return r.fault(0, traces.ErrNotATrace, "the first four bytes are not those of a netrace file")
	}
	if v := math.Float32frombits(le.Uint32(b[4:])); v != 1 {
		return r.fault(4, traces.ErrVersion, fmt.Sprintf("version %g, and this program reads 1", v))
	}
	name, _, _ := strings.Cut(string(b[8:38]), "\x00")
	r.head = Head{Benchmark: name, Nodes: int(b[38]), Cycles: le.Uint64(b[40:]), Packets: le.Uint64(b[48:])}
	notes, regions := le.Uint32(b[56:]), le.Uint32(b[60:])
	if r.head.Nodes == 0 || notes >= limitNotes || regions > limitRegion {
		return r.fault(38, traces.ErrIllegal, fmt.Sprintf("%d nodes, %d bytes of notes, %d regions; at least one node, less than %d bytes and at most %d regions are possible",
			r.head.Nodes, notes, regions, limitNotes, limitRegion))
	}
	if _, err = r.next(int(notes), "the notes"); err != nil {
		return err
	}
	if b, err = r.next(int(regions)*regionBytes, "the regions"); err != nil {
		return err
	}
	for ; len(b) > 0; b = b[regionBytes:] {
		r.head.Regions = append(r.head.Regions, Region{Cycles: le.Uint64(b[8:]), Packets: le.Uint64(b[16:])})
	}
	r.end = math.MaxUint64
	return nil
}

// Choose goes to a region, from 0. Only its packets follow, with cycles from its first packet on.
func (r *Reader) Choose(region int) error {
	if region < 0 || region >= len(r.head.Regions) {
		return fmt.Errorf("region %d: %s has %d regions, which count from 0", region, r.from.Name, len(r.head.Regions))
	}
	for i, g := range r.head.Regions[:region+1] {
		r.end = r.read + g.Packets
		for i < region && r.read < r.end {
			if _, err := r.Next(); err == io.EOF {
				return r.fault(r.from.Offset, traces.ErrTruncated, fmt.Sprintf("the file ends in region %d, before region %d", i, region))
			} else if err != nil {
				return err
			}
		}
	}
	r.head.Cycles, r.head.Packets, r.chosen = r.head.Regions[region].Cycles, r.end, true
	return nil
}

// Next returns the next packet, and io.EOF at the end.
func (r *Reader) Next() (*Packet, error) {
	begin := r.from.Offset
	if r.read == r.end {
		return nil, io.EOF
	}
	if r.from.Ended() {
		if r.read < r.head.Packets {
			return nil, r.fault(begin, traces.ErrTruncated, fmt.Sprintf("the file ends after %d of %d packets", r.read, r.head.Packets))
		}
		return nil, io.EOF
	}
	b, err := r.next(packetBytes, "a packet")
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	p := &Packet{Cycle: le.Uint64(b), ID: le.Uint32(b[8:]), Type: b[16], Src: b[17], Dst: b[18]}
	dependants := int(b[20])
	problem := ""
	switch {
	case int(p.Type) >= len(types) || types[p.Type].bytes == 0:
		problem = fmt.Sprintf("a packet of type %d, which is none", p.Type)
	case int(p.Src) >= r.head.Nodes || int(p.Dst) >= r.head.Nodes:
		problem = fmt.Sprintf("a packet from node %d to node %d of %d", p.Src, p.Dst, r.head.Nodes)
	case p.Cycle < r.last:
		problem = fmt.Sprintf("a packet of cycle %d after one of cycle %d; they are in order of cycles", p.Cycle, r.last)
	case p.Cycle > 1<<62:
		problem = fmt.Sprintf("a packet of cycle %d", p.Cycle)
	}
	if problem != "" {
		return nil, r.fault(begin, traces.ErrIllegal, problem)
	}
	if b, err = r.next(4*dependants, "its dependants"); err != nil {
		return nil, err
	}
	r.deps = r.deps[:0]
	for ; len(b) > 0; b = b[4:] {
		r.deps = append(r.deps, le.Uint32(b))
	}
	p.Dependants = r.deps
	r.last = p.Cycle
	r.read++
	if r.chosen {
		r.chosen, r.base = false, p.Cycle
	}
	p.Cycle -= r.base
	return p, nil
}

func (r *Reader) next(n int, what string) ([]byte, error) {
	b, err := r.from.Next(n, fmt.Sprintf("%s of %d", what, n))
	if err != nil {
		return nil, err
	}
	return b, r.from.Pass(n)
}

func (r *Reader) fault(offset int64, condition error, problem string) error {
	return r.from.Fault(offset, condition, problem, "")
}
