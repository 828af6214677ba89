package engine

import (
	"math"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/rotary"
)

// region is a range of routers that one thread simulates, with their packets and all that they read. A network has one
// region unless it has several threads. Decisions read of neighbours what they were at the start of the cycle (rule 7),
// so the order of regions changes nothing.
//
// Behind a link to another region is a ghost of the router there. It gets what the router would get in the cycle:
// packets on links, credits, and packets that count for its quotas. In a cycle all regions step their routers and
// collect what their ghosts have got ([region.depart]). Then all regions give it to the routers ([region.receive]).
//
// A region apart has a thread of its own in a cycle. It reads the source queues and the arena, and leaves it to the
// thread that steps the network to change them (finish).
type region struct {
	Clock   noc.Cycle // that of the network, see advance
	network *Network
	Packets *fabric.Packets
	Sources *fabric.Sources
	Sinks   *fabric.Sinks

	config rotary.Config
	limits rotary.Limits
	rules  rules
	routes routes
	quotas quotas

	number int
	groups []group
	pool   []packet // all packets inside the region; packet 0 is none
	unused int32    // the first of the list of unused packets

	hasAged bool               // an aged packet was on the rings of the router that arbitrates; only with CalmCopies
	start   [maxSegments]uint8 // of the router that arbitrates: slots in use at the start of the cycle
	turning [maxSegments]int32 // and the packets that turn, by the segment that they leave

	buffered uint64 // phits inside the region

	halo      []*group    // by group of the network: the ghosts of its routers, or nil
	departing []departing // to each region
	apart     bool        // the region has a thread of its own in this cycle
	injected  []source    // if apart: queues out of which a packet has been taken
	ejected   []ejected   // and packets that nodes take
}

// departing is what one region sends to another in a cycle.
type departing struct {
	notices []notice
	packets []packet // one for each input that the notices name
}

// notice is what a router gets from another region in a cycle.
type notice struct {
	router int32
	some   present      // inputs with a packet, and outputs with a credit
	held   rotary.Quota // packets that count from now on, see enterQuota
}

// source is a source queue.
type source struct {
	node  noc.NodeID
	class noc.Class
}

// ejected is a packet that a node takes.
type ejected struct {
	packet fabric.PacketID
	hops   uint16
	node   noc.NodeID
}

const (
	leastPhits = 200 // that a region has to hold for a thread of its own to pay
	always     = -1  // as the least work for several threads: less than any
)

// divide makes the regions.
func (n *Network) divide() {
	groups, nodes := len(n.groups), n.Nodes()
	count := max(1, min(n.config.Threads, groups))
	n.least = leastPhits * count
	n.halves = [2]func(int){func(i int) {
		n.regions[i].step()
		n.regions[i].depart()
	}, func(i int) {
		for _, other := range n.regions {
			n.regions[i].receive(&other.departing[i])
		}
	}}
	all := region{network: n, Packets: n.Packets, Sources: n.Sources, Sinks: n.Sinks, config: n.config, limits: n.limits,
		rules: newRules(n.config, &n.limits), routes: newRoutes(n.grid, n.config.Multicast), quotas: quotas{rooms: make([][noc.MaxClasses]int, nodes)}}
	for i := range count {
		g := new(region)
		*g = all
		g.number, g.groups = i, n.groups[groups*i/count:groups*(i+1)/count]
		g.pool, g.quotas.changed = make([]packet, 1, 1+64*len(g.groups)), make([]int32, 0, 64*len(g.groups))
		g.pool[0].id = fabric.NoPacket
		g.halo, g.departing = make([]*group, groups), make([]departing, count)
		for k := range g.groups {
			g.groups[k].net = g
		}
		n.regions = append(n.regions, g)
	}
}

// at returns what routers of the region see of a router: itself or its ghost.
func (n *region) at(id noc.NodeID) *router {
	if n.network.groups[id/64].net == n {
		return &n.network.routers[id]
	}
	h := n.halo[id/64]
	if h == nil {
		h = &group{net: n, routers: new([64]router)}
		n.halo[id/64] = h
	}
	ghost := &h.routers[id%64]
	ghost.net, ghost.group, ghost.id = n, h, int32(id)
	ghost.holding.takers = math.MaxInt32 // so that it is noted with every packet
	return ghost
}

// real returns the router that a ghost stands for, or the router itself.
func (r *router) real() *router { return &r.net.network.routers[r.id] }

// cycleRegions simulates a cycle in several regions. They have a thread each if they have enough to do, and no packet has
// several destinations, for which they would need rows of the arena.
func (n *Network) cycleRegions() {
	apart := n.Packets.LiveRows() == 0 && int(n.buffered()) >= n.least && n.TeamReady(len(n.regions), n.least == always)
	for _, g := range n.regions {
		g.apart = apart
	}
	for _, half := range n.halves {
		n.Each(len(n.regions), apart, half)
	}
	n.finish()
}

// buffered returns the phits inside.
func (n *Network) buffered() (phits uint64) {
	for _, g := range n.regions {
		phits += g.buffered
	}
	return phits
}

// depart takes from the ghosts what they have got in this cycle.
func (n *region) depart() {
	for i := range n.departing {
		d := &n.departing[i]
		d.notices, d.packets = d.notices[:0], d.packets[:0]
	}
	slot, kept := (n.Clock+1)&1, n.quotas.changed[:0]
	for _, id := range n.quotas.changed {
		if h := n.halo[id/64]; h != nil {
			h.coming[slot][entries].Add(member(id))
		} else {
			kept = append(kept, id)
		}
	}
	n.quotas.changed = kept
	for i, h := range n.halo {
		if h == nil {
			continue
		}
		d := &n.departing[n.network.groups[i].net.number]
		for m := range (h.coming[slot][sends] | h.coming[slot][entries]).All() {
			ghost := &h.routers[m]
			some := &ghost.soon[slot]
			d.notices = append(d.notices, notice{ghost.id, *some, ghost.holding.held})
			for exit := range some.credits().All() {
				ghost.stages[exit].credits = 0
			}
			for entry := range some.inputs().All() {
				index, k := n.pop(&ghost.stages[entry].input)
				d.packets = append(d.packets, *k)
				n.drop(index)
			}
			*some, ghost.holding = 0, holding{takers: ghost.holding.takers}
		}
		h.coming[slot] = [kinds]routerSet{}
	}
}

// receive gives the routers of the region what another one has sent.
func (n *region) receive(d *departing) {
	ready, packets := n.Clock+1, d.packets
	for i := range d.notices {
		s := &d.notices[i]
		r := &n.network.routers[s.router]
		r.group.wake = min(r.group.wake, ready)
		for class, count := range s.held {
			for range count {
				n.enterQuota(r, &packet{class: noc.Class(class)})
			}
		}
		for exit := range s.some.credits().All() {
			if r.stages[exit].credits++; r.stages[exit].credits == 1 {
				*r.due(ready, sends) |= credit(exit)
			}
		}
		for entry := range s.some.inputs().All() {
			index := n.take()
			k := &n.pool[index]
			*k, packets = packets[0], packets[1:]
			r.count.Enter(ready)
			*r.due(ready, entries) |= waiting(entry)
			n.push(&r.stages[entry].input, index, k, ready)
		}
	}
}

// takeHead is takePacket of a region apart. The packet has one destination, and leaves its queue in finish.
func (r *router) takeHead(class noc.Class) int32 {
	n := r.net
	from := source{noc.NodeID(r.id), class}
	id := n.Sources.Head(from.node, class)
	n.injected = append(n.injected, from)
	index := n.take()
	k := &n.pool[index]
	*k = packet{id: id, owed: uint64(n.Packets.Only(id)), phits: uint8(n.Packets.At(id).Phits), class: class}
	n.route(r, k)
	return index
}

// finish takes the packets that regions apart have injected out of their queues, and delivers those that nodes take.
func (n *Network) finish() {
	for _, g := range n.regions {
		for _, from := range g.injected {
			id, _ := rotary.Take(&n.Interfaces, from.node, from.class, true, nil)
			n.Packets.At(id).Inject(n.Clock)
			n.Packets.Await(id, 1)
			if r := &n.routers[from.node]; n.Sources.Ready(from.node) == 0 {
				r.group.feeding.Remove(r.place())
			}
		}
		for _, e := range g.ejected {
			w := n.Packets.At(e.packet)
			n.Sinks.Deliver(w, e.hops, e.node, n.Clock, n.Clock+noc.Cycle(w.Phits))
			n.Packets.Deliver(e.packet)
		}
		g.injected, g.ejected = g.injected[:0], g.ejected[:0]
	}
}
