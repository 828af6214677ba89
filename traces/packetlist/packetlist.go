package packetlist

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Packet is one packet. Its slices are good until the next one is read.
type Packet struct {
	Number       uint64 // from 1
	Cycle        uint64
	Source       uint32
	Destinations []uint64
	Phits, Bytes uint32 // one of them; the other is 0
	Class        uint8
	DependsOn    []uint64
}

// Head is what a list holds.
type Head struct {
	Nodes, Classes int // as many as its packets name
	Packets        uint64
	Cycles         uint64 // up to and including that of the last packet
	Phits, Bytes   uint32 // of the longest packet
}

const (
	columnCycle = iota
	columnSource
	columnDestinations
	columnPhits
	columnBytes
	columnClass
	columnDependsOn
	columns
)

// The largest numbers. Networks have fewer nodes and classes than this; the caller, which knows the
// network, checks that.
const (
	limitNodes = 1 << 16
	limitBytes = 1 << 24
)

var table = [columns]packed.Column{
	columnCycle:        {Name: "cycle", Most: 1 << 62},
	columnSource:       {Name: "source", Most: limitNodes - 1},
	columnDestinations: {Name: "destinations", Most: limitNodes - 1},
	columnPhits:        {Name: "phits", Least: 1, Most: 1<<16 - 1, Optional: true},
	columnBytes:        {Name: "bytes", Least: 1, Most: limitBytes, Optional: true},
	columnClass:        {Name: "class", Most: 1<<8 - 1, Optional: true},
	columnDependsOn:    {Name: "depends_on", Least: 1, Most: 1<<63 - 1, Optional: true},
}

// Reader makes packets of the rows of a table.
type Reader struct {
	rows   *packed.Table
	packet Packet
}

// New reads the names of a table's columns; name is the file's, for messages. No line is longer than
// the buffer.
func New(name string, from *bufio.Reader) (*Reader, error) {
	r := &Reader{rows: packed.NewTable(name, from, table[:])}
	if err := r.rows.Names(); err != nil {
		return nil, err
	}
	if r.rows.Has(columnPhits) == r.rows.Has(columnBytes) {
		return nil, r.rows.Fault(traces.ErrNotATrace, `the length of packets needs one of the columns "phits" and "bytes"`)
	}
	return r, nil
}

// Next returns the next packet, and io.EOF at the end.
func (r *Reader) Next() (*Packet, error) {
	ok, err := r.rows.Next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, io.EOF
	}
	last := r.packet.Cycle
	problem := r.read()
	if problem == "" {
		problem = r.packet.check(last)
	}
	if problem != "" {
		return nil, r.rows.Fault(traces.ErrIllegal, problem)
	}
	return &r.packet, nil
}

// Ended reports whether the list has said that it is complete.
func (r *Reader) Ended() bool { return r.rows.Ended }

func (r *Reader) read() string {
	p := &r.packet
	var one [columns]uint64
	var problem string
	for _, c := range []int{columnCycle, columnSource, columnPhits, columnBytes, columnClass} {
		if !r.rows.Has(c) {
			continue
		}
		if one[c], problem = r.rows.Number(c); problem != "" {
			return problem
		}
	}
	p.Number++
	p.Cycle, p.Source, p.Phits, p.Bytes, p.Class = one[columnCycle], uint32(one[columnSource]), uint32(one[columnPhits]), uint32(one[columnBytes]), uint8(one[columnClass])
	if p.Destinations, problem = r.rows.Numbers(columnDestinations, p.Destinations[:0]); problem != "" {
		return problem
	}
	p.DependsOn, problem = r.rows.Numbers(columnDependsOn, p.DependsOn[:0])
	return problem
}

// check tells what is wrong with a packet after one of another cycle.
func (p *Packet) check(last uint64) string {
	if p.Cycle < last {
		return fmt.Sprintf("cycle is %d after %d; rows are in order of cycles", p.Cycle, last)
	}
	if len(p.Destinations) == 0 {
		return "destinations: there is none; at least one is needed"
	}
	if len(p.Destinations) > 1 {
		slices.Sort(p.Destinations)
		for i, d := range p.Destinations[1:] {
			if d == p.Destinations[i] {
				return fmt.Sprintf("destinations: node %d comes twice", d)
			}
		}
	}
	for _, d := range p.DependsOn {
		if d >= p.Number {
			return fmt.Sprintf("depends_on is %d in packet %d; only packets of earlier rows are possible, the first being 1", d, p.Number)
		}
	}
	return ""
}

// Survey reads all packets.
func Survey(r *Reader) (h Head, err error) {
	for {
		p, err := r.Next()
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return h, err
		}
		h.Packets, h.Cycles = p.Number, p.Cycle+1
		h.Classes = max(h.Classes, int(p.Class)+1)
		h.Nodes = max(h.Nodes, int(p.Source)+1, int(slices.Max(p.Destinations))+1)
		h.Phits, h.Bytes = max(h.Phits, p.Phits), max(h.Bytes, p.Bytes)
	}
}
