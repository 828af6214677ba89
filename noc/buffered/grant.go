package buffered

import (
	"math/bits"

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
func (n *Network) grant(x *router, base, in, out int, t noc.Cycle) {
	from, p := &n.port[base+in], &n.port[base+out]
	p.lastInput = int8(in)
	class := int(from.lastChannel)
	ch := (base+in)<<classBits | class
	c := &n.channels[ch]
	k := c.head
	end := t + noc.Cycle(k.phits)
	x.idle[in>>halfBits] &^= 0xff << (in & 7 << 3)
	row := n.agendas.at(end)
	row.releases = append(row.releases, release(int(p.router)<<(2*portBits)|out<<portBits|in))
	p.phits += uint64(k.phits)
	n.withdraw(x, base, in, class, c.stage)
	n.seize(x, base, out)
	if c.branches &^= 1 << out; c.branches != 0 {
		k = n.branch(c, p, t)
		c.lastTurn = int8(out)
		x.copies++
		n.ask(c, x, base, in, class)
	} else {
		n.pop(ch, c, x, from, t, end)
	}
	if out == topology.Local {
		n.eject(&k, int(p.router), t)
		return
	}
	n.phitHops += uint64(k.phits)
	n.routers[p.peer].arrive(t, t+writeDelay)
	if k.left--; k.left == 0 {
		n.routes.aim(&k, p.peer)
	}
	k.written = t + writeDelay
	n.push(p.far+address(class), int(p.across)<<classBits|class, &k)
	n.spend(address(int(p.router)<<addressBits|out<<classBits|class), (base+out)<<classBits|class, t)
}

// eject hands a packet to the node.
func (n *Network) eject(k *packet, r int, t noc.Cycle) {
	at := noc.NodeID(r)
	worm := n.worms.At(k.worm)
	n.inside.leave(t+ejectDelay, uint64(k.phits))
	worm.Hops = n.routes.distance(worm.Src, at)
	n.sinks.Accept(worm, at, t+ejectDelay)
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
	k.worm = n.worms.New(*n.worms.At(k.worm))
	from, to := n.worms.Set(c.head.worm), n.worms.Set(k.worm)
	n.routes.behind(p.router, p.number, src, from, to)
	if checking {
		mustSplit(from, to)
	}
	for i := range from {
		from[i] &^= to[i]
	}
	c.head.head(from)
	k.head(to)
	n.inside.enter(t+1, uint64(k.phits))
	return k
}

// pop removes the head of a channel, whose tail crosses the switch in the cycle before end: its slot's
// credit goes back, and the next packet becomes the head.
func (n *Network) pop(ch int, c *channel, x *router, in *port, t, end noc.Cycle) {
	c.next = t + 1
	if n.config.RouteAfterTail {
		c.next = end + readyDelay
	}
	if c.size--; c.size > 0 {
		c.head = n.waiting[ch*(n.slots-1)+int(c.first)]
		if c.first++; int(c.first) == n.slots-1 {
			c.first = 0
		}
		n.noteHead(address(int(in.router)<<addressBits|int(in.number)<<classBits|ch&7), c)
	}
	x.depart(t, end)
	row := n.agendas.at(t + creditDelay)
	if in.number == topology.Local {
		row.refills = append(row.refills, address(int(in.router)<<addressBits|ch&7))
	} else {
		row.credits = append(row.credits, in.far+address(ch&7))
	}
}

// push appends a packet to a channel.
func (n *Network) push(a address, ch int, k *packet) {
	c := &n.channels[ch]
	if c.size++; c.size == 1 {
		c.head = *k
		n.noteHead(a, c)
		return
	}
	i := int(c.first) + int(c.size) - 2
	if i >= n.slots-1 {
		i -= n.slots - 1
	}
	n.waiting[ch*(n.slots-1)+i] = *k
}

// noteHead notes when a channel's new head may first ask for the switch.
func (n *Network) noteHead(a address, c *channel) {
	row := n.agendas.at(max(c.next, c.head.written+readyDelay))
	row.heads = append(row.heads, a)
}

// packetAt is the i-th packet of a channel.
func (n *Network) packetAt(ch, i int) *packet {
	c := &n.channels[ch]
	if i == 0 {
		return &c.head
	}
	return &n.waiting[ch*(n.slots-1)+(int(c.first)+i-1)%(n.slots-1)]
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
	worm.Injected = t
	k := packet{worm: id, phits: uint8(worm.Phits), odd: n.routes.parity[r], written: t + injectDelay}
	k.head(n.worms.Set(id))
	n.routes.aim(&k, int32(r))
	n.injected++
	n.inside.enter(t, uint64(k.phits))
	x.sending = true
	row := n.agendas.at(t + noc.Cycle(k.phits))
	row.senders = append(row.senders, int32(r))
	x.injected += uint64(k.phits)
	x.arriveHere(t + injectDelay)
	ch := r*n.ports<<classBits | class
	n.push(address(r<<addressBits|class), ch, &k)
	if n.credits[ch]--; n.credits[ch] == 0 {
		x.free &^= 1 << class
	}
}

// take removes the next packet from a source queue, or under Replicate the next copy of it.
func (n *Network) take(node noc.NodeID, class noc.Class) fabric.WormID {
	id := n.sources.Head(node, class)
	if n.config.Multicast == Tree {
		return n.sources.Pop(node, class)
	}
	if _, one := single(n.worms.Set(id)); one {
		return n.sources.Pop(node, class)
	}
	after := node
	if n.config.CopyOrder == Ascending {
		after = noc.NodeID(n.nodes - 1)
	}
	to := fabric.NextAfter(n.worms.Set(id), after)
	split := n.worms.New(*n.worms.At(id))
	n.worms.Set(id)[to/64] &^= 1 << (to % 64)
	n.worms.Set(split)[to/64] |= 1 << (to % 64)
	return split
}

// head makes a packet one for the given destinations, to be aimed at the next router.
func (k *packet) head(set []uint64) {
	k.left, k.port = 1, severalPorts
	if to, one := single(set); one {
		k.to, k.port = to, topology.Local
	}
}

// single is the only member of a set, if there is only one.
func single(set []uint64) (uint16, bool) {
	at := -1
	for i, w := range set {
		if w == 0 {
			continue
		}
		if at >= 0 || w&(w-1) != 0 {
			return 0, false
		}
		at = 64*i + bits.TrailingZeros64(w)
	}
	return uint16(at), at >= 0
}
