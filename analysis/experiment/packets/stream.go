package packets

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// packet is one packet of a file.
type packet struct {
	ID    uint64
	Cycle noc.Cycle // in which it was sent in the recorded run
	Src   noc.NodeID
	Dst   noc.NodeSet
	Phits uint16
	Class noc.Class
	// After are packets, read before this one, that must have arrived before it is sent; Dependants
	// are packets, read after this one, that wait for it. Either says the same from one side.
	// Numbers of packets that are not in flight are ignored. Both are read while the packet is
	// taken.
	After, Dependants []uint64
}

// limitPackets bounds the packets under way or waiting, and so the memory of a replay.
const limitPackets = 1 << 22

// stream is a replay of packets under way.
type stream struct {
	network noc.Network
	rules   string // of its routers
	from    recording
	coming  *packet
	lines   queue.Lines[noc.Packet] // that the network has not taken, by node
	packets traffic.Tags[streamed]
	waits   map[uint64]int     // by number: how many that it waits for are under way
	held    map[uint64]noc.Tag // packets read that wait for others
	alive   map[uint64]noc.Tag // packets that have been read and have not arrived
	result  replayed
}

// streamed is a packet under way.
type streamed struct {
	packet
	ready      noc.Cycle
	left       int // deliveries
	dependants []uint64
}

// replayed is what a replay of packets has done so far.
type replayed struct {
	// Window is from cycle 0 to the last arrival. It counts packets that have arrived everywhere, and
	// latencies from when a packet could be sent.
	traffic.Window
	phits uint64 // of these packets, each copy once
	// waited counts packets that were sent later than in the recorded run because others arrived
	// later, and delay by how many cycles together.
	waited, delay uint64
	recorded      noc.Cycle // in which the last packet was sent in the recorded run
}

// rate is that of phits over so many cycles, per node and cycle.
func rate(phits uint64, cycles noc.Cycle, nodes int) float64 {
	return float64(phits) / float64(max(cycles, 1)) / float64(nodes)
}

// newStream prepares a replay on a fresh network with that many message classes.
func newStream(network noc.Network, from recording, classes int, rules string) *stream {
	return &stream{network: network, rules: rules, from: from, lines: queue.NewLines[noc.Packet](network.Nodes(), noc.MaxClasses),
		waits: map[uint64]int{}, held: map[uint64]noc.Tag{}, alive: map[uint64]noc.Tag{},
		result: replayed{Window: traffic.Window{Latencies: make(traffic.Latencies, classes)}}}
}

// run sends the packets of a recorded run through the network: each in the cycle in which it was sent then,
// or when all packets that it waits for have arrived, whichever is later. It calls report now and then.
func (s *stream) run(ctx context.Context, report func()) (*replayed, error) {
	err := traffic.Drive(ctx, sidebyside.Networks{s.network}, s, noc.Never, report)
	r, nodes := &s.result, s.network.Nodes()
	r.InjectedPackets, r.PhitHops = r.GeneratedPackets, s.network.Totals().PhitHops
	r.Generated, r.Delivered = rate(r.phits, r.Cycles, nodes), rate(r.DeliveredPhits, r.Cycles, nodes)
	r.Accepted = r.Generated
	return r, err
}

// Serve implements [traffic.Source].
func (s *stream) Serve(now noc.Cycle) (next noc.Cycle, done bool, err error) {
	if next, err = s.read(now); err != nil {
		return 0, false, err
	}
	s.lines.Offer(func(_ int, p noc.Packet) bool { return s.network.Offer(p) })
	done = next == noc.Never && s.network.InFlight() == 0
	if done && len(s.held) > 0 {
		err = fmt.Errorf("%d packets wait for packets that come after them", len(s.held))
	}
	return next, done, err
}

// Stalled implements [traffic.Source].
func (s *stream) Stalled() error { return traffic.Standstill(s.network, s.rules) }

// read takes the packets that were sent by now, and returns when the next one was.
func (s *stream) read(now noc.Cycle) (next noc.Cycle, err error) {
	for {
		if s.coming == nil {
			if s.coming, err = s.from.Next(); errors.Is(err, io.EOF) {
				s.coming = &packet{Cycle: noc.Never}
			} else if err != nil {
				return 0, err
			}
		}
		if s.coming.Cycle > now {
			return s.coming.Cycle, nil
		}
		if err := s.take(s.coming); err != nil {
			return 0, err
		}
		s.coming = nil
	}
}

// take makes a packet wait, or sends it.
func (s *stream) take(p *packet) error {
	if s.packets.Len() == limitPackets {
		return fmt.Errorf("%d packets are in flight or waiting in cycle %d, more than a replay can hold; spread the packets of the file over more cycles, or use a faster network",
			limitPackets, s.network.Now())
	}
	tag, x := s.packets.New()
	x.dependants = append(x.dependants[:0], p.Dependants...)
	x.packet, x.ready, x.left = *p, p.Cycle, p.Dst.Count()
	for _, d := range p.Dependants {
		s.waits[d]++
	}
	for _, before := range p.After {
		if other, underWay := s.alive[before]; underWay {
			first := s.packets.At(other)
			first.dependants = append(first.dependants, p.ID)
			s.waits[p.ID]++
		}
	}
	s.alive[p.ID] = tag
	s.result.recorded = p.Cycle
	if s.waits[p.ID] == 0 {
		s.send(tag)
		return nil
	}
	if _, twice := s.held[p.ID]; twice {
		return fmt.Errorf("two packets have number %d, and both wait for others", p.ID)
	}
	s.held[p.ID] = tag
	return nil
}

// send puts a packet into the line of its node.
func (s *stream) send(tag noc.Tag) {
	p := s.packets.At(tag)
	s.lines.Push(int(p.Src), int(p.Class), noc.Packet{Src: p.Src, Dst: p.Dst, Tag: tag, Phits: p.Phits, Class: p.Class})
}

// Take implements [traffic.Source]: it records a delivery, and after the last one of a packet sends what
// waited for that.
func (s *stream) Take(_ int, v *noc.Delivery) {
	p, r, cast := s.packets.At(v.Tag), &s.result, traffic.Unicast
	if p.Dst.Count() > 1 {
		cast = traffic.Multicast
	}
	p.left--
	r.Arrive(v, cast, uint64(v.Arrived-p.ready), p.left == 0, p.ID)
	r.DeliveredPhits += uint64(p.Phits)
	r.Cycles = v.Arrived
	if p.left > 0 {
		return
	}
	r.GeneratedPackets++
	r.phits += uint64(p.Phits)
	if s.alive[p.ID] == v.Tag {
		delete(s.alive, p.ID)
	}
	for _, d := range p.dependants {
		s.arrived(d, v.Arrived)
	}
	s.packets.Free(v.Tag)
}

// arrived notes that one of the packets that a packet waits for has arrived, and sends it after the
// last of them.
func (s *stream) arrived(number uint64, at noc.Cycle) {
	if s.waits[number]--; s.waits[number] > 0 {
		return
	}
	delete(s.waits, number)
	tag, read := s.held[number]
	if !read {
		return
	}
	delete(s.held, number)
	if p := s.packets.At(tag); at > p.Cycle {
		p.ready = at
		s.result.waited++
		s.result.delay += uint64(at - p.Cycle)
	}
	s.send(tag)
}
