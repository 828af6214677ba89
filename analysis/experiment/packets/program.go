package packets

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/traffic/collective"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// program is a recording of steps that begin as soon as those that they depend on have ended: messages and
// computations. Its steps are in memory.
type program struct {
	name    string
	steps   []packet
	next    int
	nodes   int // as many as its steps name
	classes int // of its messages; 0 is 1
	phits   int // of the longest packet of a message
	notes   []string
}

// add adds a step and returns its number. It has Source, Destinations, Bytes, DependsOn and work.
func (p *program) add(step packet) uint64 {
	step.Number, step.DependsOn = uint64(len(p.steps)+1), unique(step.DependsOn)
	p.steps = append(p.steps, step)
	p.nodes = max(p.nodes, int(step.Source)+1)
	for _, d := range step.Destinations {
		p.nodes = max(p.nodes, int(d)+1)
	}
	return step.Number
}

// unique leaves out 0, which is no step, and numbers that come again.
func unique(list []uint64) (kept []uint64) {
	seen := map[uint64]bool{0: true}
	for _, n := range list {
		if !seen[n] {
			seen[n] = true
			kept = append(kept, n)
		}
	}
	return kept
}

// collective adds a collective operation of nodes, each of which begins with its step in begin, 0 for none. It
// returns the step with which each node has ended.
func (p *program) collective(name string, nodes []uint64, bytes uint64, begin []uint64) (ended []uint64, err error) {
	plan, err := collective.Make(name, len(nodes), bytes)
	if err != nil {
		return nil, err
	}
	numbers, last := make([]uint64, len(plan)), make([][]uint64, len(nodes))
	for i := range nodes {
		last[i] = []uint64{begin[i]}
	}
	for k, m := range plan {
		if m.Bytes > math.MaxUint32 {
			return nil, fmt.Errorf("a message of %s has %d bytes; at most %d are possible", name, m.Bytes, uint64(math.MaxUint32))
		}
		step := packet{Packet: packetlist.Packet{Source: uint32(nodes[m.From]), Bytes: uint32(m.Bytes), DependsOn: []uint64{begin[m.From]}}}
		for _, a := range m.After {
			step.DependsOn = append(step.DependsOn, numbers[a])
		}
		for _, to := range m.To {
			step.Destinations = append(step.Destinations, nodes[to])
		}
		numbers[k] = p.add(step)
		for _, member := range append(m.To, m.From) {
			last[member] = append(last[member], numbers[k])
		}
	}
	for i, node := range nodes {
		ended = append(ended, p.add(packet{Packet: packetlist.Packet{Source: uint32(node), DependsOn: last[i]}}))
	}
	return ended, nil
}

// head implements recording.
func (p *program) head() (Head, error) {
	return Head{Name: p.name, Head: packetlist.Head{Nodes: p.nodes, Classes: max(1, p.classes), Packets: uint64(len(p.steps)), Phits: uint32(p.phits)}, Notes: p.notes, Steps: true}, nil
}

// Next implements recording.
func (p *program) Next() (*packet, error) {
	if p.next == len(p.steps) {
		return nil, io.EOF
	}
	p.next++
	return &p.steps[p.next-1], nil
}

// Close implements recording.
func (p *program) Close() error { return nil }

// Collective is one collective operation among nodes.
type Collective struct {
	Name  string // such as all-reduce:ring
	Nodes []noc.NodeID
	Bytes uint64
}

// open makes the program of the operation.
func (c *Collective) open(s *Study) (*program, error) {
	var nodes []uint64
	for _, n := range c.Nodes {
		if slices.Contains(nodes, uint64(n)) {
			return nil, fmt.Errorf("node %d comes twice", n)
		}
		nodes = append(nodes, uint64(n))
	}
	p := &program{name: c.Name, phits: s.PacketPhits}
	_, err := p.collective(c.Name, nodes, c.Bytes, make([]uint64, len(nodes)))
	return p, err
}

// checkLength returns an error if packets have no room for data on a network's links.
func checkLength(phits int, n noc.Network) error {
	if bits := n.Hardware().PhitBits; phits*bits/8 <= headerBytes {
		return fmt.Errorf("packets of %d phits of %d bits have no room for data after their header of %d bytes; choose longer ones with --packet-phits", phits, bits, headerBytes)
	}
	return nil
}
