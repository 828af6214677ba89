package engine

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/buffered"
	"github.com/carousel-sim/carousel/noc/fabric/arbiter"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Delays of the pipeline in cycles, from the cycle of the SA grant.
const (
	creditDelay = 2 // ST frees the slot, the credit is usable one cycle later
	ejectDelay  = 2 // ST, then the node consumes the header
	injectDelay = 1 // from the cycle in which the interface sends a header to its write
)

// delays are those that the configuration decides.
type delays struct {
	write noc.Cycle // ST, LT, then the write into the next channel
	ready noc.Cycle // from the write, or from the last tail's last cycle in the switch, over RC to SA
}

func delaysOf(c buffered.Config) delays {
	return delays{noc.Cycle(2 + c.LinkCycles), noc.Cycle(c.RouteCycles + c.AllocationCycles)}
}

// grant sends the nominated head of an input, or one branch of it, through an output. The work of
// every grant is inlined here, and only rare work is called, because a call costs as much as the
// work itself.
func (n *Network) grant(r *router, p *port, out, localVC uint, t noc.Cycle) {
	c, here := &r.channel[localVC&localMask], r.base|globalVC(localVC)
	k := c.front[0]
	phits := k.phits()
	end := t + noc.Cycle(phits)
	a := n.wheel.On(end)
	a.releases = append(a.releases, release(here)<<portBits|release(out))
	class := localVC & (1<<classBits - 1)
	r.idleLines &^= everyClass << (localVC & localMask &^ (1<<classBits - 1))
	p.phits += uint64(phits)
	p.idle = 0 // and heads that ask for it are ready no more
	r.ready &^= p.asking
	p.asking &^= 1 << (localVC & localMask)
	if r.several != 0 {
		n.withdraw(c, r, p, localVC)
	}
	if k&manyBit != 0 && c.visit(out) {
		k = n.branch(c, r, localVC, uint8(out), t)
	} else {
		r.Exit(end + 1)
		next := t + 1
		if n.afterTail {
			next = end + n.delays.ready
		}
		if c.size--; c.size > 0 {
			n.advance(r, localVC, c, next)
		} else {
			c.setNext(next)
		}
		freed := &n.freedNow.freed[min(localVC>>classBits, 1)] // no branch: it would often be mispredicted
		*freed = append(*freed, r.port[localVC>>classBits&(maxPorts-1)].far|globalVC(class))
	}
	if out == topology.Local {
		n.eject(k, r.id, t)
		return
	}
	far := p.far | globalVC(class)
	p.credits[class]--
	admitted := &n.admits[out&(maxPorts-1)][n.level(class, p.credits[class])]
	p.open &^= (everyPort &^ *admitted) << class
	if n.routes.near != nil && k&manyBit == 0 {
		k = n.routes.look(k, far)
	} else {
		k = n.routes.step(k, int32(far>>globalBits))
	}
	n.sent[n.sending] = shipment{k, far, p.peerVC | int32(class)}
	n.sending++
}

// receive puts the packets sent in a cycle into their channels. In a large network the channels are
// not in the processor's caches: a first loop that only reads them fetches many at a time. Together
// with the list this saves a third of the time of a hop at 64x64 nodes.
func (n *Network) receive(t noc.Cycle) {
	sent := n.sent[:n.sending]
	n.sending = 0
	if n.routes.near == nil {
		touched := uint8(0)
		for i := range sent {
			s := &sent[i]
			touched |= n.channels[s.peerVC].size
		}
		n.touched = touched
	}
	n.push(sent, t+n.delays.write)
}

// eject hands a packet to the node.
func (n *Network) eject(k packet, node int32, t noc.Cycle) {
	at := noc.NodeID(node)
	p := n.Packets.At(k.id())
	n.Sinks.Accept(p, n.routes.distance(p.Src, at), at, t+ejectDelay)
	n.Packets.Free(k.id())
	if n.Sinks.Bounded() {
		n.testSink(int(node))
	}
}

// branch splits the destinations behind an output of a router off the head of a channel, and
// returns them as a packet of their own. What stays requests its next outputs.
func (n *Network) branch(c *channel, r *router, localVC uint, out uint8, t noc.Cycle) packet {
	k := c.front[0]
	leaves := n.Packets.NewSeveral(*n.Packets.At(k.id()))
	n.routes.Divide(noc.NodeID(r.id), k.ties(), int(out), n.Packets.Set(k.id()), n.Packets.Set(leaves))
	c.front[0] = n.routes.aim(k.of(k.id(), n.Packets.Settle(k.id())), r.id)
	copied := k.of(leaves, n.Packets.Settle(leaves))
	n.copied += uint64(k.phits())
	c.lastTurn = int8(out)
	r.copies++
	n.ask(c, r, localVC)
	return copied
}

// visit notes that an output has been visited, and reports whether there are others to visit.
func (c *channel) visit(out uint) bool {
	c.branches &^= 1 << (out & (maxPorts - 1))
	return c.branches != 0
}

// advance makes the second packet of a channel its head, and notes when it may first ask for the
// switch: next, or later.
func (n *Network) advance(r *router, localVC uint, c *channel, next noc.Cycle) {
	c.front[0], c.written[0] = c.front[1], c.written[1]
	if c.size > 1 {
		third := &n.waiting[(int(r.firstVC)+int(localVC))*n.further+int(c.first)]
		c.front[1], c.written[1] = third.packet, third.written
		if c.first++; int(c.first) == n.further {
			c.first = 0
		}
	}
	// The difference is right for any upper halves, and a packet that has waited for half of the
	// range must not seem to be in flight.
	coming := max(0, min(int32(c.written[0]-uint32(n.Clock)), int32(n.delays.write))+int32(n.delays.ready))
	a := n.wheel.On(max(next, n.Clock+noc.Cycle(coming)))
	a.heads = append(a.heads, r.base|globalVC(localVC))
}

// push appends packets to channels where their headers are written in a cycle; those that are
// heads may ask for the switch soon. This is the only place where a packet comes into a buffer.
func (n *Network) push(list []shipment, written noc.Cycle) {
	channels := n.channels
	for i := range list {
		s := &list[i]
		c := &channels[s.peerVC]
		size, next := c.size, c.next()
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
			a := n.wheel.On(max(next, written+n.delays.ready))
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

// inject lets the interface send the next packet, or copy, into the local port: one phit per
// cycle for all classes together, round-robin over the classes that find a slot.
func (n *Network) inject(r *router, t noc.Cycle) {
	ready := n.Sources.Ready(noc.NodeID(r.id)) & r.free
	if r.sending || ready == 0 {
		return
	}
	class := arbiter.Next8(ready, r.lastClass)
	r.lastClass = int8(class)
	id := n.config.Take(&n.Interfaces, noc.NodeID(r.id), noc.Class(class))
	n.Packets.At(id).Inject(t)
	k := n.newPacket(id, r)
	phits := k.phits()
	n.Injected++
	r.sending = true
	a := n.wheel.On(t + noc.Cycle(phits))
	a.senders = append(a.senders, r.base)
	r.injected += uint64(phits)
	n.entering = append(n.entering, shipment{k, r.base | globalVC(class), r.firstVC | int32(class)})
	left := &r.port[topology.Local].credits[class&(1<<classBits-1)]
	if *left--; *left == 0 {
		r.free &^= 1 << class
	}
}
