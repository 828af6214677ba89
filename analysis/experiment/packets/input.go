package packets

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/netrace"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// Head is what a file of packets holds.
type Head struct {
	Name string
	packetlist.Head
	Notes []string // about the file
}

// phits is the length of a packet of some bytes, or of some phits.
func phits(bytes, phits uint32, n noc.Network) int {
	if bytes == 0 {
		return int(phits)
	}
	return noc.PhitsOf(int(bytes), n.Hardware().PhitBits)
}

// recording is an open file of packets. Next gives them in order of Cycle, and then io.EOF.
type recording interface {
	Next() (*packet, error)
	Close() error
}

// netraceClasses are those of requests and of everything else.
const netraceClasses = 2

// isNetrace reports whether a file holds packets of the netrace library, else it is a plain list.
func isNetrace(path string) (bool, error) {
	file, err := packed.OpenFor(path, traces.ImportConfig{})
	if err != nil {
		return false, err
	}
	defer file.Close()
	head, _ := file.Peek(len(netrace.Magic))
	return string(head) == netrace.Magic, nil
}

// head reads a file's head, and all of a plain list.
func (s *Study) head(passed packed.Passed) (Head, error) {
	path := s.Path
	is, err := isNetrace(path)
	if err != nil {
		return Head{}, err
	}
	if is {
		file, err := netrace.Open(path)
		if err != nil {
			return Head{}, err
		}
		defer file.Close()
		h := file.Head()
		var notes []string
		if s.Region > 0 {
			if s.Region > len(h.Regions) {
				return Head{}, fmt.Errorf("%s has %d regions, and --region counts from 0", path, len(h.Regions))
			}
			g := h.Regions[s.Region-1]
			h.Cycles, h.Packets = g.Cycles, g.Packets
		} else if len(h.Regions) > 1 {
			notes = []string{fmt.Sprintf("the file has %d regions, and all are replayed; the first is often warm-up (--region)", len(h.Regions))}
		}
		return Head{printable.Name(h.Benchmark), packetlist.Head{Nodes: h.Nodes, Classes: netraceClasses, Cycles: h.Cycles, Packets: h.Packets, Bytes: netrace.LongestBytes}, notes}, nil
	}
	if s.Region > 0 {
		return Head{}, fmt.Errorf("%s is a list of packets, and --region is for netrace files", path)
	}
	l, err := openList(path, nil, passed)
	if err != nil {
		return Head{}, err
	}
	defer l.Close()
	h, err := packetlist.Survey(l.reader)
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	var notes []string
	if !l.reader.Ended() {
		notes = packed.CutNotes(path)
	}
	return Head{printable.Name(name), h, notes}, err
}

// open opens a file for a replay on a network.
func (s *Study) open(n noc.Network) (recording, error) {
	path := s.Path
	is, err := isNetrace(path)
	if err != nil {
		return nil, err
	}
	if is {
		file, err := netrace.Open(path)
		if err == nil && s.Region > 0 {
			if err = file.Choose(s.Region - 1); err != nil {
				file.Close()
			}
		}
		return &netraceFile{file, n}, err
	}
	return openList(path, n, nil)
}

// netraceFile makes packets of a network of those of a file.
type netraceFile struct {
	*netrace.Reader
	network noc.Network
}

// Next implements recording.
func (f *netraceFile) Next() (*packet, error) {
	p, err := f.Reader.Next()
	if err != nil {
		return nil, err
	}
	x := &packet{ID: uint64(p.ID), Cycle: noc.Cycle(p.Cycle), Src: noc.NodeID(p.Src), Dst: noc.One(noc.NodeID(p.Dst)),
		Phits: uint16(phits(uint32(p.Bytes()), 0, f.network)), Class: 1}
	if p.Request() {
		x.Class = 0
	}
	for _, d := range p.Dependants {
		x.Dependants = append(x.Dependants, uint64(d))
	}
	return x, nil
}

// list makes packets of a network from a plain list.
type list struct {
	file    *packed.Reader
	reader  *packetlist.Reader
	network noc.Network
}

// openList opens a list and reads the names of its columns.
func openList(path string, n noc.Network, passed packed.Passed) (*list, error) {
	file, err := packed.OpenFor(path, traces.ImportConfig{Passed: passed})
	if err != nil {
		return nil, err
	}
	l := &list{file: file, network: n}
	if l.reader, err = packetlist.New(path, file.Reader); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// Close closes the file.
func (l *list) Close() error { return l.file.Close() }

// Next implements recording.
func (l *list) Next() (*packet, error) {
	p, err := l.reader.Next()
	if err != nil {
		return nil, err
	}
	x := &packet{ID: p.Number, Cycle: noc.Cycle(p.Cycle), Src: noc.NodeID(p.Source), Dst: noc.One(noc.NodeID(p.Destinations[0])),
		Phits: uint16(phits(p.Bytes, p.Phits, l.network)), Class: noc.Class(p.Class), After: p.DependsOn}
	if len(p.Destinations) > 1 {
		x.Dst = noc.NewNodeSet(l.network.Nodes())
		for _, d := range p.Destinations {
			x.Dst.Add(noc.NodeID(d))
		}
	}
	return x, nil
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
