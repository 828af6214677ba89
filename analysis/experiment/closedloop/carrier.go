package closedloop

import (
	"context"
	"errors"
	"fmt"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/queue"
	"github.com/carousel-sim/carousel/noc/leaf/random"
	"github.com/carousel-sim/carousel/noc/sidebyside"
)

// ErrDeadlock is the error of a replay whose networks have stopped.
var ErrDeadlock = errors.New("deadlock")

// client owns the packets of a carrier: the processes of a program, or a stream of packets.
type client interface {
	// do does what is due in this cycle.
	do(task task, which int, now noc.Cycle) error
	// taken is called when a network has taken a packet, deliver when one has arrived.
	taken(tag noc.Tag, now noc.Cycle)
	deliver(network int, d *noc.Delivery)
	// unfinished returns an error if something waits although nothing is under way.
	unfinished() error
	// report reports progress.
	report()
}

// carrier carries the packets of a client: it offers them to the networks in the order in which
// they were sent, tells the client of their arrival, and wakes it when something is due.
type carrier struct {
	networks   sidebyside.Networks
	nodes      int
	calendar   calendar
	lines      queue.Lines[noc.Packet] // that the networks have not taken, per network and node
	stallLimit noc.Cycle
}

// newCarrier checks the networks.
func newCarrier(networks sidebyside.Networks, stallLimit noc.Cycle) (carrier, error) {
	if err := networks.Check(); err != nil {
		return carrier{}, err
	}
	nodes := networks[0].Nodes()
	return carrier{networks: networks, nodes: nodes, stallLimit: stallLimit, lines: queue.NewLines[noc.Packet](len(networks)*nodes, noc.MaxClasses)}, nil
}

// enqueue puts a packet into the line of its node. Its set of destinations must not change.
func (c *carrier) enqueue(network int, p noc.Packet) {
	c.lines.Push(network*c.nodes+int(p.Src), int(p.Class), p)
}

// run is the loop of all replays.
func (c *carrier) run(ctx context.Context, who client) error {
	quiet, looked := noc.Cycle(0), 0
	for {
		now := c.networks.Now()
		for e, due := c.calendar.take(now); due; e, due = c.calendar.take(now) {
			if err := who.do(e.task, e.which, now); err != nil {
				return err
			}
		}
		c.lines.Offer(func(place int, p noc.Packet) bool {
			taken := c.networks[place/c.nodes].Offer(p)
			if taken {
				who.taken(p.Tag, now)
			}
			return taken
		})
		waiting := c.lines.Len() > 0
		if len(c.calendar) == 0 && c.networks.InFlight() == 0 && !waiting {
			return who.unfinished()
		}
		if looked++; looked%4096 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			who.report()
		}
		until := c.calendar.next()
		if c.networks.InFlight() > 0 || waiting { // else the networks skip to it, however far it is
			until = min(until, quiet+c.stallLimit)
		}
		c.networks.Step(until)
		if c.receive(who) || c.networks.InFlight() == 0 && c.lines.Len() == 0 {
			quiet = c.networks.Now()
		} else if c.networks.Now() >= quiet+c.stallLimit {
			return c.deadlock(who)
		}
	}
}

// receive takes what has arrived, and reports whether something has.
func (c *carrier) receive(who client) bool {
	some := false
	for i, n := range c.networks {
		list := n.Deliveries()
		for k := range list {
			who.deliver(i, &list[k])
			some = true
		}
	}
	return some
}

// deadlock returns an error with a packet that waits, and what for.
func (c *carrier) deadlock(who client) error {
	for i, n := range c.networks {
		if stuck := n.Explain(); len(stuck) > 0 {
			return fmt.Errorf("%w in cycle %d: network %d has delivered nothing for %d cycles; %d packets wait, such as %+v",
				ErrDeadlock, n.Now(), i, c.stallLimit, len(stuck), stuck[0])
		}
	}
	if err := who.unfinished(); err != nil {
		return err
	}
	return fmt.Errorf("%w in cycle %d: %d deliveries are outstanding, and nothing has arrived for %d cycles", ErrDeadlock, c.networks.Now(), c.networks.InFlight(), c.stallLimit)
}

// server is a node's side of one network that answers requests.
type server struct {
	Server
	queue queue.FIFO[int] // jobs
	busy  bool
	// Jobs begun, and those whose answers the network has taken.
	begun, sent uint64
	// The server has finished the work or the use of the memory, but is blocked.
	late, holds bool
}

// memory is that of a node, which its servers use one at a time.
type memory struct {
	busy    bool
	waiting queue.FIFO[claim]
}

// claim is a use of a node's memory: by a server for its next job, or for data that have come.
type claim struct {
	server   int // or none
	transfer int
	bytes    uint32
}

// job is one request at a server.
type job struct {
	transfer int
	bytes    uint32
	server   int
}

// deliver takes a packet at its destination.
func (r *replay) deliver(network int, d *noc.Delivery) {
	p := &r.packets[d.Tag]
	r.result.Digest = random.Mix(r.result.Digest ^ (uint64(d.Arrived)<<24 + uint64(network)<<20 + uint64(d.At)))
	id, bytes, back := p.transfer, p.bytes, p.back
	if p.left--; p.left == 0 {
		r.free = append(r.free, d.Tag)
	}
	t := &r.transfers[id]
	if back {
		r.claim(int(d.At), claim{server: none, transfer: id, bytes: bytes}, d.Arrived)
		return
	}
	if t.arrivals--; t.arrivals == 0 {
		r.progress(id, false, d.Arrived)
	}
	which := network*r.nodes + int(d.At)
	s := &r.servers[which]
	s.queue.Push(r.job(job{transfer: id, bytes: bytes, server: which}))
	r.serve(which, d.Arrived)
}
