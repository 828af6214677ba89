package closedloop

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/sidebyside"
)

// Result is what a replay found.
type Result struct {
	// Cycles is when the last step of all processes ended, from cycle 0 on.
	Cycles noc.Cycle
	Waits  []Wait // in the order of processes and steps
	// Transfers and Packets count what processes asked for and what the networks carried, Bytes the
	// payload.
	Transfers, Packets, Bytes uint64
	// Latency is the sum over reads from the step's beginning to the arrival of the last answer,
	// Reads their number.
	Latency, Reads uint64
	Digest         uint64 // of all deliveries and their cycles
}

// Wait is one wait of a process.
type Wait struct {
	Process, Step int
	Start, End    noc.Cycle
}

// packet is a part of a transfer under way.
type packet struct {
	transfer int
	bytes    uint32 // payload, or what a read asks for
	left     int    // deliveries
	back     bool   // it is an answer
	group    []int  // transfers that it answers together, or nil
	job      int    // whose answer ends with it, or none
}

const none = -1

// transfer is what a step asks for.
type transfer struct {
	process           int
	kind              Kind
	network           uint8
	posted            bool
	share             int
	arrivals, answers int // deliveries still to come
	began             noc.Cycle
}

// replay is a run under way.
type replay struct {
	Config
	networks  sidebyside.Networks
	processes []process
	servers   []server // by network and node
	memories  []memory // by node
	shares    map[int]*share
	calendar  calendar
	packets   []packet // by tag
	free      []noc.Tag
	transfers []transfer
	lines     [][]noc.Packet // per network, node and class: packets that the network has not taken
	waiting   []int          // lines that are not empty
	jobs      []job
	idle      []int // jobs that are none
	nodes     int
	result    Result
}

// Run replays a program. The networks are fresh; their longest packet holds Config.PacketBytes.
func Run(ctx context.Context, networks sidebyside.Networks, p Program, c Config) (Result, error) {
	if err := networks.Check(); err != nil {
		return Result{}, err
	}
	nodes := networks[0].Nodes()
	if err := c.Validate(nodes, len(networks), p); err != nil {
		return Result{}, err
	}
	r := &replay{Config: c, networks: networks, nodes: nodes, servers: make([]server, len(networks)*nodes), memories: make([]memory, nodes),
		lines: make([][]noc.Packet, len(networks)*nodes*noc.MaxClasses)}
	for i := range r.servers {
		r.servers[i].Server = c.Servers[i%nodes]
		if places := r.servers[i].Places; places > 0 {
			networks[i/nodes].LimitSink(noc.NodeID(i%nodes), c.Request, places)
		}
	}
	if r.AnswerBytes == 0 {
		r.AnswerBytes = r.PacketBytes
	}
	r.shares = sharesOf(p)
	for i := range p.Processes {
		r.start(&p.Processes[i])
	}
	err := r.run(ctx)
	for i := range r.processes {
		r.result.Waits = append(r.result.Waits, r.processes[i].waits...)
	}
	return r.result, err
}

// run is the loop.
func (r *replay) run(ctx context.Context) error {
	quiet, looked := noc.Cycle(0), 0
	for {
		now := r.networks.Now()
		for e, due := r.calendar.take(now); due; e, due = r.calendar.take(now) {
			switch e.task {
			case advance:
				r.advance(e.which, now)
			case answer:
				r.answer(e.which, now)
			case finish:
				r.finish(e.which, now)
			case written:
				r.nextClaim(e.which, now)
			case release:
				r.release(e.which, now)
			}
		}
		r.offer(now)
		if r.calendar.Len() == 0 && r.networks.InFlight() == 0 && len(r.waiting) == 0 {
			return r.unfinished()
		}
		if looked++; looked%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := r.calendar.next()
		if next == noc.Never {
			next = quiet + r.Patience
		}
		r.networks.Step(next)
		if r.receive() || r.calendar.next() != noc.Never {
			quiet = r.networks.Now()
		} else if r.networks.Now() >= quiet+r.Patience {
			return r.deadlock()
		}
	}
}

// receive takes what has arrived, and reports whether something has.
func (r *replay) receive() bool {
	some := false
	for i, n := range r.networks {
		list := n.Deliveries()
		for k := range list {
			r.deliver(i, &list[k])
			some = true
		}
	}
	return some
}

// offer hands packets to the networks until these refuse them.
func (r *replay) offer(now noc.Cycle) {
	left := r.waiting[:0]
	for _, i := range r.waiting {
		network := r.networks[i/(r.nodes*noc.MaxClasses)]
		n := 0
		for n < len(r.lines[i]) && network.Offer(r.lines[i][n]) {
			if job := r.packets[r.lines[i][n].Tag].job; job != none {
				r.left(job, now)
			}
			n++
		}
		if r.lines[i] = append(r.lines[i][:0], r.lines[i][n:]...); len(r.lines[i]) > 0 {
			left = append(left, i)
		}
	}
	r.waiting = left
}

// send puts a packet into the line of its node.
func (r *replay) send(p packet, network uint8, from noc.NodeID, to noc.NodeSet, flits uint16, class noc.Class) {
	tag := noc.Tag(len(r.packets))
	if last := len(r.free) - 1; last >= 0 {
		tag, r.free = r.free[last], r.free[:last]
		r.packets[tag] = p
	} else {
		r.packets = append(r.packets, p)
	}
	r.result.Packets++
	line := (int(network)*r.nodes+int(from))*noc.MaxClasses + int(class)
	if len(r.lines[line]) == 0 {
		r.waiting = append(r.waiting, line)
	}
	r.lines[line] = append(r.lines[line], noc.Packet{Src: from, Dst: to, Tag: tag, Phits: flits, Class: class})
}

// flits is the length of a packet.
func (r *replay) flits(bytes uint32) uint16 { return uint16(1 + (bytes+r.FlitBytes-1)/r.FlitBytes) }

// deadlock tells who waits for whom.
func (r *replay) deadlock() error {
	for i, n := range r.networks {
		if stuck := n.Explain(); len(stuck) > 0 {
			return fmt.Errorf("deadlock in cycle %d: network %d has delivered nothing for %d cycles; %d packets wait, such as %+v",
				n.Now(), i, r.Patience, len(stuck), stuck[0])
		}
	}
	return r.unfinished()
}

// unfinished is an error if a process waits although nothing is under way.
func (r *replay) unfinished() error {
	for i := range r.processes {
		if p := &r.processes[i]; p.next < len(p.Steps) || len(p.open) > 0 {
			return fmt.Errorf("deadlock in cycle %d: process %d waits in step %d of %d, and nothing is under way", r.networks.Now(), i, p.next, len(p.Steps))
		}
	}
	return nil
}

// mix spreads the bits of a digest.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
