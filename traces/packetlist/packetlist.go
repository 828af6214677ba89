package packetlist

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

// The columns.
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

// column is what a table may have.
type column struct {
	name        string
	least, most uint64
	list        bool // several numbers, not one
	optional    bool
}

// The largest numbers. Networks have fewer nodes and classes than this; the caller, which knows the
// network, checks that.
const (
	limitNodes = 1 << 16
	limitBytes = 1 << 24
)

var table = [columns]column{
	columnCycle:        {name: "cycle", most: 1 << 62},
	columnSource:       {name: "source", most: limitNodes - 1},
	columnDestinations: {name: "destinations", most: limitNodes - 1, list: true},
	columnPhits:        {name: "phits", least: 1, most: 1<<16 - 1, optional: true},
	columnBytes:        {name: "bytes", least: 1, most: limitBytes, optional: true},
	columnClass:        {name: "class", most: 1<<8 - 1, optional: true},
	columnDependsOn:    {name: "depends_on", least: 1, most: 1<<63 - 1, list: true, optional: true},
}

// names are those of all columns.
func names() (list []string) {
	for _, c := range table {
		list = append(list, c.name)
	}
	return list
}

// Reader makes packets of the rows of a table.
type Reader struct {
	rows    packed.Table
	at      [columns]int // in the row, or -1
	numbers [columns][]uint64
	packet  Packet
}

// New reads the names of a table's columns; name is the file's, for messages. No line is longer than
// the buffer.
func New(name string, from *bufio.Reader) (*Reader, error) {
	r := &Reader{rows: packed.Table{Name: name, From: from}}
	ok, err := r.rows.Next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, r.rows.Fault(traces.ErrNotATrace, "the file has no line that names the columns")
	}
	for c := range r.at {
		r.at[c] = -1
	}
	for at, text := range r.rows.Fields {
		c := slices.Index(names(), string(text))
		if c < 0 || r.at[c] >= 0 {
			return nil, r.fault(traces.ErrNotATrace, fmt.Sprintf("column %.40q is not known, or comes twice; the columns are %s", text, strings.Join(names(), ", ")))
		}
		r.at[c] = at
	}
	r.rows.Width = len(r.rows.Fields)
	for c, k := range table {
		if r.at[c] < 0 && !k.optional {
			return nil, r.fault(traces.ErrNotATrace, fmt.Sprintf("column %q is missing; the columns are %s", k.name, strings.Join(names(), ", ")))
		}
	}
	if (r.at[columnPhits] < 0) == (r.at[columnBytes] < 0) {
		return nil, r.fault(traces.ErrNotATrace, `the length of packets needs one of the columns "phits" and "bytes"`)
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
	for c := range table {
		if problem := r.read(c); problem != "" {
			return nil, r.fault(traces.ErrIllegal, problem)
		}
	}
	p, last := &r.packet, r.packet.Cycle
	p.Number++
	p.Cycle, p.Source = r.numbers[columnCycle][0], uint32(r.numbers[columnSource][0])
	p.Destinations, p.DependsOn = r.numbers[columnDestinations], r.numbers[columnDependsOn]
	p.Phits, p.Bytes, p.Class = uint32(r.optional(columnPhits)), uint32(r.optional(columnBytes)), uint8(r.optional(columnClass))
	if problem := p.check(last); problem != "" {
		return nil, r.fault(traces.ErrIllegal, problem)
	}
	return p, nil
}

// Ended reports whether the list has said that it is complete.
func (r *Reader) Ended() bool { return r.rows.Ended }

// read takes the numbers of a column.
func (r *Reader) read(c int) (problem string) {
	list, k := r.numbers[c][:0], &table[c]
	if r.at[c] >= 0 {
		for word := range bytes.FieldsSeq(r.rows.Fields[r.at[c]]) {
			v, err := strconv.ParseUint(string(bytes.TrimSuffix(word, []byte(".0"))), 0, 64)
			if err != nil {
				return fmt.Sprintf("%s: %.40q is not a whole number", k.name, word)
			}
			list = append(list, v)
		}
		if !k.list && len(list) != 1 {
			return fmt.Sprintf("%s: %d numbers; one is needed", k.name, len(list))
		}
	}
	r.numbers[c] = list
	for _, v := range list {
		if v < k.least || v > k.most {
			return fmt.Sprintf("%s is %d; %d to %d are possible", k.name, v, k.least, k.most)
		}
	}
	return ""
}

// optional is the number of a column that the table may not have.
func (r *Reader) optional(c int) uint64 {
	if r.at[c] < 0 {
		return 0
	}
	return r.numbers[c][0]
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

func (r *Reader) fault(condition error, problem string) error {
	return &traces.Error{File: r.rows.Name, Core: -1, Offset: r.rows.Start, Err: condition, Problem: fmt.Sprintf("line %d: %s", r.rows.Line, problem)}
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
