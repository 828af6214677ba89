package closedloop

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/sidebyside"
	"github.com/carousel-sim/carousel/noc/traffic"
)

// Packet is one packet of a stream.
type Packet struct {
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

// Source gives packets in order of Cycle, and then io.EOF.
type Source interface {
	Next() (*Packet, error)
}

// limitPackets bounds the packets under way or waiting, and so the memory of a stream.
const limitPackets = 1 << 22

// stream is a replay of packets under way.
type stream struct {
	carrier
	from    Source
	coming  *Packet
	packets []streamed           // by tag
	free    []noc.Tag            // tags of no packet
	waits   map[uint64]int       // by number: how many that it waits for are under way
	held    map[uint64]noc.Tag   // packets read that wait for others
	alive   map[uint64]noc.Tag   // packets that have been read and have not arrived
	tell    func(done *Replayed) // of progress
	result  Replayed
}

// streamed is a packet under way.
type streamed struct {
	Packet
	ready      noc.Cycle
	left       int // deliveries
	dependants []uint64
}

// Replayed is what a replay of packets has done so far.
type Replayed struct {
	// Window is from cycle 0 to the last arrival. It counts packets that have arrived everywhere, and
	// latencies from when a packet could be sent. All hops are counted as those of unicasts.
	traffic.Window
	Phits uint64 // of these packets, each copy once
	// Waited counts packets that were sent later than in the recorded run because others arrived
	// later, and Delay by how many cycles together.
	Waited, Delay uint64
	Recorded      noc.Cycle // in which the last packet was sent in the recorded run
}

// Rate is that of phits over so many cycles, per node and cycle.
func Rate(phits uint64, cycles noc.Cycle, nodes int) float64 {
	return float64(phits) / float64(max(cycles, 1)) / float64(nodes)
}

// RunPackets sends the packets of a recorded run through a network: each in the cycle in which it
// was sent then, or when all packets that it waits for have arrived, whichever is later. Now and
// then it reports how far it is. The network is fresh and has that many message classes.
func RunPackets(ctx context.Context, network noc.Network, from Source, classes int, stallLimit noc.Cycle, tell func(*Replayed)) (Replayed, error) {
	s, err := newStream(network, from, classes, stallLimit, tell)
	if err != nil {
		return Replayed{}, err
	}
	err = s.replay(ctx)
	r := &s.result
	r.InjectedPackets, r.PhitHops = r.GeneratedPackets, network.Totals().PhitHops
	r.Generated, r.Delivered = Rate(r.Phits, r.Cycles, s.nodes), Rate(r.DeliveredPhits, r.Cycles, s.nodes)
	r.Accepted = r.Generated
	return *r, err
}

// newStream prepares a replay.
func newStream(network noc.Network, from Source, classes int, stallLimit noc.Cycle, tell func(*Replayed)) (*stream, error) {
	c, err := newCarrier(sidebyside.Networks{network}, stallLimit)
	return &stream{carrier: c, from: from, tell: tell, waits: map[uint64]int{}, held: map[uint64]noc.Tag{}, alive: map[uint64]noc.Tag{},
		result: Replayed{Window: traffic.Window{Latencies: make(traffic.Latencies, classes)}}}, err
}

// replay runs the stream to its end.
func (s *stream) replay(ctx context.Context) error {
	if err := s.read(0); err != nil {
		return err
	}
	return s.run(ctx, s)
}

// do implements client.
func (s *stream) do(_ task, _ int, now noc.Cycle) error {
	return s.read(now)
}

// read takes the packets that were sent by now, and makes a note of when the next one was.
func (s *stream) read(now noc.Cycle) error {
	for {
		if s.coming == nil {
			p, err := s.from.Next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			s.coming = p
		}
		if s.coming.Cycle > now {
			s.calendar.add(s.coming.Cycle, advance, 0)
			return nil
		}
		if err := s.take(s.coming); err != nil {
			return err
		}
		s.coming = nil
	}
}

// take makes a packet wait, or sends it.
func (s *stream) take(p *Packet) error {
	tag, err := s.tag()
	if err != nil {
		return err
	}
	x := &s.packets[tag]
	x.dependants = append(x.dependants[:0], p.Dependants...)
	x.Packet, x.ready, x.left = *p, p.Cycle, p.Dst.Count()
	for _, d := range p.Dependants {
		s.waits[d]++
	}
	for _, before := range p.After {
		if other, underWay := s.alive[before]; underWay {
			s.packets[other].dependants = append(s.packets[other].dependants, p.ID)
			s.waits[p.ID]++
		}
	}
	s.alive[p.ID] = tag
	s.result.Recorded = p.Cycle
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

// tag is one that no packet has.
func (s *stream) tag() (noc.Tag, error) {
	if n := len(s.free); n > 0 {
		tag := s.free[n-1]
		s.free = s.free[:n-1]
		return tag, nil
	}
	if len(s.packets) == limitPackets {
		return 0, fmt.Errorf("%d packets are in flight or waiting in cycle %d, more than a replay can hold; spread the packets of the file over more cycles, or use a faster network",
			limitPackets, s.networks.Now())
	}
	s.packets = append(s.packets, streamed{})
	return noc.Tag(len(s.packets) - 1), nil
}

// send puts a packet into the line of its node.
func (s *stream) send(tag noc.Tag) {
	p := &s.packets[tag]
	s.enqueue(0, noc.Packet{Src: p.Src, Dst: p.Dst, Tag: tag, Phits: p.Phits, Class: p.Class})
}

// taken implements client.
func (s *stream) taken(noc.Tag, noc.Cycle) {}

// report implements client.
func (s *stream) report() { s.tell(&s.result) }

// deliver implements client: it records a delivery, and after the last one of a packet sends what
// waited for that.
func (s *stream) deliver(_ int, v *noc.Delivery) {
	p := &s.packets[v.Tag]
	latency, r := uint64(v.Arrived-p.ready), &s.result
	r.DeliveredPackets++
	r.DeliveredPhits += uint64(p.Phits)
	r.Hops[traffic.Unicast] += uint64(v.Hops)
	several := p.Dst.Count() > 1
	cast := traffic.Unicast
	if several {
		cast = traffic.Multicast
	}
	r.Latencies[p.Class][cast].Add(latency)
	r.MaxLatency = max(r.MaxLatency, latency)
	r.Cycles = max(r.Cycles, v.Arrived)
	r.Digest = random.Mix(r.Digest ^ (uint64(v.Arrived)<<24 + uint64(v.At)))
	r.Digest = random.Mix(r.Digest ^ (latency<<32 + p.ID))
	if p.left--; p.left > 0 {
		return
	}
	r.GeneratedPackets++
	r.Phits += uint64(p.Phits)
	if several {
		r.CompletedMulticasts++
		r.CompletionSum += latency
	}
	if s.alive[p.ID] == v.Tag {
		delete(s.alive, p.ID)
	}
	for _, d := range p.dependants {
		s.arrived(d, v.Arrived)
	}
	s.free = append(s.free, v.Tag)
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
	if p := &s.packets[tag]; at > p.Cycle {
		p.ready = at
		s.result.Waited++
		s.result.Delay += uint64(at - p.Cycle)
	}
	s.send(tag)
}

// unfinished implements client.
func (s *stream) unfinished() error {
	if len(s.held) > 0 {
		return fmt.Errorf("%d packets wait for packets that come after them", len(s.held))
	}
	return nil
}
