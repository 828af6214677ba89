package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
)

// Delays of the pipeline in cycles, from the cycle of the SA grant (rule 3).
const (
	creditDelay = 2 // ST frees the slot, the credit is usable one cycle later
	ejectDelay  = 2 // ST, then the node consumes the header
	injectDelay = 1 // from the cycle in which the interface sends a header to its write
)

// delays are those that the configuration decides.
type delays struct {
	write noc.Cycle // ST, LT, then the write into the next channel
	most  noc.Cycle // the same on the slowest link
	ready noc.Cycle // from the write, or from the last tail's last cycle in the switch, over RC to SA
}

func delaysOf(c buffered.Config) delays {
	return delays{noc.Cycle(2 + c.LinkCycles), noc.Cycle(2 + c.Longest()), noc.Cycle(c.RouteCycles + c.AllocationCycles)}
}

// takeCredits is rule 2: it applies the credits of outputs and classes that become usable.
func (g *region) takeCredits(list []globalVC) {
	routers := g.routers
	for _, a := range list {
		r, out, class := routers[a.router()], a.vc().port(), a.vc().class()
		o := &r.output[out]
		o.credits[class]++
		o.open |= g.admits(out, class, o.credits[class])
		can := o.asking & o.open & o.idle
		r.ready |= can
		r.mark(can & r.idleLines)
	}
}

// arrive puts the packets sent in a cycle into their channels. In a large network the channels
// are not in the processor's caches: a first loop that only reads them fetches many at a time.
// Together with the list this saves a third of the time of a hop at 64x64 nodes.
func (g *region) arrive(sent []shipment) {
	if g.routes.near == nil {
		g.fetched = 0
		for i := range sent {
			g.fetched |= g.channels[sent[i].peerVC].size
		}
	}
	g.push(sent, g.now+g.delays.write)
}

// push appends packets to channels where their headers are written in a cycle, or later by what
// their link takes longer than others; those that are heads may ask for the switch soon. This is
// the only place where a packet comes into a buffer.
func (g *region) push(list []shipment, usual noc.Cycle) {
	channels := g.channels
	for i := range list {
		s := &list[i]
		written := usual
		if g.more != nil {
			written += noc.Cycle(g.more[s.peerVC>>classBits])
		}
		c := &channels[s.peerVC]
		size, from := c.size, c.headFrom()
		c.size++
		if size < 2 {
			c.front[size], c.written[size] = s.packet, uint32(written)
		} else {
			i := int(c.first) + int(size) - 2
			if i >= g.further {
				i -= g.further
			}
			g.waiting[int(s.peerVC)*g.further+i] = stored{s.packet, uint32(written)}
		}
		if size == 0 {
			a := g.wheel.On(max(from, written+g.delays.ready))
			a.heads = append(a.heads, s.to)
		}
	}
}

// packetAt returns the i-th packet of a channel.
func (t *tables) packetAt(ch, i int) stored {
	c := &t.channels[ch]
	if i < 2 {
		return stored{c.front[i], c.written[i]}
	}
	return t.waiting[ch*t.further+(int(c.first)+i-2)%t.further]
}

// advance makes the second packet of a channel its head, and notes when it may first ask for the
// switch: in cycle from, or later.
func (g *region) advance(r *router, v vc, c *channel, from noc.Cycle) {
	c.front[0], c.written[0] = c.front[1], c.written[1]
	if c.size > 1 {
		third := &g.waiting[(int(r.firstVC)+int(v))*g.further+int(c.first)]
		c.front[1], c.written[1] = third.packet, third.written
		if c.first++; int(c.first) == g.further {
			c.first = 0
		}
	}
	// The difference is right for any upper halves, and a packet that has waited for half of the
	// range must not seem to be in flight.
	coming := max(0, min(int32(c.written[0]-uint32(g.now)), int32(g.delays.most))+int32(g.delays.ready))
	a := g.wheel.On(max(from, g.now+noc.Cycle(coming)))
	a.heads = append(a.heads, r.base|globalVC(v))
}

// computeRoutes is rule 5: the RC step of headers that may ask for the switch from this cycle on.
func (g *region) computeRoutes(list []globalVC) {
	written := max(g.now, g.delays.ready) - g.delays.ready
	routers, several := g.routers, 0
	for _, a := range list {
		r, v := routers[a.router()], a.vc()
		r.Enter(written)
		k := r.channel[v].front[0]
		if k.several() { // later: a loop that calls functions keeps nothing in registers
			list[several] = a
			several++
			continue
		}
		r.mark(r.request(&r.output[k.port()], v))
	}
	for _, a := range list[:several] {
		r, v := g.at(a), a.vc()
		c := &r.channel[v]
		c.branches = portSet(g.routes.Outputs(noc.NodeID(r.id), c.front[0].ties(), g.packets.Set(c.front[0].id())))
		g.requestSeveral(c, r, v)
		g.wake(r)
	}
}

// branch splits the destinations behind an output of a router off the head of a channel, and
// returns them as a packet of their own. What stays requests its next outputs.
func (g *region) branch(c *channel, r *router, v vc, out port) packet {
	k := c.front[0]
	leaves := g.packets.NewSeveral(*g.packets.At(k.id()))
	g.routes.Divide(noc.NodeID(r.id), k.ties(), int(out), g.packets.Set(k.id()), g.packets.Set(leaves))
	c.front[0] = g.routes.aim(k.of(k.id(), g.packets.Settle(k.id())), r.id)
	copied := k.of(leaves, g.packets.Settle(leaves))
	g.copied += uint64(k.phits())
	c.lastTurn = int8(out)
	r.copies++
	g.requestSeveral(c, r, v)
	return copied
}

// eject hands a packet to the node. If there are other regions, it takes its place in the sink here, and
// the rest is done at the end of the cycle.
func (g *region) eject(k packet, node int32, class uint) {
	if at := noc.NodeID(node); g.sinks.Bounded() {
		g.sinks.Reserve(at, noc.Class(class), g.now+ejectDelay)
		g.testSink(at)
	}
	if e := (ejected{k.id(), node}); g.alone {
		g.network.deliver(e)
	} else {
		g.ejected = append(g.ejected, e)
	}
}

// inject is rule 10: it lets the interface send the next packet, or copy, into the local port.
func (n *Network) inject(node noc.NodeID) {
	s := &n.senders[node]
	ready := classSet(n.Sources.Ready(node)) & s.credited
	if s.sending || ready == 0 {
		return
	}
	class := arbiter.Next8(uint8(ready), s.lastClass)
	s.lastClass = int8(class)
	id := n.config.Take(&n.Interfaces, node, noc.Class(class))
	n.Packets.At(id).Inject(n.Clock)
	k := n.newPacket(id, node)
	n.Injected++
	s.sending = true
	a := n.regions[0].wheel.On(n.Clock + noc.Cycle(k.phits()))
	a.senders = append(a.senders, node)
	s.injected += uint64(k.phits())
	list := &n.entering[n.regionOf[node>>6]]
	*list = append(*list, shipment{k, globalVC(node)<<vcBits | globalVC(class), int32(int(node)*n.ports<<classBits) | int32(class)})
	left := &s.credits[class&(maxClasses-1)]
	if *left--; *left == 0 {
		s.credited.Remove(noc.Class(class))
	}
}
