package closedloop

import (
	"context"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/traffic"
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
	bytes    uint32  // payload, or what a read asks for
	left     int     // deliveries
	back     bool    // it is an answer
	job      noc.Tag // that an answer answers
}

// transfer is what a step asks for.
type transfer struct {
	process           int
	kind              Kind
	network           uint8
	posted            bool
	arrivals, answers int // deliveries still to come
	began             noc.Cycle
	// Waits that have begun, until all has arrived, or been answered.
	untilSent, untilAnswered []*openWait
}

// replay is a run under way.
type replay struct {
	Config
	networks  traffic.Networks
	nodes     int
	calendar  traffic.Calendar
	lines     queue.Lines[noc.Packet] // that the networks have not taken, per network and node
	processes []process
	servers   []server // by network and node
	memories  []memory // by node
	packets   traffic.Tags[packet]
	transfers []transfer
	jobs      traffic.Tags[job]
	result    Result
}

// Run replays a program. The networks are fresh; their longest packet holds Config.PacketBytes.
func Run(ctx context.Context, networks traffic.Networks, p Program, c Config) (Result, error) {
	if err := networks.Check(); err != nil {
		return Result{}, err
	}
	nodes := networks[0].Nodes()
	if err := c.Validate(nodes, len(networks), p); err != nil {
		return Result{}, err
	}
	r := &replay{Config: c, networks: networks, nodes: nodes, servers: make([]server, len(networks)*nodes), memories: make([]memory, nodes),
		lines: queue.NewLines[noc.Packet](len(networks)*nodes, noc.MaxClasses)}
	for i := range r.servers {
		r.servers[i].Server = c.Servers[i%nodes]
		if places := r.servers[i].Places; places > 0 {
			networks[i/nodes].LimitSink(noc.NodeID(i%nodes), c.Request, places)
		}
	}
	for i := range p.Processes {
		r.start(&p.Processes[i])
	}
	err := traffic.Drive(ctx, networks, r, noc.Never, func() {})
	for i := range r.processes {
		r.result.Waits = append(r.result.Waits, r.processes[i].waits...)
	}
	return r.result, err
}

// Serve implements [traffic.Source].
func (r *replay) Serve(now noc.Cycle) (next noc.Cycle, done bool, err error) {
	r.calendar.Run(now)
	r.lines.Offer(func(place int, p noc.Packet) bool {
		taken := r.networks[place/r.nodes].Offer(p)
		if sent := r.packets.At(p.Tag); taken && sent.back {
			r.left(sent.job, now)
		}
		return taken
	})
	if next = r.calendar.Next(); next < noc.Never || r.networks.InFlight() > 0 || r.lines.Len() > 0 {
		return next, false, nil
	}
	for i := range r.processes {
		if p := &r.processes[i]; p.next < len(p.Steps) || p.open > 0 {
			return 0, false, fmt.Errorf("deadlock in cycle %d: process %d waits in step %d of %d, and nothing is under way", now, i, p.next, len(p.Steps))
		}
	}
	return 0, true, nil
}

// Stalled implements [traffic.Source]. Packets may wait in the networks for servers.
func (r *replay) Stalled() error {
	if len(r.calendar) > 0 {
		return nil
	}
	for _, n := range r.networks {
		if n.InFlight() > 0 {
			return traffic.Standstill(n, "")
		}
	}
	return nil
}

// send puts a packet into the line of its node.
func (r *replay) send(p packet, network uint8, from noc.NodeID, to noc.NodeSet, flits uint16, class noc.Class) {
	tag, sent := r.packets.New()
	*sent = p
	r.result.Packets++
	r.lines.Push(int(network)*r.nodes+int(from), int(class), noc.Packet{Src: from, Dst: to, Tag: tag, Phits: flits, Class: class})
}

// flits is the length of a packet.
func (r *replay) flits(bytes uint32) uint16 { return uint16(1 + (bytes+r.FlitBytes-1)/r.FlitBytes) }
