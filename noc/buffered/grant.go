package buffered

import (
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/fabric"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Delays of the pipeline in cycles, from the cycle of the SA grant.
const (
	creditDelay = 2 // ST frees the slot, the credit is usable one cycle later
	writeDelay  = 3 // ST, LT, then the write into the next channel
	ejectDelay  = 2 // ST, then the node consumes the header
	injectDelay = 1 // from the cycle in which the interface sends a header to its write
	readyDelay  = 2 // from the write, or from the last tail's last cycle in the switch, over RC to SA
)

// grant sends the nominated head of an input, or one branch of it, through an output.
func (n *Network) grant(x *router, p *port, base int, in uint, t noc.Cycle) {
	from := &n.port[base+int(in)]
	class := uint(from.lastChannel) & (1<<classBits - 1)
	spot := in<<classBits | class
	c := &n.channels[base<<classBits+int(spot)]
	k := c.head
	end := t + noc.Cycle(k.phits)
	i := n.agendas.at(end)
	n.agendas.releases[i] = append(n.agendas.releases[i], release(p.router<<(2*portBits)|int32(p.number)<<portBits|int32(in)))
	x.idle[in>>3&1] &^= 0xff << (in << classBits & 63)
	p.phits += uint64(k.phits)
	n.seize(c, x, p, base, spot)
	if c.branches &^= 1 << (p.number & 15); c.branches != 0 {
		k = n.branch(c, p, t)
		c.lastTurn = int8(p.number)
		x.copies++
		n.ask(c, x, base, spot)
	} else {
		n.pop(base<<classBits+int(spot), c, from, t, end)
		x.depart(t, end)
	}
	if p.number == topology.Local {
		n.eject(&k, int(p.router), t)
	} else {
		n.forward(&k, p, base, class, t)
	}
}

// forward sends a packet over a link.
func (n *Network) forward(k *packet, p *port, base int, class uint, t noc.Cycle) {
	n.phitHops += uint64(k.phits)
	k.left--
	k.written = t + writeDelay
	n.sent = append(n.sent, shipment{*k, p.far | address(class), p.across<<classBits | int32(class)})
	n.spend(p, (base+int(p.number))<<classBits|int(class), class, t)
}

// receive puts the packets sent in a cycle into their channels. In a large network the channels are far from
// what the processor has at hand: a loop that only reads them first fetches many at a time. Together with
// the list this saves a third of the time of a hop at 64x64 nodes.
func (n *Network) receive(t noc.Cycle) {
	touched := uint8(0)
	for i := range n.sent {
		touched |= n.channels[n.sent[i].channel].size
	}
	n.touched = touched
	for i := range n.sent {
		s := &n.sent[i]
		peer := s.to.router()
		n.routers[peer].arrive(t, t+writeDelay)
		if s.left == 0 {
			n.routes.aim(&s.packet, int32(peer))
		}
		n.push(s.to, int(s.channel), &s.packet)
	}
	n.sent = n.sent[:0]
}

// eject hands a packet to the node.
func (n *Network) eject(k *packet, r int, t noc.Cycle) {
	at := noc.NodeID(r)
	worm := n.worms.At(k.worm)
	n.inside.leave(t+ejectDelay, uint64(k.phits))
	n.sinks.Accept(worm, n.routes.distance(worm.Src, at), at, t+ejectDelay)
	n.news |= 1 << ((t + ejectDelay + noc.Cycle(k.phits)) % fabric.Horizon)
	n.worms.Free(k.worm)
	if n.bounded {
		n.testSink(r)
	}
}

// branch splits the destinations behind an output off a multicast and gives them a worm of their own.
func (n *Network) branch(c *channel, p *port, t noc.Cycle) packet {
	k := c.head
	src := n.worms.At(k.worm).Src
	k.worm = n.worms.NewSeveral(*n.worms.At(k.worm))
	from, to := n.worms.Set(c.head.worm), n.worms.Set(k.worm)
	n.routes.behind(p.router, p.number, src, from, to)
	if checking {
		mustSplit(from, to)
	}
	for i := range from {
		from[i] &^= to[i]
	}
	c.head.head(n.worms.Settle(c.head.worm))
	k.head(n.worms.Settle(k.worm))
	n.inside.enter(t+1, uint64(k.phits))
	return k
}

// pop removes the head of a channel, whose tail crosses the switch in the cycle before end: its slot's
// credit goes back, and the next packet becomes the head.
func (n *Network) pop(ch int, c *channel, in *port, t, end noc.Cycle) {
	class := int32(ch & (1<<classBits - 1))
	c.next = t + 1
	if n.afterTail {
		c.next = end + readyDelay
	}
	if c.size--; c.size > 0 {
		c.head = c.second
		if c.size > 1 {
			c.second = n.waiting[ch*n.further+int(c.first)]
			if c.first++; int(c.first) == n.further {
				c.first = 0
			}
		}
		n.noteHead(address(in.router<<addressBits|int32(in.number)<<classBits|class), c)
	}
	i := n.agendas.at(t + creditDelay)
	if in.number == topology.Local {
		n.agendas.refills[i] = append(n.agendas.refills[i], address(in.router<<addressBits|class))
	} else {
		n.agendas.credits[i] = append(n.agendas.credits[i], in.far|address(class))
	}
}

// push appends a packet to a channel.
func (n *Network) push(a address, ch int, k *packet) {
	c := &n.channels[ch]
	switch c.size++; c.size {
	case 1:
		c.head = *k
		n.noteHead(a, c)
	case 2:
		c.second = *k
	default:
		i := int(c.first) + int(c.size) - 3
		if i >= n.further {
			i -= n.further
		}
		n.waiting[ch*n.further+i] = *k
	}
}

// noteHead notes when a channel's new head may first ask for the switch.
func (n *Network) noteHead(a address, c *channel) {
	i := n.agendas.at(max(c.next, c.head.written+readyDelay))
	n.agendas.heads[i] = append(n.agendas.heads[i], a)
}

// packetAt is the i-th packet of a channel.
func (n *Network) packetAt(ch, i int) *packet {
	c := &n.channels[ch]
	switch i {
	case 0:
		return &c.head
	case 1:
		return &c.second
	}
	return &n.waiting[ch*n.further+(int(c.first)+i-2)%n.further]
}

// inject lets the interface send the next packet, or copy, into the local port: one phit per cycle for
// all classes together, round-robin over the classes that find a slot.
func (n *Network) inject(r int, t noc.Cycle) {
	x := &n.routers[r]
	ready := n.sources.Ready(noc.NodeID(r)) & x.free
	if x.sending || ready == 0 {
		return
	}
	class := next8(ready, x.lastClass)
	x.lastClass = int8(class)
	id := n.take(noc.NodeID(r), noc.Class(class))
	worm := n.worms.At(id)
	worm.Inject(t)
	k := packet{worm: id, phits: uint8(worm.Phits), odd: n.routes.parity[r], written: t + injectDelay}
	k.head(n.worms.Only(id))
	n.routes.aim(&k, int32(r))
	n.injected++
	n.inside.enter(t, uint64(k.phits))
	x.sending = true
	i := n.agendas.at(t + noc.Cycle(k.phits))
	n.agendas.senders[i] = append(n.agendas.senders[i], int32(r))
	x.injected += uint64(k.phits)
	x.arriveHere(t + injectDelay)
	ch := r*n.ports<<classBits | int(class)
	n.push(address(r<<addressBits)|address(class), ch, &k)
	if n.credits[ch]--; n.credits[ch] == 0 {
		x.free &^= 1 << class
	}
}

// take removes the next packet from a source queue, or under Replicate the next copy of it.
func (n *Network) take(node noc.NodeID, class noc.Class) fabric.WormID {
	switch {
	case n.config.Multicast == Tree:
		return n.sources.Pop(node, class)
	case n.config.CopyOrder == Ascending:
		return n.sources.PopCopy(node, class, noc.NodeID(n.nodes-1))
	}
	return n.sources.PopCopy(node, class, node)
}

// head makes a packet one for the given destination, or for several, to be aimed at the next router.
func (k *packet) head(only int32) {
	k.left, k.port = 1, severalPorts
	if only >= 0 {
		k.to, k.port = uint16(only), topology.Local
	}
}
