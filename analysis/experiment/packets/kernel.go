package packets

import (
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/printable"
	"github.com/carousel-sim/carousel/traces/packed"
	"github.com/carousel-sim/carousel/traces/packetlist"
	"github.com/carousel-sim/carousel/traces/ttmetal"
)

// The classes of a kernel's messages: an answer passes requests.
const (
	requests = iota
	answers
)

// kernel turns a recorded kernel of a Tenstorrent chip into a program. Each processor does its events in their order;
// what it did between two of them takes as long as in the recording, but what it waited at a barrier does not.
// Nodes answer at once, and both networks of the chip are one.
func (s *Study) kernel(from *packed.Reader) (*program, error) {
	if s.Region > 0 {
		return nil, fmt.Errorf("%s is a file of NoC events, and --region is for netrace files", s.Path)
	}
	t, err := ttmetal.Parse(s.Path, from)
	if err != nil {
		return nil, err
	}
	p := &program{name: printable.Name(t.Name), phits: s.PacketPhits, classes: answers + 1}
	if t.Ignored > 0 {
		p.notes = []string{fmt.Sprintf("events of the recorder itself, left out: %d", t.Ignored)}
	}
	for i := range t.Processes {
		k := processor{study: s, program: p, from: &t.Processes[i], unit: i + 1, began: map[ttmetal.Kind]uint64{}}
		if err := k.run(); err != nil {
			return nil, fmt.Errorf("%s: processor %s of node %s: %w", s.Path, k.from.Processor, k.from.Node, err)
		}
	}
	return p, nil
}

// processor is one processor of a kernel under way.
type processor struct {
	study   *Study
	program *program
	from    *ttmetal.Process
	unit    int // which the processor computes on
	node    uint64
	now     uint64 // of the recording
	last    uint64 // step
	began   map[ttmetal.Kind]uint64
	// Steps that a barrier waits for: data that were read, and acknowledgements of writes and atomics, and writes
	// on their way.
	reads, writes, atomics, sent []uint64
}

// place returns the node of a place. The chip lies in a corner of the network.
func (k *processor) place(n ttmetal.Node) (uint64, error) {
	columns, rows := ttmetal.Columns, ttmetal.Rows
	if o := &k.study.Network; o.Other == nil && len(o.Grid.Radix) == 2 {
		columns, rows = o.Grid.Radix[0], o.Grid.Radix[1]
	}
	if !n.OnChip() {
		return 0, fmt.Errorf("node %s is not on a chip of %d columns and %d rows", n, ttmetal.Columns, ttmetal.Rows)
	}
	if n.X >= columns || n.Y >= rows {
		return 0, fmt.Errorf("node %s is outside %s; choose a larger topology, such as torus:%dx%d", n, k.study.Network.Topology(), ttmetal.Columns, ttmetal.Rows)
	}
	return uint64(n.X + columns*n.Y), nil
}

// run adds the steps of the processor.
func (k *processor) run() (err error) {
	if k.node, err = k.place(k.from.Node); err != nil {
		return err
	}
	k.pass(k.from.Start)
	for i := range k.from.Events {
		e := &k.from.Events[i]
		switch e.Kind {
		case ttmetal.ReadBarrierStart, ttmetal.WriteBarrierStart:
			k.began[e.Kind+1] = e.Time
		case ttmetal.ReadBarrierEnd:
			k.wait(e, &k.reads)
		case ttmetal.WriteBarrierEnd:
			k.wait(e, &k.writes)
		case ttmetal.WriteFlush:
			k.wait(e, &k.sent)
		case ttmetal.AtomicBarrier:
			k.wait(e, &k.atomics)
		case ttmetal.FullBarrier:
			k.wait(e, &k.reads, &k.writes, &k.atomics)
		default:
			if k.pass(e.Time); e.Kind.Transfer() {
				err = k.transfer(e)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pass lets the time up to one of the recording pass.
func (k *processor) pass(until uint64) {
	if until > k.now {
		k.last = k.program.add(packet{Packet: packetlist.Packet{Source: uint32(k.node), DependsOn: []uint64{k.last}}, work: noc.Cycle(until - k.now), unit: k.unit})
		k.now = until
	}
}

// wait is a barrier: it began when the recording says, or else after the event before.
func (k *processor) wait(e *ttmetal.Event, lists ...*[]uint64) {
	if since, said := k.began[e.Kind]; said {
		k.pass(since)
		delete(k.began, e.Kind)
	}
	after := []uint64{k.last}
	for _, list := range lists {
		after = append(after, *list...)
		*list = nil
	}
	k.now = max(k.now, e.Time)
	k.last = k.program.add(packet{Packet: packetlist.Packet{Source: uint32(k.node), DependsOn: after}})
}

// transfer adds the messages of a transfer: a request and its data, or data and their acknowledgement.
func (k *processor) transfer(e *ttmetal.Event) error {
	ends := []ttmetal.Node{e.Peer}
	if e.Kind == ttmetal.Multicast {
		if !e.Peer.OnChip() || !e.Corner.OnChip() {
			return fmt.Errorf("a multicast goes from %s to %s, which is not on the chip", e.Peer, e.Corner)
		}
		ends = e.Workers(k.from.Node)
	}
	var peers []uint64
	for _, n := range ends {
		at, err := k.place(n)
		if err != nil {
			return err
		}
		peers = append(peers, at)
	}
	if len(peers) == 0 {
		return nil
	}
	message := func(from uint64, to []uint64, bytes uint32, class uint8, after uint64) uint64 {
		return k.program.add(packet{Packet: packetlist.Packet{Source: uint32(from), Destinations: to, Bytes: bytes, Class: class, DependsOn: []uint64{after}}})
	}
	if e.Kind == ttmetal.Read {
		asked := message(k.node, peers, 0, requests, k.last)
		k.reads = append(k.reads, message(peers[0], []uint64{k.node}, e.Bytes, answers, asked))
		return nil
	}
	sent := message(k.node, peers, e.Bytes, requests, k.last)
	k.sent = append(k.sent, sent)
	for _, peer := range peers {
		if e.Posted {
			break
		}
		back := message(peer, []uint64{k.node}, 0, answers, sent)
		if e.Kind == ttmetal.Atomic {
			k.atomics = append(k.atomics, back)
		} else {
			k.writes = append(k.writes, back)
		}
	}
	return nil
}
