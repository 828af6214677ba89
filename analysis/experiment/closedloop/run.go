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
	Cycles  noc.Cycle
	Waits   []Wait // in the order of processes and steps
	Packets uint64 // that the networks carried
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
	job      int    // whose answer ends with it, or none
}

const none = -1

// transfer is what a step asks for.
type transfer struct {
	process           int
	kind              Kind
	network           uint8
	posted            bool
	arrivals, answers int // deliveries still to come
	began             noc.Cycle
}

// replay is a run under way.
type replay struct {
	Config
	carrier
	processes []process
	servers   []server // by network and node
	memories  []memory // by node
	packets   []packet // by tag
	free      []noc.Tag
	transfers []transfer
	jobs      []job
	idle      []int // numbers of jobs that have ended
	result    Result
}

// Run replays a program. The networks are fresh; their longest packet holds Config.PacketBytes.
func Run(ctx context.Context, networks sidebyside.Networks, p Program, c Config) (Result, error) {
	carrier, err := newCarrier(networks, c.StallLimit)
	if err != nil {
		return Result{}, err
	}
	nodes := carrier.nodes
	if err := c.Validate(nodes, len(networks), p); err != nil {
		return Result{}, err
	}
	r := &replay{Config: c, carrier: carrier, servers: make([]server, len(networks)*nodes), memories: make([]memory, nodes)}
	for i := range r.servers {
		r.servers[i].Server = c.Servers[i%nodes]
		if places := r.servers[i].Places; places > 0 {
			networks[i/nodes].LimitSink(noc.NodeID(i%nodes), c.Request, places)
		}
	}
	for i := range p.Processes {
		r.start(&p.Processes[i])
	}
	err = r.run(ctx, r)
	for i := range r.processes {
		r.result.Waits = append(r.result.Waits, r.processes[i].waits...)
	}
	return r.result, err
}

// do implements client.
func (r *replay) do(t task, which int, now noc.Cycle) error {
	switch t {
	case advance:
		r.advance(which, now)
	case answer:
		r.answer(which, now)
	case finish:
		r.finish(which, now)
	case written:
		r.nextClaim(which, now)
	case release:
		r.release(which, now)
	}
	return nil
}

// taken implements client.
func (r *replay) taken(tag noc.Tag, now noc.Cycle) {
	if job := r.packets[tag].job; job != none {
		r.left(job, now)
	}
}

// report implements client; a program is short.
func (r *replay) report() {}

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
	r.enqueue(int(network), noc.Packet{Src: from, Dst: to, Tag: tag, Phits: flits, Class: class})
}

// flits is the length of a packet.
func (r *replay) flits(bytes uint32) uint16 { return uint16(1 + (bytes+r.FlitBytes-1)/r.FlitBytes) }

// unfinished returns an error if a process waits although nothing is under way.
func (r *replay) unfinished() error {
	for i := range r.processes {
		if p := &r.processes[i]; p.next < len(p.Steps) || len(p.open) > 0 {
			return fmt.Errorf("deadlock in cycle %d: process %d waits in step %d of %d, and nothing is under way", r.networks.Now(), i, p.next, len(p.Steps))
		}
	}
	return nil
}
