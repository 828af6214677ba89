package packets

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/chakra"
	"github.com/carousel-sim/carousel/traces/netrace"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// Head is what a file of packets holds.
type Head struct {
	Name string
	packetlist.Head
	Notes []string // about the file
	Steps bool     // its packets are steps of a program, without recorded times
}

// phits is the length of a packet of some bytes, or of some phits.
func phits(bytes, phits uint32, n noc.Network) int {
	if bytes == 0 {
		return int(phits)
	}
	return noc.PhitsOf(int(bytes), n.Hardware().PhitBits)
}

// recording is an open file of packets. Next gives them in order of Cycle, and then io.EOF; a packet is good
// until the next one is read. head reads what the file holds.
type recording interface {
	head() (Head, error)
	Next() (*packet, error)
	Close() error
}

// open opens a file. passed follows the reading of a list and may be nil.
func (s *Study) open(passed packed.Passed) (recording, error) {
	if s.Collective != nil {
		return s.Collective.open(s)
	}
	if chakra.Is(s.Path) {
		if s.Region > 0 {
			return nil, fmt.Errorf("%s is a Chakra trace, and --region is for netrace files", s.Path)
		}
		return s.openChakra(passed)
	}
	file, err := packed.OpenFor(s.Path, traces.ImportConfig{Passed: passed})
	if err != nil {
		return nil, err
	}
	if magic, _ := file.Peek(len(netrace.Magic)); string(magic) == netrace.Magic {
		file.Close()
		reader, err := netrace.Open(s.Path)
		return &netraceFile{Reader: reader, region: s.Region, name: s.Path}, err
	}
	if first, _ := file.Peek(64); bytes.HasPrefix(bytes.TrimSpace(first), []byte("[")) {
		defer file.Close()
		return s.kernel(file)
	}
	reader, err := packetlist.New(s.Path, file.Reader)
	if err == nil && s.Region > 0 {
		err = fmt.Errorf("%s is a list of packets, and --region is for netrace files", s.Path)
	}
	if err != nil {
		file.Close()
	}
	return &list{file, reader, s.Path}, err
}

// netraceFile makes packets of those of a file of the netrace library, whose requests are class 0, and
// everything else class 1.
type netraceFile struct {
	*netrace.Reader
	region int // to be chosen, from 1
	name   string
	packet packet
}

func (f *netraceFile) head() (Head, error) {
	h := f.Head()
	of := packetlist.Head{Nodes: h.Nodes, Classes: 2, Cycles: h.Cycles, Packets: h.Packets, Bytes: netrace.LongestBytes}
	var notes []string
	switch {
	case f.region > len(h.Regions):
		return Head{}, fmt.Errorf("%s has %d regions, and --region counts from 0", f.name, len(h.Regions))
	case f.region > 0:
		of.Cycles, of.Packets = h.Regions[f.region-1].Cycles, h.Regions[f.region-1].Packets
	case len(h.Regions) > 1:
		notes = []string{fmt.Sprintf("the file has %d regions, and all are replayed; the first is often warm-up (--region)", len(h.Regions))}
	}
	return Head{Name: printable.Name(h.Benchmark), Head: of, Notes: notes}, nil
}

// Next implements recording.
func (f *netraceFile) Next() (*packet, error) {
	if f.region > 0 {
		if err := f.Choose(f.region - 1); err != nil {
			return nil, err
		}
		f.region = 0
	}
	p, err := f.Reader.Next()
	if err != nil {
		return nil, err
	}
	x := &f.packet
	x.Packet = packetlist.Packet{Number: uint64(p.ID), Cycle: p.Cycle, Source: uint32(p.Src), Destinations: append(x.Destinations[:0], uint64(p.Dst)),
		Bytes: uint32(p.Bytes()), Class: 1}
	if p.Request() {
		x.Class = 0
	}
	x.dependants = x.dependants[:0]
	for _, d := range p.Dependants {
		x.dependants = append(x.dependants, uint64(d))
	}
	return x, nil
}

// list is a plain list.
type list struct {
	*packed.Reader
	reader *packetlist.Reader
	name   string
}

func (l *list) head() (Head, error) {
	h, err := packetlist.Survey(l.reader)
	name, _, _ := strings.Cut(filepath.Base(l.name), ".")
	var notes []string
	if !l.reader.Ended() {
		notes = packed.CutNotes(l.name)
	}
	return Head{Name: printable.Name(name), Head: h, Notes: notes}, err
}

// Next implements recording.
func (l *list) Next() (*packet, error) {
	p, err := l.reader.Next()
	if err != nil {
		return nil, err
	}
	return &packet{Packet: *p}, nil
}

// limited ends a recording after some packets.
type limited struct {
	recording
	left uint64
}

// Next implements recording.
func (l *limited) Next() (*packet, error) {
	if l.left == 0 {
		return nil, io.EOF
	}
	l.left--
	return l.recording.Next()
}
