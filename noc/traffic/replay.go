package traffic

import (
	"errors"
	"fmt"
	"io"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/random"
)

// TracedPacket is one packet of a recorded run.
type TracedPacket struct {
	ID       uint32
	Cycle    noc.Cycle // in which it was sent
	Src, Dst noc.NodeID
	Phits    uint16
	Class    noc.Class
	// Dependants are packets that may be sent only when this one has arrived. It is read while
	// the packet is taken.
	Dependants []uint32
}

// PacketSource gives packets ordered by Cycle, each before its dependants, and then io.EOF.
type PacketSource interface {
	Next() (*TracedPacket, error)
}

// Replay sends the packets of a recorded run through a network: each in the cycle in which it was
// sent then, or when all packets that it depends on have arrived, whichever is later. A slow
// network thus delays what follows, as it would have done in the run. Lines at the nodes are
// unbounded, sinks take everything at once.
//
// Memory grows with the packets that are under way or waited for, not with the trace.
type Replay struct {
	network noc.Network
	from    PacketSource
	classes int
	coming  *TracedPacket
	ended   bool

	packets []replayed // by tag
	free    []noc.Tag
	waits   map[uint32]int     // by packet: how many that it depends on are under way
	held    map[uint32]noc.Tag // packets read that wait for others
	lines   [][]noc.Tag        // per node and class: packets to be offered
	busy    []int              // lines that are not empty, in order of node and class

	Result Replayed
}

// replayed is a packet under way.
type replayed struct {
	TracedPacket
	ready noc.Cycle
}

// Replayed is what a replay has done so far.
type Replayed struct {
	Packets, Phits uint64
	// Waited counts packets that were sent later than in the recorded run because others arrived
	// later, and Delay by how many cycles together.
	Waited, Delay uint64
	// Latency is of each packet from when it could be sent to its arrival, in cycles, by class;
	// MaxLatency its maximum.
	Latency    Latencies
	MaxLatency uint64
	Hops       uint64
	// Last is the cycle of the last arrival; Recorded that in which the last packet was sent in
	// the recorded run.
	Last, Recorded noc.Cycle
	Digest         uint64
}

// NewReplay prepares a replay; the network is fresh and has that many message classes.
func NewReplay(network noc.Network, from PacketSource, classes int) *Replay {
	return &Replay{network: network, from: from, classes: classes, waits: map[uint32]int{}, held: map[uint32]noc.Tag{},
		lines: make([][]noc.Tag, network.Nodes()*classes), Result: Replayed{Latency: Latencies{classes: make([][Casts]Histogram, classes)}}}
}

// Run goes on up to a cycle, and reports whether all packets have arrived.
func (r *Replay) Run(end noc.Cycle) (done bool, err error) {
	for now := r.network.Now(); now < end; now = r.network.Now() {
		if err := r.take(now); err != nil {
			return false, err
		}
		r.offer()
		if r.ended && r.network.InFlight() == 0 && len(r.busy) == 0 {
			if len(r.held) > 0 {
				return false, fmt.Errorf("%d packets wait for packets that come after them", len(r.held))
			}
			return true, nil
		}
		until := end
		if r.coming != nil {
			until = min(end, max(r.coming.Cycle, now+1))
		}
		r.network.Step(until)
		arrived := r.network.Deliveries()
		for i := range arrived {
			r.arrive(&arrived[i])
		}
	}
	return false, nil
}

// take reads the packets that were sent by now.
func (r *Replay) take(now noc.Cycle) error {
	for !r.ended {
		if r.coming == nil {
			p, err := r.from.Next()
			if errors.Is(err, io.EOF) {
				r.ended = true
				return nil
			}
			if err != nil {
				return err
			}
			r.coming = p
		}
		if r.coming.Cycle > now {
			return nil
		}
		p := r.coming
		r.coming = nil
		tag := r.tag()
		x := &r.packets[tag]
		dependants := append(x.Dependants[:0], p.Dependants...)
		x.TracedPacket, x.ready = *p, p.Cycle
		x.Dependants = dependants
		for _, d := range dependants {
			r.waits[d]++
		}
		r.Result.Recorded = p.Cycle
		if r.waits[p.ID] > 0 {
			if _, twice := r.held[p.ID]; twice {
				return fmt.Errorf("two packets have number %d, and both wait for others", p.ID)
			}
			r.held[p.ID] = tag
		} else {
			r.send(tag)
		}
	}
	return nil
}

func (r *Replay) tag() noc.Tag {
	if n := len(r.free); n > 0 {
		tag := r.free[n-1]
		r.free = r.free[:n-1]
		return tag
	}
	r.packets = append(r.packets, replayed{})
	return noc.Tag(len(r.packets) - 1)
}

// send puts a packet in its line.
func (r *Replay) send(tag noc.Tag) {
	p := &r.packets[tag]
	line := int(p.Src)*r.classes + int(p.Class)
	if len(r.lines[line]) == 0 {
		r.busy = append(r.busy, line)
	}
	r.lines[line] = append(r.lines[line], tag)
}

// offer hands the packets in lines to the network until it refuses them.
func (r *Replay) offer() {
	left := r.busy[:0]
	for _, line := range r.busy {
		n := 0
		for _, tag := range r.lines[line] {
			p := &r.packets[tag]
			if !r.network.Offer(noc.Packet{Src: p.Src, Dst: noc.One(p.Dst), Tag: tag, Phits: p.Phits, Class: p.Class}) {
				break
			}
			n++
		}
		if r.lines[line] = append(r.lines[line][:0], r.lines[line][n:]...); len(r.lines[line]) > 0 {
			left = append(left, line)
		}
	}
	r.busy = left
}

// arrive records a delivery and sends what waited for it.
func (r *Replay) arrive(v *noc.Delivery) {
	p := &r.packets[v.Tag]
	latency := uint64(v.Arrived - p.ready)
	s := &r.Result
	s.Packets++
	s.Phits += uint64(p.Phits)
	s.Hops += uint64(v.Hops)
	s.Latency.Of(int(p.Class), Unicast).add(latency)
	s.MaxLatency = max(s.MaxLatency, latency)
	s.Last = max(s.Last, v.Arrived)
	s.Digest = random.Mix(s.Digest ^ (uint64(v.Arrived)<<24 + uint64(v.At)))
	s.Digest = random.Mix(s.Digest ^ (latency<<32 + uint64(p.ID)))
	for _, d := range p.Dependants {
		if r.waits[d]--; r.waits[d] > 0 {
			continue
		}
		delete(r.waits, d)
		tag, read := r.held[d]
		if !read {
			continue
		}
		delete(r.held, d)
		if x := &r.packets[tag]; v.Arrived > x.Cycle {
			x.ready = v.Arrived
			s.Waited++
			s.Delay += uint64(v.Arrived - x.Cycle)
		}
		r.send(tag)
	}
	r.free = append(r.free, v.Tag)
}
