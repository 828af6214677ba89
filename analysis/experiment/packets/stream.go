package packets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/traffic"
	"github.com/carousel-sim/carousel/traces/packetlist"
)

// packet is one packet of a file, or one step of a program: a message, which may need several packets, or a
// computation of Source, which has no destinations and takes work cycles. It waits for the packets that it
// depends on, read before it, and those of dependants, read after it, wait for it. Numbers of packets that
// are not in flight are ignored.
type packet struct {
	packetlist.Packet
	dependants []uint64
	work       noc.Cycle
	unit       int // of a computation, of which a unit does one at a time; 0 is that of its node
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
	// longest is the length of the packets that messages of a program are divided into; 0 for single packets.
	longest  int
	pending  int               // packets that have been sent and have not arrived
	calendar traffic.Calendar  // ends of computations
	free     map[int]noc.Cycle // when each unit ends its computations; those of nodes are below 0
	done     uint64            // packets or steps
	failure  error
	waits    map[uint64]int     // by number: how many that it waits for are under way
	held     map[uint64]noc.Tag // packets read that wait for others
	alive    map[uint64]noc.Tag // packets that have been read and have not arrived
	result   replayed
}

// streamed is a packet under way.
type streamed struct {
	noc.Packet
	number       uint64
	cycle, ready noc.Cycle
	work         noc.Cycle
	unit         int
	count        int    // packets
	phits        uint64 // of these, each copy once
	left         int    // deliveries
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
	return &stream{network: network, rules: rules, from: from, free: map[int]noc.Cycle{}, lines: queue.NewLines[noc.Packet](network.Nodes(), noc.MaxClasses),
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
	s.calendar.Run(now)
	if s.failure != nil {
		return 0, false, s.failure
	}
	next = min(next, s.calendar.Next())
	s.lines.Offer(func(_ int, p noc.Packet) bool { return s.network.Offer(p) })
	done = next == noc.Never && s.network.InFlight() == 0
	if done && len(s.held) > 0 {
		err = fmt.Errorf("%d packets wait for packets that come after them", len(s.held))
	}
	return next, done, err
}

// Stalled implements [traffic.Source].
func (s *stream) Stalled() error {
	if len(s.calendar) > 0 {
		return nil
	}
	return traffic.Standstill(s.network, s.rules)
}

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
		return s.tooMany("spread the packets of the file over more cycles, or use a faster network")
	}
	tag, x := s.packets.New()
	x.dependants = append(x.dependants[:0], p.dependants...)
	x.Packet = noc.Packet{Src: noc.NodeID(p.Source), Tag: tag, Class: noc.Class(p.Class)}
	x.number, x.cycle, x.ready, x.work, x.count = p.Number, noc.Cycle(p.Cycle), noc.Cycle(p.Cycle), p.work, 0
	x.unit = cmp.Or(p.unit, -1-int(p.Source))
	if len(p.Destinations) > 0 {
		s.address(x, p)
	}
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
		return s.failure
	}
	if _, twice := s.held[p.Number]; twice {
		return fmt.Errorf("two packets have number %d, and both wait for others", p.Number)
	}
	s.held[p.Number] = tag
	return nil
}

// tooMany is the error of a replay with too many packets.
func (s *stream) tooMany(fix string) error {
	return fmt.Errorf("%d packets are in flight or waiting in cycle %d, more than a replay can hold; %s", limitPackets, s.network.Now(), fix)
}

// headerBytes are the bytes of each packet of a message that carry nothing of the message.
const headerBytes = 8

// address fills in where a packet goes, its length, and how many packets it becomes.
func (s *stream) address(x *streamed, p *packet) {
	x.Dst, x.count = noc.One(noc.NodeID(p.Destinations[0])), 1
	if len(p.Destinations) > 1 {
		x.Dst = noc.NewNodeSet(s.network.Nodes())
		for _, d := range p.Destinations {
			x.Dst.Add(noc.NodeID(d))
		}
	}
	if s.longest == 0 {
		x.phits = uint64(phits(p.Bytes, p.Phits, s.network))
	} else {
		data := s.longest*s.network.Hardware().PhitBits/8 - headerBytes
		x.count = max(1, (int(p.Bytes)+data-1)/data)
		rest := int(p.Bytes) - (x.count-1)*data
		x.phits = uint64((x.count-1)*s.longest + noc.PhitsOf(rest+headerBytes, s.network.Hardware().PhitBits))
	}
	x.left = x.count * x.Dst.Count()
}

// send puts a packet, or the packets of a message, into the line of its node, or begins a computation.
func (s *stream) send(x *streamed) {
	if x.count == 0 {
		at := max(x.ready, s.network.Now())
		if x.work > 0 {
			at = max(at, s.free[x.unit]) + x.work
			s.free[x.unit] = at
		}
		tag := x.Tag
		s.calendar.Add(at, func(now noc.Cycle) { s.finish(s.packets.At(tag), now) })
		return
	}
	if s.pending += x.count; s.pending > limitPackets && s.longest > 0 {
		s.failure = s.tooMany("use fewer bytes, or longer packets (--packet-phits)")
		return
	}
	p, left := x.Packet, x.phits
	for left > 0 {
		p.Phits = uint16(left)
		if s.longest > 0 {
			p.Phits = uint16(min(left, uint64(s.longest)))
		}
		left -= uint64(p.Phits)
		s.lines.Push(int(x.Src), int(x.Class), p)
	}
}

// Take implements [traffic.Source]: it records a delivery, and after the last one of a packet sends what
// waited for that.
func (s *stream) Take(_ int, v *noc.Delivery) {
	p, r, cast := s.packets.At(v.Tag), &s.result, traffic.Unicast
	if p.Dst.Count() > 1 {
		cast = traffic.Multicast
	}
	p.left--
	r.Arrive(v, cast, uint64(v.Arrived-p.ready), p.left == 0, p.number)
	if p.left > 0 {
		return
	}
	s.pending -= p.count
	r.GeneratedPackets += uint64(p.count)
	r.phits += p.phits
	r.DeliveredPhits += p.phits * uint64(p.Dst.Count())
	s.finish(p, v.Arrived)
}

// finish ends a packet or step, and sends what waited for it.
func (s *stream) finish(p *streamed, at noc.Cycle) {
	s.done++
	s.result.Cycles = max(s.result.Cycles, at)
	if s.alive[p.number] == p.Tag {
		delete(s.alive, p.number)
	}
	for _, d := range p.dependants {
		s.arrived(d, at)
	}
	s.packets.Free(p.Tag)
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
