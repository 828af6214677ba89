package packets

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// packet is one packet of a file. It waits for the packets that it depends on, read before it, and those of
// dependants, read after it, wait for it. Numbers of packets that are not in flight are ignored.
type packet struct {
	packetlist.Packet
	dependants []uint64
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
	noc.Packet
	number       uint64
	cycle, ready noc.Cycle
	left         int // deliveries
	dependants   []uint64
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
	err := traffic.Drive(ctx, traffic.Networks{s.network}, s, noc.Never, report)
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
				s.coming = &packet{Packet: packetlist.Packet{Cycle: uint64(noc.Never)}}
			} else if err != nil {
				return 0, err
			}
		}
		if next = noc.Cycle(s.coming.Cycle); next > now {
			return next, nil
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
	x.dependants = append(x.dependants[:0], p.dependants...)
	x.Packet = noc.Packet{Src: noc.NodeID(p.Source), Dst: noc.One(noc.NodeID(p.Destinations[0])), Tag: tag, Class: noc.Class(p.Class),
		Phits: uint16(phits(p.Bytes, p.Phits, s.network))}
	if len(p.Destinations) > 1 {
		x.Dst = noc.NewNodeSet(s.network.Nodes())
		for _, d := range p.Destinations {
			x.Dst.Add(noc.NodeID(d))
		}
	}
	x.number, x.cycle, x.ready, x.left = p.Number, noc.Cycle(p.Cycle), noc.Cycle(p.Cycle), x.Dst.Count()
	for _, d := range p.dependants {
		s.waits[d]++
	}
	for _, before := range p.DependsOn {
		if other, underWay := s.alive[before]; underWay {
			first := s.packets.At(other)
			first.dependants = append(first.dependants, p.Number)
			s.waits[p.Number]++
		}
	}
	s.alive[p.Number] = tag
	s.result.recorded = x.cycle
	if s.waits[p.Number] == 0 {
		s.send(x)
		return nil
	}
	if _, twice := s.held[p.Number]; twice {
		return fmt.Errorf("two packets have number %d, and both wait for others", p.Number)
	}
	s.held[p.Number] = tag
	return nil
}

// send puts a packet into the line of its node.
func (s *stream) send(x *streamed) { s.lines.Push(int(x.Src), int(x.Class), x.Packet) }

// Take implements [traffic.Source]: it records a delivery, and after the last one of a packet sends what
// waited for that.
func (s *stream) Take(_ int, v *noc.Delivery) {
	p, r, cast := s.packets.At(v.Tag), &s.result, traffic.Unicast
	if p.Dst.Count() > 1 {
		cast = traffic.Multicast
	}
	p.left--
	r.Arrive(v, cast, uint64(v.Arrived-p.ready), p.left == 0, p.number)
	r.DeliveredPhits += uint64(p.Phits)
	r.Cycles = v.Arrived
	if p.left > 0 {
		return
	}
	r.GeneratedPackets++
	r.phits += uint64(p.Phits)
	if s.alive[p.number] == v.Tag {
		delete(s.alive, p.number)
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
	p := s.packets.At(tag)
	if at > p.cycle {
		p.ready = at
		s.result.waited++
		s.result.delay += uint64(at - p.cycle)
	}
	s.send(p)
}
