package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
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
func (n *Network) takeCredits(list []globalVC) {
	routers := n.routers
	for _, a := range list {
		r, out, class := routers[a.router()], a.vc().port(), a.vc().class()
		o := &r.output[out]
		o.credits[class]++
		o.open |= n.admits(out, class, o.credits[class])
		can := o.asking & o.open & o.idle
		r.ready |= can
		r.mark(can & r.idleLines)
	}
}

// inject is rule 10: it lets the interface send the next packet, or copy, into the local port.
func (n *Network) inject(r *router, t noc.Cycle) {
	ready := classSet(n.Sources.Ready(noc.NodeID(r.id))) & r.credited
	if r.sending || ready == 0 {
		return
	}
	class := arbiter.Next8(uint8(ready), r.lastClass)
	r.lastClass = int8(class)
	id := n.config.Take(&n.Interfaces, noc.NodeID(r.id), noc.Class(class))
	n.Packets.At(id).Inject(t)
	k := n.newPacket(id, r)
	n.Injected++
	r.sending = true
	a := n.wheel.On(t + noc.Cycle(k.phits()))
	a.senders = append(a.senders, r.base)
	r.injected += uint64(k.phits())
	n.entering = append(n.entering, shipment{k, r.base | globalVC(class), r.firstVC | int32(class)})
	left := &r.output[topology.Local].credits[class&(maxClasses-1)]
	if *left--; *left == 0 {
		r.credited.Remove(noc.Class(class))
	}
}

// receive puts the packets sent in a cycle into their channels. In a large network the channels
// are not in the processor's caches: a first loop that only reads them fetches many at a time.
// Together with the list this saves a third of the time of a hop at 64x64 nodes.
func (n *Network) receive(t noc.Cycle) {
	sent := n.sent[:n.sending]
	n.sending = 0
	if n.routes.near == nil {
		n.fetched = 0
		for i := range sent {
			n.fetched |= n.channels[sent[i].peerVC].size
		}
	}
	n.push(sent, t+n.delays.write)
}

// push appends packets to channels where their headers are written in a cycle, or later by what
// their link takes longer than others; those that are heads may ask for the switch soon. This is
// the only place where a packet comes into a buffer.
func (n *Network) push(list []shipment, usual noc.Cycle) {
	channels := n.channels
	for i := range list {
		s := &list[i]
		written := usual
		if n.more != nil {
			written += noc.Cycle(n.more[s.peerVC>>classBits])
		}
		c := &channels[s.peerVC]
		size, from := c.size, c.headFrom()
		c.size++
		if size < 2 {
			c.front[size], c.written[size] = s.packet, uint32(written)
		} else {
			i := int(c.first) + int(size) - 2
			if i >= n.further {
				i -= n.further
			}
			n.waiting[int(s.peerVC)*n.further+i] = stored{s.packet, uint32(written)}
		}
		if size == 0 {
			a := n.wheel.On(max(from, written+n.delays.ready))
			a.heads = append(a.heads, s.to)
		}
	}
}

// packetAt returns the i-th packet of a channel.
func (n *Network) packetAt(ch, i int) stored {
	c := &n.channels[ch]
	if i < 2 {
		return stored{c.front[i], c.written[i]}
	}
	return n.waiting[ch*n.further+(int(c.first)+i-2)%n.further]
}

// advance makes the second packet of a channel its head, and notes when it may first ask for the
// switch: in cycle from, or later.
func (n *Network) advance(r *router, v vc, c *channel, from noc.Cycle) {
	c.front[0], c.written[0] = c.front[1], c.written[1]
	if c.size > 1 {
		third := &n.waiting[(int(r.firstVC)+int(v))*n.further+int(c.first)]
		c.front[1], c.written[1] = third.packet, third.written
		if c.first++; int(c.first) == n.further {
			c.first = 0
		}
	}
	// The difference is right for any upper halves, and a packet that has waited for half of the
	// range must not seem to be in flight.
	coming := max(0, min(int32(c.written[0]-uint32(n.Clock)), int32(n.delays.most))+int32(n.delays.ready))
	a := n.wheel.On(max(from, n.Clock+noc.Cycle(coming)))
	a.heads = append(a.heads, r.base|globalVC(v))
}

// computeRoutes is rule 5: the RC step of headers that may ask for the switch from this cycle on.
func (n *Network) computeRoutes(list []globalVC) {
	written := max(n.Clock, n.delays.ready) - n.delays.ready
	routers, several := n.routers, 0
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
		r, v := n.at(a), a.vc()
		c := &r.channel[v]
		c.branches = portSet(n.routes.Outputs(noc.NodeID(r.id), c.front[0].ties(), n.Packets.Set(c.front[0].id())))
		n.requestSeveral(c, r, v)
		n.wake(r)
	}
}

// branch splits the destinations behind an output of a router off the head of a channel, and
// returns them as a packet of their own. What stays requests its next outputs.
func (n *Network) branch(c *channel, r *router, v vc, out port) packet {
	k := c.front[0]
	leaves := n.Packets.NewSeveral(*n.Packets.At(k.id()))
	n.routes.Divide(noc.NodeID(r.id), k.ties(), int(out), n.Packets.Set(k.id()), n.Packets.Set(leaves))
	c.front[0] = n.routes.aim(k.of(k.id(), n.Packets.Settle(k.id())), r.id)
	copied := k.of(leaves, n.Packets.Settle(leaves))
	n.copied += uint64(k.phits())
	c.lastTurn = int8(out)
	r.copies++
	n.requestSeveral(c, r, v)
	return copied
}

// eject hands a packet to the node.
func (n *Network) eject(k packet, node int32, t noc.Cycle) {
	at := noc.NodeID(node)
	w := n.Packets.At(k.id())
	n.Sinks.Accept(w, uint16(n.routes.Hops(w.Src, at)), at, t+ejectDelay)
	n.Packets.Free(k.id())
	if n.Sinks.Bounded() {
		n.testSink(at)
	}
}
