package cmp

import (
	"encoding/binary"
	"errors"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/traces"
)

// ErrNoToggles and ErrNoValues tell why flipped bits cannot be counted.
var (
	ErrNoToggles = errors.New("the network does not count flipped bits")
	ErrNoValues  = errors.New("the trace does not say what accesses read and wrote")
)

// payload is what messages hold, for networks that count flipped bits.
//
// One image of the memory serves all copies of a block: a protocol lets one core write while nobody
// else has a copy to send, so what a message with data carries is what the block holds when it
// leaves. Stores and atomics write into the image when they become visible. What a load or fetch
// has read tells what was there before: it fills bytes of which nothing is known yet as soon as the
// record is read from the trace, so that the first miss of a block carries it; and when the load
// retires it corrects them, unless a newer store than it has seen has written to the block. That
// lets in what was written behind the trace's back, as by an operating system. Bytes of which no
// record has told yet are 0, and so are the blocks of locks and barriers.
//
// Element 0 of a header is, from bit 0 on:
//
//	32  block
//	 5  kind of the message
//	 3  class
//	 5  flags
//	 9  sender's number among the agents
//	10  tokens or acknowledgements
//
// Upper bits of what is wider are dropped. Element 1 is the network's, which writes the
// destinations there.
type payload struct {
	system *System
	image  image
	cores  []unperformed
	then   func(Performed) // another observer
	words  [coherence.DataPhits]noc.Word
	// sent and known are the bytes that data messages have carried, and those of them that some
	// record has told.
	sent, known uint64
}

// unperformed are the values of a core's records between the trace and their effect, in program
// order. Stores take effect later than loads, but both in order.
type unperformed struct{ stores, others fifo[datum] }

// datum is what an access reads or writes.
type datum struct {
	bytes [coherence.BlockBytes]byte
	size  uint8 // 0: not known
}

// CountToggles lets the network count flipped bits, of messages with what the trace says. It is
// called before Run, and changes no other result.
func (s *System) CountToggles() error {
	counter, ok := s.network.(noc.ToggleCounter)
	if !ok {
		return ErrNoToggles
	}
	p := &payload{system: s, cores: make([]unperformed, len(s.cores)), then: s.observer}
	for i := range s.cores {
		in := &s.cores[i].input
		valued, ok := in.source.(traces.Valued)
		if !ok || !valued.HasValues() {
			return ErrNoValues
		}
		in.valued = valued
	}
	s.payload = p
	s.tell(p.performed)
	return counter.CountToggles(p.content)
}

// loaded takes the value of a record that a core has read from the trace.
func (p *payload) loaded(core int, r *traces.Record, value []byte) {
	switch r.Kind {
	case traces.Store:
		p.cores[core].stores.push(newDatum(value))
		return
	case traces.Load, traces.Atomic:
		p.cores[core].others.push(newDatum(value))
	case traces.Fetch:
	default:
		return
	}
	if r.Kind != traces.Atomic { // whose value is what it writes
		p.image.fill(r.Address, value)
	}
}

func newDatum(value []byte) (d datum) {
	d.size = uint8(copy(d.bytes[:], value))
	return d
}

// performed is a observer of the chip.
func (p *payload) performed(e Performed) {
	c := &p.cores[e.Core]
	switch e.Access.Kind {
	case traces.Store:
		d := c.stores.pop()
		p.image.write(e.Access.Address, d.bytes[:d.size], coherence.Version(e.Version))
	case traces.Atomic:
		d := c.others.pop()
		p.image.write(e.Access.Address, d.bytes[:d.size], coherence.Version(e.Version))
	case traces.Load:
		d := c.others.pop()
		if !e.Forwarded && coherence.Version(e.Version) >= p.image.version(e.Access.Address) {
			p.image.write(e.Access.Address, d.bytes[:d.size], coherence.Version(e.Version))
		}
	}
	if p.then != nil {
		p.then(e)
	}
}

// content returns what the packet of a flight holds.
func (p *payload) content(k noc.Packet) []noc.Word {
	m := &p.system.nic.flights.all[k.Tag].send.Message
	words := p.words[:k.Phits]
	words[0] = noc.Word{uint64(m.Block) | uint64(m.Kind)&0x1f<<32 | uint64(m.Class)&7<<37 | uint64(m.Flags)&0x1f<<40 |
		uint64(p.system.plan.agentIndex(m.From))&0x1ff<<45 | uint64(m.Count)<<54, 0}
	if len(words) > 1 {
		block, known := p.image.block(uint64(m.Block) * coherence.BlockBytes)
		for i := range words[1:] {
			words[1+i] = noc.Word{binary.LittleEndian.Uint64(block[16*i:]), binary.LittleEndian.Uint64(block[16*i+8:])}
		}
		p.sent += coherence.BlockBytes
		p.known += known
	}
	return words
}
